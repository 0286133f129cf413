# SPDX-License-Identifier: Apache-2.0
"""Does `perdure offset` say when, and does the tool explain itself?"""

import datetime
import json
import re
import unittest

from tool import Case, call

COMMANDS = ("run", "offset", "tune", "sim", "explain", "chaos", "get")
GOLDEN = 338.316  # seconds; worked out from the formula in the header by other means


def offset(*arguments):
    return call("offset", "--host", "host-1", "--job", "purge", *arguments)


class Offset(Case):
    def test_the_offset_of_a_host_and_a_job_never_changes(self):
        # A promise of time/periodic.hpp: no later version moves a job.
        seen = json.loads(offset("--every", "1h", "--json")[1])
        self.assertEqual(seen["offset_seconds"], GOLDEN)
        self.assertEqual(json.loads(offset("--every", "1h", "--json")[1])["offset_seconds"], GOLDEN)

    def test_jobs_and_hosts_differ(self):
        base = ["offset", "--every", "1d", "--json"]
        places = {json.loads(call(*base, "--job", job, "--host", host)[1])["offset_seconds"]
                  for job in ("a", "b") for host in ("1", "2")}
        self.assertEqual(len(places), 4)

    def test_this_machine_needs_no_name_and_is_not_betrayed(self):
        status, out, _ = call("offset", "--job", "purge", "--every", "1h", "--json")
        self.assertEqual((status, json.loads(out)["host"]), (0, None))

    def test_the_next_times_are_one_period_apart_and_in_the_future(self):
        seen = json.loads(offset("--every", "90m", "--json")[1])
        times = [datetime.datetime.fromisoformat(t.replace("Z", "+00:00")) for t in seen["next"]]
        self.assertEqual({b - a for a, b in zip(times, times[1:])}, {datetime.timedelta(minutes=90)})
        self.assertLess(datetime.datetime.now(datetime.timezone.utc), times[0])
        self.assertAlmostEqual(times[0].timestamp() % 5400, seen["offset_seconds"], places=2)

    def test_calendar_lines_match_the_times(self):
        table = [
            ("20s", None, r"\*-\*-\* \*:\*:\d\d/20 UTC"),
            ("1m", r"\* \* \* \* \*", r"\*-\*-\* \*:00/1:\d\d UTC"),
            ("15m", r"\d+-59/15 \* \* \* \*", r"\*-\*-\* \*:\d\d/15:\d\d UTC"),
            ("1h", r"\d+ \* \* \* \*", r"\*-\*-\* 00/1:\d\d:\d\d UTC"),
            ("6h", r"\d+ \d-23/6 \* \* \*", r"\*-\*-\* \d\d/6:\d\d:\d\d UTC"),
            ("1d", r"\d+ \d+ \* \* \*", r"\*-\*-\* \d\d:\d\d:\d\d UTC"),
            ("7d", r"\d+ \d+ \* \* [A-Z]..", r"[A-Z].. \*-\*-\* \d\d:\d\d:\d\d UTC"),
            ("90m", None, None),
            ("7m", None, None),
            ("1.5s", None, None),
        ]
        for every, crontab, systemd in table:
            with self.subTest(every=every):
                seen = json.loads(offset("--every", every, "--json")[1])
                self.check_line(seen["crontab"], crontab and crontab + r" sleep \d+; COMMAND")
                self.check_line(seen["systemd"], systemd and "OnCalendar=" + systemd)
                self.check_minute(seen)

    def check_line(self, line, pattern):
        if pattern is None:
            self.assertIsNone(line)
        else:
            self.assertRegex(line, f"^{pattern}$")

    def check_minute(self, seen):
        """The first time shown is one that both lines name, to the second."""
        at = seen["next"][0]
        minute, second, day = at[14:16], at[17:19], datetime.date.fromisoformat(at[:10])
        crontab, systemd = seen["crontab"], seen["systemd"]
        if crontab and seen["every_seconds"] >= 3600:
            self.assertEqual(int(crontab.split()[0]), int(minute))
            self.assertEqual(int(re.search(r"sleep (\d+)", crontab)[1]), int(second))
            self.assertIn(f":{minute}:{second} UTC", systemd)
        if seen["every_seconds"] >= 86400:
            self.assertEqual(int(crontab.split()[1]), int(at[11:13]))
            self.assertIn(f" {at[11:13]}:" if "=*" in systemd else f"{day:%a} ", systemd)

    def test_people_get_the_same_in_words(self):
        status, out, _ = offset("--every", "1h")
        self.assertEqual(status, 0)
        for word in ("purge", "host-1", "next", "crontab", "OnCalendar=", "UTC"):
            self.assertIn(word, out)
        self.assertIn("no crontab line", offset("--every", "7m")[1])

    def test_wrong_usage_is_125_with_a_word_about_the_fix(self):
        table = [
            (["offset"], "required"),
            (["offset", "--job", "x"], "--every"),
            (["offset", "--every", "1h"], "--job"),
            (["offset", "--job", "", "--every", "1h"], "empty"),
            (["offset", "--job", "x", "--every", "0s"], "longer than zero"),
            (["offset", "--job", "x", "--every", "-1h"], "negative"),
            (["offset", "--job", "x", "--every", "hourly"], "1h30m"),
            (["offset", "--job", "x", "--every", "1h", "--host", ""], "empty"),
            (["offset", "--job", "x", "--every", "1h", "more"], "word 6 after perdure was not expected"),
            (["offset", "--job", "x", "--every", "1h", "--", "more"], "--: was not expected"),
        ]
        for arguments, word in table:
            with self.subTest(arguments=arguments):
                status, out, err = call(*arguments)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(word, err)

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            status, _, err = call("offset", "--job", "x", "--every", "1h", stdout=full)
        self.assertEqual(status, 1)
        self.assertIn("standard output", err)


