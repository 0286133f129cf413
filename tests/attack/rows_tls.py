# SPDX-License-Identifier: Apache-2.0
"""`perdure get` against TLS servers that are not who they say: nothing may be sent to them."""

import hostile
from hostile import Authority, Speaking, silent_before_tls, whole, wrong_in_handshake
from rig import Row

FLAGS = ("--no-proxy", "--attempts", "1", "--deadline", "3s", "-H", "Authorization: CANARY-TLS")
GOOD = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def presented(extensions=GOOD, host="localhost", **leaf):
    def stage_it(stage):
        issuer = Authority(stage)
        certificate = issuer.leaf(extensions, **leaf)
        server = stage.server(whole(b"hello"), tls=certificate)
        return ["get", *FLAGS, "--ca", str(issuer.trusted), f"https://{host}:{server.port}/"]

    return stage_it


def nothing_sent(stage, _):
    return [f"it was told {request[:60]!r}" for request in stage.servers[0].requests if request]


def refused(name, *, short=False, **leaf):
    return Row(f"a server with {name} is told nothing", presented(**leaf), (4,), check=nothing_sent, short=short)


def broken(name, step, **more):
    def stage_it(stage):
        server = stage.server(step, kind=Speaking)
        return ["get", "--no-proxy", "--attempts", "1", "--deadline", "500ms", f"https://127.0.0.1:{server.port}/"]

    return Row(name, stage_it, (4, 124), deadline=0.5, **more)


ROWS = [
    Row("a server with a good certificate is answered", presented(), (0,), short=True),
    refused("a certificate for another host", extensions="subjectAltName=DNS:example.org", short=True),
    refused("an expired certificate", dates=("20200101000000Z", "20210101000000Z"), short=True),
    refused("a certificate that is not valid yet", dates=("20400101000000Z", "20410101000000Z")),
    refused("a certificate it signed itself", issuer=False, short=True),
    refused("its name in the subject only", extensions="keyUsage=digitalSignature", subject="/CN=localhost"),
    refused("a certificate for *", extensions="subjectAltName=DNS:*"),
    refused("a certificate for l*calhost", extensions="subjectAltName=DNS:l*calhost"),
    refused("a certificate for *.localhost", extensions="subjectAltName=DNS:*.localhost"),
    refused("an address as a DNS name", extensions="subjectAltName=DNS:127.0.0.1", host="127.0.0.1"),
    refused("an address in the subject only", extensions="keyUsage=digitalSignature", subject="/CN=127.0.0.1",
            host="127.0.0.1"),
    refused("a certificate for clients only", extensions=GOOD + "\nextendedKeyUsage=clientAuth"),
    refused("a name in a URI", extensions="subjectAltName=URI:https://localhost/"),
    broken("a handshake that never begins ends by the deadline", silent_before_tls, short=True),
    broken("plain text instead of a handshake is an error", wrong_in_handshake(b"HTTP/1.1 200 OK\r\n\r\nhello")),
    broken("a handshake of garbage is an error", wrong_in_handshake(b"\x16\x03\x03\xff\xff" + b"\xff" * 70_000)),
    broken("a flood of alerts ends by the deadline", wrong_in_handshake(b"\x15\x03\x03\0\2\1\0" * 100_000)),
]


def truncated(stage):
    """Ends without TLS's own end, in a body that ends with the connection."""
    def step(connection):
        connection.sendall(hostile.OK + b"Connection: close\r\n\r\nhalf of it")
        hostile.reset(connection)

    issuer = Authority(stage)
    server = stage.server(step, tls=issuer.leaf(GOOD))
    return ["get", *FLAGS, "--ca", str(issuer.trusted), server.url()]


def nothing_given_out(_, ended):
    return [f"gives out {ended.out!r}"] if ended.out else []


ROWS.append(Row("a body that is cut off under TLS is not given out", truncated, (4,), check=nothing_given_out))
