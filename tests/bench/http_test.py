# SPDX-License-Identifier: Apache-2.0
"""Does a plain HTTP request through the default plan still cost what it did?

Instructions and allocations per request against limits.txt, over one connection to a server in this
process that always says the same.

    http_test.py PROGRAM "GNU 12.2.0"
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import instructions  # noqa: E402
from always import serve  # noqa: E402
from gate import allocations, judge  # noqa: E402
from limits import limits, too_dear  # noqa: E402

ANSWER = (b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 16 Nov 2026 12:00:00 GMT\r\n"
          b"Content-Type: application/json\r\nContent-Length: 967\r\nConnection: keep-alive\r\n\r\n" + b"x" * 967)


def main(program, compiler):
    origin = serve(lambda _: ANSWER)

    def problems(count):
        for case, most, made in limits("http_"):
            command = [program, case.replace("http_", "perdure_"), origin, 1, int]
            yield too_dear(f"{case} allocations", allocations(command, 5000), made)
            if count:
                found = instructions.between(command, 200, 1200)
                print(f"{case}: {found} instructions")
                yield too_dear(f"{case} instructions", found, most)

    judge(problems, compiler)


main(*sys.argv[1:])
