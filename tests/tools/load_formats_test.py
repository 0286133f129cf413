# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` read what people have: JSON arrays, other separators, packed files?"""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import unittest

from load_sqlite import LoadCase, orders


class Arrays(LoadCase):
    def test_are_loaded_on_one_line_by_line_or_pretty_printed(self):
        records = list(orders(500))
        lines = "[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n"
        texts = [json.dumps(records), lines, json.dumps(records, indent=4),
                 json.dumps(records, separators=(",", ":"), ensure_ascii=False)]
        for number, text in enumerate(texts):
            with self.subTest(number=number):
                table = f"orders{number}"
                path = self.file(f"{table}.json", text)
                status, answer, err = self.load(path, "--create", "--verify", table=table)
                self.assertEqual((status, self.account(answer)), (0, (500, 500, 0, 0)), err)
                rows = self.rows(f"select id, name, price, note from {table} order by id")
                self.assertEqual(rows, [(one["id"], one["name"], one["price"], one["note"])
                                        for one in records])

    def test_come_from_gzip_and_standard_input(self):
        with gzip.open(os.path.join(self.folder, "a.json.gz"), "wt", encoding="utf-8") as file:
            file.write(json.dumps(list(orders(10))))
        status, answer, err = self.load("a.json.gz", "--create", "--key", "id")
        self.assertEqual((status, self.account(answer)[:2]), (0, (10, 10)), err)
        more = json.dumps(list(orders(5, 11)), indent=1).encode()
        status, answer, err = self.load("-", "--as", "more", "--key", "id", given=more)
        self.assertEqual((status, self.account(answer)[:2]), (0, (5, 5)), err)
        status, answer, err = self.load("-", "--as", "last", "--key", "id", "--format", "json",
                                        given=json.dumps(list(orders(5, 16))).encode())
        self.assertEqual((status, self.account(answer)[:2]), (0, (5, 5)), err)
        self.assertEqual(len(self.rows()), 20)

    def test_are_known_by_their_first_byte_in_a_file_called_lines(self):
        for number, indent in enumerate((None, 0, 2)):
            table = f"t{number}"
            path = self.file(f"{table}.jsonl", json.dumps(list(orders(3)), indent=indent))
            status, answer, err = self.load(path, "--create", table=table)
            self.assertEqual((status, self.account(answer)), (0, (3, 3, 0, 0)), err)

    def test_and_lines_of_json_in_a_file_called_csv_are_refused_with_the_flag(self):
        lines = "".join(json.dumps({"a": number}) + "\n" for number in (1, 2, 3))
        long = json.dumps([{"a": "x" * 100_000}])
        for text in (lines, json.dumps([{"a": 1}], indent=2), "[\n" + lines + "]", json.dumps({"a": 1}, indent=1), long):
            for name in ("a.csv", "a.tsv"):
                with self.subTest(text=text[:20], name=name):
                    status, _, err = self.load(self.file(name, text), "--create")
                    self.assertEqual(status, 3, err)
                    self.assertIn("--format json", err)
        self.assertEqual(self.load(self.file("a.csv", lines), "--create", "--format", "json")[0], 0)
        self.assertEqual(len(self.rows()), 3)

    def test_are_not_seen_in_headers_with_brackets_and_braces(self):
        for number, header in enumerate(("[id],[name]", "{id},name", "{,x", "[{,x")):
            table = f"t{number}"
            status, _, err = self.load(self.file("a.csv", header + "\n1,b\n"), "--create", "--as", table, table=table)
            self.assertEqual(status, 0, err)

    def test_that_grew_are_loaded_from_where_they_ended(self):
        for indent in (None, 2):
            table = f"t{indent}"
            path = self.file(f"{table}.json", json.dumps(list(orders(2500)), indent=indent))
            self.assertEqual(self.load(path, "--create", table=table)[0], 0)
            status, answer, err = self.load(path, table=table)
            self.assertEqual((status, self.account(answer)[0]), (0, 0), err)
            self.file(f"{table}.json", json.dumps(list(orders(2600)), indent=indent))
            status, answer, err = self.load(path, "--verify", table=table)
            self.assertEqual((status, self.account(answer)), (0, (100, 100, 0, 0)), err)
            self.assertEqual(self.rows(f"select count(*), max(id) from {table}"), [(2600, 2600)])

    def test_that_were_cut_off_are_loaded_up_to_there_and_go_on_when_whole(self):
        whole = json.dumps(list(orders(2500)), indent=1)
        path = self.file("orders.json", whole[:-40])
        for _ in range(2):
            status, answer, err = self.load(path, "--create")
            self.assertEqual(status, 3, err)
            self.assertIn("ends before the closing bracket", answer["stopped"])
            self.assertEqual(self.rows("select count(*) from orders"), [(2499,)])
        self.file("orders.json", whole)
        self.assertEqual(self.load(path, "--verify")[0], 0)
        self.assertEqual(self.rows("select count(*), count(distinct id) from orders"), [(2500, 2500)])

    def test_have_their_bad_elements_rejected_with_line_and_reason(self):
        self.sql("create table orders (id integer primary key, cents integer check (cents < 100))")
        elements = [json.dumps({"id": number, "cents": 500 if number in (3, 700) else 1}, indent=1)
                    for number in range(1, 1001)]
        elements[9:9] = ["7", ""]
        path = self.file("o.json", "[\n" + ",\n".join(elements) + ",\n]")
        status, answer, err = self.load(path, "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (1003, 998, 0, 5)), err)
        seen = [(one["perdure.rejected"]["line"], one["perdure.rejected"]["reason"])
                for one in self.rejected()]
        self.assertEqual([line for line, _ in seen], [10, 38, 38, 2800, 4003])
        self.assertEqual([seen[1][1], seen[2][1], seen[4][1]],
                         ["is no JSON object", "is a comma with no element beside it",
                          "is a comma with no element beside it"])
        # What was halved to find the bad ones goes on at the right places.
        status, answer, err = self.load(path, "--key", "id", "--verify")
        self.assertEqual((status, self.account(answer)[0], answer["verified"]), (4, 0, True), err)

    def test_with_text_behind_them_stop_the_load_with_status_3(self):
        path = self.file("a.json", '[{"id":1}]\n[{"id":2}]\n')
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, answer["account"]["written"]), (3, 1), err)
        self.assertIn("a.json: line 2: text follows the closing bracket", answer["stopped"])

    def test_of_nothing_are_no_records(self):
        self.sql("create table orders (id integer)")
        status, answer, err = self.load(self.file("a.json", "[]\n"))
        self.assertEqual((status, self.account(answer)[0]), (0, 0), err)


