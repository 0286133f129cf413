# SPDX-License-Identifier: Apache-2.0
"""`perdure get` against hostile HTTP servers: framing, sizes, time, redirects."""

import gzip

import hostile
from hostile import OK, endless, head, packed, repeated, then_silence, whole
from rig import Row
from small_server import reset

PLAIN = ("--no-proxy", "--attempts", "1")
NO_ANSWER = (4,)


def get(*script, flags=(), within="2s", most="8"):
    """A function in the place of a step makes it: what is large is not made for rows that are not run."""

    def stage_it(stage):
        steps = [step() if getattr(step, "late", False) else step for step in script]
        return ["get", *PLAIN, "--deadline", within, "--timeout", within, "--max-body", most, *flags, stage.url(*steps)]

    return stage_it


def packed_late(make):
    def step():
        return packed(make())

    step.late = True
    return step


def refused(name, text, **more):
    """An answer whose end cannot be known for sure: its body is not given out."""

    def nothing_given_out(_, ended):
        return [] if ended.out == b"" else [f"gives out {ended.out[:40]!r}"]

    return Row(f"an answer with {name} is refused", get(text),
               **{"ends": NO_ANSWER, "check": nothing_given_out, **more})


def given(name, text, body, **more):
    def is_body(_, ended):
        return [] if ended.out == body else [f"gives out {ended.out[:40]!r}"]

    return Row(name, get(text), **{"ends": (0,), "check": is_body, **more})


