# SPDX-License-Identifier: Apache-2.0
"""`perdure load` against hostile accounts of Cosmos DB, hostile DynamoDB endpoints and database servers."""

import base64
import datetime
import email.utils
import itertools
import json
import os
import re
import shlex
import subprocess

import hostile
from hostile import Authority, Elsewhere, Speaking, head, repeated, whole
from rig import Row, Skip

RECORDS = "".join(f'{{"id": "{number}", "v": {number}}}\n' for number in range(20))
KEY = base64.b64encode(b"CANARY-of-the-account-key-" + bytes(range(38))).decode()
LOAD = ("--create", "--patience", "2s", "--workers", "1")
# Loading ends with the ledger and the report; what is bounded here is that it ends.
GIVES_UP = (1, 3, 4, 5, 6, 7, 125)


def by_name(stage_it, hosts="127.0.0.1 db.test localhost"):
    """As if a name server had said where these names are: in a mount namespace of its own, which only root
    may make."""

    def checked(stage):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
            raise Skip("only root may give a process another /etc/hosts")
        file = stage.file("hosts", hosts + "\n")
        arguments = stage_it(stage)
        script = f'mount --bind {shlex.quote(file)} /etc/hosts && exec "$0" "$@"'
        stage.before = ["unshare", "-m", "sh", "-c", script]
        return arguments

    return checked


# ---- Cosmos DB


def account(*places, **more):
    """An account document whose regions are at these URLs."""
    regions = [{"name": f"Region {number}", "databaseAccountEndpoint": url} for number, url in enumerate(places)]
    return json.dumps({"id": "acct", "writableLocations": regions[:64], "readableLocations": regions[:64],
                       "enableMultipleWriteLocations": False,
                       "userConsistencyPolicy": {"defaultConsistencyLevel": "Session"}, **more}).encode()


def cosmos(stage, place):
    stage.environment["COSMOS_KEY"] = KEY
    return ["load", stage.file("in.jsonl", RECORDS), "--to", f"cosmos{place}/shop/orders", *LOAD]


NAMES = "127.0.0.1 localhost acct.shop.test\n127.0.0.2 acct.other.test"


def secure_account(stage, named, leaf="subjectAltName=DNS:localhost,DNS:*.shop.test,DNS:*.other.test,"
                                      "IP:127.0.0.1,IP:127.0.0.2"):
    """An account over TLS whose document names other places."""
    issuer = Authority(stage)
    certificate = issuer.leaf(leaf)
    stage.environment["SSL_CERT_FILE"] = str(issuer.trusted)
    there = stage.server(whole(b"{}", status=b"404 Not Found"), kind=named["kind"],
                         tls=certificate if named["scheme"] == "https" else None)
    url = f"{named['scheme']}://{named.get('host', there.host)}:{there.port}/"
    here = stage.server(whole(account(url), b"Content-Type: application/json"), tls=certificate)
    return cosmos(stage, f"://{named.get('account', 'localhost')}:{here.port}")


class OtherPort(Elsewhere):
    host = "127.0.0.1"


def nothing_there(stage, _):
    told = stage.servers[0].requests
    return [f"{len(told)} requests went there, the first: {told[0][:60]!r}"] if told else []


def led(to, finding=1, **named):
    return Row(f"an account document never leads from https to {to}",
               by_name(lambda stage: secure_account(stage, named), NAMES), GIVES_UP, check=nothing_there, cpu=4,
               deadline=6, finding=finding, short=to == "http")


def dates_within(hours):
    """Every request is dated by the service's clock only as far as it may be believed."""

    def look(stage, _):
        now = datetime.datetime.now(datetime.timezone.utc)
        found = set()
        for request in stage.servers[0].requests:
            for date in re.findall(rb"(?i)\r\nx-ms-date: ([^\r]+)\r\n", request):
                try:
                    away = email.utils.parsedate_to_datetime(date.decode()) - now
                except ValueError:
                    away = datetime.timedelta.max
                if abs(away) > datetime.timedelta(hours=hours):
                    found.add(f"a request is dated {date.decode()}")
        return sorted(found) if stage.servers[0].requests else ["the account was never asked"]

    return look


def refuses_at(date):
    answer = whole(b'{"code":"Unauthorized","message":"no"}', b"Content-Type: application/json",
                   b"x-ms-activity-id: 1", b"x-ms-version: 2018-12-31", b"Date: " + date, status=b"401 Unauthorized")

    def stage_it(stage):
        return cosmos(stage, f"+http://127.0.0.1:{stage.server(answer).port}")

    return stage_it


