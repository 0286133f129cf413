# SPDX-License-Identifier: Apache-2.0
"""The hidden row ids of a kept `posting` table, for scripts/mariadb-kills: did a later start of the server give out
ids that an earlier one had used?

No SQL statement shows these ids, so they are read from the pages of posting.ibd, after a clean shutdown of a server on
a copy of the kept data. A row that was replaced is gone with its own values, so the highest id of a start is that of
the rows that are left: where all were replaced, the next start begins at the very next id."""

import pathlib

from server import Server

PAGE, INDEX_PAGE, SYSTEM_COLUMNS = 16_384, 17_855, 6 + 6 + 7  # row id, transaction id, roll pointer
INFIMUM, SUPREMUM = 99, 112  # offsets of the first and the last record of a page, compact format
SIZES = {"bigint": 8, "int": 4, "datetime": 8}  # datetime(6)


def report(templates, kept):
    """Lines about the table in a kept directory, which has a server's directory somewhere in it."""
    data = next(path.parent.parent for path in pathlib.Path(kept).rglob("posting.ibd"))
    server = Server(templates, data=data)
    try:
        columns = server.sql("select column_name, data_type, column_key from information_schema.columns where "
                             "table_schema = 'test' and table_name = 'posting' order by ordinal_position")
        if any(key == "PRI" for _, _, key in columns):
            return ["posting has a primary key, so its rows have no hidden id"]
        server.sql("set global innodb_fast_shutdown = 0; shutdown")
        server.process.wait(timeout=120)
        rows = read_rows((server.data / "test" / "posting.ibd").read_bytes(), [row[:2] for row in columns])
    finally:
        server.remove()
    return describe(rows)


def read_rows(file, columns):
    """(row id, values by name) of all records in the leaves; every column has a fixed size and is not null."""
    found = []
    for start in range(0, len(file), PAGE):
        page = file[start:start + PAGE]
        if int.from_bytes(page[24:26], "big") != INDEX_PAGE or int.from_bytes(page[64:66], "big") != 0:
            continue
        at = INFIMUM
        while (at := (at + int.from_bytes(page[at - 2:at], "big")) % 65_536) != SUPREMUM:
            values, place = {}, at + SYSTEM_COLUMNS
            for name, kind in columns:
                size = SIZES[kind]
                values[name] = int.from_bytes(page[place:place + size], "big") - (1 << (8 * size - 1))
                place += size
            found.append((int.from_bytes(page[at:at + 6], "big"), values))
    return sorted(found, key=lambda row: row[0])


def describe(rows):
    lines = [f"{len(rows)} rows"]
    for boot in sorted({values["boot"] for _, values in rows}):
        own = [number for number, values in rows if values["boot"] == boot]
        passed = max((number for number, values in rows if values["boot"] < boot), default=-1)
        again = sum(number < passed for number in own)
        lines.append(f"start {boot}: {len(own)} rows, ids {own[0]} to {own[-1]}; {again} of them below the highest id "
                     "of earlier starts")
    return lines
