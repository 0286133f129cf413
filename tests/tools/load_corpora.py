# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` read a text as Python does, or say that it does not?

A text is loaded into a table of its own, and the table is compared with what Python's csv or json reads. There
are three fair outcomes: *equal* (status 0, every record with its values), *rejected* (status 4, what was loaded
is equal, the rest is in the account) and *refused* (another status, with a reason). Anything else is
*different*: a record that was loaded with other values, or is missing without a word.
"""

import csv
import io
import json
import os
import sqlite3
import tempfile

from load_sqlite import LoadCase
from tool import call

MEMORY = "/dev/shm"  # hundreds of small databases, and nothing here is about what a disk keeps
FAIR = ("equal", "rejected", "refused")
csv.field_size_limit(1 << 24)  # as ours
TRUTHS = {"true": 1, "t": 1, "yes": 1, "y": 1, "false": 0, "f": 0, "no": 0, "n": 0}
REFUSALS = (3, 7, 125)  # never 5: the same command cannot go on with a text that cannot be read


class Unreadable(Exception):
    pass


class Number(str):
    """A number of JSON as it is written."""


def pairs(found):
    """An object; one with a field twice stays a list of pairs, and is no record."""
    return dict(found) if len(dict(found)) == len(found) else tuple(found)


def refuse(token):
    raise Unreadable(token)


def parse(text):
    """A JSON value with its numbers as they are written; raises Unreadable."""
    if not is_utf8(text):
        raise Unreadable("not UTF-8")
    try:
        return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=refuse, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def decode(data):
    """Bytes that are not UTF-8 become surrogates, which parse() and read_csv() refuse, record by record."""
    return data.decode("utf-8-sig", "surrogateescape")


def is_utf8(text):
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_json(data):
    """The records of an array, of one object or of JSON lines; None for a record that cannot be read."""
    text = decode(data)
    try:
        whole = parse(text)
        found = whole if isinstance(whole, list) else [whole]
    except Unreadable:
        found = [read_line(line) for line in text.split("\n") if line.strip(" \t\r")]
    return [record if isinstance(record, dict) else None for record in found]


def read_line(line):
    try:
        return parse(line)
    except Unreadable:
        return None


def read_csv(data, separator=","):
    """As read_json; a field that is empty is "", since Python does not tell it from a null."""
    try:
        lines = [line for line in csv.reader(io.StringIO(decode(data), newline=""), delimiter=separator) if line]
    except csv.Error:
        return [None]
    header = lines[0] if lines else []
    return [dict(zip(header, line, strict=True)) if len(line) == len(header) and is_utf8("".join(header + line)) else None
            for line in lines[1:]]


def same_csv(text, value):
    """Whether a column gives the text back as it is written: 1.1 is not 1.10, and 1 is not true."""
    if value is None:
        return text == ""
    return (value if isinstance(value, str) else repr(value).replace("e+", "e")) == text


def same_value_of_csv(text, value):
    """Whether a column holds the same number or truth, in whatever spelling."""
    if value is None or isinstance(value, str):
        return same_csv(text, value)
    if text.lower() in TRUTHS:
        return value == TRUTHS[text.lower()]
    return number_of(text) == value


def number_of(text):
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return None


def same_json(wanted, value):
    """Whether a column holds this value: numbers as numbers or as they are written, lists and objects as JSON."""
    if wanted is None or isinstance(wanted, bool):
        return value == wanted or value == json.dumps(wanted)
    if isinstance(wanted, Number):
        return value == str(wanted) if isinstance(value, str) else number_of(wanted) == value
    if isinstance(wanted, str):
        return value == wanted or (isinstance(value, str) and read_line(value) == wanted)
    return isinstance(value, str) and read_line(value) == wanted


class CorpusCase(LoadCase):
    def setUp(self):
        super().setUp()
        if os.access(MEMORY, os.W_OK):
            folder = tempfile.TemporaryDirectory(dir=MEMORY)
            self.addCleanup(folder.cleanup)
            self.folder, self.database = folder.name, os.path.join(folder.name, "shop.db")

    def read_back(self):
        """The rows as dicts, in the order in which they were written."""
        if not os.path.exists(self.database):
            return []
        connection = sqlite3.connect(self.database)
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute("select * from t order by rowid")]
        except sqlite3.OperationalError:
            return []
        finally:
            connection.close()

    def judge(self, name, data, wanted, same, *flags):
        """(outcome, what was seen) of loading these bytes as a file of this name. `wanted`: the records."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        for left in os.listdir(self.folder):
            if left.startswith("shop.db"):
                os.remove(os.path.join(self.folder, left))
        # One worker, so that the rows stand in the order of the file.
        status, out, err = call("load", path, "--to", "sqlite:" + self.database, "--table", "t", "--create", "--workers",
                                "1", "--json", *flags, cwd=self.folder)
        return self.outcome(status, out + err, self.read_back(), wanted, same)

    @staticmethod
    def outcome(status, said, rows, wanted, same):
        def equal(record, row):
            return all(same(record.get(name), row.get(name)) if name in record else row[name] is None
                       for name in {*record, *row})

        seen = f"status {status}, {len(rows)} rows {str(rows)[:300]}, {len(wanted)} records {str(wanted)[:300]}\n{said[:600]}"
        left = list(wanted)
        for row in rows:  # each row is the next record that it can be
            while left and not (left[0] is not None and equal(left[0], row)):
                left.pop(0)
            if not left:
                return "different", f"no record is {str(row)[:300]}\n{seen}"
            left.pop(0)
        if status == 0:
            return "equal" if len(rows) == len(wanted) else "different", seen
        if status == 4:
            return "rejected" if '"rejected":0' not in said.partition("}")[0] else "different", seen
        return "refused" if status in REFUSALS and said.strip() else "different", seen
