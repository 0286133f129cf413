# SPDX-License-Identifier: Apache-2.0
"""Does `perdure run` repeat what it should, as often as it should, and say how it ended?"""

import os
import subprocess
import time
import unittest

from tool import TOOL, Case, call, run, summary


class ExitStatus(Case):
    def test_the_commands_own_status_passes_through(self):
        for status in (0, 1, 2, 42, 123, 255):
            with self.subTest(status=status):
                self.assertEqual(run("--attempts", "1", "--", "sh", "-c", f"exit {status}")[0], status)

    def test_a_command_that_is_not_found_is_127_and_not_repeated(self):
        status, _, err = run("--json", "--", "no-such-command-of-ours")
        self.assertEqual((status, summary(err)["attempts"]), (127, 1))
        self.assertIn("no-such-command-of-ours", err)
        self.assertEqual(run("--json", "--", "")[0], 127)

    def test_a_file_that_cannot_be_executed_is_126_and_not_repeated(self):
        for path in (self.file("plain", "#!/bin/sh\n"), self.folder):
            status, _, err = run("--json", "--", path)
            self.assertEqual((status, summary(err)["attempts"]), (126, 1))

    def test_a_command_that_itself_says_126_or_127_is_repeated_like_any_other(self):
        for said in (126, 127):
            status, _, err = run("--json", "--", "sh", "-c", f"exit {said}")
            self.assertEqual((status, summary(err)["attempts"]), (said, 4))

    def test_a_missing_command_is_named_even_to_the_quiet(self):
        self.assertIn("no-such-command", run("--quiet", "--", "no-such-command")[2])

    def test_death_by_signal_n_is_128_plus_n(self):
        for signal in (1, 6, 9, 15):
            with self.subTest(signal=signal):
                status, _, err = run("--attempts", "2", "--json", "--", "sh", "-c", f"kill -{signal} $$")
                self.assertEqual((status, summary(err)["attempts"]), (128 + signal, 2))

    def test_wrong_usage_is_125_with_a_word_about_the_fix(self):
        table = [
            (["run"], "--"),
            (["run", "--"], "--"),
            (["run", "ls"], "perdure run -- COMMAND"),
            (["run", "--attempts", "-1", "--", "ls"], "whole number"),
            (["run", "--attempts", "two", "--", "ls"], "whole number"),
            (["run", "--attempts", "1.5", "--", "ls"], "whole number"),
            (["run", "--attempts", "99999999999", "--", "ls"], "whole number"),
            (["run", "--attempts", "0", "--", "ls"], "--deadline"),
            (["run", "--base", "5", "--", "ls"], "unit"),
            (["run", "--base", "-5s", "--", "ls"], "negative"),
            (["run", "--base=-5s", "--", "ls"], "negative"),
            (["run", "--base", "", "--", "ls"], "--base"),
            (["run", "--base", "5 s", "--", "ls"], "duration"),
            (["run", "--base", "5sec", "--", "ls"], "duration"),
            (["run", "--base", "1e3s", "--", "ls"], "duration"),
            (["run", "--base", "infs", "--", "ls"], "duration"),
            (["run", "--base", "nan", "--", "ls"], "duration"),
            (["run", "--base", "0x5s", "--", "ls"], "duration"),
            (["run", "--base", "999999999999d", "--", "ls"], "century"),
            (["run", "--base", "2s", "--cap", "1s", "--", "ls"], "--cap"),
            (["run", "--base", "--", "ls"], "--base"),
            (["run", "--timeout", "0s", "--", "ls"], "longer than zero"),
            (["run", "--deadline", "0", "--", "ls"], "longer than zero"),
            (["run", "--timeout", "2s", "--deadline", "1s", "--", "ls"], "--timeout"),
            (["run", "--spread", "2s", "--deadline", "1s", "--", "ls"], "--spread"),
            (["run", "--retry-on", "0", "--", "ls"], "1 to 255"),
            (["run", "--retry-on", "256", "--", "ls"], "1 to 255"),
            (["run", "--retry-on", "1,,2", "--", "ls"], "1 to 255"),
            (["run", "--retry-on", "", "--", "ls"], "--retry-on"),
            (["run", "--retry-on", "1", "--stop-on", "1", "--", "ls"], "both"),
            (["run", "--once", "--retry-on", "1", "--", "ls"], "--unchanged-on 1"),
            (["run", "--no-such-flag", "--", "ls"], "--no-such-flag"),
        ]
        for arguments, word in table:
            with self.subTest(arguments=arguments):
                status, out, err = call(*arguments)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(word, err)


