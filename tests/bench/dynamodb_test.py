# SPDX-License-Identifier: Apache-2.0
"""Do a GetItem and a PutItem of 1 KB still cost what they did?

Instructions without the hashing and allocations per call against limits.txt, over one connection to
a server in this process that always says the same.

    dynamodb_test.py PROGRAM "GNU 12.2.0"
"""

import email.utils
import pathlib
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parent.parent / "bench"
sys.path.insert(0, str(BENCH))
import instructions  # noqa: E402
from always import serve  # noqa: E402
from gate import allocations, judge  # noqa: E402
from limits import limits, too_dear  # noqa: E402

ITEM = BENCH / "dynamodb" / "item.json"
HASHING = ("perdure::v0::dynamodb::sha256(*", "perdure::v0::dynamodb::HmacKey::sign(*")
GOT = b'{"Item":' + ITEM.read_bytes().strip() + b"}"


def said(request):
    body = GOT if b".GetItem\r\n" in request else b"{}"
    # The time is right: another would be taken for a wrong clock of ours.
    return (b"HTTP/1.1 200 OK\r\nServer: Server\r\nDate: %s\r\n"
            b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nConnection: keep-alive\r\n"
            b"x-amzn-RequestId: %s\r\nx-amz-crc32: %d\r\n\r\n%s" %
            (email.utils.formatdate(usegmt=True).encode(), len(body), b"0123456789ABC" * 4, zlib.crc32(body), body))


def main(program, compiler):
    origin = serve(said)

    def problems(count):
        for case, most, made in limits("dynamodb_"):
            _, operation, way = case.split("_")
            command = [program, way, operation, origin, 1, int, ITEM]
            yield too_dear(f"{case} allocations", allocations(command, 2000), made)
            if count:
                hashing = instructions.between(command, 100, 600, within=HASHING)
                found = instructions.between(command, 100, 600) - hashing
                assert hashing > 1000, "the functions that hash have other names now"
                print(f"{case}: {found} instructions, and {hashing} for the hashing")
                yield too_dear(f"{case} instructions", found, most)

    judge(problems, compiler)


main(*sys.argv[1:])
