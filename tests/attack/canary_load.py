# SPDX-License-Identifier: Apache-2.0
"""Secrets in every place of `perdure load`, and of the commands that speak to no service of their own."""

import base64
import itertools
import json
import socket
import threading

import hostile
from leaks import row, secret, shut_port
from hostile import Speaking, whole

RECORDS = '{"id": 1, "v": 2}\n{"id": 2, "v": 3}\n'
MODES = {"": (), "--json": ("--json",), "--journal": ("--journal", "journal.jsonl")}


def load(stage, target, *more, table=("--table", "t", "--key", "id")):
    return ["load", stage.file("in.jsonl", RECORDS), "--to", target, *table, "--create", "--patience", "1s",
            "--workers", "1", *more]


# ---- SQL: (stage, scheme, port) -> target

def url_password(stage, scheme, port):
    return f"{scheme}://app:{secret(stage, 'the URL')}@127.0.0.1:{port}/shop"


def url_setting(stage, scheme, port):
    return f"{scheme}://app@127.0.0.1:{port}/shop?password={secret(stage, 'a setting of the URL')}"


def variable(name):
    def target(stage, scheme, port):
        stage.environment[name] = secret(stage, name)
        return f"{scheme}://app@127.0.0.1:{port}/shop"

    return target


def pass_file(stage, scheme, port):
    path = stage.file(".pgpass", f"*:*:*:*:{secret(stage, '.pgpass')}\n")
    (stage.folder / ".pgpass").chmod(0o600)
    stage.environment["PGPASSFILE"] = path
    return f"{scheme}://app@127.0.0.1:{port}/shop"


def service_file(stage, scheme, port):
    text = f"[s]\nhost=127.0.0.1\nport={port}\nuser=app\ndbname=shop\npassword={secret(stage, 'the service')}\n"
    stage.environment |= {"PGSERVICEFILE": stage.file("service.conf", text), "PGSERVICE": "s"}
    return f"{scheme}:///"


def option_file(stage, scheme, port):
    path = stage.file("my.cnf", f"[client]\nuser=app\npassword={secret(stage, 'an option file')}\n")
    return f"{scheme}://127.0.0.1:{port}/shop?defaults-file={path}"


def wrong_option_file(stage, scheme, port):
    path = stage.file("my.cnf", f"[client\npassword {secret(stage, 'an option file')}\n")
    return f"{scheme}://127.0.0.1:{port}/shop?defaults-file={path}"


POSTGRES = {"the URL": url_password, "a setting of the URL": url_setting, "PGPASSWORD": variable("PGPASSWORD"),
            ".pgpass": pass_file, "a service file": service_file}
MARIADB = {"the URL": url_password, "MYSQL_PWD": variable("MYSQL_PWD"), "an option file": option_file,
           "a broken option file": wrong_option_file}


def told_nothing_back(connection, told):
    """Refuses the password without repeating it, as servers do."""
    connection.sendall(hostile.postgres_message(b"R", (3).to_bytes(4, "big")))
    said = hostile.exactly(connection, 5)
    told.append(said + hostile.exactly(connection, int.from_bytes(said[1:], "big") - 4))
    connection.sendall(hostile.postgres_error(b"28P01", b'password authentication failed for user "app"'))


REFUSAL = b"\xff\x15\x04#28000Access denied for user 'app'@'localhost' (using password: YES)"
SERVERS = {
    "postgres": {"a refused password": hostile.postgres_without_tls(told_nothing_back),
                 "garbage": hostile.wrong_in_handshake(b"\xff" * 1000), "silence": hostile.silent_before_tls,
                 "a refused connection": None},
    "mariadb": {"a refused password": lambda connection, told: hostile.mariadb_asks_in_clear(connection, told, REFUSAL),
                "garbage": hostile.wrong_in_handshake(b"\xff" * 1000), "silence": hostile.silent_before_tls,
                "a refused connection": None},
}


def database(scheme, place, target, end, mode):
    step = SERVERS[scheme][end]

    def stage_it(stage):
        port = stage.server(step, kind=Speaking).port if step else shut_port()
        arguments = load(stage, target(stage, scheme, port), *MODES[mode])
        if end == "a refused password" and "broken" not in place:
            stage.in_play += stage.secrets
        return arguments

    short = mode == "--json" and end == "a refused password"
    return row(f"load into {scheme} with one in {place}, which meets {end} {mode}".rstrip(), stage_it,
               (5, 7, 125), short=short)