FRAMING = [
    refused("a length and chunks", OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nhello",
            short=True),
    refused("chunks and a length", OK + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nhello"),
    refused("two different lengths", OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", short=True),
    refused("a list of different lengths", OK + b"Content-Length: 5, 6\r\n\r\nhello!"),
    refused("a negative length", OK + b"Content-Length: -1\r\n\r\nhello", short=True),
    refused("a length with a plus", OK + b"Content-Length: +5\r\n\r\nhello"),
    refused("a length in hexadecimal", OK + b"Content-Length: 0x5\r\n\r\nhello"),
    refused("a length of 2^64 - 1", OK + b"Content-Length: 18446744073709551615\r\n\r\nhello"),
    refused("a length of 2^64 + 5", OK + b"Content-Length: 18446744073709551621\r\n\r\nhello", short=True),
    refused("a length of 18 digits", OK + b"Content-Length: 999999999999999999\r\n\r\nhello"),
    refused("a blank before the colon", OK + b"Content-Length : 5\r\n\r\nhello"),
    refused("the coding xchunked", OK + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    refused("a vertical tab before chunked", OK + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"),
    refused("chunks in HTTP/1.0", b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    refused("a folded line", OK + b"X-A: 1\r\n Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    refused("NUL in a header", OK + b"X-A: a\0b\r\nContent-Length: 5\r\n\r\nhello"),
    refused("a bare CR in a header", OK + b"X-A: a\rContent-Length: 9\r\nContent-Length: 5\r\n\r\nhello"),
    refused("a negative chunk", head(b"Transfer-Encoding: chunked") + b"-1\r\nhello\r\n0\r\n\r\n", short=True),
    refused("a chunk of 16 F", head(b"Transfer-Encoding: chunked") + b"F" * 16 + b"\r\nhello\r\n0\r\n\r\n"),
    refused("a chunk size of 17 digits", head(b"Transfer-Encoding: chunked") + b"1" * 17 + b"\r\nhello\r\n0\r\n\r\n"),
    refused("a chunk size with 0x", head(b"Transfer-Encoding: chunked") + b"0x5\r\nhello\r\n0\r\n\r\n"),
    refused("a chunk that is longer than it says", head(b"Transfer-Encoding: chunked") + b"3\r\nhello\r\n0\r\n\r\n"),
    refused("status 000", b"HTTP/1.1 000 No\r\nContent-Length: 5\r\n\r\nhello"),
    refused("status -20", b"HTTP/1.1 -20 No\r\nContent-Length: 5\r\n\r\nhello"),
    refused("status 999", b"HTTP/1.1 999 No\r\nContent-Length: 5\r\n\r\nhello", ends=(1, 4)),
    refused("HTTP/0.9", b"hello"),
    refused("HTTP/2.0", b"HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    refused("101", b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello"),
    refused("half of its body", OK + b"Content-Length: 10\r\n\r\nhello", short=True),
    given("bytes behind an answer are no part of it", whole(b"hello") + b"HTTP/1.1 200 OK\r\n\r\n", b"hello"),
]

SIZES = [
    Row("endless headers end at a limit", get(endless(b"X-A: 1\r\n", OK)), NO_ANSWER, short=True),
    Row("one endless header line ends at a limit", get(endless(b"x", OK + b"X-A: ")), NO_ANSWER),
    Row("an endless reason ends at a limit", get(endless(b"x", b"HTTP/1.1 200 ")), NO_ANSWER),
    Row("endless 100s end at a limit", get(endless(b"HTTP/1.1 100 Continue\r\n\r\n")), NO_ANSWER, short=True),
    Row("endless 103s end at a limit", get(endless(b"HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\n")), NO_ANSWER),
    Row("endless trailers end at a limit",
        get(endless(b"X-A: 1\r\n", head(b"Transfer-Encoding: chunked") + b"0\r\n")), NO_ANSWER),
    Row("an endless chunk extension ends at a limit",
        get(endless(b"x", head(b"Transfer-Encoding: chunked") + b"5;a=")), NO_ANSWER),
    Row("an endless body ends at --max-body", get(endless(b"x" * 1000, OK + b"\r\n")), NO_ANSWER, ("too-large",),
        short=True),
    Row("endless chunks end at --max-body",
        get(endless(b"5\r\nhello\r\n", head(b"Transfer-Encoding: chunked"))), (4, 124), deadline=2, cpu=3),
    Row("4 million chunks of a byte take time in proportion",
        get(repeated(b"1\r\nx\r\n", 4_000_000, head(b"Transfer-Encoding: chunked"), b"0\r\n\r\n"),
            flags=("-o", "out"), within="20s"), (0, 3), cpu=8),
    Row("200 MB of headers end at a limit", get(repeated(b"X-A: " + b"y" * 1000 + b"\r\n", 200_000, OK)), NO_ANSWER),
]

# The process looks at the clock while it unpacks; its CPU time is what a busy machine cannot stretch.
PACKED = [
    Row("unpacking gzip ends by the deadline",
        get(packed_late(lambda: hostile.zeros(1024)), flags=("--gzip", "-o", "out"), within="300ms", most="4000"),
        (124, 3), deadline=0.3, memory=900, cpu=1.0, finding=4, short=True),
    Row("4 GB behind 4 MB of gzip end by the deadline",
        get(packed_late(lambda: hostile.zeros(4096)), flags=("--gzip", "-o", "out"), most="4096"),
        (124, 3), deadline=2, memory=4500, cpu=3, finding=4),
    Row("4 GB behind 4 MB of gzip end at --max-body", get(packed_late(lambda: hostile.zeros(4096)), flags=("--gzip",)),
        NO_ANSWER, ("gzip",), deadline=2, short=True),
    Row("an answer of a million empty members of gzip takes time in proportion",
        get(packed_late(lambda: gzip.compress(b"") * 1_000_000), flags=("--gzip",), most="64"), (0, 4, 124), deadline=2,
        cpu=3, memory=200),
    Row("gzip that was cut off is refused", get(packed(gzip.compress(b"hello" * 99)[:-9]), flags=("--gzip",)),
        NO_ANSWER, short=True),
    Row("gzip with another checksum is refused",
        get(packed(gzip.compress(b"hello")[:-8] + bytes(8)), flags=("--gzip",)), NO_ANSWER),
    Row("a body that is not gzip, but said to be, is refused", get(packed(b"\x1f\x8b" + b"\xff" * 500), flags=("--gzip",)), NO_ANSWER),
]

AGAIN = ("--no-proxy", "--attempts", "4", "--base", "1ms", "--deadline", "1s")


def busy(value):
    answer = whole(b"", b"Retry-After: " + value, status=b"503 Busy")
    return lambda stage: ["get", *AGAIN, stage.url(answer)]


TIME = [
    Row(f"Retry-After {name} never outlasts the deadline", busy(value), (1, 124), deadline=1, short=name == "1e308")
    for name, value in (
        ("1e308", b"1e308"), ("of 400 digits", b"9" * 400), ("-5", b"-5"), ("of 10 years", b"315360000"),
        ("in 9999", b"Fri, 31 Dec 9999 23:59:59 GMT"), ("in the year 1", b"Mon, 01 Jan 0001 00:00:00 GMT"),
        ("that is no date", b"Fri, 99 Foo 2020 99:99:99 GMT"))
] + [
    Row("a head that drips is given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--attempts", "1", "--deadline", "500ms", stage.url(drip(b""))],
        (124,), deadline=0.5, short=True),
    Row("a body that drips is given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--attempts", "1", "--deadline", "500ms",
                       stage.url(drip(OK + b"Content-Length: 9999\r\n\r\n"))], (124,), deadline=0.5),
    Row("chunks that drip are given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--attempts", "1", "--deadline", "500ms",
                       stage.url(drip(head(b"Transfer-Encoding: chunked"), b"1\r\nx\r\n"))], (124,), deadline=0.5),
    Row("1xx answers that drip are given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--attempts", "1", "--deadline", "500ms",
                       stage.url(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"))], (124,), deadline=0.5),
    Row("silence is given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--deadline", "500ms", stage.url(then_silence(b""))], (124,),
        deadline=0.5),
    Row("silence in the body is given up at the deadline",
        lambda stage: ["get", "--no-proxy", "--deadline", "500ms",
                       stage.url(then_silence(OK + b"Content-Length: 5\r\n\r\nhel"))], (124,), deadline=0.5),
    Row("resets end by the attempts", lambda stage: ["get", *AGAIN, stage.url(reset)], NO_ANSWER, deadline=1,
        short=True),
]


def drip(before, piece=b"."):
    def step(connection):
        connection.sendall(before)
        connection.settimeout(0.02)
        while True:
            connection.sendall(piece)
            try:
                if not connection.recv(100):
                    return
            except TimeoutError:
                pass

    return step


# ---- redirects

SECRETS = ("Authorization: Bearer CANARY-1", "Cookie: id=CANARY-2", "X-Api-Key: CANARY-3", "X-Auth-Token: CANARY-4",
           "X-Amz-Security-Token: CANARY-5", "Ocp-Apim-Subscription-Key: CANARY-6", "X-Our-Session: CANARY-7")


def redirect(to, *fields, status=b"302 Found"):
    return whole(b"", b"Location: " + to.encode(), *fields, status=status)


def led_away(*flags, status=b"302 Found", kind=hostile.Server):
    """A request with secrets is led to another origin. `heard_there` looks at that origin alone."""

    def stage_it(stage):
        there = stage.server(whole(b"got it"), kind=kind)
        here = stage.url(redirect(there.url(), status=status))
        return ["get", "--no-proxy", "--attempts", "1", "--redirects", "5", *flags, here]

    return stage_it


def headers(lines=SECRETS):
    return [word for line in lines for word in ("-H", line)]


def no_canary_there(stage, _):
    told = b"".join(stage.servers[0].requests)
    return [f"the other origin was told {word!r}" for word in told.split() if b"CANARY" in word]


def leads_to(location, **more):
    return lambda stage: ["get", "--no-proxy", "--attempts", "1", "--deadline", "2s", "--redirects", "9",
                          stage.url(redirect(location), **more)]


def two_locations(stage):
    there = stage.server(whole(b"there"))
    return ["get", "--no-proxy", "--attempts", "1", "--redirects", "3",
            stage.url(redirect(there.url("/a"), b"Location: " + there.url("/b").encode()))]


REDIRECTS = [
    Row("a redirect to another port takes no secret along", led_away(*headers()), check=no_canary_there, finding=18,
        short=True),
    Row("a redirect to another host takes no secret along", led_away(*headers(), kind=hostile.Elsewhere),
        check=no_canary_there, finding=18),
    Row("a redirect to another host takes no idempotency key along",
        led_away("--body", "x", "--idempotency-key=CANARY-8", status=b"307 Again", kind=hostile.Elsewhere),
        check=no_canary_there, finding=18),
    Row("a redirect to another host takes no body along",
        led_away("--body", "CANARY-9", status=b"308 Moved", kind=hostile.Elsewhere), check=no_canary_there,
        finding=18, short=True),
    Row("a redirect in a ring ends", lambda stage: ["get", "--no-proxy", "--redirects", "9",
                                                     stage.url(redirect("/round"))], (0, 1, 4), short=True),
    Row("two Locations are not chosen from", two_locations, (0, 1, 4)),
    *[Row(f"a redirect to {where} is not followed", leads_to(where), (0, 1, 4), never=("root:",),
          short=where.startswith("file:"))
      for where in ("file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:1/x", "http:\\\\127.0.0.1:1\\",
                    "http://127.0.0.1:1:1/", "http://[::1", "//", "http://", "unix:/run/x", "javascript:alert(1)")],
]


def downgrade(stage):
    authority = hostile.Authority(stage)
    there = stage.server(whole(b"in plain"))
    secure = stage.server(redirect(there.url()), tls=authority.leaf("subjectAltName=IP:127.0.0.1"))
    return ["get", "--no-proxy", "--attempts", "1", "--redirects", "3", "--ca", str(authority.trusted),
            *headers(), secure.url()]


def nothing_there(stage, _):
    return ["the plain server was asked"] if stage.servers[0].requests else []


REDIRECTS.append(Row("a redirect never leads from https to http", downgrade, (0, 1, 4), check=nothing_there,
                     short=True))

ROWS = FRAMING + SIZES + PACKED + TIME + REDIRECTS
