# SPDX-License-Identifier: Apache-2.0
"""Does the README's example work for somebody who has only installed the library?

Installs this build into an empty place, and builds and runs the whole of examples/readme.cpp
there: once by find_package in a project of five lines, once by pkg-config.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import house

MARK = "<!-- from examples/readme.cpp:readme -->"
EXAMPLE = "examples/readme.cpp"
CXX = os.environ.get("CXX", "c++")
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES CXX)
find_package(perdure 0.1 REQUIRED COMPONENTS core)
add_executable(stranger readme.cpp)
target_link_libraries(stranger PRIVATE perdure::core)
"""


class Failed(Exception):
    pass


def do(*command, **more):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, **more)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, command))}` returned {done.returncode}:\n{done.stdout}")
    return done.stdout


def by_find_package(place, prefix):
    (place / "CMakeLists.txt").write_text(PROJECT)
    do("cmake", "-S", place, "-B", place / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
       f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
    do("cmake", "--build", place / "build")
    return do(place / "build" / "stranger")


def by_pkg_config(place, prefix):
    if not shutil.which("pkg-config"):
        return "pkg-config is not here, so perdure-core.pc was not tried\n"
    found = next(prefix.rglob("perdure-core.pc"), None)
    if found is None:
        raise Failed("no perdure-core.pc was installed")
    search = {**os.environ, "PKG_CONFIG_PATH": str(found.parent)}
    flags = do("pkg-config", "--cflags", "--libs", "perdure-core", env=search).split()
    sources = [word for word in flags if not word.startswith(("-L", "-l"))]
    libraries = [word for word in flags if word.startswith(("-L", "-l"))]
    do(CXX, "-std=c++20", *sources, place / "readme.cpp", "-o", place / "by_hand", *libraries)
    return do(place / "by_hand")


def self_test():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "readme.cpp").write_text("int main() { return 3; }\n")
        try:
            by_find_package(place, place / "nothing")
        except Failed as failure:
            if "perdure" in str(failure):
                return
    sys.exit("self-test: a project without an installed library was not noticed")


def main():
    tree = house.Tree.of_project()
    if "README.md" not in tree or EXAMPLE not in tree:
        print(f"SKIPPED: README.md and {EXAMPLE} are not both there yet")
        sys.exit(77)
    if MARK not in tree["README.md"]:
        sys.exit(f"README.md: no block is marked {MARK}")
    self_test()
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name) / "project"
        prefix = pathlib.Path(name) / "prefix"
        place.mkdir()
        shutil.copy(house.ROOT / EXAMPLE, place / "readme.cpp")
        try:
            do("cmake", "--install", os.environ["PERDURE_BUILD_DIR"], "--prefix", prefix)
            print(by_find_package(place, prefix), end="")
            print(by_pkg_config(place, prefix), end="")
        except Failed as failure:
            sys.exit(f"a stranger cannot use the README: {failure}")
    print("the README's example builds and runs")


main()