SQL = [database(scheme, place, targets[place], end, mode)
       for scheme, targets in (("postgres", POSTGRES), ("mariadb", MARIADB))
       for place, end, mode in itertools.product(targets, SERVERS[scheme], MODES)
       if end == "a refused password" or not mode]


# ---- DynamoDB

def in_variables(stage):
    stage.environment |= {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": secret(stage, "the key"),
                          "AWS_SESSION_TOKEN": secret(stage, "the session token")}


def profile(text):
    def place(stage):
        path = stage.file(".aws/credentials", text(stage))
        stage.environment["AWS_SHARED_CREDENTIALS_FILE"] = path

    return place


def keys_of(stage):
    return (f"[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = {secret(stage, 'the key')}\n"
            f"aws_session_token = {secret(stage, 'the session token')}\n")


def broken_keys_of(stage):
    return f"[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key {secret(stage, 'the key')}\n"


def half_keys_of(stage):
    return f"[default]\naws_secret_access_key = {secret(stage, 'the key')}\n"


def process(script):
    """A credential_process; in its script KEY and TOKEN stand for secrets."""

    def place(stage):
        text = script.replace("KEY", secret(stage, "the key")).replace("TOKEN", secret(stage, "the session token"))
        path = stage.file("keys.sh", "#!/bin/sh\n" + text)
        (stage.folder / "keys.sh").chmod(0o700)
        stage.environment["AWS_CONFIG_FILE"] = stage.file("config", f"[default]\ncredential_process = {path}\n")

    return place


GOOD_KEYS = json.dumps({"Version": 1, "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "KEY",
                        "SessionToken": "TOKEN"})


def container(status, wrong=False):
    def place(stage):
        keys = {"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": secret(stage, "the key"), "Token": "t",
                "Expiration": "2020-13-45" if wrong else "2099-01-01T00:00:00Z"}
        agent = stage.server(whole(json.dumps(keys).encode(), status=status))
        stage.environment |= {"AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.url("/keys"),
                              "AWS_CONTAINER_AUTHORIZATION_TOKEN": secret(stage, "the agent's token")}

    return place


AWS = {
    "variables": in_variables, "a profile": profile(keys_of), "a broken profile": profile(broken_keys_of),
    "half a profile": profile(half_keys_of),
    "a process": process(f"echo '{GOOD_KEYS}'\n"),
    "a process that logs to stderr": process(f"echo KEY TOKEN >&2\necho '{GOOD_KEYS}'\n"),
    "a process that fails after its keys": process(f"echo '{GOOD_KEYS}'\nexit 3\n"),
    "a process that fails with its keys on stderr": process("echo 'error: KEY TOKEN' >&2\nexit 3\n"),
    "a process with set -x": process("set -x\nkey=KEY\ntrue $key TOKEN\nexit 1\n"),
    "a process that writes no JSON": process("echo KEY TOKEN\n"),
    "a process that writes half JSON": process("echo '{\"SecretAccessKey\": \"KEY'\n"),
    "a process of another version": process("echo '{\"Version\": 2, \"SecretAccessKey\": \"KEY\"}'\n"),
    "a container": container(b"200 OK"), "a container that refuses": container(b"403 Forbidden"),
    "a container with a broken date": container(b"200 OK", wrong=True),
}


class Repeats(hostile.Server):
    """An error whose message repeats the secret lines of the request, as AWS's own about wrong signatures does."""

    kind, status = "__type", b"400 Bad Request"
    code = "com.amazon.coral.service#InvalidSignatureException"

    def serve(self, connection, step):
        def reply(one):
            lines = self.requests[-1].decode(errors="replace").split("\r\n")
            kept = [line for line in lines if line.lower().startswith(("authorization", "x-amz-security-token"))]
            told = json.dumps({self.kind: self.code, "message": "it was " + " ".join(kept)})
            one.sendall(whole(told.encode(), b"Content-Type: application/x-amz-json-1.0", b"x-ms-activity-id: 1",
                              status=self.status))

        super().serve(connection, reply)


class RepeatsAsCosmos(Repeats):
    kind, code, status = "code", "Unauthorized", b"401 Unauthorized"


AWS_ENDS = {"a refusal": ([whole(b'{"__type":"UnrecognizedClientException","message":"no"}',
                                 b"Content-Type: application/x-amz-json-1.0", status=b"400 Bad Request")],
                          hostile.Server),
            "a refusal that repeats the request": ([b""], Repeats),
            "503": ([whole(b"busy", status=b"503 Busy")], hostile.Server),
            "a refused connection": (None, None)}
# Of these the session token comes to the server.
USABLE = ("variables", "a profile", "a process", "a process that logs to stderr")


