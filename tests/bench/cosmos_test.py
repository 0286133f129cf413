# SPDX-License-Identifier: Apache-2.0
"""Does a point read of Cosmos DB still cost little more than its HTTP?

Instructions per call, signing included, beyond those of a plain HTTP client that sends the same words and
reads the same answer; and of a call whose story is told, beyond one that nobody listens to. Against
limits.txt, as are the allocations of the whole call; over one connection to a server in this process that
always says the same.

    cosmos_test.py PROGRAM "GNU 12.2.0"
"""

import functools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import cosmos_answers  # noqa: E402
import instructions  # noqa: E402
from always import serve  # noqa: E402
from gate import allocations, judge  # noqa: E402
from limits import limits, too_dear  # noqa: E402


def main(program, compiler):
    origin = serve(cosmos_answers.said)

    def command(way, operation, told):
        return [program, way, operation, origin, 1, int, cosmos_answers.ITEM, *told]

    @functools.cache
    def counted(way, operation, *told):
        return instructions.between(command(way, operation, told), 100, 600)

    def problems(count):
        for case, most, made in limits("cosmos_"):
            _, what, way = case.split("_")  # read, create; or a read that is told to: story, slow
            operation, told = (what, ()) if what in ("read", "create") else ("read", (what,))
            yield too_dear(f"{case} allocations", allocations(command(way, operation, told), 2000), made)
            if count:
                below = counted(way, operation) if told else counted(f"http_{way}", "read")
                over = counted(way, operation, *told) - below
                print(f"{case}: {over} instructions over {below}")
                yield too_dear(f"{case} instructions", over, most)

    judge(problems, compiler)


main(*sys.argv[1:])
