# SPDX-License-Identifier: Apache-2.0
"""Does `perdure doctor` say what is wrong, and what it could not read?"""

import gzip
import json
import os
import unittest

from doctor_journal import MS, attempt, healthy, line, sick, text
from tool import Case, call

GOLDEN = """\
verdict    most likely: one sick instance (host-3)
           - host-3: 33 % of the calls affected, on the others 0 %
           - host-3: slow calls take 5.8 times as long as elsewhere

calls      1,200, 100 % succeeded (SLA 99 %, assumed: met); 8.3 % affected, 0 % failed
           2026-11-07T00:00:00.000Z to 2026-11-07T00:00:59.950Z, 1 of 4 instances stand out:
           host-3
"""


def examined(lines, *flags):
    status, out, err = call("doctor", "-", "--json", *flags, given=text(lines).encode())
    return status, json.loads(out) if out else None, err


class Answers(Case):
    def test_a_healthy_journal_is_healthy(self):
        status, out, err = call("doctor", "-", given=text(healthy()).encode())
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.startswith("verdict    healthy\n"))
        self.assertRegex(out.splitlines()[-1], r"^contact support: no, because ")

    def test_calls_that_all_succeeded_are_no_failure_and_no_case_for_support(self):
        for service in ("orders-db", "sqlite"):
            lines = [line(at=i / 20, attempts=[
                attempt(1, 5, "internal"), attempt(2, 5, waited_before_ns=20 * MS)] if i % 3 == 0 else
                None, **{"peer.service": service}) for i in range(1200)]
            out = call("doctor", "-", given=text(lines).encode())[1]
            self.assertTrue(out.startswith("verdict    most likely: every call succeeded, but "), out)
            self.assertIn("contact support: no, because ", out)

    def test_a_local_file_has_no_support(self):
        lines = [line(at=i / 20, attempts=[attempt(1, 5, "internal")] if i % 3 == 0 else None,
                      **{"peer.service": "sqlite"}) for i in range(1200)]
        out = call("doctor", "-", given=text(lines).encode())[1]
        self.assertIn("contact support: no, because the database is a local file", out)

    def test_a_file_that_is_no_journal_is_said_to_be_none(self):
        status, _, said = call("doctor", "-", given=b'{"id":1}\n')
        self.assertEqual(status, 2)
        self.assertIn(":1: no journal line: it has no kind", said)
        self.assertIn("no journal line: ", call("doctor", "-", given=b"hello\n")[2])
        self.assertIn("a journal is what --journal or telemetry::Journal writes", said)

    def test_the_text_for_people_fits_on_one_screen(self):
        status, out, _ = call("doctor", "-", given=text(sick()).encode())
        self.assertEqual(status, 8)
        self.assertEqual(out[:len(GOLDEN)], GOLDEN)
        self.assertIn("1.08 attempts per call; 100 % of 100 retried calls then succeeded", out)
        self.assertRegex(out, r"hand over  2026-11-07T00:00:\d\d\.\d{3}Z host-3 orders-db get db.example: UNAVAILABLE")
        self.assertLess(len(out.splitlines()), 40)
        self.assertLessEqual(max(map(len, out.splitlines()[:-1])), 100)
        self.assertEqual(out.splitlines()[-1], "contact support: no, because the cause lies on this side: "
                         "one sick instance (host-3)")

    def test_json_has_its_members(self):
        status, found, _ = examined(sick(), "--by", "operation", "--sla", "99.9%", "--p99", "200ms")
        self.assertEqual(status, 8)
        self.assertEqual(list(found), ["verdict", "score", "also", "headline", "dependency", "calls", "p99", "retries", "instances",
                                       "addresses", "codes", "groups", "causes", "next_steps", "hand_over",
                                       "contact_support", "input"])
        self.assertEqual(found["verdict"], "sick-instance")
        self.assertGreaterEqual(found["score"], 0.5)
        self.assertEqual(found["instances"]["stand_out"], ["host-3"])
        self.assertEqual([one["cause"] for one in found["causes"]], [
            "client-cpu", "slow-dns", "credentials", "oversized-request", "hot-key", "regional-outage",
            "sick-instance", "periodic-spikes", "retry-storm", "short-timeout", "throttled", "server-errors",
            "unknown-trouble"])
        for cause in found["causes"]:
            self.assertEqual(cause["score"], min(one["weight"] for one in cause["evidence"]))
        self.assertEqual((found["calls"]["count"], found["calls"]["affected"], found["calls"]["sla_met"]),
                         (1200, 100, True))
        self.assertEqual(found["p99"]["wanted_ns"], 200 * MS)
        self.assertEqual(set(found["p99"]["without_ns"]),
                         {"retries", "waiting", "pool", "dns", "connect", "server", "own"})
        self.assertEqual(found["codes"], [{"dependency": "orders-db", "code": "UNAVAILABLE", "cause": "unavailable",
                                           "attempts": 100, "calls": 100, "calls_failed": 0, "retryable": True}])
        self.assertEqual(found["groups"][0]["name"], "orders-db get")
        self.assertTrue(all(one["request_id"].startswith("r-") for one in found["hand_over"]))
        self.assertIs(found["contact_support"]["contact"], False)

    def test_the_order_of_lines_and_files_does_not_matter(self):
        lines = sick()
        one = self.file("one", text(lines))
        parts = [self.file(f"part-{i}", text(lines[i::3][::-1])) for i in range(3)]
        self.assertEqual(call("doctor", one, "--json"), call("doctor", *parts[::-1], "--json"))

    def test_a_line_may_stand_for_many_calls(self):
        lines = [line(at=i / 10, weight=50) for i in range(100)]
        lines += [line(at=i, attempts=[attempt(1, 5, "internal"), attempt(2, 5)]) for i in range(10)]
        status, found, _ = examined(lines)
        self.assertEqual((status, found["calls"]["count"], found["calls"]["affected"]), (0, 5010, 10))

    def test_one_service_in_trouble_is_judged_by_its_own_calls(self):
        lines = healthy(4000, 4)
        for i in range(400):
            lines.append(line(at=i, instance=f"host-{i % 4 + 1}", attempts=[
                attempt(1, 5, "throttled" if i * i % 7 == 2 else None, server_address="mail.example"),
                *([attempt(2, 5)] if i * i % 7 == 2 else [])], **{"peer.service": "mail"}))
        status, found, _ = examined(lines)
        self.assertEqual((status, found["verdict"], found["dependency"]), (8, "throttled", "mail"))

    def test_instances_are_compared_with_those_of_the_same_time(self):
        # All hosts get new names just before the service begins to fail.
        lines = [line(at=i / 20, instance=f"host-{i % 4}{'a' if i < 1000 else 'b'}", attempts=[
            attempt(1, 5, "internal" if i >= 1000 and i * i % 7 == 2 else None)]) for i in range(2000)]
        self.assertEqual(examined(lines)[1]["verdict"], "server-errors")

    def test_support_is_contacted_for_what_is_theirs(self):
        lines = [line(at=i / 20, instance=f"host-{i % 5}", attempts=[
            attempt(1, 5, "internal" if i % 4 == 0 else None)]) for i in range(1000)]
        status, found, _ = examined(lines)
        self.assertEqual((status, found["verdict"]), (8, "server-errors"))
        self.assertIs(found["contact_support"]["contact"], True)
        self.assertIn("25 % of the calls fail, outside the SLA of 99 %", found["contact_support"]["because"])

    def test_answers_about_the_request_are_no_trouble(self):
        lines = healthy() + [line(at=i / 2, attempts=[attempt(1, 5, "not_found")], stop="permanent")
                             for i in range(100)]
        status, found, _ = examined(lines)
        self.assertEqual((status, found["calls"]["answered_no"], found["calls"]["failed"]), (0, 100, 0))
        self.assertIs(found["codes"][0]["retryable"], False)

    def test_what_is_missing_from_a_hundred_percent_is_shown(self):
        lines = healthy(2000) + [line(at=1, attempts=[attempt(1, 5, "internal")])]
        out = call("doctor", "-", "--sla", "99.9%", given=text(lines).encode())[1]
        self.assertIn("2,001, 99.95 % succeeded (SLA 99.9 %: met)", out)

    def test_a_wish_for_p99_that_is_missed_is_trouble(self):
        self.assertEqual(examined(healthy(), "--p99", "1ms")[0], 8)
        self.assertEqual(examined(healthy(), "--p99", "10ms")[0], 0)

    def test_since_and_until_leave_out_the_rest(self):
        status, found, _ = examined(sick(), "--since", "2026-11-07T00:00:30Z", "--until", "2026-11-07T00:00:40Z")
        self.assertEqual((found["calls"]["count"], found["input"]["left_out"]), (200, 1000))