def dynamodb(place, end, mode):
    script, kind = AWS_ENDS[end]

    def stage_it(stage):
        AWS[place](stage)
        port = stage.server(*script, kind=kind).port if script else shut_port()
        if script and place in USABLE:
            stage.in_play.append("the session token")
        return load(stage, f"dynamodb://orders?region=eu-west-1&endpoint=http://127.0.0.1:{port}", *MODES[mode],
                    table=("--key", "id"))

    finding = 20 if "stderr" in place or "set -x" in place else None
    return row(f"load into DynamoDB with one in {place}, which meets {end} {mode}".rstrip(), stage_it,
               (4, 5, 7, 125), finding=finding, short=mode == "" and end == "a refusal")


# Without keys no server is asked, whatever it would say.
DYNAMODB = [dynamodb(place, end, mode) for place, end, mode in itertools.product(AWS, AWS_ENDS, MODES)
            if place in USABLE or place == "a container" or end == "a refusal"]


# ---- Cosmos DB

def account_key(stage):
    return base64.b64encode(secret(stage, "the account's key").encode() + bytes(35)).decode()


def cosmos_key(stage, url):
    stage.environment["COSMOS_KEY"] = account_key(stage)


def cosmos_string(stage, url):
    stage.environment["COSMOS_CONNECTION_STRING"] = f"AccountEndpoint={url};AccountKey={account_key(stage)};"


def cosmos_broken_key(stage, url):
    stage.environment["COSMOS_KEY"] = secret(stage, "the account's key") + "%%%"


def cosmos_broken_string(stage, url):
    stage.environment["COSMOS_CONNECTION_STRING"] = f"AccountEndpoint={url};{secret(stage, 'the string')};"


def cosmos_other_string(stage, url):
    stage.environment["COSMOS_CONNECTION_STRING"] = (
        f"AccountEndpoint=https://u:{secret(stage, 'the string')}@h/;AccountKey={account_key(stage)};")


COSMOS = {"COSMOS_KEY": cosmos_key, "COSMOS_CONNECTION_STRING": cosmos_string, "a broken key": cosmos_broken_key,
          "a broken connection string": cosmos_broken_string, "a string of another account": cosmos_other_string}
COSMOS_ENDS = {"401 that repeats the request": ([b""], RepeatsAsCosmos),
               "503": ([whole(b"busy", status=b"503 Busy")], hostile.Server), "a refused connection": (None, None)}


def cosmos(place, end, mode):
    script, kind = COSMOS_ENDS[end]

    def stage_it(stage):
        port = stage.server(*script, kind=kind).port if script else shut_port()
        COSMOS[place](stage, f"http://127.0.0.1:{port}/")
        return load(stage, f"cosmos+http://127.0.0.1:{port}/shop/t", *MODES[mode], table=())

    return row(f"load into Cosmos DB with one in {place}, which meets {end} {mode}".rstrip(), stage_it,
               (4, 5, 7, 125), short=mode == "" and end.startswith("401"))


ACCOUNTS = [cosmos(*words) for words in itertools.product(COSMOS, COSMOS_ENDS, MODES)]


# ---- URLs that cannot be understood, and stray words

def words(name, *arguments, ends=(3, 4, 5, 7, 125), **more):
    def stage_it(stage):
        stage.file("in.jsonl", RECORDS)
        return [one.replace("CANARY", secret(stage, "an argument")) for one in arguments]

    return row(name, stage_it, ends, short=True, **more)


def target(url, *more, **options):
    return words(f"load into {url.replace('CANARY', '…')}", "load", "in.jsonl", "--to", url, "--table", "t", *more,
                 **options)


