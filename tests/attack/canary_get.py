# SPDX-License-Identifier: Apache-2.0
"""Secrets in every place of `perdure get`, in every kind of failure."""

import itertools

import hostile
from leaks import row, secret, shut_port
from hostile import echo, then_silence, whole
from small_server import reset

BASE = ("--attempts", "2", "--base", "1ms", "--deadline", "2s")
SHORT = ("--deadline", "100ms", "--attempts", "1")
MODES = {"": (), "--trace": ("--trace",), "--json": ("--json",), "--include": ("--include",)}


# ---- places: (stage, the URL's host and port) -> arguments

def in_userinfo(stage, host):
    return [f"http://me:{secret(stage, 'the URL')}@{host}/"]


def in_user(stage, host):
    return [f"http://{secret(stage, 'the URL')}@{host}/"]


def in_query(stage, host):
    return [f"http://{host}/?token={secret(stage, 'the query')}"]


def in_header(name):
    def stage_it(stage, host):
        return ["-H", f"{name}: Bearer {secret(stage, name)}", f"http://{host}/"]

    return stage_it


def in_body(stage, host):
    return ["--body", secret(stage, "the body"), f"http://{host}/"]


def in_body_file(stage, host):
    return ["--body-file", stage.file("body", secret(stage, "the body")), f"http://{host}/"]


def in_input(stage, host):
    stage.given = secret(stage, "the body").encode()
    return ["--body-file", "-", f"http://{host}/"]


def in_key(stage, host):
    return ["--body", "x", f"--idempotency-key={secret(stage, 'the key')}", f"http://{host}/"]


def in_header_file(stage, host):
    line = f"X-Api-Key: {secret(stage, 'a file of headers')}\n"
    return ["--header-file", stage.file("headers", line), f"http://{host}/"]


def in_variable(stage, host):
    stage.environment["TOKEN"] = "Bearer " + secret(stage, "a variable")
    return ["--auth", "env:TOKEN", f"http://{host}/"]


def in_token_file(stage, host):
    path = stage.file("token", f"Bearer {secret(stage, 'a file of a token')}\n")
    return ["--auth", f"file:{path}", f"http://{host}/"]


def in_header_input(stage, host):
    stage.given = f"X-Api-Key: {secret(stage, 'headers on standard input')}\n".encode()
    return ["--header-file", "-", f"http://{host}/"]


def in_endpoint(stage, host):
    return ["--endpoint", f"http://me:{secret(stage, 'an endpoint')}@127.0.0.1:{shut_port()}/", f"http://{host}/"]


def in_proxy(stage, host):
    return ["--proxy", f"http://me:{secret(stage, 'the proxy')}@{host}", "http://example.invalid/"]


def in_proxy_variable(name, scheme="http"):
    def stage_it(stage, host):
        stage.environment[name] = f"http://me:{secret(stage, name)}@{host}"
        return [f"{scheme}://example.invalid/"]

    return stage_it


PLACES = {
    "the URL's password": in_userinfo, "the URL's user": in_user, "the query": in_query,
    "Authorization": in_header("Authorization"), "Cookie": in_header("Cookie"), "X-Api-Key": in_header("X-Api-Key"),
    "Proxy-Authorization": in_header("Proxy-Authorization"), "--body": in_body, "--body-file": in_body_file,
    "standard input": in_input, "--idempotency-key": in_key, "--header-file": in_header_file,
    "--header-file -": in_header_input, "--auth env": in_variable, "--auth file": in_token_file,
    "--endpoint": in_endpoint, "--proxy": in_proxy, "http_proxy": in_proxy_variable("http_proxy"),
    "HTTPS_PROXY": in_proxy_variable("HTTPS_PROXY", "https"), "all_proxy": in_proxy_variable("all_proxy"),
}
# Which never come to a server here.
UNHEARD = ("--endpoint",)


# ---- what becomes of the call: (script, the class of the server, whether it is told the request)

ENDS = {
    "an answer": ([whole(b"hello")], hostile.Server, True),
    "401 that echoes the request": ([b""], echo(), True),
    "407 that echoes the request": ([b""], echo(b"407 Proxy Authentication Required"), True),
    "400 that echoes the request": ([b""], echo(b"400 Bad Request"), True),
    "503": ([whole(b"busy", b"Retry-After: 0", status=b"503 Busy")], hostile.Server, True),
    "a reset": ([reset], hostile.Server, True),
    "half an answer": ([hostile.OK + b"Content-Length: 9\r\n\r\nhalf"], hostile.Server, True),
    "garbage": ([b"\x00\x01 what?"], hostile.Server, True),
    "silence": ([then_silence(b"")], hostile.Server, True),
    "a refused connection": (None, None, False),
}


def attempt(place, end, mode):
    script, kind, heard = ENDS[end]

    def stage_it(stage):
        port = stage.server(*script, kind=kind).port if script else shut_port()
        words = PLACES[place](stage, f"127.0.0.1:{port}")
        if heard and place not in UNHEARD:
            stage.in_play += stage.secrets
        if mode == "--include":  # the answer as it came, failures too
            stage.exempt |= {(name, "stdout") for name in stage.secrets}
        # Connecting to a port where nothing listens goes on until the deadline.
        within = {"a refused connection": SHORT, "silence": ("--deadline", "500ms", "--attempts", "1")}.get(end, BASE)
        return ["get", *within, *MODES[mode], *words]

    short = mode == "" and end.startswith("401") or mode == "--json" and end.startswith("a refused")
    return row(f"get with one in {place}, which meets {end} {mode}".rstrip(), stage_it, short=short)


