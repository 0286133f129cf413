# SPDX-License-Identifier: Apache-2.0
"""Do the hardening flags of cmake/hardening.cmake reach the programs and libraries that are installed?

    tests/package/hardened_test.py [PROGRAM…]

Builds and installs a release of `perdure run`, and looks at that tool, at the libraries beside it and at the
given programs with readelf, nm and objdump. The self-test takes away one flag after the other from a
small program: each must be noticed by its own check.
"""

import os
import pathlib
import platform
import re
import shutil
import sys
import tempfile

import consumer
from consumer import CXX, do

X86 = platform.machine() in ("x86_64", "AMD64", "i686")
# With an array on the stack, a copy whose size the compiler sees, a large frame and a vector.
PROBE = """#include <cstdio>
#include <cstring>
#include <vector>
[[gnu::noinline]] int filled(const char* text, unsigned long count) {
    char large[20000];
    char small[40];
    std::memcpy(small, text, count);
    std::memset(large, small[0], sizeof large);
    std::printf("%s %s\\n", large, small);
    return large[count];
}
[[gnu::noinline]] int member(const std::vector<int>& all, unsigned long at) { return all[at]; }
int main(int count, char** words) {
    const std::vector<int> all(3, filled(words[0], static_cast<unsigned long>(count)));
    return member(all, static_cast<unsigned long>(count));
}
"""
# Each flag and its contrary: a compiler may have some of them on by itself.
WITHOUT = {
    "-fPIE": "-fPIE",
    "-pie": "-no-pie",
    "-Wl,-z,relro,-z,now": "-Wl,-z,norelro,-z,lazy",
    "-O2": "-O2",
    "-fstack-protector-strong": "-fno-stack-protector",
    "-D_FORTIFY_SOURCE=2": "-U_FORTIFY_SOURCE",
    "-D_GLIBCXX_ASSERTIONS": "-U_GLIBCXX_ASSERTIONS",
    "-fstack-clash-protection": "-fno-stack-clash-protection",
}


class Binary:
    """A program, or an object file, and what the binutils print about it."""

    def __init__(self, path):
        self.path = path
        self._printed = {}

    def printed(self, *command):
        if command not in self._printed:
            self._printed[command] = do(*command, self.path, LC_ALL="C")
        return self._printed[command]

    def imports(self, pattern):
        return re.search(rf"\bU {pattern}(@|$)", self.printed("nm", "-D", "--undefined-only"), re.MULTILINE)


# What each flag leaves behind: (flag, trace, check).
PROGRAM = [
    ("-pie", "a position-independent program",
     lambda binary: re.search(r"Type:\s+DYN", binary.printed("readelf", "-hW"))),
    ("-Wl,-z,relro,-z,now", "BIND_NOW: a table of addresses that cannot be written",
     lambda binary: re.search(r"BIND_NOW|Flags:.*\bNOW\b", binary.printed("readelf", "-dW"))),
    ("-Wl,-z,relro,-z,now", "a segment GNU_RELRO",
     lambda binary: "GNU_RELRO" in binary.printed("readelf", "-lW")),
    ("-fstack-protector-strong", "__stack_chk_fail", lambda binary: binary.imports("__stack_chk_fail")),
    ("-D_FORTIFY_SOURCE=2", "checked functions of the C library", lambda binary: binary.imports(r"__(?!stack)\w+_chk")),
    ("-D_GLIBCXX_ASSERTIONS", "assertions of the C++ library",
     lambda binary: binary.imports(r"\w*__glibcxx_assert_fail\w*")),
]
# By instructions, which differ between processors.
PROGRAM_X86 = [
    ("-fstack-clash-protection", "large frames that are touched page by page",
     lambda binary: re.search(r"sub +\$0x1000,%[er]sp\n.*\b(or|mov)[lq] +\$0x0,",
                              binary.printed("objdump", "-d", "--no-show-raw-insn"))),
]


def traces():
    return PROGRAM + (PROGRAM_X86 if X86 else [])


def is_marked(binary):
    """Whether it may run with a shadow stack."""
    return "SHSTK" in binary.printed("readelf", "-nW")


