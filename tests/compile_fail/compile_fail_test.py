# SPDX-License-Identifier: Apache-2.0
"""Does each usual mistake fail to compile, with a sentence that names the cure?

A case is a source in this folder. With -DTRAP it must not compile, and its sentence (`// expect:`) must
stand among the first errors; without, it must compile, so that it cannot fail for another reason.
`// only: gcc < 13` names the compilers for which it is a trap; for others it must compile both ways.
`// flags:` are added with -DTRAP.

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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
# The compiler's own errors about a lambda come first and cannot be avoided.
FIRST_ERRORS = 3
# Loose: without these sentences the mistakes took 42 to 66 lines, or a thousand.
MOST_LINES = 40


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
    if not sentence or only not in ("", "gcc < 13"):
        return f"{source.name}: needs `// expect: sentence`; `// only:` may be gcc < 13"
    status, output = compile_with(compiler, source, "-Werror")
    if status != 0:
        return f"{source.name} with {compiler}: the twin does not compile\n{output}"
    status, output = compile_with(compiler, source, "-DTRAP", *mark(text, "flags").split())
    if only and not old_gcc:
        return "" if status == 0 else f"{source.name} with {compiler}: must compile\n{output}"
    wrong = verdict(status, output, sentence)
    return f"{source.name} with {compiler}: {wrong}" if wrong else ""


def self_test():
    assert verdict(0, "", "a cure") == "compiles"
    assert "none of its first" in verdict(1, "x.cpp:1: error: something else", "a cure")
    assert "none of its first" in verdict(1, "x.cpp:1: note: a cure", "a cure")
    assert "lines of output" in verdict(1, "x.cpp:1: error: a cure\n" * (MOST_LINES + 1), "a cure")
    assert verdict(1, "In file\nx.cpp:1: error: a cure", "a cure") == ""


def main():
    self_test()
    wanted = ["g++", "clang++-14", "clang++-19"] if "--all" in sys.argv[1:] else [os.environ.get("CXX", "g++")]
    there = [compiler for compiler in wanted if shutil.which(compiler)]
    for compiler in sorted(set(wanted) - set(there)):
        print(f"skipped: {compiler} is not installed")
    cases = sorted(HERE.glob("*.cpp"))
    assert cases, "no cases"
    jobs = [(compiler, is_gcc_before_13(compiler), case) for compiler in there for case in cases]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [said for said in pool.map(lambda job: check(*job), jobs) if said]
    print("\n".join(wrong))
    print(f"{len(cases)} cases with {', '.join(there)}: {len(wrong)} wrong")
    if wrong:
        return 1
    return SKIPPED if len(there) < len(wanted) else 0


sys.exit(main())
