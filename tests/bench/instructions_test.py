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
from limits import limits, self_test, too_dear  # noqa: E402

SKIPPED = 77
MEASURED_WITH = "GNU 12."


def problems(probe, count):
    instructions.allocations(probe, "two_threads")  # for its own checks
    bare = instructions.per_call(probe, "bare") if count else 0
    for case, most, allocations in limits():
        if case.startswith(("http_", "sql_", "dynamodb_")):
            continue  # http_test.py, sql_test.py, dynamodb_test.py
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