def dated(name, date, short=False):
    return Row(f"a Cosmos DB account whose clock says {name} is not believed", refuses_at(date), GIVES_UP,
               never=("18446744073", "1677"), check=dates_within(25), cpu=4, deadline=6, finding=8, short=short)


class Growing(hostile.Server):
    """Each document names 64 places that were never named before; everything else is sent to a new one."""

    def serve(self, connection, step):
        counter = self.__dict__.setdefault("counter", itertools.count())

        def reply(one):
            first = next(counter) * 64
            if self.requests[-1].startswith(b"GET / "):
                one.sendall(whole(account(*(f"http://127.0.0.1:{self.port}/{first + n}" for n in range(64))),
                                  b"Content-Type: application/json"))
            else:
                one.sendall(whole(b"{}", b"x-ms-substatus: 3", b"x-ms-activity-id: 1", status=b"403 Forbidden"))

        super().serve(connection, reply)


def document(body, name, **more):
    def stage_it(stage):
        return cosmos(stage, f"+http://127.0.0.1:{stage.server(body).port}")

    return Row(name, stage_it, GIVES_UP, cpu=4, deadline=6, **more)


JSON = b"Content-Type: application/json"
CLOSE = b"Connection: close"
COSMOS = [
    led("http", scheme="http", kind=OtherPort, host="localhost"),
    led("http on another host", scheme="http", kind=Elsewhere),
    led("another host", scheme="https", kind=Elsewhere, account="acct.shop.test", host="acct.other.test"),
    dated("2035", b"Sat, 17 Nov 2035 00:00:00 GMT", short=True),
    dated("the year 9999", b"Fri, 31 Dec 9999 23:59:59 GMT", short=True),
    dated("the year 1", b"Mon, 01 Jan 0001 00:00:00 GMT"),
    Row("places that Cosmos DB names and forgets do not add up in memory",
        lambda stage: cosmos(stage, f"+http://127.0.0.1:{stage.server(b'', kind=Growing).port}")
        + ["--patience", "12s"], GIVES_UP, cpu=12, finding=9),
    document(repeated(b"[", 1_000_000, head(JSON, CLOSE)), "an account document of a million levels is refused"),
    document(whole(account("http://[::1"), JSON), "an account document with half a URL is refused"),
    document(whole(account("http://u:p@127.0.0.1/"), JSON), "an account document with a password is refused"),
    document(whole(account(*["http://127.0.0.1:1/"] * 64).replace(b"Region 0", b"\\u001b]0;PWN\\u0007"), JSON),
             "names of regions never reach the terminal as control characters", never=("\x1b]0;PWN",),
             terminal=True),
    document(hostile.endless(b"x" * 1000, head(JSON)), "an endless account document ends at a limit", short=True),
    document(whole(b"", b"Location: http://127.0.0.1:1/", status=b"307 Moved"),
             "a redirect of an account is not followed"),
    document(whole(b"{}", b"x-ms-retry-after-ms: 9223372036854775807", b"x-ms-activity-id: 1", status=b"429 Busy"),
             "x-ms-retry-after-ms of 2^63 - 1 never outlasts the patience"),
]


# ---- DynamoDB


def dynamodb(stage, port, **environment):
    stage.environment |= {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "CANARY-AWS-SECRET",
                          **environment}
    return ["load", stage.file("in.jsonl", RECORDS), "--key", "id", "--to",
            f"dynamodb://orders?region=eu-west-1&endpoint=http://127.0.0.1:{port}", *LOAD]


def answers(name, *script, **more):
    return Row(name, lambda stage: dynamodb(stage, stage.server(*script).port), GIVES_UP,
               **{"cpu": 4, "deadline": 6, "never": ("CANARY",), **more})


def not_there(stage, _):
    told = stage.servers[0].requests
    return [f"the other server was asked: {told[0][:60]!r}"] if told else []


def moved(stage):
    there = stage.server(whole(b"{}"), kind=Elsewhere)
    here = stage.server(whole(b"", b"Location: " + there.url().encode(), status=b"307 Moved"))
    return dynamodb(stage, here.port)


def container_elsewhere(stage):
    port = stage.server(whole(b"{}")).port
    arguments = dynamodb(stage, port, AWS_CONTAINER_CREDENTIALS_FULL_URI="http://192.0.2.1/keys")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        del stage.environment[name]
    return arguments


