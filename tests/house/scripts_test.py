# SPDX-License-Identifier: Apache-2.0
"""Do the small scripts say clearly what is wrong, and never more than they know?

Each check runs a copy of one script in a made-up tree, and gives what is wrong with it. scripts/setup has
a test of its own.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import house

SKIPS = """<testsuite><testcase name="live/Nginx"><skipped/><system-out>{place}live_test.cpp:7: Skipped
nginx is not installed

[  SKIPPED ] Nginx.answers (0 ms)
</system-out></testcase></testsuite>
"""
COMMANDS = '[{{"file": "{0}/src/a.cpp", "directory": "{0}", "command": "true -o a.o -c {0}/src/a.cpp"}}]'


class Copy:
    """A folder with one script in scripts/, and programs of our own in bin/, first on its PATH."""

    def __init__(self, name, text):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name).resolve()
        self._script = self.write(f"scripts/{name}", text)
        self._script.chmod(0o755)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name, body):
        self.write(f"bin/{name}", f"#!/bin/sh\n{body}\n").chmod(0o755)

    def run(self, *arguments, **environment):
        """(status, all output)"""
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run([self._script, *arguments], env={**os.environ, "PATH": path, **environment}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout

    def module(self):
        """The script as a Python module."""
        loader = importlib.machinery.SourceFileLoader("script", str(self._script))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
        loader.exec_module(module)
        return module


def expected(what, answer, status, *words):
    """Nothing, or what is wrong with the (status, output) of a script."""
    missing = [word for word in words if word not in answer[1]]
    return [f"{what}: status {answer[0]}, {missing} not said:\n{answer[1]}"] if answer[0] != status or missing else []


def skipped(text):
    with Copy("skipped", text) as copy:
        copy.write("tests/skips_allowed.txt", "# none\n")
        found = expected("skipped without a file", copy.run("gone.xml"), 1, "there is no gone.xml")
        for place in ("/a/", "/a folder/"):
            copy.write("junit.xml", SKIPS.format(place=place))
            reason = "skipped, nginx is not installed: 1 (Nginx.answers)"
            found += expected(f"a skip in {place}", copy.run(copy.root / "junit.xml", CI="false"), 0, reason)
            found += expected(f"a skip in {place}, in CI", copy.run(copy.root / "junit.xml", CI="true"), 1, reason, "NOT ALLOWED")
    return found


def build_cost(text):
    found = []
    with Copy("build-cost", text) as copy:
        for arguments in ((), ("run", "tree"), ("say", "tree"), ("tell", "tree", "name")):
            found += expected(f"build-cost {arguments}", copy.run(*arguments), 2, "usage:")
        copy.program("g++", "exit 1")
        (copy.root / "tree").mkdir()
        (copy.root / "temporary").mkdir()
        temporary = {"TMPDIR": str(copy.root / "temporary")}
        spoken = copy.run("run", "tree", "sh", "-c", 'echo "$LC_ALL"', LC_ALL="C.UTF-8", **temporary)
        found += expected("the language of a build", spoken, 0, "C.UTF-8")
        found += expected("without a reference", copy.run("say", "tree", "make it"), 0, "make it: compiled 0", "no reference")
        copy.write("tree/cost.txt", "12 1 1 5 6\n")
        found += expected("a build that fails", copy.run("run", "tree", "false", **temporary), 1)
        found += expected("after it", copy.run("say", "tree", "make it"), 0, "compiled 0 of")
        found += expected("said twice", copy.run("say", "tree", "make it"), 1, "no build was measured")
        found += [f"build-cost leaves {path.name}" for path in (copy.root / "temporary").iterdir()]
    return found


def compile_alone(text):
    with Copy("compile-alone", text) as copy:
        found = expected("compile-alone without a tree", copy.run(), 1, "there is no build/alone/compile_commands.json")
        copy.write("build/alone/compile_commands.json", COMMANDS.format(copy.root))
        copy.write("src/a.cpp", "")
        copy.write("include/perdure/a.hpp", "")
        found += expected("compile-alone", copy.run(), 0, "1 sources and 1 headers, 0 failed")
        found += expected("a file that is not there", copy.run("src/b.cpp"), 1, "neither", "b.cpp")
    return found


def edit_cost(text):
    with Copy("edit-cost", text) as copy:
        copy.write("CMakeLists.txt", "perdure_module(http FOLDERS http USES net)\n")
        return (expected("an unknown module", copy.run("http", "htpp"), 1, "there is no module htpp; there are http")
                + expected("no tree", copy.run("http"), 1, "there is no build/dev"))


def test(text):
    with Copy("test", text) as copy:
        return (expected("MODULE=live", copy.run("live"), 2, "belong to no one module", "--target test-live")
                + expected("two modules", copy.run("http", "sql"), 2, "one module, not 2"))


def fresh(text):
    found = []
    with Copy("fresh", text) as copy:
        script = copy.module()
        if script.FOLDER.is_relative_to(script.ROOT):
            found.append("fresh makes its systems inside the project")
        copy.write("mine/letter", "")
        for place, refused in (("mine", True), ("new", False), ("new", False)):
            try:
                script.claim(copy.root / place)
                taken = True
            except SystemExit:
                taken = False
            if taken == refused:
                found.append(f"the folder `{place}` was {'taken' if taken else 'refused'}")
        for name in ("home/someone/.npmrc", "etc/apt/auth.conf", "etc/apt/auth.conf.d/one"):
            copy.write(f"system/{name}", "secret")
        script.disconnect(copy.root / "system")
        found += [f"{path} stays" for path in (copy.root / "system").rglob("*") if path.is_file()]
    return found


FUZZER = r"""[ "$1" = -max_total_time=7 ] || exit 3
case "$*" in *-rss_limit_mb=512*corpus*seeds*) ;; *) exit 4 ;; esac
case "$*" in *-runs=*) exit 5 ;; esac
[ "$SEEN" = yes ] || exit 6
[ ! -e finds ] || { echo x >find-crash; exit 77; }
printf 'stat::number_of_executed_units: 700\nstat::peak_rss_mb: 99\n'"""


def fuzz_long(text):
    """The fuzzers are those of ctest, which is one of our own here."""
    with Copy("fuzz-long", text) as copy:
        copy.program("ctest", "exit 1")
        found = expected("no build tree", copy.run("--build-dir", copy.root), 1, "is no build tree")
        copy.program("one_fuzz", FUZZER)
        command = [str(copy.root / "bin/one_fuzz"), "-runs=2", "-max_total_time=1", "-rss_limit_mb=512", "corpus", "seeds"]
        test = {"name": "fuzz/one", "command": command, "properties": [{"name": "ENVIRONMENT", "value": ["SEEN=yes"]}]}
        copy.write("listed.json", json.dumps({"tests": [test]}))
        copy.program("ctest", f"cat {copy.root}/listed.json")
        arguments = ("--build-dir", copy.root, "--seconds", "7")
        found += expected("a fuzzer", copy.run(*arguments), 0, "| one | ", " | 700 | 700 | 99 | 0 |")
        found += expected("an unknown fuzzer", copy.run(*arguments, "two"), 1, "no fuzzer two; there are one")
        copy.write("fuzz-long/one/finds", "")
        found += expected("a find", copy.run(*arguments), 1, "one/find-crash", "| 1 |")
        return found


def with_dynoxide(text):
    """Stands in examples/, and is copied into scripts/ as the others."""
    with Copy("with_dynoxide.py", f"#!/usr/bin/env python3\n{text}") as copy:
        command = (copy.root / "npm", "true")
        found = expected("without dynoxide", copy.run(*command), 77, "SKIPPED: there is no")
        copy.write("npm/node_modules/@dynoxide/linux-x64/dynoxide", "#!/bin/sh\nexit 1\n").chmod(0o755)
        copy.write("tests/live/npm/checksums.txt", f"{'0' * 64}  @dynoxide/linux-x64/dynoxide\n")
        found += expected("a dynoxide with another checksum", copy.run(*command), 1, "is not the file of")
        return found


CHECKS = {"skipped": skipped, "build-cost": build_cost, "compile-alone": compile_alone, "edit-cost": edit_cost,
          "test": test, "fresh": fresh, "fuzz-long": fuzz_long,
          "with_dynoxide.py": with_dynoxide}
ELSEWHERE = {"with_dynoxide.py": "examples"}


def self_test(texts):
    def broken(name, before, after, *words):
        if before not in texts[name]:
            sys.exit(f"self-test: scripts/{name} has no `{before}` any more")
        house.expect(CHECKS[name](texts[name].replace(before, after)), *words)

    broken("skipped", r"^[^\n]+:\d+", r"^\S+:\d+", "/a folder/", "in CI")
    broken("build-cost", "|| cpu=0", "", "language", "without a reference", "after it")
    broken("compile-alone", "if unknown:", "if False:", "not there")
    broken("edit-cost", "if unknown:", "if False:", "unknown module")
    broken("test", "-gt 1", "-gt 9", "two modules")
    broken("fuzz-long", "return 1 if any(", "return 0 if any(", "a find")
    broken("with_dynoxide.py", "if line not in", "if False and line not in", "another checksum")
    broken("fresh", "any(folder.iterdir())", "False", "`mine` was taken")


def main():
    sys.dont_write_bytecode = True
    texts = {name: (house.ROOT / ELSEWHERE.get(name, "scripts") / name).read_text() for name in CHECKS}
    self_test(texts)
    found = [problem for name, check in CHECKS.items() for problem in check(texts[name])]
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "the scripts do as they say")
    sys.exit(1 if found else 0)


main()
