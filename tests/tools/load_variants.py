# SPDX-License-Identifier: Apache-2.0
"""In which ways does an exported file differ from the one that was loaded under its name?

A variant changes the exported file, and says how `perdure load` must end afterwards, without a key and with
one. The statuses are those of docs/reference/load.md. What the table must hold then is not written down for
each variant: load_reexport_test.py compares the table with the file as it is now.
"""

import collections
import csv
import gzip
import io
import json
import os
import shutil

FIELDS = ("id", "status", "name", "cents")
FIRST = 100_000


def records(count, first=FIRST):
    """Records that all have the same length as text, in the order of their keys."""
    return [{"id": number, "status": "open", "name": f"customer {number}", "cents": number * 7}
            for number in range(first, first + count)]


class Export:
    """A file of records as an exporting program writes it. `path` is the file that the next load is given."""

    def __init__(self, path, form, final_newline=True):
        self.path, self.form, self.final_newline = path, form, final_newline
        self.records, self.separator = [], ","
        self.flags = []  # of the next load

    def text(self):
        if self.form == "jsonl":
            text = "".join(json.dumps(record) + "\n" for record in self.records)
        else:
            out = io.StringIO(newline="")
            rows = csv.DictWriter(out, FIELDS, delimiter=self.separator, lineterminator="\n")
            rows.writeheader()
            rows.writerows(self.records)
            text = out.getvalue()
        return text if self.final_newline else text.removesuffix("\n")

    def write(self, found=None):
        """Writes these records, or the ones it has."""
        self.records = self.records if found is None else found
        self.put(self.text().encode())

    def put(self, data):
        with open(self.path, "wb") as file:
            file.write(data)

    def get(self):
        with open(self.path, "rb") as file:
            data = file.read()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data

    def append(self, text):
        with open(self.path, "ab") as file:
            file.write(text.encode())

    def lines_of(self, added):
        """The text of these records, without a header."""
        other = Export("", self.form)
        other.records = added
        text = other.text()
        return text if self.form == "jsonl" else text.partition("\n")[2]

    def now(self):
        """What Python reads in the file as it is now: one tuple for each record, None for one that is cut off."""
        text = self.get().decode("utf-8-sig")
        if self.form == "csv":
            rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=self.separator)
            return [self.whole(row) for row in rows]
        return [self.decoded(line) for line in text.splitlines() if line.strip()]

    def decoded(self, line):
        try:
            return self.whole(json.loads(line))
        except ValueError:
            return None

    @staticmethod
    def whole(row):
        if any(row.get(name) is None for name in FIELDS) or not str(row["cents"]).isdigit():
            return None
        return int(row["id"]), row["status"], row["name"], int(row["cents"])


# How a load must end: its status; then, if given, the words that must be said, and numbers of the JSON
# ("written", "already_there", "rejected", "rows_not_in_input", "nothing_new").
End = collections.namedtuple("End", "status words numbers", defaults=((), {}))
Variant = collections.namedtuple("Variant", "name change plain keyed forms first", defaults=(("csv", "jsonl"), {}))

REFUSED = End(3, ("--key", "--as", "--again"))
NO_COLUMN = End(125, ("has no column",))
NOTHING_NEW = End(0, (), {"nothing_new": True, "written": 0, "rejected": 0})


def goes_on(written):
    return End(0, (), {"written": written, "already_there": 0, "rejected": 0})


def read_again(written=0, missing=0):
    return End(0, (), {"written": written, "rejected": 0, "rows_not_in_input": missing})


def some_rejected(rejected, **numbers):
    return End(4, (), {"rejected": rejected, **numbers})


def middle(export):
    return len(export.records) // 2


