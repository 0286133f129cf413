# SPDX-License-Identifier: Apache-2.0
"""How is the tool run under attack, and what is measured?

A `Row` is one attack: servers and files that `stage` sets up, the command that meets them, and what must
hold afterwards. CPU time and memory come from the kernel's account of the process (wait4), so that a busy
machine does not change the verdict. Only rows with a deadline look at the wall clock, and there the time
which the process spent waiting for a processor is taken off.
"""

import contextlib
import dataclasses
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

from small_server import Server  # noqa: E402

TOOL = os.path.abspath(os.environ.get("PERDURE_TOOL", ROOT / "build/dev/bin/perdure"))
LATE = 0.5  # seconds past its deadline that a process may need to say so and end
# A debug build takes 0.05 s to start and to end. What is attacked here is seconds to hours.
CPU = 1.0
# A debug build with its libraries takes 40 MB. Linux also counts what the process had before `exec`,
# which is this program: what it makes for a row is made in the row's own process.
MEMORY = 120
PATIENCE = 40  # seconds until a run counts as hanging
GLANCE = 50  # milliseconds between two looks at a running process


@dataclasses.dataclass
class Ended:
    """What became of a run."""

    status: int | None  # None: it had to be killed, see `killed`. -N: ended by signal N
    out: bytes
    err: bytes
    seconds: float  # on the wall, without the time spent waiting for a processor
    cpu: float
    memory: int  # in MB, at the peak
    children: set  # the command lines of processes that the tool started
    killed: str = ""  # why

    def said(self):
        return (self.out + self.err).decode(errors="replace")


@dataclasses.dataclass
class Row:
    name: str  # what is promised, in plain English
    stage: object  # function: Stage -> the tool's arguments
    ends: tuple = ()  # the exit statuses that are right; empty: any but a signal
    says: tuple = ()  # each must be in the output
    never: tuple = ()  # none may be
    deadline: float | None = None  # in seconds
    cpu: float = CPU
    memory: int = MEMORY
    check: object = None  # function: Stage, Ended -> sentences about what is wrong
    terminal: bool = False  # standard output and error are a terminal
    finding: int | None = None  # its number in the report of the first attack
    short: bool = False  # also part of `make test`
    watch: bool = False  # keep the command lines of what the tool starts
    quiet: bool = False  # one of many of its kind: printed only if something is wrong


