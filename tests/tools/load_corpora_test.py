# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` read odd CSV and JSON as Python does, or say why not?

The texts are in load_texts.py. The public collections are in load_npm_corpora.py, which `make verify` runs.
"""

import unittest

from load_corpora import CorpusCase, Number, read_csv, read_json, same_csv, same_json, same_value_of_csv
from load_texts import CSV, JSON


class Texts(CorpusCase):
    def check(self, text, wanted, same):
        outcome, seen = self.judge(text.file, text.data, wanted, same, *text.flags)
        self.assertIn(outcome, text.outcomes, seen)
        if outcome == "refused" and text.words:
            self.assertIn(text.words, seen.replace(text.file, ""))

    def test_of_csv_are_read_or_refused(self):
        for text in CSV:
            with self.subTest(text=text.name):
                wanted = read_csv(text.data, text.separator) if text.wanted is None else text.wanted
                self.check(text, wanted, same_value_of_csv if text.by_value else same_csv)

    def test_of_json_are_read_or_refused(self):
        for text in JSON:
            with self.subTest(text=text.name):
                if text.wanted is None:
                    wanted = read_json(text.data)
                else:
                    wanted = [record and {name: self.value(each) for name, each in record.items()} for record in text.wanted]
                self.check(text, wanted, same_json)

    @staticmethod
    def value(text):
        return Number(text) if text.isdigit() else text

    def test_with_an_empty_field_and_an_empty_text_are_told_apart(self):
        text = next(text for text in CSV if text.name == "an empty field and an empty text")
        self.judge(text.file, text.data, text.wanted, same_csv)
        self.assertEqual([row["b"] for row in self.read_back()], [None, ""])


class Judge(CorpusCase):
    """The comparison itself: does it see a difference?"""

    def test_tells_records_that_are_missing_changed_doubled_or_made_up(self):
        wanted = [{"a": "1"}, {"a": "2"}, None]
        said = '{"account":{"rejected":1}}'
        for status, rows, outcome in (
                (0, [{"a": 1}, {"a": 2}], "different"), (4, [{"a": 1}, {"a": 2}], "rejected"),
                (4, [{"a": 1}, {"a": 3}], "different"), (4, [{"a": 1}, {"a": 1}], "different"),
                (4, [{"a": 2}, {"a": 1}], "different"), (3, [{"a": 1}], "refused"), (3, [{"a": 9}], "different"),
                (5, [], "different"), (-11, [], "different"), (3, [], "refused"), (0, [], "different")):
            with self.subTest(status=status, rows=rows):
                self.assertEqual(self.outcome(status, said, rows, wanted, same_csv)[0], outcome)
        self.assertEqual(self.outcome(0, said, [{"a": 1}], wanted[:1], same_csv)[0], "equal")
        self.assertEqual(self.outcome(4, said.replace("1", "0"), [{"a": 1}], wanted, same_csv)[0], "different")
        self.assertEqual(self.outcome(3, "", [], wanted, same_csv)[0], "different")

    def test_tells_spellings_of_one_number_or_truth_apart_unless_only_values_are_asked_for(self):
        for text, value, as_written, by_value in (
                ("1.10", 1.1, False, True), ("1.1", 1.1, True, True), ("1.1", 1.2, False, False), ("1e3", 1000.0, False, True),
                ("5e-324", 5e-324, True, True), ("1", 1, True, True), ("01", 1, False, True), ("yes", 1, False, True),
                ("yes", 0, False, False), ("true", 1, False, True), ("1.10", "1.10", True, True), ("1.10", "1.1", False, False),
                ("", None, True, True), ("x", None, False, False)):
            with self.subTest(text=text, value=value):
                self.assertEqual((same_csv(text, value), same_value_of_csv(text, value)), (as_written, by_value))


if __name__ == "__main__":
    unittest.main()
