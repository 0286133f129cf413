# SPDX-License-Identifier: Apache-2.0
"""Does a plain HTTP request through the default plan still cost what it did?

Instructions and allocations per request against limits.txt, over one connection to a server in this
process that always says the same.

    http_test.py PROGRAM "GNU 12.2.0"
"""

import json
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import instructions  # noqa: E402
from limits import limits, self_test, too_dear  # noqa: E402

SKIPPED = 77
MEASURED_WITH = "GNU 12."
REQUEST_BODY = 128
ANSWER = (b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 16 Nov 2026 12:00:00 GMT\r\n"
          b"Content-Type: application/json\r\nContent-Length: 967\r\nConnection: keep-alive\r\n\r\n" + b"x" * 967)


def answer(connection):
    seen = b""
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while more := connection.recv(65536):
            seen += more
            head = seen.find(b"\r\n\r\n")
            if head >= 0 and len(seen) == head + 4 + REQUEST_BODY:
                seen = b""
                connection.sendall(ANSWER)


def serve():
    """The origin of a server that lives as long as this process."""
    door = socket.create_server(("127.0.0.1", 0))

    def welcome():
        while True:
            threading.Thread(target=answer, args=(door.accept()[0],), daemon=True).start()

    threading.Thread(target=welcome, daemon=True).start()
    return f"http://127.0.0.1:{door.getsockname()[1]}"


def allocations(program, client, origin):
    done = subprocess.run([program, client, origin, "1", "5000"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{client}: {done.stderr.strip() or done.returncode}")
    return round(json.loads(done.stdout)["allocations"], 1)  # a few are made once


def problems(program, count):
    origin = serve()
    for case, most, made in limits():
        if not case.startswith("http_"):
            continue
        client = case.replace("http_", "perdure_")
        yield too_dear(f"{case} allocations", allocations(program, client, origin), made)
        if count:
            found = instructions.between([program, client, origin, 1, int], 200, 1200)
            print(f"{case}: {found} instructions")
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