MATRIX = [attempt(place, end, mode) for place, end, mode in itertools.product(PLACES, ENDS, MODES)
          if end != "silence" or mode == "--trace"]


# ---- what cannot be understood, and mistakes

def words(name, *arguments, ends=(3, 125), **more):
    """CANARY in an argument stands for the secret."""

    def stage_it(stage):
        return [one.replace("CANARY", secret(stage, "an argument")) for one in arguments]

    return row(name, stage_it, ends, short=True, **more)


NOWHERE = "http://127.0.0.1:1/"
MISTAKES = [
    words("a second URL of get", "get", NOWHERE, "http://u:CANARY@h/", finding=19),
    words("a second URL of get, with --json", "get", "--json", NOWHERE, "http://u:CANARY@h/", finding=19),
    words("a port beyond 65,535", "get", "http://u:CANARY@h:99999/"),
    words("a scheme with a letter missing", "get", "htp://u:CANARY@h/"),
    words("half an address", "get", "http://u:CANARY@[::1/"),
    words("a URL without a scheme", "get", "u:CANARY@h/"),
    words("a database's URL to get", "get", "postgres://u:CANARY@h/db"),
    words("a blank in a URL", "get", "http://u:CANARY @h/"),
    words("a header without a colon", "get", "-H", "Authorization CANARY", NOWHERE),
    words("a header with a line end", "get", "-H", "A: CANARY\r\nB: c", NOWHERE),
    words("a header that frames the message", "get", "-H", "Content-Length: CANARY", NOWHERE),
    words("an unknown flag", "get", "--tokn=CANARY", NOWHERE),
    words("an unknown flag and its value", "get", "--tokn", "CANARY", NOWHERE),
    words("a proxy without a host", "get", "--proxy", "http://u:CANARY@:x", NOWHERE),
    words("a proxy over https", "get", "--proxy", "https://u:CANARY@h:1", NOWHERE),
    words("an endpoint without a scheme", "get", "--endpoint", "u:CANARY@h", NOWHERE),
    words("a key with a line end", "get", "--body", "x", "--idempotency-key=CANARY\n", NOWHERE),
    words("a secret instead of the name of a variable", "get", "--auth", "CANARY", NOWHERE, finding=19),
    words("a secret instead of the name of a variable, with env:", "get", "--auth", "env:CANARY", NOWHERE, finding=19),
]


def header_file(name, content, **more):
    def stage_it(stage):
        path = stage.file("headers", content.replace("CANARY", secret(stage, "a file of headers")))
        return ["get", "--header-file", path, NOWHERE]

    # The flag is known: what is refused is the file.
    return row(f"a file of headers {name}", stage_it, (3, 125), short=True, never=("there is no flag",), finding=19,
               **more)


def bad_proxy(value):
    def stage_it(stage):
        stage.environment["http_proxy"] = value.replace("CANARY", secret(stage, "http_proxy"))
        return ["get", *SHORT, "http://127.0.0.1:1/"]

    return row(f"http_proxy is {value}", stage_it, short=True)


def not_trusted(stage):
    server = stage.server(whole(b"x"), tls=hostile.Authority(stage).leaf("subjectAltName=DNS:x", issuer=False))
    return ["get", *BASE, "-H", f"Authorization: {secret(stage, 'Authorization')}",
            f"https://me:{secret(stage, 'the URL')}@127.0.0.1:{server.port}/?q={secret(stage, 'the query')}"]


def cookie_set(mode):
    def stage_it(stage):
        cookie = b"Set-Cookie: id=" + secret(stage, "Set-Cookie").encode()
        return ["get", *BASE, *mode, stage.url(whole(b"hi", cookie, status=b"403 No"))]

    return row(f"a cookie that the server sets {' '.join(mode)}", stage_it, short=True)


def body_asked_for(stage):
    url = in_header("Authorization")(stage, f"127.0.0.1:{stage.server(b'', kind=echo()).port}")
    stage.exempt.add(("Authorization", "stdout"))
    stage.in_play.append("Authorization")
    return ["get", *BASE, "--fail-body", *url]


def led_away(stage):
    there = stage.server(whole(b"got it"), kind=hostile.Elsewhere)
    here = stage.server(whole(b"", b"Location: " + there.url("/?q=").encode() +
                              secret(stage, "Location").encode(), status=b"302 Found"))
    return ["get", *BASE, "--json", "--redirects", "2", here.url("/", f"me:{secret(stage, 'the URL')}@")]


def not_written(stage):
    url = stage.server(whole(b"x")).url("/", f"me:{secret(stage, 'the URL')}@")
    return ["get", *BASE, "-o", "/nowhere/at/all", url]


ROWS = MATRIX + MISTAKES + [
    header_file("without a colon", "X-Api-Key CANARY\n"),
    header_file("with an empty name", ": CANARY\n"),
    header_file("with a field that frames the message", "Content-Length: CANARY\n"),
    header_file("with a control character", "X-Api-Key: CANARY\x01\n"),
    header_file("that is too large", "X-Api-Key: CANARY\n" + "x" * 5_000_000),
    *map(bad_proxy, ("http://u:CANARY@:x", "u:CANARY@h:1", "https://u:CANARY@h:1", "socks5://u:CANARY@h:1",
                     "http://u:CANARY@h:99999", "http://u:CANARY@[::1")),
    row("a certificate that is not trusted", not_trusted, (4,), short=True),
    cookie_set(("--json",)), cookie_set(("--trace",)),
    row("the body of a failure that was asked for", body_asked_for, (1,), short=True),
    row("a redirect with a token, --json", led_away, (0,), short=True),
    row("a file that cannot be written", not_written, (3, 7), short=True),
]
