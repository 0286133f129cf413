# SPDX-License-Identifier: Apache-2.0
"""The tool against hostile files: inputs of load, scenarios, plans of faults, journals, latencies."""

import gzip
import json
import os
import re
import sqlite3
import subprocess

from rig import Row, TOOL

ESCAPE = "\x1b]0;PWN\x07"
BOUNDED = 200  # MB: limits of files are 1 MB, of records 16 MB


def load(name, content, *flags, target="shop.db"):
    """Into SQLite, where nothing but the input can be hostile."""

    def stage_it(stage):
        text = content() if callable(content) else content
        return ["load", stage.file(name, text), "--to", f"sqlite:{stage.folder / target}", "--table", "t", "--create",
                *flags]

    return stage_it


def rejects(count, first=0):
    """JSON lines in which each second record has a key that is there with other values."""
    return "".join(json.dumps({"id": first + number // 2, "v": number}) + "\n" for number in range(2 * count))


# ---- sizes and shapes

SHAPES = [
    # Longer than the limit of a record, 16 MiB: what looks for the end of a quote as far as that from each
    # line reads the file a million times.
    Row("a CSV file whose quotes never close takes time in proportion",
        load("in.csv", lambda: b"a,b\n" + b'x"y,"z\n' * 2_500_000, "--workers", "1"), (0, 3, 4, 5, 7, 125), cpu=8,
        memory=BOUNDED, finding=2, short=True),
    Row("a CSV file of inch marks takes time in proportion",
        load("in.csv", lambda: b"a,b\n" + b'5"x,"7\n' * 2_500_000, "--workers", "1"), (0, 3, 4, 5, 7, 125), cpu=8,
        memory=BOUNDED, finding=2),
    Row("100,000 columns in a record of JSON are refused quickly",
        load("in.jsonl", lambda: json.dumps({f"k{number}": 1 for number in range(100_000)}) + "\n"), (3, 4, 7, 125),
        cpu=3, memory=400, finding=14),
    Row("50,000 columns in a record of JSON are refused quickly",
        load("in.jsonl", lambda: json.dumps({f"k{number}": 1 for number in range(50_000)}) + "\n"), (3, 4, 7, 125),
        cpu=1.5, memory=400, finding=14, short=True),
    Row("100,000 columns in a header of CSV are refused quickly",
        load("in.csv", lambda: ",".join(f"k{number}" for number in range(100_000)) + "\n"
             + ",".join(["1"] * 100_000) + "\n"), (3, 4, 7, 125), cpu=3, memory=400, finding=14),
    Row("JSON of 3 million levels is no crash", load("in.jsonl", lambda: b'{"id":' + b"[" * 3_000_000 + b"\n"),
        (3, 4, 7, 125), cpu=4, memory=BOUNDED, short=True),
    Row("20 MB of line ends take time in proportion", load("in.jsonl", lambda: b"\n" * 20_000_000),
        (0, 3, 4, 125), cpu=20, memory=BOUNDED),
    Row("20 MB of { are no crash", load("in.jsonl", lambda: b"{" * 20_000_000), (3, 4, 7, 125), cpu=8, memory=BOUNDED),
    Row("20 MB of quotes are no crash", load("in.csv", lambda: b'a,b\n' + b'"' * 20_000_000), (3, 4, 5, 7, 125), cpu=12,
        memory=BOUNDED),
    Row("NUL in a record is no crash", load("in.jsonl", b'{"id": 1, "v": "a\0b"}\n{"id": 2}\n'), (0, 3, 4, 7, 125)),
    Row("a number of 100,000 digits is no crash", load("in.jsonl", b'{"id": 1, "v": ' + b"9" * 100_000 + b"}\n"),
        (0, 3, 4, 7, 125)),
    Row("gzip that ends in garbage is an error",
        load("in.jsonl.gz", gzip.compress(b'{"id": 1}\n' * 50) + b"\xff" * 500), (3,), short=True),
    Row("gzip that is garbage is an error", load("in.jsonl.gz", b"\x1f\x8b\x08" + b"\xff" * 5000), (3, 125)),
    Row("a record of 1 GB behind 1 MB of gzip is refused",
        load("in.jsonl.gz", lambda: gzip.compress(b'{"v": "') + gzip.compress(b"x" * (64 << 20)) * 16),
        (3, 4, 5, 7, 125), cpu=20, memory=BOUNDED),
    Row("a file of a million empty members of gzip takes time in proportion",
        load("in.jsonl.gz", lambda: gzip.compress(b"") * 1_000_000 + gzip.compress(b'{"id": 1}\n')), (0, 3, 125), cpu=8,
        memory=BOUNDED),
]


# ---- files without end


def special(*arguments, ends=(1, 3, 125), **more):
    return Row(f"perdure {' '.join(arguments)} ends at a limit", lambda _: list(arguments), ends,
               **{"cpu": 3, "memory": BOUNDED, **more})


def large(size, *words, name):
    def stage_it(stage):
        path = stage.file(name)
        os.truncate(path, size)
        return [word.replace("FILE", path) for word in words]

    return stage_it


ENDLESS = [
    special("sim", "/dev/zero", finding=16, short=True),
    special("chaos", "--to", "127.0.0.1:1", "--plan", "/dev/zero", "--duration", "1ms", finding=16, short=True),
    special("tune", "/dev/zero", cpu=20, ends=()),
    Row("a scenario of 300 MB is refused", large(300_000_000, "sim", "FILE", name="s.toml"), (125,), cpu=2,
        memory=BOUNDED, finding=16),
    # A journal may be of any size; what is kept of it may not.
    Row("a journal that is one line of 100 MB takes little memory",
        large(100_000_000, "doctor", "FILE", name="j.jsonl"), cpu=20),
    Row("a plan of 300 MB is refused",
        large(300_000_000, "chaos", "--to", "127.0.0.1:1", "--plan", "FILE", "--duration", "1ms", name="p.toml"),
        (3, 125), finding=16, memory=BOUNDED),
    Row("a scenario on standard input without end is refused",
        lambda stage: (setattr(stage, "given", b"# x\n" * 10_000_000), ["sim", "-"])[1], (125,), cpu=2,
        memory=BOUNDED, finding=16),
    Row("perdure load of /dev/zero ends at the limit of a record",
        lambda stage: ["load", "/dev/zero", "--to", "sqlite:x.db", "--table", "t", "--create", "--as", "zero"],
        (3, 4, 5, 7, 125), cpu=8, memory=BOUNDED),
    Row("perdure get --body-file of /dev/zero ends at a limit",
        lambda stage: ["get", "--no-proxy", "--body-file", "/dev/zero", "http://127.0.0.1:1/"], (3, 125), cpu=4,
        memory=900),
]


# ---- side files


def outside(stage):
    return stage.file("precious/file", "precious")


def side_link(name):
    def stage_it(stage):
        os.symlink(outside(stage), stage.folder / name)
        return load("in.jsonl", rejects(5), "--key", "id")(stage)

    return stage_it


def still_precious(stage, _):
    text = (stage.folder / "precious/file").read_text()
    return [] if text == "precious" else [f"the file that a link leads to now holds {text[:60]!r}"]


def side_files(stage):
    return [path for path in stage.folder.iterdir() if "rejected" in path.name and not path.is_symlink()]


def private(stage, _):
    found = side_files(stage)
    modes = [f"{path.name} has mode {path.stat().st_mode & 0o777:o}" for path in found
             if path.stat().st_mode & 0o077]
    return modes if found else ["there is no side file"]


def side_pipe(stage):
    for name in ("t.rejected.jsonl.new.part", "t.rejected.jsonl.new"):
        os.mkfifo(stage.folder / name)
    return load("in.jsonl", rejects(5), "--key", "id")(stage)


# Two loads that share a file end in step often enough to be seen with so many: one run in three.
MANY = 20_000


def two_loads(stage):
    """Another load into the same table, from the same folder and at the same time."""
    stage.file("in.jsonl", rejects(MANY))
    stage.file("other.jsonl", rejects(MANY, first=MANY))
    same = ["--to", "sqlite:shop.db", "--table", "t", "--key", "id"]
    subprocess.run([TOOL, "load", stage.file("first.jsonl", '{"id": -1, "v": 0}\n'), *same, "--create"],
                   cwd=stage.folder, env=stage.environment, capture_output=True)
    other = subprocess.Popen([TOOL, "load", "other.jsonl", *same], cwd=stage.folder, env=stage.environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stage.callback(other.wait, 60)
    stage.other = other
    return ["load", "in.jsonl", *same]


def kept_apart(stage, _):
    status = stage.other.wait(60)
    found = [] if status == 4 else [f"the other load ended with status {status}"]
    total = 0
    for path in side_files(stage):
        inputs = re.findall(r'^\{"perdure\.rejected":\{"file":"([^"]*)"', path.read_text(), re.MULTILINE)
        total += len(inputs)
        if len(set(inputs)) > 1:
            found.append(f"{path.name} has records of {len(set(inputs))} loads")
    return found + ([] if total == 2 * MANY else [f"{total} rejected records are kept, of {2 * MANY}"])


SIDE = [
    Row("two loads into one table keep apart what each rejected", two_loads, (4,), check=kept_apart, cpu=20,
        finding=3),
    *[Row(f"a link at {name} is not followed", side_link(name), (1, 4), check=still_precious, finding=3,
          short=name.endswith(".part")) for name in ("t.rejected.jsonl.new.part", "t.rejected.jsonl.new",
                                                     "t.rejected.jsonl")],
    Row("a side file is for its owner only", load("in.jsonl", rejects(5), "--key", "id"), (4,), check=private,
        finding=3, short=True),
    Row("a pipe at the side file's place holds nothing up", side_pipe, (1, 4), finding=3),
]


# ---- control characters


def scenario(stage):
    text = 'title = "\\u001b]0;PWN\\u0007"\nquestion = "\\u001b]0;PWN\\u0007"\n'
    return ["sim", stage.file("s.toml", text)]


def pattern(stage):
    for name in (f"a{ESCAPE}.jsonl", "b.jsonl"):
        stage.file(name, '{"id": 1}\n{"id": 1, "v": 2}\n')
    return ["load", str(stage.folder / "*.jsonl"), "--to", "sqlite:x.db", "--table", "t", "--create", "--key", "id"]


def shown(name, stage_it, **more):
    return Row(f"control characters of {name} never reach the terminal", stage_it, terminal=True, never=(ESCAPE,),
               finding=17, **more)


def unknown_column(stage):
    arguments = load("in.jsonl", '{"id": 1}\n')(stage)
    stage.file("later.jsonl", json.dumps({"id": 2, f"k{ESCAPE}": 1}) + "\n")
    with sqlite3.connect(stage.folder / "shop.db") as database:
        database.execute("create table t (id integer primary key)")
    arguments[1] = str(stage.folder / "later.jsonl")
    return arguments


def check_constraint(stage):
    with sqlite3.connect(stage.folder / "shop.db") as database:
        database.execute(f"create table t (id integer primary key, v integer, constraint 'c{ESCAPE}' check (v > 5))")
    return load("in.jsonl", '{"id": 1, "v": 2}\n{"id": 2, "v": 3}\n', "--key", "id")(stage)


TERMINAL = [
    shown("a key that the table has no column for", unknown_column, short=True),
    shown("names of files", pattern, short=True),
    shown("constraints of the database", check_constraint),
    shown("scenarios", scenario, short=True),
    shown("explain's argument", lambda _: ["explain", "http", ESCAPE], short=True),
    shown("explain's service", lambda _: ["explain", ESCAPE]),
    shown("unknown commands", lambda _: [ESCAPE]),
    shown("unknown flags", lambda _: ["get", f"--{ESCAPE}", "http://127.0.0.1:1/"]),
    shown("unexpected words", lambda _: ["get", "http://127.0.0.1:1/", ESCAPE]),
    shown("a host", lambda _: ["get", f"http://a{ESCAPE}/"]),
    shown("a file that is not there", lambda _: ["doctor", f"/gone{ESCAPE}"]),
    shown("a scenario that is not there", lambda _: ["sim", f"gone{ESCAPE}"]),
    shown("a table", lambda stage: load("in.jsonl", '{"id": 1}\n')(stage)[:4] + ["--table", f"t{ESCAPE}"]),
    shown("a job", lambda _: ["offset", "--job", ESCAPE, "--every", "1h"]),
]


# ---- threads that cannot be started


def few(megabytes, short=False):
    """Of address space: a thread's stack takes 8 MB of it."""

    def stage_it(stage):
        stage.before = ["prlimit", f"--as={megabytes << 20}"]
        return load("in.jsonl", "".join(f'{{"id": {n}}}\n' for n in range(5000)), "--workers", "16", "--batch",
                    "50")(stage)

    return Row(f"{megabytes} MB of address space are an error with a sentence", stage_it, cpu=10,
               never=("terminate called",), finding=15, short=short)


THREADS = [few(megabytes, megabytes in (200, 240)) for megabytes in range(140, 281, 20)]

ROWS = SHAPES + ENDLESS + SIDE + TERMINAL + THREADS