class Repeating(Case):
    def test_goes_on_until_the_command_succeeds(self):
        status, out, err = run("--json", "--", *self.counting("echo $n; test $n = 3"))
        self.assertEqual((status, out, self.runs()), (0, "1\n2\n3\n", 3))
        self.assertEqual(summary(err)["attempts"], 3)

    def test_attempts_include_the_first(self):
        for attempts in (1, 2, 5):
            with self.subTest(attempts=attempts):
                status, _, err = run("--json", "--attempts", str(attempts), "--", "false")
                seen = summary(err)
                self.assertEqual((status, seen["attempts"], seen["stop"]), (1, attempts, "attempts"))

    def test_retry_on_repeats_only_what_it_lists(self):
        table = [("75", 75, 4), ("1,75", 75, 4), ("1,75", 2, 1), ("137", 137, 4), ("124", 1, 1)]
        for listed, status, attempts in table:
            with self.subTest(listed=listed, status=status):
                command = "kill -9 $$" if status == 137 else f"exit {status}"
                got, _, err = run("--json", "--retry-on", listed, "--", "sh", "-c", command)
                self.assertEqual((got, summary(err)["attempts"]), (status, attempts))

    def test_stop_on_never_repeats_what_it_lists(self):
        for status, attempts, stop in ((2, 1, "permanent"), (3, 4, "attempts")):
            got, _, err = run("--json", "--stop-on", "2", "--", "sh", "-c", f"exit {status}")
            seen = summary(err)
            self.assertEqual((got, seen["attempts"], seen["stop"]), (status, attempts, stop))

    def test_zero_attempts_mean_until_the_deadline(self):
        limits = ["--attempts", "0", "--deadline", "300ms", "--cap", "20ms"]
        status, _, err = run("--json", *limits, "--", "false")
        seen = summary(err)
        self.assertEqual((status, seen["stop"]), (124, "deadline"))
        self.assertGreater(seen["attempts"], 4)
        # The last tenth belongs to the ending of a command, not to a new one.
        self.assertLess(max(a["started_ns"] for a in seen["diagnostics"]["attempts"]), 270e6)

    def test_waits_before_the_first_attempt_when_asked_to_spread(self):
        seen = summary(run("--json", "--spread", "200ms", "--", "true")[2])
        self.assertGreater(seen["waited_ms"], 0)
        self.assertLess(seen["waited_ms"], 250)


class Once(Case):
    def test_a_command_that_ran_and_failed_is_not_repeated_under_once(self):
        for command in ("exit 1", "kill -9 $$"):
            _, _, err = run("--once", "--json", "--", "sh", "-c", command)
            seen = summary(err)
            self.assertEqual((seen["attempts"], seen["stop"], seen["effect"]), (1, "unsafe", "unknown"))
            self.assertIn("--once", err)

    def test_a_timeout_is_not_repeated_under_once(self):
        for flags in ([], ["--unchanged-on", "124"]):
            status, _, err = run("--once", *flags, "--json", "--timeout", "50ms", "--", "sleep", "5")
            seen = summary(err)
            self.assertEqual((status, seen["attempts"], seen["stop"]), (124, 1, "unsafe"))

    def test_a_command_whose_word_is_that_nothing_changed_is_repeated_under_once(self):
        command = self.counting("test $n = 3 || exit 75")
        status, _, err = run("--once", "--unchanged-on", "75", "--json", "--", *command)
        self.assertEqual((status, summary(err)["attempts"]), (0, 3))

    def test_an_unknown_outcome_ends_it_even_after_harmless_failures(self):
        command = self.counting("test $n = 1 && exit 75; exit 1")
        status, _, err = run("--once", "--unchanged-on", "75", "--json", "--", *command)
        self.assertEqual((status, summary(err)["attempts"], summary(err)["stop"]), (1, 2, "unsafe"))

    def test_a_command_that_never_began_has_no_effect(self):
        self.assertEqual(summary(run("--once", "--json", "--", "no-such-command")[2])["effect"], "none")


