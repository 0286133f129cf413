# SPDX-License-Identifier: Apache-2.0
"""Does `perdure explain` know DynamoDB's errors, where others see them otherwise, and is its page the same?"""

import json
import os
import pathlib
import re
import sys
import unittest

from tool import Case, call

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/dynamodb-errors.md"


def explain(*arguments, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = str(columns)
    return call("explain", "dynamodb", *arguments, env=environment)


def row(code):
    return json.loads(explain(code, "--json")[1])


class Rows(Case):
    def test_rows_say_cause_effect_rule_and_who_may_repeat(self):
        table = [
            ("ProvisionedThroughputExceededException", "throttled", "none", "throttled", True, True),
            ("InternalServerError", "internal", "unknown", "internal", True, False),
            ("TransactionConflictException", "contended", "none", "contended", True, True),
            ("TransactionInProgressException", "throttled", "unknown", "transaction-in-progress", True, False),
            ("LimitExceededException", "throttled", "none", "limit-exceeded", True, True),
            ("ConditionalCheckFailedException", "conflict", "none", "conflict", False, False),
            ("ExpiredTokenException", "credentials", "none", "credentials", True, True),
            ("UnrecognizedClientException", "forbidden", "none", "forbidden", False, False),
            ("crc32-mismatch", "corrupt", "unknown", "corrupt", True, False),
        ]
        for code, cause, effect, rule, read, once in table:
            with self.subTest(code=code):
                status, out, err = explain(code, "--json")
                self.assertEqual((status, err), (0, ""))
                seen = json.loads(out)
                self.assertEqual((seen["code"], seen["cause"], seen["effect"], seen["rule"]),
                                 (code, cause, effect, rule))
                self.assertEqual((seen["repeat"]["read"], seen["repeat"]["once"]), (read, once))
                self.assertEqual("waits" in seen, read)

    def test_waits_are_those_of_the_plan(self):
        for code, words in (("InternalServerError", "4 attempts, 25"), ("ThrottlingException", "4 attempts, 1"),
                            ("TransactionInProgressException", "4 attempts and until one was later than 5"),
                            ("ReplicatedWriteConflictException", "6 attempts or for 2")):
            self.assertTrue(row(code)["waits"].startswith(words), row(code)["waits"])

    def test_a_row_says_where_the_sdks_and_the_older_guide_differ(self):
        for code, words in (("UnrecognizedClientException", "guide of 2022 says to repeat it"),
                            ("TransactionConflictException", "No SDK repeats it"),
                            ("crc32-mismatch", "C++ SDK does not look")):
            self.assertIn(words, row(code)["differs"])
            self.assertIn("differs ", explain(code, columns=200)[1])

    def test_throttling_comes_with_the_advice_to_stop_and_look(self):
        status, out, _ = explain("ThrottlingException", columns=300)
        self.assertEqual(status, 0)
        self.assertIn("stop after about a minute and look at the size of the requests", out)
        self.assertIn("capacity", row("RequestLimitExceeded")["hint"])

    def test_codes_are_found_in_both_spellings_and_in_any_case(self):
        for one, other in (("TransactionConflict", "TransactionConflictException"),
                           ("accessdenied", "AccessDeniedException"),
                           ("ServiceUnavailableException", "ServiceUnavailable")):
            self.assertEqual(explain(one), explain(other))
            self.assertEqual(explain(one)[0], 0)
        self.assertEqual(row("Throttling")["code"], "Throttling")

    def test_a_code_without_a_row_exits_3_and_is_judged_by_its_status(self):
        for code, cause in (("SomethingNew", "invalid"), ("503", "unavailable"), ("509", "throttled"),
                            ("404", "not_found")):
            status, out, err = explain(code, "--json")
            self.assertEqual(status, 3)
            self.assertIn("no row", err)
            self.assertEqual(json.loads(out)["cause"], cause)
        self.assertEqual(explain("200")[0], 3)

    def test_without_a_code_it_prints_the_whole_table(self):
        rows = json.loads(explain("--json")[1])
        codes = [one["code"] for one in rows]
        self.assertEqual(len(set(codes)), len(codes))
        self.assertGreater(len(codes), 60)
        out = explain(columns=120)[1]
        for code in codes:
            self.assertRegex(out, rf"(?m)^{code} ")
        for one in rows:
            self.assertFalse(one["repeat"]["once"] and one["effect"] != "none", one)

    def test_it_stands_in_the_list_of_services(self):
        self.assertRegex(call("explain")[1], r"(?m)^  dynamodb ")


class Page(Case):
    maxDiff = None

    def test_the_page_in_the_docs_is_what_the_tool_prints(self):
        status, out, _ = explain("--markdown")
        self.assertEqual(status, 0)
        self.assertEqual(PAGE.read_text(encoding="utf-8"), out,
                         f"perdure explain dynamodb --markdown > docs/reference/{PAGE.name}")

    def test_the_page_has_every_code(self):
        text = PAGE.read_text(encoding="utf-8")
        for source in sorted((ROOT / "src/dynamodb").glob("error_table*.cpp")):
            for code in re.findall(r'(?:\.code = |also_throttled\(|about_tables\()"([\w-]+)"',
                                   source.read_text(encoding="utf-8")):
                self.assertIn(f"| `{code}` |", text)


if __name__ == "__main__":
    if "  dynamodb " not in call("explain")[1]:
        print("skipped: the room dynamodb is not furnished")
        sys.exit(77)
    unittest.main()
