# SPDX-License-Identifier: Apache-2.0
"""Small projects that use Perdure, each in an empty directory. Shared by the tests of the package."""

import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CXX = os.environ.get("CXX", "c++")
# What a user sets by hand must not decide whether a test passes.
CLEAN = {name: value for name, value in os.environ.items()
         if name == "CMAKE_BUILD_PARALLEL_LEVEL"  # what `make JOBS=1` sets
         or not name.lower().endswith("_proxy") and not name.startswith(("AWS_", "CMAKE_", "PG", "PKG_CONFIG"))}


class Library:
    """A library of others: how it is found, its Debian package, the file that a program needs to run."""

    def __init__(self, debian, needed, package=None, pkgconfig=None):
        self.debian = debian
        self.needed = needed
        self.package = package
        self.pkgconfig = pkgconfig


LIBRARIES = {
    "openssl": Library("libssl-dev", "libcrypto", package="OpenSSL", pkgconfig="openssl"),
    "c-ares": Library("libc-ares-dev", "libcares", pkgconfig="libcares"),
    "zlib": Library("zlib1g-dev", "libz", package="ZLIB", pkgconfig="zlib"),
    "simdjson": Library("libsimdjson-dev", "libsimdjson", package="simdjson", pkgconfig="simdjson"),
    "sqlite3": Library("libsqlite3-dev", "libsqlite3", pkgconfig="sqlite3"),
    "libpq": Library("libpq-dev", "libpq", pkgconfig="libpq"),
    "libmariadb": Library("libmariadb-dev", "libmariadb", pkgconfig="libmariadb"),
    "odbc": Library("unixodbc-dev", "libodbc", pkgconfig="odbc"),
}
# These four are found by pkg-config in CMake, too.
BY_PKG_CONFIG = ("sqlite3", "libpq", "libmariadb", "odbc")

# Every component with all libraries that it may ask for. Written by hand, so that a library that creeps
# into cmake/ is noticed here.
NET = ("openssl", "c-ares")
HTTP = (*NET, "zlib")
COMPONENTS = {
    "core": (),
    "sim": (),
    "telemetry": (),
    "net": NET,
    "http": HTTP,
    "chaos": HTTP,
    "scrape": HTTP,
    "sql": NET,
    "sqlite": (*NET, "sqlite3"),
    "postgres": (*NET, "libpq"),
    "mariadb": (*NET, "libmariadb"),
    "odbc": (*NET, "odbc"),
    "databases": (*NET, *BY_PKG_CONFIG),
    "dynamodb": (*HTTP, "simdjson"),
    "cosmos_wire": (*HTTP, "simdjson"),
    "cosmos": (*HTTP, "simdjson"),
    "cosmos_gateway": (*HTTP, "simdjson"),
}


class Failed(Exception):
    pass


def attempt(*command, cwd=None, **environment):
    """(succeeded, output) of a command."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500,
                          env={**CLEAN, **environment})
    return done.returncode == 0, done.stdout


def do(*command, **more):
    succeeded, output = attempt(*command, **more)
    if not succeeded:
        raise Failed(f"`{' '.join(map(str, command))}` failed:\n{output}")
    return output


def expect(condition, complaint):
    if not condition:
        raise Failed(complaint)


def expect_words(text, *words):
    # CMake wraps what it prints.
    flat = " ".join(text.split())
    missing = [word for word in words if word not in flat]
    expect(not missing, f"the message does not say {missing}:\n{text}")


def run_program(program, **environment):
    """The one line that a program of this folder prints."""
    lines = do(program, cwd=program.parent, **environment).splitlines()
    expect(len(lines) == 1, f"{program.name} printed {len(lines)} lines: {lines}")
    return lines[0]


def needed_by(program):
    """Names of the shared libraries that a program loads: {"libssl", "libc", …}."""
    return set(re.findall(r"\(NEEDED\).*\[(\w+)", do("readelf", "-d", program)))


class Toolchain:
    """What CMake finds out about the compiler: once, and not again in every small project."""

    def __init__(self, place):
        place.mkdir()
        (place / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(none LANGUAGES CXX)\n"
            "find_package(Threads REQUIRED)\n")
        do("cmake", "-S", place, "-B", place / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}")
        self._found = next((place / "build" / "CMakeFiles").glob("*/CMakeCXXCompiler.cmake")).parent
        cache = (place / "build" / "CMakeCache.txt").read_text()
        entries = re.findall(r"^[\w-]+:\w+=.*$", cache, re.MULTILINE)
        # CMAKE_CXX_FLAGS…: as if a user had set them.
        of_this_place = ("none_", "CMAKE_CXX_FLAGS", "CMAKE_HOME_DIRECTORY:", "CMAKE_CACHEFILE_DIR:", "CMAKE_PROJECT_NAME:")
        self._cache = "\n".join(entry for entry in entries if not entry.startswith(of_this_place)) + "\n"

    def configure(self, source, build, *options, **environment):
        """(succeeded, output) of CMake in a new build tree."""
        # Without a cache CMake would not believe the rest.
        shutil.copytree(self._found, build / "CMakeFiles" / self._found.name)
        (build / "CMakeCache.txt").write_text(self._cache)
        return attempt("cmake", "-S", source, "-B", build, *options, **environment)


def build_tree(build, *targets):
    do("cmake", "--build", build, *(["--target", *targets] if targets else []))