class Time(Case):
    def elapsed(self, *arguments):
        began = time.monotonic()
        result = run(*arguments)
        return (*result, time.monotonic() - began)

    def test_an_attempt_that_overruns_is_124_and_repeated(self):
        limits = ["--timeout", "100ms", "--attempts", "2"]
        status, _, err, took = self.elapsed("--json", *limits, "--", "sleep", "9")
        self.assertEqual((status, summary(err)["attempts"]), (124, 2))
        self.assertLess(took, 0.7)

    def test_a_success_after_a_timeout_is_a_success(self):
        self.assertEqual(run("--timeout", "1s", "--", *self.counting("test $n = 2 || sleep 9"))[0], 0)

    def test_everything_is_over_by_the_deadline(self):
        stubborn = "trap '' TERM; sleep 9 & wait; sleep 9"
        for command in (["sleep", "9"], ["sh", "-c", stubborn], ["false"]):
            with self.subTest(command=command):
                status, _, _, took = self.elapsed("--deadline", "400ms", "--attempts", "0", "--", *command)
                self.assertEqual(status, 124)
                self.assertLess(took, 0.9)

    def test_a_timeout_may_be_excluded_by_its_number(self):
        seen = summary(run("--json", "--timeout", "50ms", "--stop-on", "124", "--", "sleep", "9")[2])
        self.assertEqual((seen["exit_status"], seen["attempts"]), (124, 1))

    def test_a_command_may_use_the_grace_to_end_in_peace(self):
        polite = "trap 'echo bye; exit 0' TERM; sleep 9 & wait"
        status, out, _ = run("--attempts", "1", "--timeout", "100ms", "--", "sh", "-c", polite)
        self.assertEqual((status, out), (124, "bye\n"))

    def test_every_unit_is_understood(self):
        for text in ("1ns", "1us", "1ms", "0.01s", ".5ms", "0.001m", "1h30m", "1d", "0"):
            with self.subTest(text=text):
                self.assertEqual(call("run", "--base", text, "--", "true")[0], 0)


class Telling(Case):
    def test_one_line_for_each_failed_attempt(self):
        lines = run("--attempts", "3", "--", "sh", "-c", "exit 7")[2].splitlines()
        self.assertEqual(len(lines), 3)
        for number, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^perdure: attempt {number} of 3 failed after .*: exit status 7; ")
        self.assertRegex(lines[0], "; next one in ")
        self.assertRegex(lines[2], "; gave up after .*: no attempts left$")

    def test_success_at_once_is_silent(self):
        self.assertEqual(run("--", "true"), (0, "", ""))

    def test_quiet_says_nothing_but_the_json_asked_for(self):
        self.assertEqual(run("--quiet", "--", "false"), (1, "", ""))
        err = run("--quiet", "--json", "--", "false")[2]
        self.assertEqual(len(err.splitlines()), 1)

    def test_the_summary_holds_what_happened(self):
        seen = summary(run("--json", "--attempts", "2", "--", "sh", "-c", "exit 7")[2])
        self.assertEqual(seen["command"], "sh")
        self.assertEqual([a["status"] for a in seen["diagnostics"]["attempts"]], [7, 7])
        self.assertLessEqual(seen["waited_ms"], seen["elapsed_ms"])
        seen = summary(run("--json", "--", "true")[2])
        self.assertEqual((seen["exit_status"], seen["stop"], seen["attempts"]), (0, "none", 1))

    def test_the_summary_parses_whatever_the_command_is_called(self):
        for name in ('qu"ote\\', "new\nline", b"\xff\xfe\xc3".decode(errors="surrogateescape"), "grüße"):
            err = run("--json", "--", os.path.join(self.folder, name))[2]
            self.assertEqual(summary(err)["exit_status"], 127)

    def test_a_full_disk_under_standard_error_breaks_nothing(self):
        with open("/dev/full", "wb") as full:
            status, out, _ = run("--json", "--", *self.counting("echo $n; test $n = 2"), stderr=full)
        self.assertEqual((status, out), (0, "1\n2\n"))

    def test_nobody_reading_standard_error_breaks_nothing(self):
        reading, writing = os.pipe()
        os.close(reading)
        status, out, _ = run("--json", "--", *self.counting("echo $n; test $n = 2"), stderr=writing)
        os.close(writing)
        self.assertEqual((status, out), (0, "1\n2\n"))

    def test_closed_streams_break_nothing(self):
        script = '"$0" run --base 1ms --json -- false <&- >&- 2>&-'
        self.assertEqual(subprocess.run(["sh", "-c", script, TOOL], check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