class Explaining(Case):
    def test_help_is_a_command_too_and_names_load_first(self):
        self.assertEqual(call("help"), call("--help"))
        self.assertEqual(call("help", "get"), call("get", "--help"))
        commands = call("help")[1].split("Commands:\n")[1]
        self.assertTrue(commands.startswith("  load "), commands)

    def test_a_mistyped_command_or_flag_is_guessed(self):
        for words, guess in ((("lod",), "there is no command lod (did you mean `load`?)"),
                             (("help", "lod"), "there is no command lod (did you mean `load`?)"),
                             (("load", "--creat"), "no flag --creat (did you mean `--create`?)"),
                             (("load", "--hlp"), "no flag --hlp (did you mean `--help`?)"),
                             (("run", "--atempts", "3", "--", "ls"), "(did you mean `--attempts`?)")):
            status, out, said = call(*words)
            self.assertEqual((status, out), (125, ""))
            self.assertIn(guess, said)
            self.assertNotIn("required", said)

    def test_a_value_that_looks_like_a_flag_is_not_taken_for_one(self):
        self.assertIn("URL is missing", call("get", "--body", "--foo")[2])

    def test_defaults_stand_behind_the_description(self):
        said = call("get", "--help")[1]
        self.assertIn("what to do there (default GET; POST with a body)", said)
        self.assertIn("--idempotency-key[=KEY] ", said)
        for command in COMMANDS + ("load", "doctor", "gateway"):
            flags = [line for line in call(command, "--help")[1].splitlines()
                     if re.match(r"  (-\w,)?--", line)]
            self.assertFalse([line for line in flags if re.match(r"  \S+ [A-Z]+=(?!TYPE)", line)], command)

    def test_every_command_has_help_with_an_example_and_its_exit_status(self):
        for command in COMMANDS:
            status, out, err = call(command, "--help")
            self.assertEqual((status, err), (0, ""))
            for word in ("Example", f"perdure {command} ", "--json", "Exit status"):
                self.assertIn(word, out)
            self.assertLessEqual(max(map(len, out.splitlines())), 100)
            self.assertNotIn("\x1b", out)

    def test_alone_it_lists_its_commands(self):
        status, out, _ = call()
        self.assertEqual(status, 0)
        for command in COMMANDS:
            self.assertIn(command, out)

    def test_it_knows_its_version(self):
        self.assertRegex(call("--version")[1], r"^perdure \d+\.\d+\.\d+\n$")

    def test_what_is_no_command_is_refused(self):
        for arguments in (["frobnicate"], ["--frobnicate"], ["--", "ls"], [""]):
            status, out, err = call(*arguments)
            self.assertEqual((status, out), (125, ""))
            self.assertIn("perdure --help", err)


if __name__ == "__main__":
    unittest.main()
