# SPDX-License-Identifier: Apache-2.0
"""Does Perdure work as a part of another project's build, and as shared libraries?

    tests/package/from_source_test.py        some minutes, because it compiles the library twice

Takes the tree in by add_subdirectory and builds and runs the program <component>.cpp of this folder for
each component; then by FetchContent; then installs shared libraries and uses these. `make verify` runs it.
"""

import pathlib
import shutil
import sys
import tempfile

import consumer
from consumer import COMPONENTS, Failed, do, expect

TREE = consumer.ROOT.as_posix()
# Nobody changes these trees and builds them again, so few and large bundles are quicker.
QUICK = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DPERDURE_BUNDLE_LINES=6000")
SUBDIRECTORY = f"""cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
add_subdirectory("{TREE}" perdure)
"""
# As in the project of a user who has set FETCHCONTENT_SOURCE_DIR_PERDURE: nothing is downloaded.
FETCHED = """cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(perdure GIT_REPOSITORY https://perdure.invalid/perdure.git GIT_TAG v0.1.0
    OVERRIDE_FIND_PACKAGE)
find_package(perdure REQUIRED COMPONENTS core)
"""
INSTALLED = """cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
find_package(perdure 0.1 REQUIRED COMPONENTS http sqlite)
"""
SHARED = ("core", "net", "http", "sql", "sqlite")


def project(place, begin, components):
    """A host project with the program of each component."""
    place.mkdir()
    text = begin
    for component in components:
        shutil.copy(consumer.HERE / f"{component}.cpp", place)
        text += (f"add_executable(use_{component} {component}.cpp)\n"
                 f"target_link_libraries(use_{component} PRIVATE perdure::{component})\n")
    (place / "CMakeLists.txt").write_text(text)
    return place


def configure(toolchain, source, build, *options):
    configured, output = toolchain.configure(source, build, *QUICK, *options)
    expect(configured, f"cannot be configured:\n{output}")
    return output


def build_and_run(toolchain, place, components, *options):
    build = place / "build"
    configure(toolchain, place, build, *options)
    consumer.build_tree(build, *(f"use_{component}" for component in components))
    for component in components:
        print(f"  {component:15} {consumer.run_program(build / f'use_{component}')}", flush=True)


def by_add_subdirectory(toolchain, scratch):
    build_and_run(toolchain, project(scratch / "subdirectory", SUBDIRECTORY, COMPONENTS), COMPONENTS)


def by_fetch_content(toolchain, scratch):
    place = project(scratch / "fetched", FETCHED, ["core", "telemetry"])
    build_and_run(toolchain, place, ["core", "telemetry"], f"-DFETCHCONTENT_SOURCE_DIR_PERDURE={TREE}",
                  "-DPERDURE_WITH_AUTO=NEEDED", "-DPERDURE_WITH_TELEMETRY=ON")


def as_shared_libraries(toolchain, scratch):
    build, staged, prefix = scratch / "shared", scratch / "staged", scratch / "moved"
    configure(toolchain, TREE, build, "-DBUILD_SHARED_LIBS=ON", "-DPERDURE_WITH_AUTO=NEEDED",
              "-DPERDURE_WITH_HTTP=ON", "-DPERDURE_WITH_SQLITE=ON",
              *(f"-DPERDURE_BUILD_{part}=OFF" for part in ("TESTS", "TOOLS", "EXAMPLES", "BENCH")))
    consumer.build_tree(build)
    do("cmake", "--install", build, "--prefix", staged)
    staged.rename(prefix)
    installed = sorted(file.name for file in prefix.rglob("*.so.0.1"))
    expect(installed == sorted(f"libperdure_{name}.so.0.1" for name in SHARED), f"installed are {installed}")

    # Shared libraries know by themselves what they need, so neither OpenSSL nor pkg-config is asked for.
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("OpenSSL", "ZLIB", "PkgConfig")]
    build_and_run(toolchain, project(scratch / "by_find_package", INSTALLED, ["http", "sqlite"]), ["http", "sqlite"],
                  f"-DCMAKE_PREFIX_PATH={prefix}", *hidden)

    # A linker may leave out what a program does not use itself; then the libraries find each other.
    library_folder = next(prefix.rglob("perdure-http.pc")).parents[1]
    for component in ("http", "sqlite"):
        flags = do("pkg-config", "--cflags", "--libs", f"perdure-{component}",
                   PKG_CONFIG_PATH=str(library_folder / "pkgconfig")).split()
        program = scratch / f"by_pkg_config_{component}"
        do(consumer.CXX, "-std=c++20", consumer.HERE / f"{component}.cpp", "-o", program,
           "-Wl,--as-needed", f"-Wl,-rpath,{library_folder}", "-Wl,--enable-new-dtags", *flags)
        expect("libcrypto" not in consumer.needed_by(program), "the program itself is linked with OpenSSL")
        print(f"  {component:15} {consumer.run_program(program)}", flush=True)


def self_test(toolchain, scratch):
    """A program that fails, and a component that is not there, are noticed."""
    bad = project(scratch / "bad", "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES CXX)\n", [])
    (bad / "bad.cpp").write_text("int main() { return 3; }\n")
    with (bad / "CMakeLists.txt").open("a") as file:
        file.write("add_library(perdure::bad INTERFACE IMPORTED)\nadd_executable(use_bad bad.cpp)\n")
    for components, word in ((["bad"], "use_bad"), (["teleport"], "teleport")):
        shutil.rmtree(bad / "build", ignore_errors=True)
        try:
            build_and_run(toolchain, bad, components)
        except Failed as failure:
            if word in str(failure):
                continue
        sys.exit(f"self-test: the failure of {components} was not noticed")


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        toolchain = consumer.Toolchain(scratch / "toolchain")
        self_test(toolchain, scratch)
        for way in (by_add_subdirectory, by_fetch_content, as_shared_libraries):
            print(way.__name__.replace("_", " "), flush=True)
            try:
                way(toolchain, scratch)
            except Failed as failure:
                sys.exit(f"{way.__name__}: {failure}")
    print("every component works from source")


if __name__ == "__main__":
    main()
