# SPDX-License-Identifier: Apache-2.0
"""Does a call that goes well still cost next to nothing?

Instructions and allocations per call against limits.txt. The probe aborts by itself unless the
sketch and the breaker hold every call that was made, so nothing is cheap by being left out.

    instructions_test.py PROBE "GNU 12.2.0"
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import instructions  # noqa: E402
from gate import judge  # noqa: E402
from limits import limits, too_dear  # noqa: E402


def problems(probe, count):
    instructions.allocations(probe, "two_threads")  # for its own checks
    bare = instructions.per_call(probe, "bare") if count else 0
    for case, most, allocations in limits():
        if case.startswith(("http_", "sql_", "dynamodb_", "cosmos_")):
            continue  # http_test.py, sql_test.py, dynamodb_test.py, cosmos_test.py
        yield too_dear(f"{case} allocations", instructions.allocations(probe, case), allocations)
        if count:
            over = instructions.per_call(probe, case) - bare
            print(f"{case}: {over} instructions over the bare call's {bare}")
            yield too_dear(f"{case} instructions", over, most)


def main(probe, compiler):
    judge(lambda count: problems(probe, count), compiler)


main(*sys.argv[1:])