def start_files_are_marked():
    """Without them the linker leaves the note out of every program: Debian's C library is an example."""
    files = [do(CXX, f"-print-file-name={name}").strip() for name in ("Scrt1.o", "crti.o")]
    return all(is_marked(Binary(file)) for file in files)


def missing(binary):
    """The flags whose trace is not in a program."""
    return [f"{binary.path.name}: no trace of {flag} ({trace})" for flag, trace, found in traces() if not found(binary)]


def unmarked(library, scratch):
    """Members of a library that keep a program from having a shadow stack."""
    place = scratch / library.stem
    place.mkdir()
    do("ar", "x", library, cwd=place)
    return [f"{library.name}: {member.name} was compiled without -fcf-protection"
            for member in place.iterdir() if not is_marked(Binary(member))]


def install(build):
    """The prefix of a release that has one command, whose parts every command has."""
    prefix = build / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    off = [f"-DPERDURE_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
    do("cmake", "-S", consumer.ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}",
       "-DCMAKE_BUILD_TYPE=Release", "-DPERDURE_WITH_AUTO=NEEDED", "-DPERDURE_WITH_RUN=ON", *off)
    do("cmake", "--build", build)
    do("cmake", "--install", build, "--prefix", prefix)
    return prefix


def leaked(prefix):
    """Our flags must not become those of a program that links the library."""
    files = [*prefix.rglob("perdure*.cmake"), *prefix.rglob("*.pc")]
    if not files:
        return ["there are no files of a package"]
    ours = re.compile(r"-fstack\S*|-fcf\S*|FORTIFY\S*|GLIBCXX_ASSERT\S*|-z,?\s*(?:now|relro)|-pie\b", re.IGNORECASE)
    return [f"{file.name} hands on {flag}" for file in files for flag in ours.findall(file.read_text())]


def self_test(scratch):
    source = scratch / "probe.cpp"
    source.write_text(PROBE)

    def built(without=None):
        flags = [WITHOUT[flag] if flag == without else flag for flag in WITHOUT]
        program = scratch / "probe"
        do(CXX, "-std=c++20", "-w", source, *flags, "-o", program)
        return missing(Binary(program))

    found = built()
    if found:
        sys.exit(f"self-test: with all flags, still {found}")
    for flag in sorted({flag for flag, _, _ in traces()}):
        found = built(without=flag)
        if not found or not all(flag in problem for problem in found):
            sys.exit(f"self-test: without {flag} this was noticed: {found}")
    for flag, marked in (("-fcf-protection=return", True), ("-fcf-protection=none", False)) if X86 else ():
        do(CXX, "-std=c++20", "-w", "-c", source, flag, "-o", scratch / "probe.o")
        if is_marked(Binary(scratch / "probe.o")) != marked:
            sys.exit(f"self-test: with {flag} the object is taken for {'un' * marked}marked")
    handed_on = scratch / "leaky"
    handed_on.mkdir()
    (handed_on / "perdure-core.pc").write_text("Libs: -lperdure_core -Wl,-z,relro,-z,now\n")
    if not leaked(handed_on):
        sys.exit("self-test: a flag in a .pc file was not noticed")


def main(programs):
    tools = ("readelf", "nm", "objdump", "ar")
    if not all(map(shutil.which, tools)):
        print("SKIPPED: readelf, nm, objdump or ar is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        self_test(scratch)
        prefix = install(pathlib.Path(os.environ.get("PERDURE_BUILD_DIR", consumer.ROOT / "build/release")) / "hardened")
        installed = prefix / "bin/perdure"
        found = leaked(prefix)
        for program in map(Binary, [installed, *map(pathlib.Path, programs)]):
            found += missing(program)
            if X86 and start_files_are_marked() and not is_marked(program):
                found.append(f"{program.path.name}: not marked for a shadow stack")
        for library in prefix.rglob("libperdure_*.a") if X86 else ():
            found += unmarked(library, scratch)
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else f"hardened: the installed tool, its libraries and {len(programs)} programs")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except consumer.Failed as failure:
        sys.exit(str(failure))
