# SPDX-License-Identifier: Apache-2.0
"""Does `perdure chaos` say where it listens, break what it should, and end with an account?"""

import http.client
import http.server
import json
import os
import signal
import socket
import sys
import threading
import unittest

from tool import PATIENCE, Case, call

if call("chaos", "--help")[0] != 0:
    print("this tool was built without the rooms of the network")
    sys.exit(77)

PLANS = os.path.join(os.path.dirname(__file__), "../../tools/perdure/chaos/plans")


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(self.headers.get("x-request-id"))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ChaosCase(Case):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        self.server.daemon_threads = True
        self.server.seen = []
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.to = "127.0.0.1:%d" % self.server.server_port

    def proxy(self, *arguments):
        """(process, port) of a tool that listens."""
        process = self.start("chaos", "--to", self.to, "--json", *arguments)
        line = process.stdout.readline()
        if not line:
            self.fail(process.stderr.read().decode())
        return process, json.loads(line)["port"]

    def finish(self, process, by=signal.SIGINT):
        process.send_signal(by)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, err), (0, b""))
        return json.loads(out.splitlines()[-1])

    def post(self, port, request_id="one", body="hello"):
        """The status of the reply, or the name of what came instead."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("POST", "/a", body, {"x-request-id": request_id})
            reply = connection.getresponse()
            reply.read()
            return reply.status
        except OSError as error:
            return type(error).__name__
        finally:
            connection.close()


class Chaos(ChaosCase):
    def test_the_first_line_says_where_it_listens_and_the_last_ones_what_happened(self):
        process = self.start("chaos", "--to", self.to, "--fault", "inject:429:100%", "--seed", "5")
        line = process.stdout.readline().decode()
        self.assertRegex(line, r"^listening on 127\.0\.0\.1:\d+, to 127\.0\.0\.1:\d+ "
                               r"\(http, 1 rule, seed 5\)$")
        self.assertEqual(self.post(int(line.split(",")[0].split(":")[1])), 429)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertIn("connections 1, requests 1\n", out.decode())
        self.assertRegex(out.decode(), r"before forwarding +1\n")
        self.assertRegex(out.decode(), r"inject +1\n +of 1 that fitted\n")
        self.assertEqual(self.server.seen, [])

    def test_an_endless_plan_is_refused_after_a_megabyte_and_a_pipe_is_read(self):
        status, _, err = call("chaos", "--to", self.to, "--plan", "/dev/zero")
        self.assertEqual(status, 3)
        self.assertIn("cannot read '/dev/zero': it has more than 1 MiB", err)
        status, _, err = call("chaos", "--to", self.to, "--plan", "/dev/stdin", given=b"x" * (2 << 20))
        self.assertEqual(status, 3)
        self.assertIn("it has more than 1 MiB", err)
        status, _, err = call("chaos", "--to", self.to, "--plan", "/dev/stdin", "--duration", "1ms",
                              given=b'[[rule]]\nfault = "reset-after"\n')
        self.assertEqual((status, err), (0, ""))

    def test_records_are_for_their_owner_only_and_have_no_query(self):
        path = os.path.join(self.folder, "records")
        process, port = self.proxy("--record", path)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/a?token=CANARY")
        connection.getresponse().read()
        self.finish(process)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn('"path":"/a"', text)
        self.assertNotIn("CANARY", text)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)

    def test_records_take_a_file_that_was_there_for_their_owner_only(self):
        path = self.file("records", "old\n" * 1000, mode=0o644)
        process, port = self.proxy("--record", path)
        self.assertEqual(self.post(port), 200)
        self.finish(process)
        with open(path, encoding="utf-8") as file:
            self.assertIn("one", [json.loads(line).get("id") for line in file])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)

    def test_a_reset_comes_after_the_server_has_done_it(self):
        process, port = self.proxy("--fault", "reset-after")
        self.assertEqual(self.post(port), "ConnectionResetError")
        self.assertEqual(self.server.seen, ["one"])
        counters = self.finish(process)
        self.assertEqual(counters["faults"]["reset_after"], 1)
        self.assertEqual(counters["faults_after_forwarding"], 1)

    def test_records_have_a_line_for_every_request_with_its_id(self):
        path = os.path.join(self.folder, "records")
        process, port = self.proxy("--fault", "reset-before:50%", "--seed", "3", "--record", path)
        statuses = {str(i): self.post(port, str(i)) for i in range(20)}
        counters = self.finish(process)
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        requests = {record["id"]: record for record in records if record["request"] > 0}
        self.assertEqual(len(requests), 20)
        self.assertEqual(counters["records_lost"], 0)
        for number, status in statuses.items():
            done = status == 200
            self.assertEqual(requests[number]["fault"], None if done else "reset_before")
            self.assertEqual(requests[number]["forwarded"] is not None, done)
            self.assertEqual(number in self.server.seen, done)

    def test_the_same_seed_strikes_the_same_requests(self):
        def run(seed):
            process, port = self.proxy("--fault", "inject:50%", "--seed", seed)
            statuses = [self.post(port) for _ in range(20)]
            self.finish(process)
            return statuses

        self.assertEqual(run("1"), run("1"))
        self.assertNotEqual(run("1"), run("2"))

    def test_a_plan_comes_from_a_file(self):
        process, port = self.proxy("--plan", os.path.join(PLANS, "slow-day.toml"), "--seed", "9")
        self.assertEqual(self.post(port), 200)
        rules = {rule["name"]: rule for rule in self.finish(process)["rules"]}
        self.assertEqual(rules["distance"]["struck"], 1)
        self.assertEqual(rules["thin pipe"]["fitting"], 0)

    def test_a_duration_ends_it_and_counters_come_on_the_way(self):
        status, out, _ = call("chaos", "--to", self.to, "--json", "--duration", "60ms",
                              "--counters-every", "20ms")
        self.assertEqual(status, 0)
        self.assertGreaterEqual(len(out.splitlines()), 3)

    def test_any_protocol_passes_over_tcp(self):
        process, port = self.proxy("--tcp", "--fault", "close-after:15")
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
            client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            got = b""
            while piece := client.recv(100):
                got += piece
        self.assertEqual(got, b"HTTP/1.1 200 OK")
        self.assertEqual(self.finish(process)["faults"]["close_after"], 1)


class Mistakes(Case):
    def test_wrong_usage_is_125_with_a_word_about_the_fix(self):
        to = ["chaos", "--to", "127.0.0.1:1"]
        table = [
            (["chaos"], "--to"),
            (["chaos", "--to", "nowhere"], "127.0.0.1:8080"),
            ([*to, "--listen", "0.0.0.0:0"], "--listen-anywhere"),
            ([*to, "--listen", "127.0.0.1"], "is no address"),
            ([*to, "--fault", "reset-afer"], "did you mean `reset_after`?"),
            ([*to, "--fault", "delay"], "delay:200ms"),
            ([*to, "--tcp", "--fault", "rewrite"], "--plan FILE"),
            ([*to, "--seed", "-1"], "whole number"),
        ]
        for arguments, word in table:
            with self.subTest(arguments=arguments):
                status, out, err = call(*arguments)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(word, err)

    def test_mistakes_in_a_plan_are_named_with_file_line_and_fix(self):
        path = self.file("plan.toml", '[[rule]]\nfault = "delay"\ndelay = 5\n[[rule]]\nfault = "x"\n')
        status, _, err = call("chaos", "--to", "127.0.0.1:1", "--plan", path)
        self.assertEqual(status, 125)
        self.assertIn(f"{path}:3:9: `rule.delay` has no unit", err)
        self.assertIn(f"{path}:5:9: `rule.fault` is none", err)
        self.assertIn("2 problems", err)

    def test_a_plan_that_cannot_be_read_is_3(self):
        status, _, err = call("chaos", "--to", "127.0.0.1:1", "--plan", self.folder + "/none")
        self.assertEqual(status, 3)
        self.assertIn("cannot read", err)

    def test_a_record_that_cannot_be_written_is_1(self):
        status, _, err = call("chaos", "--to", "127.0.0.1:1", "--record", self.folder + "/no/file")
        self.assertEqual(status, 1)
        self.assertIn("cannot write", err)

    def test_a_record_behind_a_link_is_refused_and_left_alone(self):
        path = self.file("private", "kept", mode=0o644)
        for name, leads_to in (("link", path), ("dangling", path + "-new")):
            link = os.path.join(self.folder, name)
            os.symlink(leads_to, link)
            status, _, err = call("chaos", "--to", "127.0.0.1:1", "--duration", "1ms", "--record", link)
            self.assertEqual(status, 1, err)
            self.assertIn(f"cannot write '{link}': it is a link", err)
        with open(path, encoding="utf-8") as file:
            self.assertEqual((file.read(), os.stat(path).st_mode & 0o777), ("kept", 0o644))
        self.assertFalse(os.path.exists(path + "-new"))

    def test_a_record_may_be_a_device_which_keeps_its_rights(self):
        before = os.stat("/dev/null").st_mode
        self.assertEqual(call("chaos", "--to", "127.0.0.1:1", "--duration", "1ms", "--record", "/dev/null")[0], 0)
        self.assertEqual(os.stat("/dev/null").st_mode, before)


if __name__ == "__main__":
    unittest.main()