class Separators(LoadCase):
    def test_are_guessed_and_the_guess_is_told(self):
        path = self.file("a.csv", "id;name;preis\n1;Zoë;2,50\n2;;\n")
        status, answer, err = self.load(path, "--create", "--key", "id", "--verify")
        self.assertEqual((status, self.account(answer)), (0, (2, 2, 0, 0)), err)
        self.assertIn("taking ';' for its separator", err)
        self.assertEqual(self.rows(), [(1, "Zoë", "2,50"), (2, None, None)])
        rejected = self.file("b.csv", "id;name;preis\n3;Ann\n4;Bob;1,00\n")
        status, answer, err = self.load(rejected)
        self.assertEqual((status, self.account(answer)), (4, (2, 1, 0, 1)), err)
        self.assertIn("has 2 fields, the header has 3", self.rejected()[0]["perdure.rejected"]["reason"])

    def test_that_are_commas_or_given_are_not_worth_a_word(self):
        path = self.file("a.csv", "id,name\n1,a;b\n")
        status, _, err = self.load(path, "--create")
        self.assertEqual((status, err), (0, ""))
        status, _, err = self.load(self.file("b.csv", "id;name\n2;b\n"), "--separator", ";")
        self.assertEqual((status, err), (0, ""))

    def test_of_a_single_column_are_none(self):
        path = self.file("a.csv", "note\nfirst; second\nthird\n")
        self.assertEqual(self.load(path, "--create")[0], 0)
        self.assertEqual(self.rows("select note from orders"), [("first; second",), ("third",)])


