# SPDX-License-Identifier: Apache-2.0
"""Do a GetItem and a PutItem of 1 KB still cost what they did?

Instructions without the hashing and allocations per call against limits.txt, over one connection to
a server in this process that always says the same.

    dynamodb_test.py PROGRAM "GNU 12.2.0"
"""

import email.utils
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import zlib

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parent.parent / "bench"
sys.path.insert(0, str(BENCH))
import instructions  # noqa: E402
from limits import limits, self_test, too_dear  # noqa: E402

SKIPPED = 77
MEASURED_WITH = "GNU 12."
ITEM = BENCH / "dynamodb" / "item.json"
HASHING = ("perdure::v0::dynamodb::sha256(*", "perdure::v0::dynamodb::HmacKey::sign(*")
LENGTH = re.compile(rb"content-length: (\d+)\r\n", re.IGNORECASE)


GOT = b'{"Item":' + ITEM.read_bytes().strip() + b"}"


def said(body):
    # The time is right: another would be taken for a wrong clock of ours.
    return (b"HTTP/1.1 200 OK\r\nServer: Server\r\nDate: %s\r\n"
            b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nConnection: keep-alive\r\n"
            b"x-amzn-RequestId: %s\r\nx-amz-crc32: %d\r\n\r\n%s" %
            (email.utils.formatdate(usegmt=True).encode(), len(body), b"0123456789ABC" * 4, zlib.crc32(body), body))


def answer(connection):
    seen = b""
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while more := connection.recv(65536):
            seen += more
            head = seen.find(b"\r\n\r\n")
            if head >= 0 and len(seen) == head + 4 + int(LENGTH.search(seen)[1]):
                connection.sendall(said(GOT if b".GetItem\r\n" in seen else b"{}"))
                seen = b""


def serve():
    """The origin of a server that lives as long as this process."""
    door = socket.create_server(("127.0.0.1", 0))

    def welcome():
        while True:
            threading.Thread(target=answer, args=(door.accept()[0],), daemon=True).start()

    threading.Thread(target=welcome, daemon=True).start()
    return f"http://127.0.0.1:{door.getsockname()[1]}"


def allocations(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[2]}: {done.stderr.strip() or done.returncode}")
    return round(json.loads(done.stdout)["allocations"], 1)  # a few are made once


def problems(program, count):
    origin = serve()
    for case, most, made in limits():
        if not case.startswith("dynamodb_"):
            continue
        _, operation, way = case.split("_")
        command = [program, way, operation, origin, 1, int, ITEM]
        yield too_dear(f"{case} allocations", allocations([2000 if word is int else word for word in command]), made)
        if count:
            hashing = instructions.between(command, 100, 600, within=HASHING)
            found = instructions.between(command, 100, 600) - hashing
            assert hashing > 1000, "the functions that hash have other names now"
            print(f"{case}: {found} instructions, and {hashing} for the hashing")
            yield too_dear(f"{case} instructions", found, most)


def main(program, compiler):
    self_test()
    why_not = None
    if not shutil.which("valgrind"):
        why_not = "there is no valgrind"
    elif not compiler.startswith(MEASURED_WITH):
        why_not = f"the limits were measured with {MEASURED_WITH}x, this is {compiler}"
    found = list(filter(None, problems(program, why_not is None)))
    if found:
        sys.exit("\n".join(found))
    if why_not:
        print(f"SKIPPED: instructions were not counted: {why_not}. Allocations are right.")
        sys.exit(SKIPPED)


main(*sys.argv[1:])
