# SPDX-License-Identifier: Apache-2.0
"""How do tests use the tool? As a user does: by its command line.

Nothing here sleeps. Tests wait for a line, for the end of a process, or for the end of a pipe: a
pipe ends when the last process that holds it is gone, which is how "no orphan remains" is seen.
"""

import json
import os
import select
import subprocess
import tempfile
import time
import unittest

TOOL = os.environ.get("PERDURE_TOOL", "perdure")
PATIENCE = 30  # seconds until a test that hangs fails


def start(*arguments, **options):
    """The tool with pipes for its streams, unless the options say otherwise."""
    streams = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    return subprocess.Popen([TOOL, *arguments], **{**streams, **options})


def call(*arguments, given=b"", **options):
    """(exit status, standard output, standard error) of a finished tool."""
    process = start(*arguments, **options)
    out, err = process.communicate(given, timeout=PATIENCE)
    return process.returncode, (out or b"").decode(), (err or b"").decode(errors="replace")


def run(*arguments, **options):
    """`perdure run --base 1ms ...`: short waits, unless the arguments say otherwise."""
    return call("run", "--base", "1ms", *arguments, **options)


def summary(err):
    """The JSON on the last line of standard error."""
    return json.loads(err.splitlines()[-1])


def ends(stream, within=PATIENCE):
    """Whether everybody who holds the other end lets go of it in time."""
    limit = time.monotonic() + within
    while (left := limit - time.monotonic()) > 0:
        if select.select([stream], [], [], left)[0] and not os.read(stream.fileno(), 65536):
            return True
    return False


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *arguments, **options):
        process = start(*arguments, **options)

        def clean():
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

        self.addCleanup(clean)
        return process

    def counting(self, then):
        """A shell command that counts its runs in $n and a file, then does the rest."""
        path = os.path.join(self.folder, "count")
        return ["sh", "-c", f"echo x >>'{path}'; n=$(grep -c x '{path}'); {then}"]

    def runs(self):
        path = os.path.join(self.folder, "count")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())

    def file(self, name, text="", mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path
