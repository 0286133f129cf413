# SPDX-License-Identifier: Apache-2.0
"""A client that does not end is recorded before it is killed: stacks by gdb, and the kernel's view of its threads."""

import pathlib
import shutil
import subprocess

SECONDS = 120


def ends(process, seconds, report):
    """Whether it ends by itself in that time. If not, its state is written to the file `report`; it still runs then."""
    try:
        process.wait(timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        record(process.pid, report)
        return False


def record(pid, report):
    lines = [f"process {pid} did not end"]
    for thread in sorted(pathlib.Path(f"/proc/{pid}/task").iterdir(), key=lambda path: int(path.name)):
        lines.append(f"thread {thread.name}")
        for name in ("comm", "wchan", "syscall", "stack"):
            lines.append(f"  {name}: {read(thread / name)}")
    lines.append(stacks(pid))
    pathlib.Path(report).write_text("\n".join(lines) + "\n")


def read(path):
    try:
        return path.read_text(errors="replace").strip()
    except OSError as error:
        return error.strerror


def stacks(pid):
    if shutil.which("gdb"):
        command = ["gdb", "-p", str(pid), "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt 40"]
    elif shutil.which("eu-stack"):
        command = ["eu-stack", "-p", str(pid)]
    else:
        return "neither gdb nor eu-stack is installed"
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, errors="replace", timeout=60).stdout
    except subprocess.TimeoutExpired:
        return f"{command[0]} took too long"