class Reading(Case):
    def test_bad_lines_are_counted_and_the_first_is_named(self):
        path = self.file("calls.jsonl", text(healthy(20)) + "{broken\n" + text(healthy(20)) + '{"kind":"call"}\n')
        status, out, _ = call("doctor", path, "--json")
        found = json.loads(out)["input"]
        self.assertEqual((status, found["lines"], found["bad_lines"]), (0, 42, 2))
        self.assertTrue(found["first_bad"].startswith(path + ":21: "), found["first_bad"])
        self.assertIn("2 of 42 lines could not be read", call("doctor", path)[1])

    def test_gzip_is_read_also_from_a_pipe_and_also_cut_off(self):
        packed = gzip.compress(text(healthy(2000)).encode())
        path = os.path.join(self.folder, "calls.jsonl.gz")
        with open(path, "wb") as file:
            file.write(packed)
        self.assertEqual(json.loads(call("doctor", path, "--json")[1])["calls"]["count"], 2000)
        self.assertEqual(json.loads(call("doctor", "-", "--json", given=packed)[1])["calls"]["count"], 2000)
        status, out, _ = call("doctor", "-", "--json", given=packed[:len(packed) // 2])
        self.assertEqual(status, 0)
        self.assertGreater(json.loads(out)["input"]["bad_lines"], 0)

    def test_a_line_without_end_is_passed_over(self):
        given = text(healthy(10)) + "{" + "x" * 3_000_000 + "\n" + text(healthy(10))
        found = json.loads(call("doctor", "-", "--json", given=given.encode())[1])
        self.assertEqual((found["calls"]["count"], found["input"]["bad_lines"]), (20, 1))

    def test_nothing_to_judge_is_said(self):
        for given in ("", "\n\n", "no journal\n"):
            status, out, err = call("doctor", "-", given=given.encode())
            self.assertEqual((status, out), (2, ""))
            self.assertIn("no call to judge", err)

    def test_what_cannot_be_opened_is_named(self):
        for path in (os.path.join(self.folder, "none.jsonl"), self.folder):
            status, _, err = call("doctor", path)
            self.assertEqual(status, 3)
            self.assertIn(path, err)

    def test_wrong_flags_are_refused(self):
        path = self.file("calls.jsonl", text(healthy(5)))
        for flags in (["--by", "moon"], ["--since", "yesterday"], ["--sla", "2"], []):
            self.assertEqual(call("doctor", *([path] if flags else []), *flags)[0], 125, flags)
        self.assertEqual(call("doctor", path, "--html", os.path.join(self.folder, "no", "page.html"))[0], 1)

    def test_names_from_a_file_cannot_drive_a_terminal(self):
        lines = sick()
        for one in lines:
            one["service.instance.id"] = one["service.instance.id"] + "\x1b[31m"
        out = call("doctor", "-", given=text(lines).encode())[1]
        self.assertNotIn("\x1b", out)
        self.assertIn("host-3\\x1b", out)


if __name__ == "__main__":
    unittest.main()
