# SPDX-License-Identifier: Apache-2.0
"""Is CSV whose quotes never close loaded as far as it can be, in the time of its length?"""

import gzip
import os
import unittest

from load_sqlite import LoadCase


class OpenQuotes(LoadCase):
    """Their number must not matter: searched from each line anew, these would take minutes."""

    def test_of_thousands_of_lines_are_rejected_one_by_one_and_verified(self):
        count = 4000
        lines = b'x"y,"z\n' * (count + (16 << 20) // 7) + b'"\n'
        for name in ("a.csv", "b.csv.gz"):
            path = os.path.join(self.folder, name)
            with open(path, "wb") as file:
                text = b"a,b\n1,2\n" + lines
                file.write(gzip.compress(text, 1) if name.endswith("gz") else text)
            table = name[0]
            status, answer, err = self.load(path, "--create", "--verify", "--workers", "4", "--max-rejected", "0",
                                            "--rejected", table + ".jsonl", table=table)
            self.assertEqual((status, answer["verified"]), (4, True), err)
            # The rest, which is shorter than the longest record, is one.
            self.assertEqual(self.account(answer)[1], 1)
            self.assertGreaterEqual(answer["account"]["rejected"], count)
            again = self.load(path, "--rejected", table + ".jsonl", table=table)[1]
            self.assertEqual(again["account"]["read"], 0)


if __name__ == "__main__":
    unittest.main()
