# SPDX-License-Identifier: Apache-2.0
"""Do the options PERDURE_WITH_* do what they say?

    tests/package/options_test.py                 what `make test` runs
    tests/package/options_test.py --each-off      each option OFF, with the tool and the tests: `make verify`

Only configures: which modules are built, and what the error says if a module cannot be built.
"""

import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import sys
import tempfile

import consumer
from consumer import LIBRARIES, expect, expect_words

LIBRARY_ONLY = [f"-DPERDURE_BUILD_{part}=OFF" for part in ("TESTS", "TOOLS", "EXAMPLES", "BENCH")]


class Configurations:
    """Build trees of Perdure itself, each for one set of options."""

    def __init__(self, scratch, source):
        self.scratch = scratch
        self._source = source
        self.toolchain = consumer.Toolchain(scratch / "toolchain")
        self._numbers = itertools.count(1)
        (scratch / "no-pkgconfig").mkdir()

    def configure(self, *options, hidden=(), library_only=True):
        """(succeeded, output, build tree) with the given options, like "HTTP=ON" for PERDURE_WITH_HTTP."""
        build = self.scratch / f"build-{next(self._numbers)}"
        words = [option if option.startswith("-D") else f"-DPERDURE_WITH_{option}" for option in options]
        words = (LIBRARY_ONLY if library_only else []) + words
        words += [f"-DCMAKE_DISABLE_FIND_PACKAGE_{LIBRARIES[name].package}=ON"
                  for name in hidden if LIBRARIES[name].package]
        environment = {}
        if set(hidden) & set(consumer.BY_PKG_CONFIG):
            environment["PKG_CONFIG_LIBDIR"] = str(self.scratch / "no-pkgconfig")
        succeeded, output = self.toolchain.configure(self._source, build, *words, **environment)
        return succeeded, output, build

    def modules(self, *options, **more):
        """The modules that are said to be built; the libraries of the build tree must be the same."""
        succeeded, output, build = self.configure(*options, **more)
        expect(succeeded, f"{options} cannot be configured:\n{output}")
        said = re.search(r"^--   modules: (.*)$", output, re.MULTILINE)[1].split()
        targets = consumer.do("ninja", "-C", build, "-t", "targets", "all")
        made = re.findall(r"^libperdure_(\w+)\.a:", targets, re.MULTILINE)
        expect(sorted(said) == sorted(made), f"{options}: said are {said}, made are {made}")
        return said, output

    def refusal(self, *options, **more):
        succeeded, output, _ = self.configure(*options, **more)
        expect(not succeeded, f"{options} was accepted:\n{output}")
        return output


def what_is_found(configurations):
    said, output = configurations.modules(hidden=["simdjson", "libpq"])
    expect("sqlite" not in said and "http" in said, f"built are {said}")
    expect_words(output, "left out: module postgres: libpq was not found (Debian: pkgconf libpq-dev)",
                 "left out: module cosmos: it needs the module cosmos_wire",
                 "simdjson was not found (Debian: libsimdjson-dev)")


def what_is_needed(configurations):
    said, output = configurations.modules("AUTO=NEEDED", "HTTP=ON")
    expect(said == ["core", "net", "http"], f"http needs core, net and http; built are {said}")
    expect_words(output, "left out, because nothing that is ON needs them: sim")
    said, _ = configurations.modules("AUTO=NEEDED")
    expect(said == ["core"], f"core is always built, and nothing else was asked for; built are {said}")


def what_is_off(configurations):
    said, output = configurations.modules("NET=OFF")
    expect(said == ["core", "sim", "telemetry"], f"without net, built are {said}")
    expect_words(output, "left out: module net: PERDURE_WITH_NET=OFF", "module http: it needs the module net")


def contradictions(configurations):
    expect_words(configurations.refusal("POSTGRES=ON", hidden=["libpq"]),
                 "module postgres", "libpq was not found (Debian: pkgconf libpq-dev)")
    expect_words(configurations.refusal("DYNAMODB=ON", hidden=["simdjson"]),
                 "module dynamodb", "simdjson was not found (Debian: libsimdjson-dev)")
    expect_words(configurations.refusal("NET=OFF", "HTTP=ON"), "PERDURE_WITH_NET=OFF", "PERDURE_WITH_HTTP=ON")


