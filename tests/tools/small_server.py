# SPDX-License-Identifier: Apache-2.0
"""How does a test get a server that does exactly what it says? A listening socket and a script.

    with Server([answer(503), answer(200, b"hello")]) as server:
        call("get", server.url())
    server.requests      # what came in, as bytes

Each connection takes the next step of the script, the last one again and again. A step is bytes to
answer with, or a function of the connection.
"""

import socket
import ssl
import struct
import threading


def answer(status, body=b"", *fields):
    lines = [f"HTTP/1.1 {status} Words", f"Content-Length: {len(body)}", "Connection: close", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def reset(connection):
    """Gone without an answer."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server:
    def __init__(self, script, tls=None):
        """`tls`: a file with a key and its certificate."""
        self.script = script
        self.tls = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(tls)
        self.requests = []
        self.over = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads = [threading.Thread(target=self.listen, daemon=True)]

    def url(self, path="/", name=""):
        return f"http{'s' if self.tls else ''}://{name}127.0.0.1:{self.port}{path}"

    def __enter__(self):
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(10)

    def listen(self):
        count = 0
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            step = self.script[min(count, len(self.script) - 1)]
            count += 1
            thread = threading.Thread(target=self.serve, args=(connection, step), daemon=True)
            self.threads.append(thread)
            thread.start()

    def serve(self, connection, step):
        with connection:
            try:
                connection.settimeout(10)
                if self.tls:
                    connection = self.tls.wrap_socket(connection, server_side=True)
                self.requests.append(self.read(connection))
                if callable(step):
                    step(connection)
                else:
                    connection.sendall(step)
            except OSError:
                pass
            finally:
                connection.close()

    def drip(self, *, head=b""):
        """A step: the head at once, then a byte now and then, without end."""

        def step(connection):
            connection.sendall(head)
            while not self.over.wait(0.02):
                connection.sendall(b".")

        return step

    def silence(self, connection):
        """A step: nothing, until the client or the test goes."""
        while connection.recv(1000):
            pass

    @staticmethod
    def read(connection):
        text = b""
        while b"\r\n\r\n" not in text:
            piece = connection.recv(65536)
            if not piece:
                return text
            text += piece
        head, body = text.split(b"\r\n\r\n", 1)
        length = 0
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while len(body) < length:
            piece = connection.recv(65536)
            if not piece:
                break
            body += piece
        return head + b"\r\n\r\n" + body