AMZ = b"Content-Type: application/x-amz-json-1.0"
DYNAMODB = [
    answers("DynamoDB's JSON of a million levels is refused", repeated(b'{"a":', 1_000_000, head(AMZ, CLOSE)),
            short=True),
    answers("an endless answer of DynamoDB ends at a limit", hostile.endless(b"x" * 1000, head(AMZ))),
    answers("an answer of DynamoDB with another checksum is refused",
            whole(b'{"Table":{"TableStatus":"ACTIVE"}}', AMZ, b"x-amz-crc32: 1")),
    answers("an error of DynamoDB with control characters never reaches the terminal",
            whole(b'{"__type":"ValidationException","message":"\\u001b]0;PWN\\u0007"}', AMZ,
                  status=b"400 Bad Request"), terminal=True, never=("\x1b]0;PWN", "CANARY")),
    answers("a DynamoDB whose clock says 2035 is not believed",
            whole(b'{"__type":"com.amazon#RequestExpired","message":"x"}', AMZ,
                  b"Date: Sat, 17 Nov 2035 00:00:00 GMT", status=b"400 Bad Request"), short=True,
            finding=8, check=lambda stage, _: ["a request is dated 2035"]
            if b"X-Amz-Date: 2035" in stage.heard() or b"x-amz-date: 2035" in stage.heard() else []),
    Row("a redirect of DynamoDB is not followed", moved, GIVES_UP, check=not_there, cpu=4, deadline=6),
    Row("keys are not asked for over plain http on another host", container_elsewhere, GIVES_UP, cpu=4, deadline=6,
        check=lambda stage, _: ["a request was signed"] if stage.heard() else []),
]


# ---- databases


def database(scheme, step, query="", host="127.0.0.1"):
    def stage_it(stage):
        port = stage.server(step, kind=Speaking).port
        return ["load", stage.file("in.jsonl", RECORDS), "--table", "t", "--key", "id", "--to",
                f"{scheme}://app:CANARYPW@{host}:{port}/shop{query}", *LOAD]

    return stage_it


def no_password_told(stage, ended):
    heard = stage.heard()
    return (["the password went out in plain"] if b"CANARYPW" in heard else []) + (
        ["the password is shown"] if "CANARYPW" in ended.said() else [])


IN_PLAIN = hostile.postgres_without_tls(hostile.ask_in_clear)
SQL = [
    Row("PostgreSQL without TLS gets no password, even if its name leads to this machine",
        by_name(database("postgres", IN_PLAIN, host="db.test")), GIVES_UP, check=no_password_told, cpu=4, deadline=6,
        finding=7, short=True),
    Row("MariaDB without TLS gets no password, even if its name leads to this machine",
        by_name(database("mariadb", hostile.mariadb_asks_in_clear, host="db.test")), GIVES_UP,
        check=no_password_told, cpu=4, deadline=6, finding=7, short=True),
    Row("sslmode=require holds on this machine too", database("postgres", IN_PLAIN, "?sslmode=require"), GIVES_UP,
        check=no_password_told, cpu=4, deadline=6),
    Row("tls=required holds on this machine too",
        database("mariadb", hostile.mariadb_asks_in_clear, "?tls=required"), GIVES_UP, check=no_password_told, cpu=4,
        deadline=6),
    Row("a flood of notices of PostgreSQL ends by the patience",
        database("postgres", hostile.postgres_without_tls(hostile.flood_of_notices)), GIVES_UP, cpu=6, deadline=6,
        memory=200),
    Row("an answer of 2 GB of PostgreSQL is refused",
        database("postgres", hostile.postgres_without_tls(hostile.message_of_two_gigabytes)), GIVES_UP, cpu=4,
        deadline=6),
    Row("PostgreSQL that never answers ends by the patience", database("postgres", hostile.silent_before_tls),
        GIVES_UP, cpu=4, deadline=6),
    Row("MariaDB that never answers ends by the patience", database("mariadb", hostile.silent_before_tls), GIVES_UP,
        cpu=4, deadline=6),
    Row("MariaDB that speaks garbage is an error",
        database("mariadb", hostile.wrong_in_handshake(b"\xff\xff\xff\x00" + b"\xff" * 70_000)), GIVES_UP, cpu=4,
        deadline=6),
]

ROWS = COSMOS + DYNAMODB + SQL
