# SPDX-License-Identifier: Apache-2.0
"""A mariadbd that can be killed and started again on its data directory, for scripts/mariadb-kills."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

USER = "mysql"
# Lines of the server's log that say its data is damaged. A recovery that cannot apply a part of its log says so, goes on
# without that part and lets sessions in.
DAMAGE = r"\[ERROR\] InnoDB|Assertion failure"


class DoesNotStart(Exception):
    pass


def as_user(command):
    """Database servers refuse to run as root. The server ends with this script."""
    words = ["setpriv", "--pdeathsig=KILL"]
    if os.geteuid() == 0:
        words += [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    return [*words, "--", *map(str, command)]


def quiet_port():
    """A port below those that the system gives to clients, so that no client gets it while the server is down."""
    while True:
        port = random.randrange(12_000, 30_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


class Server:
    """A mariadbd with a data directory of its own, a copy, under a temporary directory."""

    def __init__(self, templates, settings=(), general_log=False, preload=None, data=None):
        self.templates = templates
        self.preload = ["env", f"LD_PRELOAD={preload}"] if preload else []
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="perdure-kills-", dir=os.environ.get("PERDURE_SCRATCH")))
        self.log = self.home / "mariadb.log"
        self.data = self.home / "data"
        self.port = quiet_port()
        self.boot = 0
        self.process = None
        self.settings = [*settings, *([f"general-log-file={self.home}/general.log", "general-log"] if general_log else [])]
        if os.geteuid() == 0:
            shutil.chown(self.home, USER, USER)
            self.home.chmod(0o711)
        subprocess.run(["cp", "-a", data or self._template(), self.data], check=True)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{USER}:{USER}", self.data], check=True)
        try:
            self.start()
        except DoesNotStart:
            self.remove()
            raise
        self.sql("create database if not exists test", "mysql")

    def _template(self):
        version = subprocess.run(["mariadbd", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        place = self.templates / ("template-" + re.search(r"Ver (\S+)", version)[1])
        if not place.exists():
            made = self.home / "template"
            subprocess.run(as_user(["mariadb-install-db", "--no-defaults", f"--datadir={made}", "--skip-test-db",
                                    "--auth-root-authentication-method=normal", "--skip-name-resolve",
                                    "--innodb-log-file-size=8M"]), check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            shutil.rmtree(f"{place}.partial", ignore_errors=True)
            subprocess.run(["cp", "-a", made, f"{place}.partial"], check=True)
            shutil.rmtree(made)
            os.rename(f"{place}.partial", place)
        return place

    def start(self):
        """Returns when the server accepts sessions. `report-port` has no use here but to number the starts."""
        self.boot += 1
        before = self.log.stat().st_size if self.log.exists() else 0
        command = [*self.preload, "mariadbd", "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.home}",
                   f"--socket={self.home}/socket", f"--port={self.port}", "--bind-address=127.0.0.1",
                   f"--pid-file={self.home}/pid", "--skip-name-resolve", "--max-connections=60",
                   "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M",
                   "--innodb-flush-log-at-trx-commit=2", f"--report-port={self.boot}",
                   *(f"--{setting}" for setting in self.settings)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(as_user(command), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        give_up = time.monotonic() + 120
        while time.monotonic() < give_up and self.process.poll() is None:
            with open(self.log, "rb") as log:
                log.seek(before)
                if b"ready for connections" in log.read():
                    return
            time.sleep(0.01)
        raise DoesNotStart(self.log.read_text(errors="replace")[-4000:])

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def sql(self, text, database="test"):
        """Rows as lists of text."""
        done = subprocess.run(["mariadb", "--no-defaults", "-h127.0.0.1", f"-P{self.port}", "-uroot", "-N", "-B",
                               database], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"mariadb-kills: {text[:200]}: {done.stdout}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def await_no_sessions(self):
        """Returns when the server has ended every session but ours."""
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up and self.sql("select count(*) from information_schema.processlist "
                                                      "where user = 'root' and id <> connection_id()") != [["0"]]:
            time.sleep(0.1)

    def slow_writes(self):
        return self.log.read_bytes().count(b"slow write of the row id page")

    def damage(self):
        return [line for line in self.log.read_text(errors="replace").splitlines() if re.search(DAMAGE, line)]

    def recovered(self):
        """Transactions that were rolled back or finished after a kill, by the server's own log."""
        text = self.log.read_text(errors="replace")
        return sum(int(count) for count in re.findall(r"(\d+) transaction\(s\) which must be rolled back", text))

    def remove(self):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)
