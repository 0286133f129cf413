# SPDX-License-Identifier: Apache-2.0
"""A server in this process that says what it is told to: the same to everybody, as often as it is asked.

For tests/bench and for the scripts that count instructions.
"""

import re
import socket
import threading

LENGTH = re.compile(rb"content-length: (\d+)\r\n", re.IGNORECASE)


def whole(seen):
    """Whether a request has arrived up to its end."""
    head = seen.find(b"\r\n\r\n")
    if head < 0:
        return False
    length = LENGTH.search(seen, 0, head + 2)
    return len(seen) == head + 4 + (int(length[1]) if length else 0)


def serve(said):
    """The origin of a server that lives as long as this process; `said` gives the answer to a request's bytes."""
    door = socket.create_server(("127.0.0.1", 0))

    def answer(connection):
        seen = b""
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while more := connection.recv(65536):
                seen += more
                if whole(seen):
                    connection.sendall(said(seen))
                    seen = b""

    def welcome():
        while True:
            threading.Thread(target=answer, args=(door.accept()[0],), daemon=True).start()

    threading.Thread(target=welcome, daemon=True).start()
    return f"http://127.0.0.1:{door.getsockname()[1]}"
