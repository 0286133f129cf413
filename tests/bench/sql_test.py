# SPDX-License-Identifier: Apache-2.0
"""Does a transaction on SQLite still cost little more than the same by hand?

Instructions and allocations per transaction against limits.txt, beyond those of hand-written sqlite3
code that does the same in a file of its own.

    sql_test.py PROGRAM "GNU 12.2.0"
"""

import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import instructions  # noqa: E402
from gate import judge  # noqa: E402
from limits import limits, too_dear  # noqa: E402

SCHEMA = """
pragma journal_mode = wal;
create table account (id integer primary key, cents bigint not null);
create table movement (id integer primary key, source integer not null, target integer not null,
                       cents bigint not null, note varchar(80) not null);
create table perdure_token (token blob not null primary key,
    created_at integer not null default (cast(strftime('%s','now') as integer)),
    attempt_id blob) without rowid;
insert into account with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    select i, 1000000 from n;
"""


def fresh(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
    return path


def left_in(path):
    """(cents, movements, tokens)"""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return tuple(database.execute(f"select {what}").fetchone()[0] for what in (
            "sum(cents) from account", "count(*) from movement", "count(*) from perdure_token"))


def allocations(program, client, place):
    done = subprocess.run([program, "normal", "1000", client, fresh(place)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{client}: {done.stderr.strip() or done.returncode}")
    made = 1020 if "token" in client else 0
    assert left_in(place) == (1_000_000_000, 1020, made), f"{client}: not every transaction was carried out"
    return json.loads(done.stdout)[client]["allocations"]


def problems(program, home, count):
    for case, most, made in limits("sql_"):
        ours, hand = case.replace("sql_", "sqlite_"), case.replace("sql_", "sqlite3_").replace("_plain", "")
        more = allocations(program, ours, f"{home}/{ours}.a") - allocations(program, hand, f"{home}/{hand}.a")
        yield too_dear(f"{case} allocations", round(more, 1), made)
        if count:
            # Tokens fall anywhere in their index: what that costs evens out slowly.
            many = 500 if "token" in case else 150
            taken = [instructions.between([program, "normal", int, client, fresh(f"{home}/{client}.i")], 50, many)
                     for client in (ours, hand)]
            print(f"{case}: {taken[0] - taken[1]} instructions over the {taken[1]} by hand")
            yield too_dear(f"{case} instructions", taken[0] - taken[1], most)


def main(program, compiler):
    with tempfile.TemporaryDirectory() as home:
        judge(lambda count: problems(program, home, count), compiler)


main(*sys.argv[1:])