def odd_values(configurations):
    expect_words(configurations.refusal("HTTP=maybe"), 'PERDURE_WITH_HTTP is "maybe"', "AUTO, ON or OFF")
    expect_words(configurations.refusal("AUTO=sometimes"), 'PERDURE_WITH_AUTO is "sometimes"', "FOUND or NEEDED")


    expect_words(configurations.refusal("CORE=OFF"), "PERDURE_WITH_CORE is OFF", "everything needs")
    expect_words(configurations.refusal("HTPP=ON"), "There is no PERDURE_WITH_HTPP", "PERDURE_WITH_HTTP", "PERDURE_WITH_LOAD")


def many_spellings(configurations):
    said, _ = configurations.modules("AUTO=NEEDED", "HTTP=Yes", "SIM=y", "NET=true", "SQL=n", "LOAD=False", "CHAOS=auto")
    expect(said == ["core", "sim", "net", "http"], f"built are {said}")


def without_sqlite(configurations):
    """Once the tests of the tool could not do without the demo, which is built on SQLite."""
    succeeded, output, _ = configurations.configure("SQLITE=OFF", library_only=False)
    expect(succeeded, f"PERDURE_WITH_SQLITE=OFF cannot be configured:\n{output}")
    expect_words(output, "tests/tools is left out")


def flags_of_the_user(configurations):
    """-O2 in place of CMake's own -O3, but not in place of the user's."""
    for given, expected in ((None, "-O2"), ("-O3 -DNDEBUG", "-O3"), ("-Os", "-Os")):
        options = [f"-DCMAKE_CXX_FLAGS_RELEASE={given}"] if given else []
        _, output, build = configurations.configure("AUTO=NEEDED", "-DCMAKE_BUILD_TYPE=Release", *options)
        ninja = build / "build.ninja"
        used = set(re.findall(r"^  FLAGS = .*?(-O\w)", ninja.read_text(), re.MULTILINE)) if ninja.exists() else output
        expect(used == {expected}, f"with the release flags {given}, {expected} is expected, not {used}")


def hardening(configurations):
    """In optimised builds, unless it is OFF or sanitizers are on."""
    flags = {"-fstack-protector", "-D_FORTIFY_SOURCE", "-fPIE"}
    for options, hardened in ((["-DCMAKE_BUILD_TYPE=Release"], True), (["-DCMAKE_BUILD_TYPE=RelWithDebInfo"], True),
                              (["-DCMAKE_BUILD_TYPE=Debug"], False), (["-DCMAKE_BUILD_TYPE=Debug", "-DPERDURE_HARDENING=ON"], False),
                              (["-DCMAKE_BUILD_TYPE=Release", "-DPERDURE_HARDENING=OFF"], False),
                              (["-DCMAKE_BUILD_TYPE=Release", "-DPERDURE_SANITIZE=address"], False)):
        succeeded, output, build = configurations.configure("AUTO=NEEDED", *options)
        expect(succeeded, f"{options} cannot be configured:\n{output}")
        ninja = (build / "build.ninja").read_text()
        found = {flag for flag in flags if flag in ninja}
        expect(found == (flags if hardened else set()), f"with {options} there are {found}")
    expect_words(configurations.refusal("-DPERDURE_HARDENING=maybe"), 'PERDURE_HARDENING is "maybe"', "AUTO, ON or OFF")


