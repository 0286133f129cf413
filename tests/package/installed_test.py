# SPDX-License-Identifier: Apache-2.0
"""Does every component of the installed package work alone?

Installs this build, moves the installed tree, and builds and runs the program <component>.cpp of this
folder for each component from an empty directory: by find_package, with every library hidden that the
component does not need, and by pkg-config. Then the errors: an unknown component, a missing library.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

import consumer
from consumer import COMPONENTS, LIBRARIES, Failed, attempt, do, expect, expect_words

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(perdure 0.1 REQUIRED COMPONENTS {0})
add_executable(user {0}.cpp)
target_link_libraries(user PRIVATE perdure::{0})
"""
# Public headers must be clean under the warnings of their users; CMake would hide them.
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")


class Installation:
    """An installed tree, and how small projects find it."""

    def __init__(self, prefix, toolchain, scratch):
        self.prefix = prefix
        self.toolchain = toolchain
        self.scratch = scratch
        self.pkgconfig = next(prefix.rglob("perdure-core.pc")).parent
        self.config = next(prefix.rglob("perdureConfig.cmake"))

    def components(self):
        files = self.config.parent.glob("perdure-*.cmake")
        names = {re.sub(r"-(debug|release|none|relwithdebinfo|minsizerel)$", "", file.stem) for file in files}
        return sorted(name.removeprefix("perdure-") for name in names)

    def place(self, name):
        place = self.scratch / name
        place.mkdir(parents=True)
        return place

    def configure(self, place, project, hidden=()):
        """(succeeded, output) of CMake for a project; the hidden libraries cannot be found."""
        (place / "CMakeLists.txt").write_text(project)
        options = [f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
        options += [f"-DCMAKE_DISABLE_FIND_PACKAGE_{LIBRARIES[name].package}=ON"
                    for name in hidden if LIBRARIES[name].package]
        if set(consumer.BY_PKG_CONFIG) <= set(hidden):
            # Not by disabling FindPkgConfig, which CMake's own FindOpenSSL cannot do without.
            options.append(f"-DPKG_CONFIG_EXECUTABLE={shutil.which('false')}")
        if "c-ares" in hidden:
            # It is found by its file's name alone.
            options.append("-DPERDURE_c-ares_LINK:FILEPATH=")
        return self.toolchain.configure(place, place / "build", *options,
                                        PKG_CONFIG_LIBDIR=str(visible_pc_files(place, hidden)))


def visible_pc_files(place, hidden):
    """A folder with the .pc files of all libraries that are not hidden, and of what these require."""
    folder = place / "pkgconfig"
    folder.mkdir(exist_ok=True)
    open_ends = [library.pkgconfig for name, library in LIBRARIES.items() if name not in hidden]
    while open_ends:
        name = open_ends.pop()
        link = folder / f"{name}.pc"
        found, directory = attempt("pkg-config", "--variable=pcfiledir", name)
        if found and not link.exists():
            link.symlink_to(pathlib.Path(directory.strip()) / f"{name}.pc")
            required = do("pkg-config", "--print-requires", "--print-requires-private", name)
            open_ends += [line.split()[0] for line in required.splitlines() if line.strip()]
    return folder


def not_needed(component):
    return [name for name in LIBRARIES if name not in COMPONENTS[component]]


def check_libraries(program, component):
    """A program loads only what its component needs. What that needs in turn is not the program's."""
    unexpected = {LIBRARIES[name].needed for name in not_needed(component)} & consumer.needed_by(program)
    expect(not unexpected, f"the program for {component} is linked with {', '.join(sorted(unexpected))}")


def by_find_package(installation, component, name="user"):
    """Builds and runs the program; gives the directory it was built in."""
    place = installation.place(f"{name}-{component}")
    shutil.copy(consumer.HERE / f"{component}.cpp", place)
    configured, output = installation.configure(place, PROJECT.format(component), not_needed(component))
    expect(configured, f"find_package failed:\n{output}")
    consumer.build_tree(place / "build")
    check_libraries(place / "build" / "user", component)
    return place, consumer.run_program(place / "build" / "user")


def flags_of(installation, place, *words):
    search = f"{installation.pkgconfig}:{visible_pc_files(place, not_needed(words[-1]))}"
    words = [*words[:-1], f"perdure-{words[-1]}"]
    return do("pkg-config", *words, PKG_CONFIG_LIBDIR=search).split()


def by_pkg_config(installation, component, place):
    """Links what CMake has compiled; that the headers are found by pkg-config's flags is checked separately."""
    source = place / f"{component}.cpp"
    compiled = next((place / "build").rglob(f"{component}.cpp.o"))
    cflags = flags_of(installation, place, "--cflags", component)
    do(consumer.CXX, "-std=c++20", *cflags, "-M", "-MF", os.devnull, source)
    libraries = flags_of(installation, place, "--libs", component)
    do(consumer.CXX, compiled, "-o", place / "by_hand", *libraries)
    check_libraries(place / "by_hand", component)
    consumer.run_program(place / "by_hand")


def in_one_command(installation, component, *static):
    """The line of a Makefile, with the warnings that a user may have on."""
    place = installation.place("-".join(["command", component, *(word.strip("-") for word in static)]))
    flags = flags_of(installation, place, "--cflags", "--libs", *static, component)
    shutil.copy(consumer.HERE / f"{component}.cpp", place)
    do(consumer.CXX, "-std=c++20", *WARNINGS, f"{component}.cpp", *flags, "-o", "by_hand", cwd=place)
    consumer.run_program(place / "by_hand")


def component_works(installation, component):
    expect(component in COMPONENTS, f"{component} has no row in consumer.py and no program in tests/package")
    place, line = by_find_package(installation, component)
    by_pkg_config(installation, component, place)
    return line


def unknown_component(installation):
    configured, output = installation.configure(
        installation.place("unknown"), PROJECT.format("core teleport"))
    expect(not configured, "an unknown component was accepted")
    expect_words(output, "The component teleport is not a component", ", ".join(["core", "sim"]), "cosmos_gateway")


def missing_library(installation, library):
    component = next(name for name in COMPONENTS if library in COMPONENTS[name])
    # A variable of the project must not be taken for an answer.
    project = PROJECT.replace("find_package", "set(found TRUE)\nfind_package").format(component)
    configured, output = installation.configure(installation.place(f"missing-{library}"), project, [library])
    expect(not configured, f"{component} was found without {library}")
    expect_words(output, f"The component {component}", f"needs {library}", LIBRARIES[library].debian)


def optional_components(installation):
    project = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(perdure REQUIRED COMPONENTS core OPTIONAL_COMPONENTS teleport postgres sqlite)
message(STATUS "found ${perdure_FOUND}: core ${perdure_core_FOUND}, teleport ${perdure_teleport_FOUND}, "
    "postgres ${perdure_postgres_FOUND}, sqlite ${perdure_sqlite_FOUND}")
if(TARGET perdure::postgres)
    message(FATAL_ERROR "perdure::postgres cannot be linked")
endif()
"""
    configured, output = installation.configure(installation.place("optional"), project, ["libpq"])
    expect(configured, f"a missing optional component is an error:\n{output}")
    expect_words(output, "core TRUE, teleport FALSE, postgres FALSE, sqlite TRUE")


def without_components(installation):
    project = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(perdure REQUIRED)
foreach(name IN ITEMS core http cosmos postgres databases)
    if(TARGET perdure::${name})
        message(STATUS "there is ${name}.")
    endif()
endforeach()
"""
    configured, output = installation.configure(installation.place("all"), project)
    expect(configured, f"find_package without components failed:\n{output}")
    expect_words(output, *(f"there is {name}." for name in ("core", "http", "cosmos", "postgres", "databases")))
    configured, output = installation.configure(installation.place("all-but-libpq"), project, ["libpq"])
    expect(configured, f"find_package without components needs libpq:\n{output}")
    expect_words(output, "there is http.")
    expect("there is postgres." not in output and "there is databases." not in output,
           f"a component was found without its library:\n{output}")


def library_elsewhere(installation):
    """A library is linked where find_library has found it, not where the linker looks by itself."""
    place = installation.place("elsewhere")
    shutil.copy(consumer.HERE / "net.cpp", place)
    configured, output = installation.configure(place, PROJECT.format("net"))
    expect(configured, f"find_package failed:\n{output}")
    found = pathlib.Path(do("cmake", "-N", "-LA", place / "build").partition("PERDURE_c-ares_LINK:FILEPATH=")[2].split()[0])
    (place / "lib").mkdir()
    (place / "lib" / found.name).symlink_to(found.resolve())
    do("cmake", f"-DPERDURE_c-ares_LINK={place}/lib/{found.name}", place / "build")
    expect(f"{place}/lib/{found.name}" in (place / "build" / "build.ninja").read_text(),
           "c-ares is not linked by the path at which it was found")
    consumer.build_tree(place / "build")


def several_calls(installation):
    """A component may be searched for after another one, after a failure, and in a subdirectory."""
    place = installation.place("several")
    for component in ("core", "sqlite"):
        shutil.copy(consumer.HERE / f"{component}.cpp", place)
    (place / "below").mkdir()
    (place / "below" / "CMakeLists.txt").write_text("""find_package(perdure REQUIRED COMPONENTS sqlite sql)
add_executable(user_sqlite ../sqlite.cpp)
target_link_libraries(user_sqlite PRIVATE perdure::sqlite)
""")
    configured, output = installation.configure(place, """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(perdure QUIET COMPONENTS teleport)
if(perdure_FOUND)
    message(FATAL_ERROR "there is no teleport")
endif()
find_package(perdure REQUIRED COMPONENTS core)
add_executable(user core.cpp)
target_link_libraries(user PRIVATE perdure::core)
add_subdirectory(below)
find_package(perdure COMPONENTS beam)
message(STATUS "why: ${perdure_NOT_FOUND_MESSAGE}")
""")
    expect(configured, f"a second find_package failed:\n{output}")
    why = output.partition("why: ")[2]
    expect("beam" in why and "teleport" not in why, f"an old error is repeated:\n{output}")
    consumer.build_tree(place / "build")
    consumer.run_program(place / "build" / "user")
    consumer.run_program(place / "build" / "below" / "user_sqlite")


def names_no_path(installation, *old):
    """The installed text files name neither the place of the build nor the one of the installation."""
    for file in [*installation.config.parent.iterdir(), *installation.pkgconfig.iterdir()]:
        for path in old:
            expect(str(path) not in file.read_text(), f"{file.name} contains {path}")


def broken_copy(installation, name, pattern, replacement):
    """The installation with one file of the package changed."""
    prefix = installation.scratch / f"broken-{name}" / "prefix"
    shutil.copytree(installation.prefix, prefix, copy_function=os.link)
    for file in [*prefix.rglob("perdureConfig.cmake"), *prefix.rglob("perdure-*.pc")]:
        text = file.read_text()
        file.unlink()  # not the original, which is the same file
        file.write_text(re.sub(pattern, replacement, text))
    return Installation(prefix, installation.toolchain, prefix.parent)


MISTAKES = {
    "demands": ("core", r"_perdure_component\(core USES  ?LIBRARIES", r"\g<0> simdjson", "needs simdjson"),
    "forgets": ("http", r"_perdure_component\(http USES net LIBRARIES zlib", "_perdure_component(http USES net",
                "ZLIB::ZLIB"),
    "pkg-config": ("http", r"Requires: perdure-net zlib", "Requires: perdure-net", "undefined reference"),
}


def mistake_is_noticed(installation, name):
    component, pattern, replacement, word = MISTAKES[name]
    broken = broken_copy(installation, name, pattern, replacement)
    try:
        component_works(broken, component)
    except Failed as failure:
        expect(word in str(failure), f"instead of `{word}`, this was noticed: {failure}")
        return
    raise Failed("a broken package was not noticed")


def checks(installation, old):
    yield "no path in the package", lambda: names_no_path(installation, *old)
    for component in installation.components():
        yield component, lambda component=component: component_works(installation, component)
    yield "core, one command", lambda: in_one_command(installation, "core")
    yield "http, one command, --static", lambda: in_one_command(installation, "http", "--static")
    yield "unknown component", lambda: unknown_component(installation)
    for library in LIBRARIES:
        yield f"without {library}", lambda library=library: missing_library(installation, library)
    yield "optional components", lambda: optional_components(installation)
    yield "no components named", lambda: without_components(installation)
    yield "a library elsewhere", lambda: library_elsewhere(installation)
    yield "several calls", lambda: several_calls(installation)


def run_checks(named):
    """Two at a time; gives how many failed."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [(name, pool.submit(check)) for name, check in named]
        for name, future in running:
            try:
                print(f"{name:28} ok  {future.result() or ''}".rstrip(), flush=True)
            except Failed as failure:
                failures += 1
                print(f"{name:28} FAILED\n{failure}", flush=True)
    return failures


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        staged, prefix = scratch / "staged", scratch / "moved" / "prefix"
        build = pathlib.Path(os.environ["PERDURE_BUILD_DIR"])
        do("cmake", "--install", build, "--prefix", staged)
        prefix.parent.mkdir()
        staged.rename(prefix)
        installation = Installation(prefix, consumer.Toolchain(scratch / "toolchain"), scratch / "projects")
        left_out = sorted(set(COMPONENTS) - set(installation.components()))
        if left_out:
            print(f"SKIPPED: these components are not built (scripts/setup test installs what they need): {', '.join(left_out)}")
            sys.exit(77)
        if run_checks((f"self-test: {name}", lambda name=name: mistake_is_noticed(installation, name))
                      for name in MISTAKES):
            sys.exit("this test cannot fail")
        failures = run_checks(checks(installation, [staged, build]))
    print(f"{failures} failures" if failures else "every installed component works alone")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
