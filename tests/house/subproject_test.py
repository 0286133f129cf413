# SPDX-License-Identifier: Apache-2.0
"""Do we leave a project alone that takes us in?

By add_subdirectory (and so by FetchContent) it gets the library: no tests, no install rules, none
of our flags on its own files, no warnings turned into errors.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import house

PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_subdirectory("{house.ROOT.as_posix()}" perdure)
add_executable(host host.cpp)
target_link_libraries(host PRIVATE perdure::core)
"""
HARDENING = r"-fstack-\S*|-fcf-\S*|-D_FORTIFY\S*|-D_GLIBCXX\S*|-fPIE\b|-pie\b|-Wl,-z\S*"
OURS = re.compile(r"(?:^|\s)(-W\S+|-fsanitize\S*|-O\d|-D_GLIBCXX\S*|-fuse-ld\S*)")


def hardened(commands, wished):
    """What is wrong with a database of an optimised build, where the host wishes hardening for us, or does not."""
    found = []
    for command in commands:
        flags = re.findall(rf"\s({HARDENING})", command["command"])
        ours = re.search(r"\bperdure_\w+\.dir/", command["command"])
        if flags and not (ours and wished):
            found.append(f"{command['file']} is compiled with {flags[0]}")
        if ours and wished and not flags:
            found.append(f"{command['file']} is not hardened")
    return found


def problems(commands, root):
    """What is wrong with a compilation database of the host."""
    found = []
    for command in commands:
        path = command["file"]
        inside = pathlib.PurePath(path).is_relative_to(root)
        for flag in OURS.findall(command["command"]):
            # What the host's own warnings would say about our bundles is not the host's business.
            if not (flag.startswith("-Wno-") and (inside or "/Unity/" in path)):
                found.append(f"{path} is compiled with {flag}")
        if inside and not pathlib.PurePath(path).is_relative_to(pathlib.PurePath(root) / "src"):
            found.append(f"{path} is built, and the host did not ask for it")
        if "ccache" in command["command"].split(" ")[0]:
            found.append(f"{path} goes through our ccache")
    return found


def self_test():
    def broken(path, flags):
        return problems([{"file": path, "command": f"c++ {flags} -c {path}"}], "/perdure")

    house.expect(broken("/perdure/src/a.cpp", "-std=c++20"))
    house.expect(broken("/host/a.cpp", "-Werror"), "compiled with -Werror")
    house.expect(broken("/perdure/src/a.cpp", "-Wall -O1"), "-Wall", "-O1")
    house.expect(broken("/perdure/tests/a_test.cpp", ""), "did not ask")
    house.expect(broken("/perdure/src/a.cpp", "-Wno-shadow"))
    house.expect(broken("/host/build/perdure/Unity/a.cxx", "-Wno-shadow -Wshadow=local"), "-Wshadow=local")
    house.expect(broken("/host/a.cpp", "-Wno-shadow"), "-Wno-shadow")
    for flags, wished, *words in (("-O3", False), ("-O3 -fPIE", True), ("-O3 -fcf-protection", False, "-fcf-protection"),
                                  ("-O3", True, "not hardened")):
        house.expect(hardened([{"file": "a.cpp", "command": f"c++ {flags} -o perdure_core.dir/a.o"}], wished), *words)
    house.expect(hardened([{"file": "h.cpp", "command": "c++ -fPIE -o host.dir/h.o"}], True), "compiled with -fPIE")


def commands_of_host(place, *options):
    done = subprocess.run(
        ["cmake", "-S", place, "-B", place / "build", "-G", "Ninja", *options,
         "-DCMAKE_CXX_COMPILER=" + os.environ.get("CXX", "c++")],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        sys.exit(f"the host cannot be configured:\n{done.stdout}{done.stderr}")
    return json.loads((place / "build" / "compile_commands.json").read_text())


def main():
    self_test()
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "host.cpp").write_text("int main() {}\n")
        (place / "CMakeLists.txt").write_text(PROJECT)
        found = problems(commands_of_host(place), house.ROOT.as_posix())
        # A bundle does not show which files are in it.
        found += problems(commands_of_host(place, "-DPERDURE_BUNDLES=OFF"), house.ROOT.as_posix())
        release = "-DCMAKE_BUILD_TYPE=Release"
        found += hardened(commands_of_host(place, release), wished=False)
        found += hardened(commands_of_host(place, release, "-DPERDURE_HARDENING=ON"), wished=True)
        rules = (place / "build" / "perdure" / "cmake_install.cmake").read_text()
        if "perdure_core" in rules:
            found.append("our library is installed together with the host")
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "the host is left alone")
    sys.exit(1 if found else 0)


main()
