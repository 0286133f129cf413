# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server for a measurement, with fsync on, in a directory of its own."""

import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

CORES = sorted(os.sched_getaffinity(0))


def skipped(what, why):
    print(f"SKIPPED: {what}: {why}", file=sys.stderr)


def pinned(core, command):
    """The command on that core, where there are two: else each session has its luck with the scheduler."""
    return ["taskset", "-c", str(CORES[core]), *command] if len(CORES) > 1 and shutil.which("taskset") else command


class Postgres:
    def __init__(self, url, psql):
        self.url, self.psql = url, psql

    def ask(self, text, database):
        return subprocess.run([self.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
                               f"{self.url}/{database}"], capture_output=True, text=True, check=True).stdout.strip()


@contextlib.contextmanager
def postgres(**settings):
    """Or None where it is not installed. Settings may be replaced: postgres(autovacuum="on")."""
    folders = [*sorted(glob.glob("/usr/lib/postgresql/*/bin"))[::-1], os.path.dirname(shutil.which("initdb") or "")]
    folder = next((each for each in folders if each and os.access(f"{each}/initdb", os.X_OK)), None)
    if not folder:
        skipped("PostgreSQL", "it is not installed; scripts/setup bench installs it")
        yield None
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="perdure-bench-") as home:
        as_postgres = []
        if os.geteuid() == 0:  # which the server refuses to be
            shutil.chown(home, "postgres")
            as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            port = door.getsockname()[1]
        subprocess.run([*as_postgres, f"{folder}/initdb", "-D", f"{home}/d", "-U", "postgres", "-A", "trust", "--locale=C",
                        "-E", "UTF8"], check=True, capture_output=True, cwd="/")
        settings = {"listen_addresses": "127.0.0.1", "fsync": "on", "synchronous_commit": "on", "autovacuum": "off",
                    "checkpoint_timeout": "1h", "max_wal_size": "4GB", "log_min_messages": "fatal", **settings}
        with open(f"{home}/log", "w", encoding="utf-8") as log:
            words = [word for pair in settings.items() for word in ("-c", "=".join(pair))]
            command = [*as_postgres, f"{folder}/postgres", "-D", f"{home}/d", "-p", str(port), "-k", home, *words]
            server = subprocess.Popen(pinned(0, command), stderr=log, stdout=log, cwd="/")
        try:
            url = f"postgres://postgres@127.0.0.1:{port}"
            for _ in range(200):
                ready = subprocess.run([f"{folder}/pg_isready", "-q", "-d", f"{url}/postgres"], check=False)
                if ready.returncode == 0:
                    break
                time.sleep(0.05)
            yield Postgres(url, f"{folder}/psql")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
