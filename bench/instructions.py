# SPDX-License-Identifier: Apache-2.0
"""How many instructions does one call take, and how often does it ask for memory?

Both come from perdure_probe. Callgrind counts two runs that differ only in their length, so what
is done once (loading, linking, the first calls) cancels. For scripts/bench, scripts/bench-http and
tests/bench.
"""

import re
import subprocess
import tempfile

SHORT, LONG = 1000, 3000


def total(command, limit=None, within=()):
    """Of a whole process, or of what is done within functions of these names only (with * for anything)."""
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                               *(f"--toggle-collect={name}" for name in within), *map(str, command)],
                              capture_output=True, text=True, check=False, timeout=limit)
    if done.returncode != 0:
        raise RuntimeError(f"{command[1]}: {done.stderr.strip()[-500:]}")
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def between(command, short, long, limit=None, within=()):
    """Per call, of a command whose argument N stands where the list says `int`."""
    few, many = (total([n if word is int else word for word in command], limit, within) for n in (short, long))
    return round((many - few) / (long - short))


def per_call(probe, case):
    return between([probe, case, int], SHORT, LONG)


def allocations(probe, case, calls=10_000):
    """Per call. The probe itself aborts unless sketch and breaker hold every one of the calls."""
    done = subprocess.run([probe, case, str(calls)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{case}: {done.stderr.strip() or done.returncode}")
    return int(re.search(r"(\d+) allocations", done.stdout)[1]) / calls


def cases(probe):
    listed = subprocess.run([probe, "list"], capture_output=True, text=True, check=True)
    return listed.stdout.split()