STRAY = "postgres://u:CANARY@h/db"
MISTAKES = [
    *map(target, ("postgres://u:CANARY@h:99999/db", "postgres://u:CANARY@[::1/db", "postgres://u:CANARY@h/db?x=1",
                  "postgres://u:CANARY@h/%zz", "mariadb://u:CANARY@h:99999/db", "mariadb://u:CANARY@h/db?x=1",
                  "mysql://u:CANARY@[::1/db", "odbc://u:CANARY@h", "odbc:DSN=x;UID=u;PWD=CANARY",
                  "Driver={x};UID=u;PWD=CANARY", "oracle://u:CANARY@h/db", "u:CANARY@h/db",
                  "dynamodb://u:CANARY@orders", "dynamodb://orders?region=x&endpoint=http://u:CANARY@h/",
                  "dynamodb://orders?region=x&aws_secret_access_key=CANARY", "cosmos://u:CANARY@h/shop/t",
                  "cosmos://h/shop/t?key=CANARY", "host=h password=CANARY")),
    words("load with a URL in the place of a file", "load", STRAY, "--to", "sqlite:x.db", "--table", "t", finding=19),
    words("load with a URL and without --to", "load", "in.jsonl", STRAY, "--table", "t"),
    words("load with a second target", "load", "in.jsonl", "--to", "sqlite:x.db", STRAY, "--table", "t", finding=19),
    words("load with an unknown flag", "load", "in.jsonl", "--pasword=CANARY", "--to", "sqlite:x.db"),
    words("a URL as a command", STRAY, finding=19),
    words("run with a URL", "run", STRAY, finding=19),
    words("doctor with a URL", "doctor", STRAY, ends=(), finding=19),
    words("tune with a URL", "tune", STRAY, ends=(), finding=19),
    words("sim with a URL", "sim", STRAY, finding=19),
    words("offset with a URL", "offset", "--job", "j", "--every", "1h", STRAY, finding=19),
    words("gateway with a URL", "gateway", STRAY, finding=19),
    words("gateway with a second word", "gateway", "cosmos", STRAY, finding=19),
    words("explain with a URL", "explain", STRAY, finding=19),
    words("explain with a URL as a code", "explain", "http", STRAY, ends=(), finding=19),
    words("chaos to a URL with a password", "chaos", "--to", "http://u:CANARY@h:1/", finding=19),
    words("chaos with a second word", "chaos", "--to", "127.0.0.1:1", STRAY, finding=19),
    words("chaos that listens at a URL", "chaos", "--to", "127.0.0.1:1", "--listen", "http://u:CANARY@h", finding=19),
    words("a token of the gateway", "gateway", "cosmos", "--token", "CANARY", "--duration", "1ms", "--json", ends=(0,)),
]


# ---- the rest

def rejected_record(stage):
    record = json.dumps({"id": 1, "v": secret(stage, "a record")}) + "\n"
    stage.file("in.jsonl", '{"id": 1, "v": "a"}\n' + record)
    stage.exempt |= {("a record", f"file {name}") for name in ("t.rejected.jsonl", "x.db", "x.db-wal")}
    return ["load", "in.jsonl", "--to", "sqlite:x.db", "--table", "t", "--create", "--key", "id", "--json",
            "--journal", "journal.jsonl", "--workers", "1"]


def recorded(stage):
    """A request with secrets goes through the proxy, which keeps a record of it."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    behind = stage.server(whole(b"hello"))
    request = (f"GET /p?token={secret(stage, 'the query')} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: "
               f"Bearer {secret(stage, 'a header')}\r\nContent-Length: 28\r\n\r\n{secret(stage, 'the body')}").encode()
    stage.in_play += ["the query"]
    over = threading.Event()

    def send():
        while not over.wait(0.01):
            try:
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    connection.sendall(request)
                    hostile.drain(connection)
                    return
            except OSError:
                pass

    thread = threading.Thread(target=send, daemon=True)
    stage.callback(thread.join, 10)
    stage.callback(over.set)
    thread.start()
    return ["chaos", "--listen", f"127.0.0.1:{port}", "--to", f"127.0.0.1:{behind.port}", "--record", "records.jsonl",
            "--duration", "1s", "--json"]


def wrapped(*mode):
    def stage_it(stage):
        stage.environment["TOKEN"] = secret(stage, "a variable")
        canary = secret(stage, "an argument of the command")
        stage.exempt.add(("an argument of the command", "child"))
        return ["run", "--base", "1ms", "--attempts", "2", *mode, "--", "sh", "-c", "exit 3", canary]

    return row(f"run {' '.join(mode)} of a command that fails".replace("  ", " "), stage_it, (3,), short=True)


def column(stage):
    lines = "".join(f"{number % 7 + 1},{secret(stage, 'a column')}\n" for number in range(3000))
    return ["tune", stage.file("latencies.csv", "took,secret\n" + lines), "--column", "took", "--unit", "ms", "--html",
            "page.html", "--json"]


def broken_scenario(stage):
    return ["sim", stage.file("s.toml", f"title = \"{secret(stage, 'a scenario')}\n")]


ROWS = SQL + DYNAMODB + ACCOUNTS + MISTAKES + [
    row("a rejected record in the journal and on the terminal", rejected_record, (4,), short=True),
    row("a request in the records of chaos", recorded, (0,), short=True, finding=21),
    wrapped(), wrapped("--json"), wrapped("--quiet"),
    row("a column that tune was not asked about", column, (), short=True),
    row("a scenario that cannot be read", broken_scenario, (125,)),
]