class CsvOddities(LoadCase):
    def test_records_are_those_of_pythons_csv_whatever_ends_their_lines(self):
        texts = ["a\n1\r2\r3\r", "a,b\r1,2\r3,4\r", "a,b\r\n1,2\r3,4\n5,6\r\n", 'a,b\r"x\ry",2\r\r3,4',
                 'a,b\n"x\r\ny",2\n"\r",4\n', "a\r\r\n1\n\r2\r"]
        for number, text in enumerate(texts):
            with self.subTest(text=text):
                table = f"t{number}"
                path = os.path.join(self.folder, table + ".csv")
                with open(path, "w", encoding="utf-8", newline="") as file:
                    file.write(text)
                expected = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
                status, answer, err = self.load(path, "--create", "--verify", table=table)
                self.assertEqual((status, answer["account"]["written"]), (0, len(expected) - 1), err)
                rows = self.rows(f"select * from {table} order by rowid")
                self.assertEqual([[str(value) for value in row] for row in rows], expected[1:])

    def test_columns_that_differ_in_case_only_are_refused_with_both_names(self):
        for name, text in (("a.csv", "a,A\n1,2\n"), ("a.jsonl", '{"id":1,"a":1}\n{"A":2}\n')):
            status, _, err = self.load(self.file(name, text), "--create")
            self.assertEqual(status, 125, err)
            self.assertIn("'a' and 'A' differ in case only", err)

    def test_a_file_appended_to_another_is_told_by_its_byte_order_mark(self):
        path = self.file("a.csv", "name,n\none,1\n\ufeffname,n\ntwo,2\n")
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, self.account(answer)), (4, (3, 2, 0, 1)), err)
        about = self.rejected()[0]["perdure.rejected"]
        self.assertEqual(about["line"], 3)
        self.assertIn("byte order mark", about["reason"])

    def test_of_one_field_are_counted_in_the_singular(self):
        self.load(self.file("a.csv", "a,b\n1\n2,3\n"), "--create")
        self.assertIn("has 1 field, ", self.rejected()[0]["perdure.rejected"]["reason"])


class ForeignInputs(LoadCase):
    def test_are_refused_with_status_3_and_a_command_that_can_be_pasted(self):
        pretty = json.dumps({"items": list(orders(3))}, indent=2)
        table = [
            ("a.csv", "id,name\n1,Zoë\n".encode("utf-16"), "`iconv -f UTF-16 -t UTF-8 a.csv | perdure "
             "load - --as a.csv …`"),
            ("book.xlsx", b"PK\x03\x04" + bytes(30), "Save a workbook as CSV"),
            ("a.json", pretty.encode(), "`jq -c '.items[]' a.json | perdure load - --as a.json …`"),
        ]
        for name, content, words in table:
            with self.subTest(name=name):
                self.binary(name, content)
                status, answer, err = self.load(name, "--create")
                self.assertEqual((status, answer["status"]), (3, 3), err)
                self.assertIn(words, err)

    def test_of_utf_16_are_loaded_by_the_command_that_is_named(self):
        text = "id,name\n1,Zoë\n".encode("utf-16")
        self.binary("a.csv", text)
        converted = subprocess.run(["iconv", "-f", "UTF-16", "-t", "UTF-8", "a.csv"], check=True,
                                   cwd=self.folder, stdout=subprocess.PIPE).stdout
        status, answer, err = self.load("-", "--as", "a.csv", "--create", given=converted)
        self.assertEqual((status, self.account(answer)[:2]), (0, (1, 1)), err)
        self.assertEqual(self.rows(), [(1, "Zoë")])

    def test_packed_by_zstd_are_read(self):
        self.binary("a.csv.zst", zstd_frame(b"id,name\n1,one\n") + zstd_frame(b"2,two\n"))
        status, answer, err = self.load("a.csv.zst", "--create", "--verify")
        if "without libzstd" in err:
            WITHOUT.append("perdure was built without libzstd")
            self.skipTest(err)
        self.assertEqual((status, self.account(answer)[:2]), (0, (2, 2)), err)
        self.assertEqual(self.rows(), [(1, "one"), (2, "two")])
        self.binary("b.csv.zst", zstd_frame(b"id,name\n3,three\n") + zstd_frame(b"4,four\n")[:-2])
        status, answer, err = self.load("b.csv.zst")
        self.assertEqual((status, answer["account"]["written"]), (3, 1), err)
        self.assertIn("ends too early", answer["stopped"])

    def binary(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)


def zstd_frame(content):
    """A frame with one raw block (RFC 8878, 3.1.1), of up to 255 bytes."""
    block = len(content) << 3 | 1
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(content)]) + block.to_bytes(3, "little") + content


WITHOUT = []  # what a test missed


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    if done.wasSuccessful() and WITHOUT:
        print(WITHOUT[0])  # the last line is the reason that scripts/skipped shows
        sys.exit(77)
    sys.exit(not done.wasSuccessful())