class Stage(contextlib.ExitStack):
    """A folder, servers and an environment for one run."""

    def __init__(self):
        super().__init__()
        self.folder = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory(prefix="attack-")))
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "LC_ALL": "C",
                            "COLUMNS": "80", "AWS_EC2_METADATA_DISABLED": "true"}
        self.given = b""  # for standard input
        self.before = []  # a command in front of the tool, as prlimit
        self.servers = []
        self.inputs = {}  # path -> content
        self.secrets = {}  # place -> text, of canary.py
        self.exempt = set()  # (place, where), of canary.py
        self.in_play = []  # texts that a server must have been told, of canary.py

    def file(self, name, content=b""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.inputs[path] = content.encode() if isinstance(content, str) else content
        path.write_bytes(self.inputs[path])
        return str(path)

    def server(self, *script, tls=None, kind=Server):
        self.servers.append(self.enter_context(kind(list(script), tls)))
        return self.servers[-1]

    def url(self, *script, path="/", **options):
        return self.server(*script, **options).url(path)

    def settle(self):
        """Until the servers have read what the tool sent: a connection's thread ends when its client is gone."""
        limit = time.monotonic() + 3
        for server in self.servers:
            for thread in server.threads[1:]:
                thread.join(max(0.0, limit - time.monotonic()))

    def heard(self):
        """Everything that any of the servers was sent."""
        return b"".join(request for server in self.servers for request in list(server.requests))


def descendants(pid):
    found, queue = [], [pid]
    while queue:
        one = queue.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children", encoding="ascii") as file:
                    queue += (born := file.read().split())
                    found += born
    return found


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").strip()
    except OSError:
        return b""


def time_in_queue(pid):
    """Seconds in which the process's first thread could have run and no processor was free."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


class Terminal:
    """A terminal whose text is kept."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.text = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        # Linux answers EIO when the last process has let go of the other end.
        with contextlib.suppress(OSError):
            while piece := os.read(self.master, 65536):
                self.text += piece

    def close(self):
        os.close(self.slave)
        self.reader.join(PATIENCE)
        os.close(self.master)


def resident(pid):
    """In MB, now."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20
    except (OSError, IndexError):
        return 0


def why_kill(process, begin, bounds):
    if time.monotonic() - begin > PATIENCE:
        return f"hangs: killed after {PATIENCE} s"
    if (now := resident(process.pid)) > bounds.memory + 300:
        return f"killed at {now} MB, more than {bounds.memory}"
    return ""


def wait(process, children, bounds):
    """(why it was killed or "", seconds on the wall, seconds in the queue) when it has ended, not reaped."""
    begin, why = time.monotonic(), ""
    handle = os.pidfd_open(process.pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    while not poll.poll(GLANCE if children is None else GLANCE // 10):
        if children is not None:
            children.update(filter(None, map(command_line, descendants(process.pid))))
        if why := why or why_kill(process, begin, bounds):
            process.send_signal(signal.SIGKILL)
    os.close(handle)
    return why, time.monotonic() - begin, time_in_queue(process.pid)


@dataclasses.dataclass
class Bounds:
    cpu: float = CPU
    memory: int = MEMORY


def run(arguments, stage, *, bounds=Bounds(), terminal=False, watch_children=False):
    """The tool with these arguments, to its end or until it is far beyond its bounds."""
    children = set() if watch_children else None
    screen = Terminal() if terminal else None
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stage.given)
        given.seek(0)
        process = subprocess.Popen([*stage.before, TOOL, *arguments], cwd=stage.folder, env=stage.environment,
                                   stdin=given, stdout=screen.slave if screen else out,
                                   stderr=screen.slave if screen else err)
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(bounds.cpu) + 2, int(bounds.cpu) + 3))
        killed, seconds, queued = wait(process, children, bounds)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if screen:
            screen.close()
        out.seek(0)
        err.seek(0)
        return Ended(None if killed else process.returncode, screen.text if screen else out.read(),
                     err.read(), max(0.0, seconds - queued), used.ru_utime + used.ru_stime,
                     used.ru_maxrss // 1024, children or set(), killed)


def complaints(row, stage, ended):
    """What is wrong, each in a sentence; nothing if the row held."""
    found = []
    text = ended.said()
    if ended.status is None:
        return [ended.killed]
    if ended.status == -signal.SIGXCPU:
        return [f"killed after {ended.cpu:.1f} s of CPU time, more than {row.cpu:g}"]
    if ended.status < 0:
        found.append(f"ended by signal {-ended.status}")
    elif row.ends and ended.status not in row.ends:
        found.append(f"status {ended.status} instead of {' or '.join(map(str, row.ends))}")
    found += [f"does not say {word!r}" for word in row.says if word not in text]
    found += [f"says {word!r}" for word in row.never if word in text]
    if row.deadline is not None and ended.seconds > row.deadline + LATE:
        found.append(f"ended after {ended.seconds:.2f} s, with a deadline of {row.deadline:g} s")
    if ended.cpu > row.cpu:
        found.append(f"{ended.cpu:.2f} s of CPU time, more than {row.cpu:g}")
    if ended.memory > row.memory:
        found.append(f"{ended.memory} MB, more than {row.memory}")
    return found + (row.check(stage, ended) if row.check else [])


def play(row):
    """(complaints, Ended or None) of one row."""
    try:
        with Stage() as stage:
            arguments = row.stage(stage)
            ended = run(arguments, stage, bounds=Bounds(row.cpu, row.memory), terminal=row.terminal,
                        watch_children=row.watch)
            stage.settle()
            return complaints(row, stage, ended), ended
    except Skip as reason:
        return reason, None


class Skip(Exception):
    """Why a row cannot be run here."""