def places_in_pkg_config(configurations):
    """A distribution may give some places by absolute paths."""
    for library, include in (("lib", "include"), ("/opt/lib", "/opt/headers"), ("lib/a", "/opt/headers"), ("/opt/lib", "include")):
        _, output, build = configurations.configure(
            "AUTO=NEEDED", "-DCMAKE_INSTALL_PREFIX=/usr", f"-DCMAKE_INSTALL_LIBDIR={library}", f"-DCMAKE_INSTALL_INCLUDEDIR={include}")
        # A file in <prefix>/lib/pkgconfig finds its prefix from there.
        place = build / "installed" / library.strip("/") / "pkgconfig"
        place.mkdir(parents=True)
        expect((build / "perdure-core.pc").exists(), f"no perdure-core.pc:\n{output}")
        shutil.copy(build / "perdure-core.pc", place)
        prefix = "/usr" if library.startswith("/") else str(build / "installed")
        for variable, wanted in (("libdir", library), ("includedir", include)):
            found = consumer.do("pkg-config", f"--variable={variable}", "perdure-core", PKG_CONFIG_PATH=str(place)).strip()
            # /a/b/../../lib is /a/lib for our purposes.
            found = str(pathlib.PurePosixPath(re.sub(r"/lib(/a)?/pkgconfig(/\.\.)+", "", found)))
            expect(found == str(pathlib.PurePosixPath(prefix) / wanted), f"{variable} is {found}, not {prefix} / {wanted}")


def in_the_source_folder(configurations):
    """There, too, sources are compiled in bundles."""
    place = configurations.scratch / "in-source"
    for name in ("CMakeLists.txt", "LICENSE", "cmake", "src", "include", "tools/perdure/commands.cmake"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (consumer.ROOT / name).is_dir() else shutil.copy)(consumer.ROOT / name, place / name)
    succeeded, output = configurations.toolchain.configure(place, place, *LIBRARY_ONLY, "-DPERDURE_WITH_AUTO=NEEDED")
    expect(succeeded, f"cannot be configured in its own folder:\n{output}")
    expect("unity_perdure_core" in (place / "build.ninja").read_text(), "a build in the source folder has no bundles")


def taken_in_twice(configurations):
    place = configurations.scratch / "twice"
    place.mkdir()
    (place / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
set(PERDURE_WITH_AUTO NEEDED)
add_subdirectory("{consumer.ROOT.as_posix()}" one)
add_subdirectory("{consumer.ROOT.as_posix()}" two)
""")
    succeeded, output = configurations.toolchain.configure(place, place / "build")
    expect(not succeeded and output.count("CMake Error") == 1, f"two at once are not refused in one message:\n{output}")
    expect_words(output, "Perdure is in this build already")


def each_off(configurations):
    """Without any one module or command the rest can be configured, tool and tests included."""
    _, output, build = configurations.configure(library_only=False)
    names = re.findall(r"^PERDURE_WITH_(\w+):STRING=AUTO$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    expect({"SQLITE", "LOAD", "COSMOS_WIRE"} <= set(names), f"the options are {names}:\n{output}")

    def without(name):
        succeeded, output, build = configurations.configure(f"{name}=OFF", library_only=False)
        expect(succeeded, f"PERDURE_WITH_{name}=OFF cannot be configured:\n{output}")
        shutil.rmtree(build)

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"))) as pool:
        list(pool.map(without, [name for name in names if name != "CORE"]))


def self_test():
    try:
        expect_words("The module postgres cannot\n  be built", "cannot be built")
        expect_words("The module postgres cannot be built", "libpq")
    except consumer.Failed as failure:
        if "libpq" in str(failure):
            return
    sys.exit("self-test: a message without the library's name was not noticed")


def main():
    with tempfile.TemporaryDirectory() as name:
        configurations = Configurations(pathlib.Path(name), consumer.ROOT)
        self_test()
        checks = [what_is_found, what_is_needed, what_is_off, contradictions, odd_values, many_spellings, without_sqlite,
                  flags_of_the_user, hardening, places_in_pkg_config, in_the_source_folder, taken_in_twice]
        for check in [each_off] if sys.argv[1:] == ["--each-off"] else checks:
            try:
                check(configurations)
            except consumer.Failed as failure:
                sys.exit(f"{check.__name__}: {failure}")
            print(f"{check.__name__.replace('_', ' '):20} ok")
    print("the options do what they say")


if __name__ == "__main__":
    main()
