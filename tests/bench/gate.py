# SPDX-License-Identifier: Apache-2.0
"""What do the tests of this folder share? A count of the memory asked for, and an end that says why
instructions were not counted."""

import json
import shutil
import subprocess
import sys

from limits import self_test

SKIPPED = 77
MEASURED_WITH = "GNU 12."


def allocations(command, calls):
    """Per call, of a command whose argument N stands where the list says `int`."""
    done = subprocess.run([str(calls if word is int else word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[1]}: {done.stderr.strip() or done.returncode}")
    return round(json.loads(done.stdout)["allocations"], 1)  # a few are made once


def judge(problems, compiler):
    """Ends the process by what `problems(count)` yields, where `count` says whether instructions can be counted."""
    self_test()
    why_not = None
    if not shutil.which("valgrind"):
        why_not = "there is no valgrind"
    elif not compiler.startswith(MEASURED_WITH):
        why_not = f"the limits were measured with {MEASURED_WITH}x, this is {compiler}"
    found = list(filter(None, problems(why_not is None)))
    if found:
        sys.exit("\n".join(found))
    if why_not:
        print(f"SKIPPED: instructions were not counted: {why_not}. Allocations are right.")
        sys.exit(SKIPPED)
