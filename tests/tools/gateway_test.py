# SPDX-License-Identifier: Apache-2.0
"""Does `perdure gateway cosmos` say where it is, serve, obey its control port, and end?"""

import http.client
import json
import signal
import sys
import unittest
from urllib.parse import urlsplit

from tool import PATIENCE, Case, call

if call("gateway", "--help")[0] != 0:
    print("this tool was built without the fake gateway")
    sys.exit(77)

CONTAINER = {"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}


class Gateway(Case):
    def gateway(self, *arguments):
        """(process, what its first line says)."""
        process = self.start("gateway", "cosmos", "--json", *arguments)
        line = process.stdout.readline()
        if not line:
            self.fail(process.stderr.read().decode())
        return process, json.loads(line)

    def ask(self, url, method, path, body=None, **headers):
        """(status, JSON), or the name of what came instead."""
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body and json.dumps(body), headers)
            reply = connection.getresponse()
            text = reply.read()
            return reply.status, json.loads(text) if text else None
        except OSError as error:
            return type(error).__name__, None
        finally:
            connection.close()

    def furnish(self, url):
        self.assertEqual(self.ask(url, "POST", "/dbs", {"id": "d"})[0], 201)
        self.assertEqual(self.ask(url, "POST", "/dbs/d/colls", CONTAINER)[0], 201)

    def create(self, url, item_id):
        return self.ask(url, "POST", "/dbs/d/colls/c/docs", {"id": item_id, "pk": "A"},
                        x_ms_documentdb_partitionkey='["A"]')[0]

    def test_the_first_line_is_a_connection_string_and_a_signal_ends_it(self):
        process = self.start("gateway", "cosmos", "--region", "East US", "--region", "West US:20ms")
        lines = [process.stdout.readline().decode() for _ in range(4)]
        self.assertRegex(lines[0], r"^AccountEndpoint=http://127\.0\.0\.1:\d+/;AccountKey=.+==;$")
        self.assertRegex(lines[1], r"^East US: http://127\.0\.0\.1:\d+/$")
        self.assertRegex(lines[2], r"^West US: http://127\.0\.0\.1:\d+/$")
        self.assertRegex(lines[3], r"^control: http://127\.0\.0\.1:\d+/$")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=PATIENCE), 0)

    def test_items_are_kept_and_signatures_looked_at_unless_told_otherwise(self):
        _, said = self.gateway("--unsigned")
        self.furnish(said["endpoint"])
        self.assertEqual(self.create(said["endpoint"], "1"), 201)
        self.assertEqual(self.create(said["regions"]["East US"], "1"), 409)
        _, strict = self.gateway()
        self.assertEqual(self.ask(strict["endpoint"], "GET", "/")[0], 401)

    def test_the_control_port_breaks_things_and_tells_what_was_written(self):
        _, said = self.gateway("--unsigned", "--region", "East US", "--region", "West US")
        self.furnish(said["endpoint"])
        lost = {"kind": "write", "to": 1, "strikes": "after_applying", "ending": "reset"}
        self.assertEqual(self.ask(said["control"], "POST", "/faults", [lost]), (200, {}))
        self.assertEqual(self.create(said["endpoint"], "1"), "ConnectionResetError")
        self.assertEqual(self.create(said["endpoint"], "1"), 409)
        writes = self.ask(said["control"], "GET", "/writes")[1]
        self.assertEqual([(one["id"], one["kind"]) for one in writes], [("1", "created")])
        self.assertEqual(self.ask(said["control"], "GET", "/struck"), (200, [1]))
        gone = {"name": "West US", "state": "refusing"}
        self.assertEqual(self.ask(said["control"], "POST", "/region", gone), (200, {}))
        self.assertEqual(self.ask(said["regions"]["West US"], "GET", "/")[0], "ConnectionRefusedError")

    def test_what_cannot_be_meant_is_said_plainly(self):
        for arguments, words in ((("mars",), "which service"),
                                 (("cosmos", "--region", "a", "--region", "a"), "there twice"),
                                 (("cosmos", "--region", "a:soon"), "soon")):
            status, _, err = call("gateway", *arguments)
            self.assertEqual(status, 125)
            self.assertIn(words, err)

    def test_it_ends_by_itself_after_its_duration(self):
        status, out, _ = call("gateway", "cosmos", "--duration", "1ms")
        self.assertEqual(status, 0)
        self.assertIn("AccountEndpoint=", out)


if __name__ == "__main__":
    unittest.main()
