# SPDX-License-Identifier: Apache-2.0
"""Does a call that goes well still cost next to nothing?

Instructions and allocations per call against limits.txt. The probe aborts by itself unless the
sketch and the breaker hold every call that was made, so nothing is cheap by being left out.

    instructions_test.py PROBE "GNU 12.2.0"
"""

import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import instructions  # noqa: E402

SKIPPED = 77
MEASURED_WITH = "GNU 12."


def limits():
    for line in (HERE / "limits.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            case, most, allocations = line.split()
            yield case, int(most), int(allocations)


def too_dear(what, found, most):
    """A line that says what is wrong, or None."""
    if found > most:
        return f"{what}: {found:g}, at most {most} allowed by tests/bench/limits.txt"
    if what.endswith("instructions") and found < 0.8 * most:
        return f"{what}: {found:g}, far below the {most} of tests/bench/limits.txt: lower it"
    return None


def self_test():
    assert too_dear("full instructions", 101, 100) and not too_dear("full instructions", 100, 100)
    assert too_dear("full instructions", 79, 100), "a limit nobody can reach guards nothing"
    assert too_dear("full allocations", 0.001, 0) and not too_dear("full allocations", 0, 0)


def problems(probe, count):
    instructions.allocations(probe, "two_threads")  # for its own checks
    bare = instructions.per_call(probe, "bare") if count else 0
    for case, most, allocations in limits():
        yield too_dear(f"{case} allocations", instructions.allocations(probe, case), allocations)
        if count:
            over = instructions.per_call(probe, case) - bare
            print(f"{case}: {over} instructions over the bare call's {bare}")
            yield too_dear(f"{case} instructions", over, most)


def main(probe, compiler):
    self_test()
    why_not = None
    if not shutil.which("valgrind"):
        why_not = "there is no valgrind"
    elif not compiler.startswith(MEASURED_WITH):
        why_not = f"the limits were measured with {MEASURED_WITH}x, this is {compiler}"
    found = list(filter(None, problems(probe, why_not is None)))
    if found:
        sys.exit("\n".join(found))
    if why_not:
        print(f"SKIPPED: instructions were not counted: {why_not}. Allocations and samples are right.")
        sys.exit(SKIPPED)


main(*sys.argv[1:])