def rows(change):
    """A variant that changes the records and writes the file again."""
    def apply(export):
        found = [dict(record) for record in export.records]
        export.write(change(found, len(found) // 2) or found)
    return apply


def data(change):
    """A variant that changes the bytes."""
    def apply(export):
        export.put(change(export.get()))
    return apply


def after(export, count=1):
    return records(count, FIRST + len(export.records))


def delete_one(found, half):
    del found[half]


def delete_one_append_three(found, half):
    del found[half]
    found += records(3, FIRST + len(found) + 1)


def delete_one_append_one(found, half):
    del found[half]
    found += records(1, FIRST + len(found) + 1)


def insert_one(found, half):
    found.insert(half, records(1, 900_000)[0])


def insert_one_in_front(found, _half):
    found.insert(0, records(1, 900_000)[0])


def pay_half(found, half):
    for record in found[half:]:
        record["status"] = "paid"


def pay_one(place):
    def change(found, _half):
        found[place]["status"] = "paid"
    return change


def pay_one_append_two(found, half):
    found[half]["status"] = "paid"
    found += records(2, FIRST + len(found))


def longer_value(found, half):
    found[half]["name"] += " and sons"


def swap_two(found, half):
    found[half], found[half + 1] = found[half + 1], found[half]


def exchange_values(found, half):
    found[half]["name"], found[half + 1]["name"] = found[half + 1]["name"], found[half]["name"]


def other_behind_4_kib(found, _half):
    return found[:100] + records(len(found) - 100, 500_000)


def all_other(found, _half):
    return records(len(found), 500_000)


def append(export):
    added = after(export, 3)
    export.append(("" if export.final_newline else "\n") + export.lines_of(added))


def append_without_newline(export):
    export.append(export.lines_of(after(export, 3)).removesuffix("\n"))


def append_doubled(export):
    export.append(export.lines_of(export.records[:1]))


def last_record_goes_on(export):
    export.append("55\n" if export.form == "csv" else ' {"id": 1}\n')


def only_newline(export):
    export.append("\n")


def touch(export):
    os.utime(export.path, (1_000_000_000, 1_000_000_000))
    os.chmod(export.path, 0o600)


def written_again(export):
    whole = export.get()
    os.remove(export.path)
    export.put(whole)


def moved(name):
    def change(export):
        path = os.path.join(os.path.dirname(export.path), name + "." + export.form)
        os.rename(export.path, path)
        export.path = path
    return change


def moved_and(then):
    def change(export):
        moved("renamed")(export)
        then(export)
    return change


def linked(link):
    def change(export):
        path = os.path.join(os.path.dirname(export.path), "link." + export.form)
        link(export.path, path)
        export.path = path
    return change


def the_long_way(export):
    folder, name = os.path.split(export.path)
    export.path = os.path.join(folder, "..", os.path.basename(folder), name)


def packed(export):
    whole = export.get()
    os.remove(export.path)
    export.path += ".gz"
    export.put(gzip.compress(whole, mtime=0))


def packed_in_place(export):
    export.put(gzip.compress(export.get(), mtime=0))


def packed_and(then):
    def change(export):
        then(export)
        packed(export)
    return change


def copied_as_other(export):
    path = os.path.join(os.path.dirname(export.path), "copy." + export.form)
    shutil.copy(export.path, path)
    export.path, export.flags = path, ["--as", "other"]


def replaced_by_semicolons(export):
    export.separator = ";"
    export.write()


def columns_in_another_order(export):
    if export.form == "jsonl":
        export.write([dict(reversed(record.items())) for record in export.records])
        return
    lines = [line.split(",") for line in export.get().decode().splitlines()]
    export.put("".join(",".join(reversed(line)) + "\n" for line in lines).encode())


def quoted(whole):
    lines = whole.decode().splitlines()
    return "".join(",".join(f'"{field}"' for field in line.split(",")) + "\n" for line in lines).encode()


VARIANTS = [
    # The same bytes.
    Variant("nothing", lambda export: None, NOTHING_NEW, NOTHING_NEW),
    Variant("its time and its mode", touch, NOTHING_NEW, NOTHING_NEW),
    Variant("its inode: the same bytes are written again", written_again, NOTHING_NEW, NOTHING_NEW),
    Variant("how its path is written", the_long_way, NOTHING_NEW, NOTHING_NEW),
    Variant("its path: a symbolic link to it", linked(os.symlink), NOTHING_NEW, NOTHING_NEW),
    Variant("its path: a hard link to it", linked(os.link), NOTHING_NEW, NOTHING_NEW),
    Variant("its name", moved("renamed"), NOTHING_NEW, NOTHING_NEW),
    Variant("its packing: gzip of the same, and .gz", packed, NOTHING_NEW, NOTHING_NEW),
    Variant("its packing: gzip of the same, under the old name", packed_in_place, NOTHING_NEW, NOTHING_NEW),
    # The same bytes, and more behind.
    Variant("three rows are appended", append, goes_on(3), goes_on(3)),
    Variant("three rows are appended, without a final newline", append_without_newline, goes_on(3), goes_on(3)),
    Variant("three rows are appended to a file without a final newline", append, goes_on(3), goes_on(3),
            first={"final_newline": False}),
    Variant("a final newline is added", only_newline, goes_on(0), goes_on(0), first={"final_newline": False}),
    Variant("a row is appended that is there already", append_doubled, goes_on(1),
            End(0, (), {"written": 0, "already_there": 1})),
    Variant("three rows are appended, and it is packed", packed_and(append), End(3, ("--as",)), End(0, (), {"written": 3})),
    Variant("the last record goes on", last_record_goes_on, End(3), some_rejected(1, already_there=399),
            first={"final_newline": False}),
    # Another name, and more.
    Variant("its name, and three rows are appended", moved_and(append), End(3, ("--as",)),
            End(0, (), {"written": 3})),
    Variant("its name, and a row in the middle", moved_and(rows(pay_one(200))), End(3, ("--as",)),
            some_rejected(1)),
    Variant("its name: a copy that is loaded --as another input", copied_as_other,
            End(0, (), {"written": 400}), End(0, (), {"written": 0, "already_there": 400})),
    # Rows.
    Variant("a row in the middle is deleted, three are appended", rows(delete_one_append_three), REFUSED,
            read_again(3, 1)),
    Variant("half of the rows, the same length", rows(pay_half), REFUSED, some_rejected(200)),
    Variant("a row is deleted and one is appended: the same size", rows(delete_one_append_one), REFUSED, read_again(1, 1)),
    Variant("a row in the middle is deleted", rows(delete_one), REFUSED, read_again(0, 1)),
    Variant("the first row is deleted", rows(lambda found, half: found[1:]), REFUSED, read_again(0, 1)),
    Variant("the last row is deleted", rows(lambda found, half: found[:-1]), REFUSED, read_again(0, 1)),
    Variant("a row in the middle is inserted", rows(insert_one), REFUSED, read_again(1)),
    Variant("a row in front is inserted", rows(insert_one_in_front), REFUSED, read_again(1)),
    Variant("a row in the middle, the same length", rows(pay_one(200)), REFUSED, some_rejected(1)),
    Variant("a row in the middle, another length", rows(longer_value), REFUSED, some_rejected(1)),
    Variant("the first row", rows(pay_one(0)), REFUSED, some_rejected(1)),
    Variant("the last row", rows(pay_one(-1)), REFUSED, some_rejected(1)),
    Variant("a row in the middle, and two are appended", rows(pay_one_append_two), REFUSED, some_rejected(1, written=2)),
    Variant("two rows exchange their places", rows(swap_two), REFUSED, read_again()),
    Variant("two rows exchange a value", rows(exchange_values), REFUSED, some_rejected(2)),
    Variant("the order: it is sorted the other way", rows(lambda found, half: found[::-1]), REFUSED, read_again()),
    Variant("everything behind the first 4 KiB, the same size", rows(other_behind_4_kib), REFUSED, read_again(300, 300)),
    Variant("every row, the same size", rows(all_other), REFUSED, read_again(400, 400)),
    Variant("it is cut after half of the rows", rows(lambda found, half: found[:half]), REFUSED, read_again(0, 200)),
    # What is left of the last row of CSV is a row with another number; an object of JSON without its brace is none.
    Variant("it is cut in the middle of a row", data(lambda whole: whole[:-5]), REFUSED, some_rejected(1), forms=("csv",)),
    Variant("it is cut in the middle of an object", data(lambda whole: whole[:-5]), REFUSED,
            End(3, ("ends in the middle of this record",)), forms=("jsonl",)),
    Variant("it is empty", data(lambda whole: b""), REFUSED, read_again(0, 400)),
    # How the same rows are written.
    Variant("the final newline is gone", data(lambda whole: whole[:-1]), REFUSED, read_again()),
    Variant("CR LF instead of LF", data(lambda whole: whole.replace(b"\n", b"\r\n")), REFUSED, read_again()),
    Variant("a byte order mark in front", data(lambda whole: b"\xef\xbb\xbf" + whole), REFUSED, read_again()),
    Variant("an empty line in the middle",
            data(lambda whole: whole.replace(b"100200", b"\n100200", 1)), REFUSED, read_again(), forms=("csv",)),
    Variant("the columns stand in another order", columns_in_another_order, REFUSED, read_again()),
    Variant("every field is quoted", data(quoted), REFUSED, read_again(), forms=("csv",)),
    Variant("spaces between the fields", data(lambda whole: whole.replace(b", ", b",")), REFUSED, read_again(),
            forms=("jsonl",)),
    Variant("semicolons between the fields", replaced_by_semicolons, REFUSED, read_again(), forms=("csv",)),
    # The header.
    Variant("a column has another name", data(lambda whole: whole.replace(b"name", b"mane")), NO_COLUMN, NO_COLUMN),
    Variant("the header is gone", data(lambda whole: whole.partition(b"\n")[2]), NO_COLUMN, NO_COLUMN, forms=("csv",)),
]
