# SPDX-License-Identifier: Apache-2.0
"""Does each usual mistake fail to compile, with a sentence that names the cure?

A case is a source in this folder. With -DTRAP it must not compile, and its sentence (`// expect:`) must
stand among the first errors; without, it must compile, so that it cannot fail for another reason.
`// only: gcc < 13` names the compilers for which it is a trap; for others it must compile both ways.
`// flags:` are added with -DTRAP.

Every header that includes cxx20.hpp before all others must give that header's sentence below C++20.

A case with `// run: what it shows` has a main(). With --all it is also built with the address sanitizer and
executed: with -DTRAP where that compiles, else without. Such a case may have no sentence: then there is no TRAP.

    compile_fail_test.py            the compiler of this build ($CXX)
    compile_fail_test.py --all      g++, clang++-14 and clang++-19; for scripts/verify
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
# The compiler's own errors about a lambda come first and cannot be avoided.
FIRST_ERRORS = 3
# Loose: without these sentences the mistakes took 42 to 66 lines, or a thousand.
MOST_LINES = 40
# What a call needs; the folders of the module core in CMakeLists.txt.
CORE = (".", "time", "stats", "policy", "call", "testing")
PATIENCE = 60  # seconds until a program that hangs is a failure


def mark(text, key):
    found = re.search(rf"^// {key}: (.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def compile_with(compiler, source, *flags):
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", f"-I{ROOT / 'include'}",
               *flags, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stderr


def is_gcc_before_13(compiler):
    macros = subprocess.run([compiler, "-dM", "-E", "-x", "c++", os.devnull], capture_output=True,
                            text=True, check=True).stdout
    version = re.search(r"#define __GNUC__ (\d+)", macros)
    return "__clang__" not in macros and version is not None and int(version.group(1)) < 13


def verdict(status, output, sentence):
    """What is wrong with the output of a trap; empty if it is as it should be."""
    if status == 0:
        return "compiles"
    errors = [line for line in output.splitlines() if "error:" in line]
    if not any(sentence in line for line in errors[:FIRST_ERRORS]):
        return f"none of its first {FIRST_ERRORS} errors says: {sentence}\n{output}"
    lines = len(output.splitlines())
    return f"{lines} lines of output, at most {MOST_LINES} are allowed" if lines > MOST_LINES else ""


def check(compiler, old_gcc, source):
    text = source.read_text()
    sentence, only = mark(text, "expect"), mark(text, "only")
    if not (sentence or mark(text, "run")) or only not in ("", "gcc < 13"):
        return f"{source.name}: needs `// expect: sentence` or `// run:`; `// only:` may be gcc < 13"
    status, output = compile_with(compiler, source, "-Werror")
    if status != 0:
        return f"{source.name} with {compiler}: the twin does not compile\n{output}"
    if not sentence:
        return ""
    status, output = compile_with(compiler, source, "-DTRAP", *mark(text, "flags").split())
    if only and not old_gcc:
        return "" if status == 0 else f"{source.name} with {compiler}: must compile\n{output}"
    wrong = verdict(status, output, sentence)
    return f"{source.name} with {compiler}: {wrong}" if wrong else ""


def first_headers():
    """The headers that include cxx20.hpp before all others, as programs name them."""
    include = ROOT / "include"
    for header in sorted(include.rglob("*.hpp")):
        first = re.search(r'^#include [<"](.*)[>"]$', header.read_text(), re.MULTILINE)
        if first and first.group(1) == "perdure/cxx20.hpp":
            yield str(header.relative_to(include))


def check_header(compiler, header):
    """What is wrong with the first error of this header below C++20; empty: it is the sentence."""
    source = HERE / "below_cxx20.cpp"
    sentence = mark(source.read_text(), "expect")
    command = [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", f"-I{ROOT / 'include'}", "-"]
    done = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    wrong = verdict(done.returncode, done.stderr, sentence)
    return f"{header} with {compiler} below C++20: {wrong}" if wrong else ""


def build(compiler, output, *arguments):
    """What the compiler says against it; empty: `output` is made."""
    command = [compiler, "-std=c++20", "-O1", "-g1", "-fsanitize=address", "-fno-omit-frame-pointer", "-pthread",
               f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", "-o", str(output), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return done.stderr if done.returncode != 0 else ""


def build_core(compiler, folder):
    """(object file, what is wrong). One bundle: names in anonymous namespaces are unique within a module."""
    bundle = pathlib.Path(folder) / "core.cpp"
    sources = [source for each in CORE for source in sorted((ROOT / "src" / each).glob("*.cpp"))]
    bundle.write_text("".join(f'#include "{source}"\n' for source in sources))
    made = pathlib.Path(folder) / "core.o"
    return made, build(compiler, made, "-w", "-c", bundle)


def execute(compiler, old_gcc, case, core, folder):
    """What the program of a case says that it should not; empty: it runs clean."""
    text = case.read_text()
    trap = [] if not mark(text, "expect") or (mark(text, "only") and old_gcc) else ["-DTRAP"]
    program = pathlib.Path(folder) / case.stem
    wrong = build(compiler, program, *trap, case, core)
    if wrong:
        return f"{case.name} with {compiler}: cannot be built\n{wrong}"
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"})
    except subprocess.TimeoutExpired:
        return f"{case.name} with {compiler}: still runs after {PATIENCE} s"
    if done.returncode == 0 and not done.stderr:
        return ""
    return f"{case.name} with {compiler}: ends with {done.returncode}\n{done.stderr}"


def run_cases(compiler, old_gcc, cases):
    """What is wrong with the cases that are executed, a text each."""
    with tempfile.TemporaryDirectory() as folder:
        core, wrong = build_core(compiler, folder)
        if wrong:
            return [f"the library with {compiler}: cannot be built\n{wrong}"]
        found = [execute(compiler, old_gcc, case, core, folder) for case in cases]
        return [said for said in found if said]


# A leak and a use after free: the kit itself must see both.
LEAKS = "int main(int n, char**) { int* volatile lost = new int{n}; lost = nullptr; return 0; }\n"
USES_FREED = "int main(int n, char**) { int* volatile p = new int{n}; delete p; return *p == 77; }\n"


def self_test_of_runs(compiler):
    for name, text in (("leaks", LEAKS), ("uses_freed", USES_FREED)):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / (name + ".cpp")
            empty = pathlib.Path(folder) / "empty.cpp"
            case.write_text(text)
            empty.write_text("")
            said = execute(compiler, False, case, empty, folder)
            assert "AddressSanitizer" in said or "LeakSanitizer" in said, f"{name} with {compiler}: {said}"


def self_test():
    assert verdict(0, "", "a cure") == "compiles"
    assert "none of its first" in verdict(1, "x.cpp:1: error: something else", "a cure")
    assert "none of its first" in verdict(1, "x.cpp:1: note: a cure", "a cure")
    assert "lines of output" in verdict(1, "x.cpp:1: error: a cure\n" * (MOST_LINES + 1), "a cure")
    assert verdict(1, "In file\nx.cpp:1: error: a cure", "a cure") == ""


def main():
    self_test()
    everything = "--all" in sys.argv[1:]
    wanted = ["g++", "clang++-14", "clang++-19"] if everything else [os.environ.get("CXX", "g++")]
    there = [compiler for compiler in wanted if shutil.which(compiler)]
    for compiler in sorted(set(wanted) - set(there)):
        print(f"skipped: {compiler} is not installed")
    cases = sorted(HERE.glob("*.cpp"))
    assert cases, "no cases"
    headers = list(first_headers())
    assert "perdure/perdure.hpp" in headers and len(headers) >= 30, headers
    old = {compiler: is_gcc_before_13(compiler) for compiler in there}
    run = [case for case in cases if mark(case.read_text(), "run")]
    assert len(run) >= 2, "no cases to run"
    jobs = [lambda c=compiler, s=case: check(c, old[c], s) for compiler in there for case in cases]
    jobs += [lambda c=compiler, h=header: check_header(c, h) for compiler in there for header in headers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [said for said in pool.map(lambda job: job(), jobs) if said]
    for compiler in there if everything else ():
        self_test_of_runs(compiler)
        wrong += run_cases(compiler, old[compiler], run)
    print("\n".join(wrong))
    print(f"{len(cases)} cases and {len(headers)} headers with {', '.join(there)}: {len(wrong)} wrong"
          + (f"; {len(run)} cases were run" if everything else ""))
    if wrong:
        return 1
    return SKIPPED if len(there) < len(wanted) else 0


sys.exit(main())
