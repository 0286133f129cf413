# SPDX-License-Identifier: Apache-2.0
"""Does `perdure explain` say what the library does, and is the page in the docs the same?"""

import json
import os
import pathlib
import re
import sys
import unittest

from tool import Case, call

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/http-statuses.md"
FIELDS = {"service", "code", "cause", "effect", "repeat", "remedy", "rule", "source", "name", "why"}


def explain(*arguments, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = str(columns)
    return call("explain", *arguments, env=environment)


def row(code):
    status, out, err = explain("http", code, "--json")
    return status, json.loads(out), err


class Explain(Case):
    def test_a_code_alone_is_looked_for_in_every_service(self):
        status, out, _ = call("explain", "503")
        self.assertEqual(status, 0)
        for service in ("http 503", "cosmos 503"):
            self.assertIn(service, out)
        found = json.loads(call("explain", "40001", "--json")[1])
        self.assertIn("postgres", [row["service"] for row in found])
        self.assertEqual(call("explain", "nosuch")[0], 125)

    def test_a_word_finds_the_rows_that_are_about_it(self):
        status, out, _ = call("explain", "postgres", "Deadlock")
        self.assertEqual(status, 0)
        self.assertIn("40P01 deadlock", out)

    def test_rows_say_cause_effect_and_who_may_repeat(self):
        every, unless_once, nobody = (True, True, True), (True, True, False), (False, False, False)
        table = [
            ("400", "invalid", "none", nobody, None),
            ("401", "credentials", "none", every, "refresh_credentials"),
            ("404", "not_found", "none", nobody, None),
            ("408", "timed_out", "unknown", unless_once, "fresh_connection"),
            ("421", "stale_route", "none", every, "fresh_connection"),
            ("429", "throttled", "none", every, None),
            ("500", "internal", "unknown", unless_once, "next_endpoint"),
            ("503", "unavailable", "unknown", unless_once, "next_endpoint"),
            ("507", "too_large", "unknown", nobody, None),
            ("ECONNREFUSED", "unavailable", "none", every, "next_endpoint, mark_endpoint"),
            ("ECONNRESET", "unavailable", "unknown", unless_once, "fresh_connection"),
            ("dns-timeout", "timed_out", "none", every, "next_endpoint"),
            ("pool-full", "exhausted", "none", every, None),
            ("tls", "unavailable", "unknown", unless_once, "next_endpoint, mark_endpoint"),
            ("tls-certificate", "forbidden", "none", nobody, None),
            ("truncated", "corrupt", "unknown", unless_once, "fresh_connection"),
            ("cancelled", "cancelled", "unknown", nobody, None),
        ]
        for code, cause, effect, repeat, remedy in table:
            with self.subTest(code=code):
                status, seen, err = row(code)
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(set(seen), FIELDS)
                self.assertEqual((seen["service"], seen["code"]), ("http", code))
                self.assertEqual((seen["cause"], seen["effect"]), (cause, effect))
                self.assertEqual(seen["remedy"], remedy)
                self.assertEqual(seen["rule"], cause)
                self.assertEqual(seen["repeat"],
                                 dict(zip(("read", "idempotent", "once"), repeat)))

    def test_without_a_code_it_prints_the_whole_table(self):
        status, out, _ = explain("http", "--json")
        rows = json.loads(out)
        self.assertEqual(status, 0)
        self.assertEqual(out.count("\n"), 1)
        codes = [one["code"] for one in rows]
        self.assertEqual(len(set(codes)), len(codes))
        self.assertLessEqual({"400", "429", "503", "ECONNRESET", "first-byte-timeout"}, set(codes))
        for one in rows:
            self.assertEqual(row(one["code"])[1], one)
        text = explain("http")[1]
        for code in codes:
            self.assertRegex(text, rf"(?m)^{code} ")

    def test_no_write_that_may_have_happened_is_repeated_once(self):
        for one in json.loads(explain("http", "--json")[1]):
            repeat = one["repeat"]
            self.assertFalse(repeat["once"] and one["effect"] != "none", one)
            self.assertEqual(repeat["read"], repeat["idempotent"], one)
            self.assertFalse(repeat["once"] and not repeat["read"], one)

    def test_a_code_without_a_row_exits_3_and_says_what_would_happen(self):
        table = [
            ("599", "500", "internal", "taken as 500"),
            ("418", "400", "invalid", "taken as 400"),
            ("799", "500", "internal", "taken as 500"),
            ("302", None, None, "no failure"),
            ("200", None, None, "no failure"),
            ("99", None, None, "no status"),
            ("frobnicated", None, "unavailable", "no row"),
        ]
        for code, taken_as, cause, words in table:
            with self.subTest(code=code):
                status, out, err = explain("http", code, "--json")
                seen = json.loads(out)
                self.assertEqual(status, 3)
                self.assertIn(words, err)
                self.assertIn(words, seen["remark"])
                self.assertEqual((seen["code"], seen["cause"]), (code, cause))
                self.assertEqual(seen["taken_as"], taken_as)
                status, out, err = explain("http", code)
                self.assertEqual(status, 3)
                self.assertIn(words, err)
                self.assertEqual(bool(out), cause is not None)

    def test_every_code_that_net_and_http_make_has_a_row(self):
        known = {one["code"]: one for one in json.loads(explain("http", "--json")[1])}
        for folder in ("net", "http"):
            for source in sorted((ROOT / "src" / folder).glob("*.cpp")):
                text = source.read_text(encoding="utf-8")
                for code in re.findall(r'\bcode = "([\w-]+)"', text):
                    self.assertIn(code, known, source.name)
                for cause, code in re.findall(r'\{ARES_\w+, Cause::(\w+), "([\w-]+)"', text):
                    self.assertEqual(known[code]["cause"], cause, code)
                    self.assertEqual(known[code]["effect"], "none", code)

    def test_codes_are_found_in_any_case(self):
        self.assertEqual(row("econnreset")[1]["code"], "ECONNRESET")
        self.assertEqual(row("DNS-Timeout")[1]["code"], "dns-timeout")

    def test_people_get_a_row_in_words(self):
        status, out, err = explain("http", "503")
        self.assertEqual((status, err), (0, ""))
        for words in ("503 Service Unavailable\n", "once no (unsafe)", "unknown: may have been applied",
                      "next_endpoint", "RFC 9110 15.6.4"):
            self.assertIn(words, out)

    def test_text_keeps_to_the_width_and_is_aligned(self):
        for columns, arguments in ((80, ["http"]), (120, ["http"]), (60, ["http", "408"])):
            out = explain(*arguments, columns=columns)[1]
            self.assertLessEqual(max(map(len, out.splitlines())), columns)
            self.assertNotIn("\x1b", out)
        for table in explain("http")[1].split("\n\n"):
            lines = table.splitlines()[1:]
            place = lines[0].index("cause")
            for line in lines:
                self.assertTrue(line[place - 2:place].isspace(), line)
        narrow = explain("http", "408", columns=40)[1]
        self.assertEqual(" ".join(narrow.split()), " ".join(explain("http", "408")[1].split()))

    def test_alone_it_lists_the_services(self):
        status, out, _ = explain()
        self.assertEqual(status, 0)
        self.assertRegex(out, r"(?m)^  http ")

    def test_wrong_usage_is_125_with_a_word_about_the_fix(self):
        table = [
            (["ftp"], "no service or code 'ftp'"),
            (["ftp", "503"], "no service 'ftp'"),
            (["--json"], "SERVICE"),
            (["--markdown"], "SERVICE"),
            (["http", "--json", "--markdown"], "one"),
            (["http", "503", "--markdown"], "CODE"),
            (["http", "503", "504"], "word 4 after perdure"),
            (["http", "--frobnicate"], "--frobnicate"),
        ]
        for arguments, word in table:
            with self.subTest(arguments=arguments):
                status, out, err = explain(*arguments)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(word, err)

    def test_help_has_examples_and_the_exit_status(self):
        status, out, err = explain("--help")
        self.assertEqual((status, err), (0, ""))
        for word in ("Example", "perdure explain ", "--json", "Exit status"):
            self.assertIn(word, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        for code in ("503", "599"):
            with open("/dev/full", "wb") as full:
                status, _, err = call("explain", "http", code, stdout=full)
            self.assertEqual(status, 1)
            self.assertIn("standard output", err)


class Page(Case):
    maxDiff = None

    def test_the_page_in_the_docs_is_what_the_tool_prints(self):
        status, out, _ = explain("http", "--markdown")
        self.assertEqual(status, 0)
        self.assertEqual(PAGE.read_text(encoding="utf-8"), out,
                         "perdure explain http --markdown > docs/reference/http-statuses.md")


if __name__ == "__main__":
    if "  http " not in call("explain")[1]:
        print("skipped: the room http is not furnished")
        sys.exit(77)
    unittest.main()
