# SPDX-License-Identifier: Apache-2.0
"""What do hostile servers say? Steps for `small_server.Server`, and certificates that prove nothing.

A step is bytes, or a function of the connection. Endless steps end when the client is gone.
"""

import contextlib
import functools
import gzip
import pathlib
import socket
import subprocess

from rig import Skip
from small_server import Server, reset  # noqa: F401

OK = b"HTTP/1.1 200 OK\r\n"


def head(*fields, status=b"200 OK"):
    return b"HTTP/1.1 " + status + b"\r\n" + b"".join(field + b"\r\n" for field in fields) + b"\r\n"


def whole(body, *fields, status=b"200 OK"):
    return head(*fields, b"Content-Length: %d" % len(body), b"Connection: close", status=status) + body


def endless(piece, before=b""):
    """The same piece until the client goes."""
    block = piece * max(1, 65536 // len(piece))

    def step(connection):
        connection.sendall(before)
        while True:
            connection.sendall(block)

    return step


def repeated(piece, count, before=b"", after=b""):
    """Like one long text, but never held in memory."""

    def step(connection):
        connection.sendall(before)
        per_block = max(1, min(count, 65536 // len(piece)))
        for _ in range(count // per_block):
            connection.sendall(piece * per_block)
        connection.sendall(piece * (count % per_block) + after)
        connection.shutdown(socket.SHUT_WR)
        drain(connection)

    return step


def then_silence(text):
    """Part of an answer, and nothing more until the client goes."""

    def step(connection):
        connection.sendall(text)
        drain(connection)

    return step


def drain(connection):
    with contextlib.suppress(OSError):
        while connection.recv(65536):
            pass


def echo(status=b"401 Unauthorized", *fields):
    """An answer whose body is the request, as some servers do in their messages of errors."""

    class Echo(Server):
        def serve(self, connection, step):
            super().serve(connection, lambda one: one.sendall(whole(self.requests[-1], *fields, status=status)))

    return Echo


@functools.lru_cache(maxsize=None)
def zeros(megabytes):
    """gzip of so many zeros, in members of 64 MB."""
    member = gzip.compress(bytes(min(megabytes, 64) << 20), 9)
    return member * max(1, megabytes // 64)


def packed(body, *fields):
    return whole(body, b"Content-Encoding: gzip", *fields)


class Elsewhere(Server):
    """A server on another address of this machine, which stands for another host."""

    host = "127.0.0.2"

    def __init__(self, script, tls=None):
        super().__init__(script, tls)
        self.listener.close()
        self.listener = socket.create_server((self.host, 0))
        self.port = self.listener.getsockname()[1]

    def url(self, path="/", name=""):
        return super().url(path, name).replace("127.0.0.1", self.host)


class Speaking(Server):
    """A server of another protocol: each step is a function of the connection that does the reading, too,
    and puts what it was told into `requests`."""

    def serve(self, connection, step):
        with connection:
            with contextlib.suppress(OSError):
                connection.settimeout(10)
                step(connection, self.requests)


def silent_before_tls(connection, _):
    drain(connection)


def wrong_in_handshake(text):
    def step(connection, _):
        connection.recv(65536)
        connection.sendall(text)
        drain(connection)

    return step


# ---- PostgreSQL and MariaDB, as far as an attacker needs them


def exactly(connection, count):
    text = b""
    while len(text) < count:
        piece = connection.recv(count - len(text))
        if not piece:
            raise OSError("the client is gone")
        text += piece
    return text


def postgres_message(kind, body):
    return kind + (len(body) + 4).to_bytes(4, "big") + body


def postgres_error(code, text, *more):
    fields = b"SFATAL\0VFATAL\0C" + code + b"\0M" + text + b"\0" + b"".join(one + b"\0" for one in more) + b"\0"
    return postgres_message(b"E", fields)


def postgres_without_tls(then):
    """Says no to TLS, reads the startup message, goes on with `then`."""

    def step(connection, told):
        first = exactly(connection, int.from_bytes(exactly(connection, 4), "big") - 4)
        if first in (bytes.fromhex("04d2162f"), bytes.fromhex("04d21630")):  # TLS or GSS wanted
            connection.sendall(b"N")
            return step(connection, told)
        told.append(first)
        then(connection, told)

    return step


def ask_in_clear(connection, told):
    connection.sendall(postgres_message(b"R", (3).to_bytes(4, "big")))
    said = exactly(connection, 5)
    told.append(said + exactly(connection, int.from_bytes(said[1:], "big") - 4))
    connection.sendall(postgres_error(b"28P01", b"password authentication failed", b"D" + told[-1][5:-1]))


def flood_of_notices(connection, _):
    notice = postgres_message(b"N", b"SNOTICE\0C00000\0M" + b"x" * 1000 + b"\0\0")
    while True:
        connection.sendall(notice * 50)


def message_of_two_gigabytes(connection, _):
    connection.sendall(b"E\x7f\xff\xff\xff" + b"x" * 100_000)
    drain(connection)


def mariadb_packet(number, body):
    return len(body).to_bytes(3, "little") + bytes([number]) + body


def mariadb_greeting(plugin=b"mysql_clear_password", capabilities=0x81FFF7DF):
    flags = capabilities & ~0x800  # 0x800: TLS
    return mariadb_packet(0, b"\x0a5.5.5-10.11.6-MariaDB\0" + (7).to_bytes(4, "little") + b"saltsalt\0"
                          + (flags & 0xFFFF).to_bytes(2, "little") + b"\x2d\x02\0"
                          + (flags >> 16).to_bytes(2, "little") + b"\x15" + bytes(10) + b"saltsaltsalt\0"
                          + plugin + b"\0")


def mariadb_asks_in_clear(connection, told, refusal=b"\xff\x15\x04#28000Access denied"):
    """Offers no TLS, and wants the password as it is."""
    connection.sendall(mariadb_greeting())
    for number in (2, 4):
        size = int.from_bytes(exactly(connection, 4)[:3], "little")
        told.append(exactly(connection, size))
        connection.sendall(mariadb_packet(number, b"\xfemysql_clear_password\0"))
    connection.sendall(mariadb_packet(6, refusal))


# ---- certificates


class Authority:
    """An issuer of our own, and certificates with the mistakes one asks for."""

    def __init__(self, stage):
        self.folder = stage.folder / "authority"
        self.folder.mkdir()
        self.count = 0
        self.trusted = self.folder / "ca.pem"
        self.key = self.folder / "ca.key"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                     self.key, "-out", self.trusted, "-days", "30", "-subj", "/CN=attack")

    def openssl(self, *words):
        done = subprocess.run(["openssl", *map(str, words)], cwd=self.folder, capture_output=True)
        if done.returncode:
            raise Skip("openssl cannot make a certificate: " + done.stderr.decode(errors="replace")[-200:])

    def leaf(self, extensions, *, subject="/CN=leaf", dates=None, issuer=True):
        """A file with a key and its certificate. `dates`: (from, to) as 20200101000000Z."""
        self.count += 1
        stem = self.folder / f"leaf{self.count}"
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                     f"{stem}.key", "-out", f"{stem}.csr", "-subj", subject)
        pathlib.Path(f"{stem}.ext").write_text(extensions + "\n")
        if not issuer:
            self.openssl("x509", "-req", "-in", f"{stem}.csr", "-signkey", f"{stem}.key", "-out", f"{stem}.crt",
                         "-days", "30", "-extfile", f"{stem}.ext")
        elif dates:
            self.by_date(stem, dates)
        else:
            self.openssl("x509", "-req", "-in", f"{stem}.csr", "-CA", self.trusted, "-CAkey", self.key,
                         "-CAcreateserial", "-out", f"{stem}.crt", "-days", "30", "-extfile", f"{stem}.ext")
        both = pathlib.Path(f"{stem}.pem")
        both.write_bytes(pathlib.Path(f"{stem}.key").read_bytes() + pathlib.Path(f"{stem}.crt").read_bytes())
        return str(both)

    def by_date(self, stem, dates):
        (self.folder / "index.txt").write_text("")
        (self.folder / "serial").write_text(f"{self.count + 16:02X}\n")
        (self.folder / "ca.cnf").write_text(
            f"[ca]\ndefault_ca = a\n[a]\ndatabase = index.txt\nserial = serial\nnew_certs_dir = {self.folder}\n"
            "default_md = sha256\npolicy = p\n[p]\ncommonName = optional\n")
        self.openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", self.trusted, "-keyfile", self.key,
                     "-in", f"{stem}.csr", "-out", f"{stem}.crt", "-startdate", dates[0], "-enddate", dates[1],
                     "-extfile", f"{stem}.ext")
