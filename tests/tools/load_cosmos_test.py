# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` keep its promises to those who load into Cosmos DB, from one run to the next?"""

import json
import os
import sys
import unittest
from urllib.parse import urlsplit

from load_sqlite import json_lines
from tool import Case, call

if call("gateway", "--help")[0] != 0:
    print("this tool was built without the fake gateway")
    sys.exit(77)


class IntoCosmos(Case):
    def setUp(self):
        super().setUp()
        process = self.start("gateway", "cosmos", "--json")
        self.said = json.loads(process.stdout.readline())
        self.environment = {**os.environ, "COSMOS_KEY": self.said["key"]}

    def load(self, *arguments, table="orders", wishes=""):
        """(exit status, the account as JSON or None, standard error)"""
        place = urlsplit(self.said["endpoint"]).netloc
        status, out, err = call("load", *arguments, "--to", f"cosmos+http://{place}/shop/{table}{wishes}",
                                "--json", cwd=self.folder, env=self.environment)
        return status, json.loads(out) if out else None, err

    def account(self, answer):
        seen = answer["account"]
        return seen["read"], seen["written"], seen["already_there"], seen["rejected"]

    def test_a_record_that_is_there_twice_is_verified_by_the_first_run_too(self):
        path = self.file("orders.jsonl", json_lines([{"id": 1}, {"id": 2}, {"id": 1}]))
        status, answer, err = self.load(path, "--create", "--verify")
        self.assertEqual((status, self.account(answer)), (0, (3, 2, 1, 0)), err)
        self.assertTrue(answer["verified"])
        status, answer, err = self.load(path, "--create", "--verify")
        self.assertEqual((status, answer["verified"]), (0, True), err)

    def test_a_record_without_a_partition_key_is_rejected_by_the_first_run_too(self):
        path = self.file("orders.jsonl", json_lines([{"id": 1, "customer": "a"}, {"id": 2}]))
        for run in range(2):
            status, answer, err = self.load(path, "--create", "--verify", "--as", f"run {run}",
                                            wishes="?partition=/customer")
            self.assertEqual((status, self.account(answer)[3], answer["verified"]), (4, 1, True), err)

    def test_a_key_beside_a_partition_key_is_refused_before_anything_is_made(self):
        path = self.file("orders.jsonl", json_lines([{"id": 1, "customer": "a"}]))
        status, _, err = self.load(path, "--create", "--key", "id", wishes="?partition=/customer")
        self.assertEqual(status, 125)
        self.assertIn("leave --key out: here a record is known by id and 'customer'", err)
        for _ in range(2):
            status, answer, err = self.load(path, "--create", "--verify", wishes="?partition=/customer")
            self.assertEqual((status, answer["verified"]), (0, True), err)

    def test_again_with_another_key_does_not_double_what_is_there(self):
        path = self.file("orders.jsonl", json_lines([{"order_no": 1}, {"order_no": 2}]))
        self.assertEqual(self.load(path, "--create")[0], 0)
        status, _, err = self.load(path, "--again")
        self.assertEqual(status, 125)
        self.assertNotIn("give --key", err)
        for again in ((), ("--again",)):
            status, _, err = self.load(path, "--key", "order_no", *again)
            self.assertEqual(status, 125)
            self.assertIn("begun without --key", err)
        status, answer, err = self.load(path, "--verify")
        self.assertEqual((status, answer["verified"]), (0, True), err)

    def test_a_key_is_kept_from_one_run_to_the_next(self):
        path = self.file("orders.jsonl", json_lines([{"order_no": 1}, {"order_no": 2}]))
        self.assertEqual(self.load(path, "--create", "--key", "order_no")[0], 0)
        status, _, err = self.load(path)
        self.assertEqual(status, 125)
        self.assertIn("begun with --key order_no", err)
        status, answer, err = self.load(path, "--key", "order_no", "--again", "--verify")
        self.assertEqual((status, self.account(answer), answer["verified"]), (0, (2, 0, 2, 0), True), err)

    def test_null_as_json_in_csv_is_what_is_found_again(self):
        path = self.file("orders.csv", "id,more,customer\n1,null,\"\"\"a\"\"\"\n2,[1],7\n")
        for _ in range(2):
            status, answer, err = self.load(path, "--create", "--verify", "--type", "more=json", "--type",
                                            "customer=json", wishes="?partition=/customer")
            self.assertEqual((status, answer["verified"]), (0, True), err)

    def test_partition_keys_from_csv_keep_their_spelling(self):
        path = self.file("orders.csv", "id,shelf\n1,1.10\n1,1.1\n")
        for expected in ((2, 2, 0, 0), (2, 0, 2, 0)):
            status, answer, err = self.load(path, "--create", "--verify", "--again", wishes="?partition=/shelf")
            self.assertEqual((status, self.account(answer), answer["verified"]), (0, expected, True), err)

    def test_the_ledger_is_no_container_to_load(self):
        path = self.file("orders.jsonl", json_lines([{"id": 1}]))
        status, _, err = self.load(path, "--create", table="perdure_load")
        self.assertEqual(status, 125)
        self.assertIn("is the ledger of loads", err)


if __name__ == "__main__":
    unittest.main()
