# SPDX-License-Identifier: Apache-2.0
"""Does `perdure sim` run a fleet, say what happened, and explain what it was not given right?"""

import json
import os
import pty
import select
import subprocess
import unittest

from tool import PATIENCE, TOOL, Case, call

SHIPPED = {"deep-stack", "failover", "hedging", "hysteresis", "occ-contention", "partial-outage",
           "periodic-jobs", "queue-discipline", "random-failures", "recovery-herd", "restart", "retry-storm",
           "timeout-cliff"}

SMALL = """
title = "Small"
question = "Does it come back?"
duration = "40s"
show = ["recovered", "recovery", "amplification", "lost"]
[clients]
count = 5
rate = 80
[service]
work = { exponential = "10ms" }
[[change]]
from = "5s"
to = "7s"
speed = 0.2
[call]
timeout = "200ms"
attempts = 3
backoff = "none"
[policy.naive]
[policy.once]
attempts = 1
"""


def sim(*arguments, **options):
    return call("sim", *arguments, **options)


class Sim(Case):
    def small(self):
        return self.file("small.toml", SMALL)

    def small_json(self, *arguments):
        status, out, err = sim(self.small(), "--json", *arguments)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)

    def test_without_arguments_it_lists_scenarios_and_policies(self):
        status, out, _ = sim()
        self.assertEqual(status, 0)
        for name in SHIPPED | {"aws-2026", "perdure", "grpc"}:
            self.assertIn(f"  {name} ", out)
        listed = json.loads(sim("--json")[1])
        self.assertEqual({one["name"] for one in listed["scenarios"]}, SHIPPED)

    def test_the_table_says_in_words_what_happened(self):
        status, out, err = sim(self.small(), "--seeds", "3")
        self.assertEqual((status, err), (0, ""))
        out = " ".join(out.split())
        self.assertRegex(out, r"naive: never recovered in 3 seeds; 2\.\d+ attempts per call; "
                              r"[\d,]+ calls lost; safe up to 33\.3 % utilisation")
        self.assertRegex(out, r"once: recovered in 3 of 3 seeds, [\d.]+ ± [\d.]+ s after the trigger; 1\.00 attempts")
        self.assertIn("Trigger: capacity × 0.2 from 5 s to 7 s", out)
        self.assertIn("What to change:", out)

    def test_json_has_every_number(self):
        seen = self.small_json("--seeds", "2")
        self.assertEqual([row["name"] for row in seen["rows"]], ["naive", "once"])
        first = seen["cases"][0]
        self.assertEqual(first["metrics"]["recovered"]["mean"], 0)
        self.assertEqual(len(first["metrics"]["amplification"]["values"]), 2)
        self.assertEqual({len(series) for series in first["seconds"].values()}, {40})
        self.assertEqual(seen["triggers"], [{"from": 5, "to": 7, "text": "capacity × 0.2"}])
        self.assertNotIn("recovery", first["metrics"])  # it never did

    def test_any_number_of_threads_gives_the_same_bytes(self):
        one = sim(self.small(), "--json", "--seeds", "5", "--threads", "1")[1]
        self.assertEqual(one, sim(self.small(), "--json", "--seeds", "5", "--threads", "3")[1])
        self.assertNotEqual(one, sim(self.small(), "--json", "--seeds", "4")[1])

    def test_policies_and_settings_come_from_the_command_line(self):
        seen = self.small_json("--policy", "none", "--policy", "perdure", "--seeds", "1")
        self.assertEqual([row["name"] for row in seen["rows"]], ["none", "perdure"])
        calm = self.small_json("--set", "change.speed=1", "--set", "clients.rate=20", "--seeds", "1")
        self.assertEqual(calm["cases"][0]["metrics"]["recovery"]["mean"], 0)

    def test_a_shipped_file_can_be_printed_changed_and_run(self):
        status, text, _ = sim("periodic-jobs", "--print")
        self.assertEqual(status, 0)
        mine = self.file("mine.toml", text.replace("count = 10000", "count = 600"))
        seen = json.loads(sim(mine, "--json", "--seeds", "1")[1])
        peaks = {one["row"]: one["metrics"]["peak"]["mean"] for one in seen["cases"]}
        self.assertEqual(peaks["all at the full minute"], 600)
        self.assertEqual(peaks["evenly by number"], 10)

    def test_a_sweep_is_a_table_of_its_values(self):
        status, out, _ = sim("occ-contention", "--seeds", "2")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"calls +10 +20 +50 +100 +150 +200")
        seen = json.loads(sim("occ-contention", "--seeds", "2", "--json", "--set", "contention.clients=2")[1])
        self.assertEqual([one["metrics"]["calls"]["mean"] for one in seen["cases"]], [3] * 5)

    def swept(self, show):
        text = SMALL.replace('show = ["recovered", "recovery", "amplification", "lost"]', f"show = {show}")
        return self.file("swept.toml", text + '[sweep]\nkey = "clients.rate"\nlabel = "load"\n'
                                              "values = [20, 80]\nlook_at = 20\n")

    def test_a_sweep_names_every_value_at_which_a_row_failed(self):
        out = " ".join(sim(self.swept('["recovered"]'), "--seeds", "2")[1].split())
        self.assertIn("naive: never recovered at load 80. once: came back at every value.", out)
        self.assertIn("5 clients, whose load differs by load, to a service that can do 100/s.", out)

    def test_rows_that_do_not_differ_are_not_ranked(self):
        out = " ".join(sim(self.swept('["success"]'), "--seeds", "1", "--set", "clients.rate=2",
                           "--set", "change.speed=1")[1].split())
        self.assertIn("no difference, all rows 100 %", out)
        self.assertIn("they do not differ", out)
        self.assertNotIn("Take", out)

    def test_the_bound_of_the_queue_is_that_of_the_scenario(self):
        out = " ".join(sim(self.small(), "--seeds", "1")[1].split())
        self.assertIn("Timeout × throughput is 200 ms × 100/s = 20 here", out)

    def test_every_service_and_trigger_is_listed(self):
        text = SMALL.replace("[service]\n", '[[service]]\nname = "web"\nworkers = "unlimited"\ncalls = ["db"]\n'
                                            '[[service]]\nname = "db"\n')
        text = text.replace("speed = 0.2", 'speed = 0.2\nservice = "db"\n[[change]]\nfrom = "9s"\nfailing = 0.5')
        out = " ".join(sim(self.file("two.toml", text), "--seeds", "1")[1].split())
        self.assertIn("to 2 services (capacity: web no limit, db 100/s).", out)
        self.assertIn("Triggers: db: capacity × 0.2 from 5 s to 7 s; web: 50 % of attempts fail from 9 s on.", out)

    def test_a_dash_reads_standard_input(self):
        done = subprocess.run([TOOL, "sim", "-", "--seeds", "1"], input=SMALL, capture_output=True, text=True,
                              timeout=2 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Does it come back?", done.stdout)

    def test_mistakes_are_named_with_line_column_and_a_way_out(self):
        wrong = self.file("wrong.toml", SMALL.replace("duration", "durtion").replace('"200ms"', "200"))
        status, out, err = sim(wrong)
        self.assertEqual((status, out), (125, ""))
        self.assertIn("wrong.toml:4:1: `durtion` is no key (did you mean `duration`?)", err)
        self.assertIn('wrong.toml:16:11: `call.timeout` has no unit; write "200ms" or "200s"', err)
        self.assertIn("2 problems", err)

    def test_wrong_words_on_the_command_line_are_explained(self):
        table = [
            (["retry-strom"], "did you mean `retry-storm`?"),
            ([self.small(), "--policy", "nobody"], 'there is no policy "nobody"'),
            ([self.small(), "--set", "clients.rate"], "is no KEY=VALUE"),
            ([self.small(), "--set", "clients.rat=5"], "did you mean `rate`?"),
            ([self.small(), "--seeds", "-1"], "--seeds"),
            ([self.small(), "--seeds", "0"], "--seeds: '0' is not a whole number from 1 to"),
            ([self.small(), "--threads", "0"], "--threads: '0' is not a whole number from 1 to"),
            ([self.small(), "--print", "--set", "clients.rate=5"], "leave out --set"),
            ([self.small(), "--set", "show=[]"], "--set show=[]: `show` is empty"),
            ([self.small(), "--policy", "once", "--policy", "once"], "is given twice"),
            ([self.file("empty.toml")], "is empty"),
            ([self.folder], "is a directory"),
            (["/dev/zero"], "'/dev/zero' cannot be read: it has more than 1 MiB"),
        ]
        for arguments, message in table:
            with self.subTest(arguments=arguments):
                status, out, err = sim(*arguments)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(message, err)

    def test_a_page_that_cannot_be_written_fails(self):
        status, out, err = sim(self.small(), "--seeds", "1", "--html", os.path.join(self.folder, "no", "x.html"))
        self.assertEqual((status, out), (1, ""))  # said before the run, not after it
        self.assertIn("cannot write", err)

    def test_progress_is_shown_on_a_terminal_only(self):
        self.assertEqual(sim(self.small(), "--seeds", "1")[2], "")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([TOOL, "sim", "retry-storm", "--seeds", "1", "--set", "duration=100s"],
                                   stdout=subprocess.PIPE, stderr=theirs)
        self.addCleanup(process.stdout.close)
        os.close(theirs)
        out, _ = process.communicate(timeout=2 * PATIENCE)
        shown = b""
        while select.select([ours], [], [], 0)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end is closed and everything read
                break
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"none", out)
        if shown:  # a fast machine is done before there is anything to tell
            self.assertRegex(shown.decode(), r"\d+ of 11 runs")
            self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-20:])


class Shipped(Case):
    """Few seeds and short times: the full statements are tests of the simulator."""

    def cases(self, *arguments):
        status, out, err = sim(*arguments, "--json", "--seeds", "1")
        self.assertEqual((status, err), (0, ""))
        seen = json.loads(out)
        return {one["row"]: {name: value["mean"] for name, value in one["metrics"].items()}
                for one in seen["cases"]}

    def test_the_storm_ends_only_where_the_extra_load_is_bounded(self):
        rows = self.cases("retry-storm", "--set", "duration=100s", "--policy", "immediate", "--policy", "jitter",
                          "--policy", "none", "--policy", "bucket", "--policy", "perdure")
        self.assertEqual({name: row["recovered"] for name, row in rows.items()},
                         {"immediate": 0, "jitter": 0, "none": 1, "bucket": 1, "perdure": 1})
        self.assertAlmostEqual(rows["bucket"]["recovery"], 31.5, delta=4)

    def test_a_queue_just_too_long_never_recovers(self):
        rows = self.cases("queue-discipline", "--set", "duration=80s")
        self.assertEqual(rows["at most 600 wait"]["recovered"], 0)
        self.assertEqual(rows["expired left out"]["recovered"], 0)
        for good in ("at most 400 wait", "newest first", "left out with < 30 ms left"):
            self.assertLessEqual(rows[good]["recovery"], 2, good)

    def test_layers_multiply(self):
        rows = self.cases("deep-stack")
        self.assertEqual(rows["every layer retries"]["bottom"], 243)
        self.assertEqual(rows["only the top retries"]["bottom"], 3)
        self.assertAlmostEqual(rows["every layer, budget per request"]["bottom"], 1.61, delta=0.03)
        self.assertLess(rows["every layer, budget per success"]["bottom"], 1.1)

    def test_the_herd_marches_in_step_without_jitter(self):
        rows = self.cases("recovery-herd")
        self.assertAlmostEqual(rows["exponential"]["all_served"], 292, delta=10)
        self.assertAlmostEqual(rows["full"]["all_served"], 32, delta=2)
        self.assertEqual(rows["exponential"]["peak_after"], 10000)
        self.assertLess(rows["full"]["peak_after"], 1000)

    def test_a_timeout_at_its_percentile_is_a_cliff(self):
        rows = self.cases("timeout-cliff", "--set", "change.slowdown.slower=1.2")
        self.assertAlmostEqual(rows["12 ms"]["timeouts"], 0.5, delta=0.015)
        self.assertAlmostEqual(rows["12 ms"]["amplification"], 1.75, delta=0.03)
        self.assertLess(rows["12 ms, service at 60 %"]["success"], 0.1)
        self.assertEqual(rows["20 ms"]["timeouts"], 0)

    def test_a_breaker_turns_a_partial_outage_into_a_total_one(self):
        rows = self.cases("partial-outage", "--set", "change.outage.shards_down=12")
        self.assertAlmostEqual(rows["none"]["success"], 0.88, delta=0.01)
        self.assertLess(rows["breaker-10"]["success"], 0.25)
        self.assertAlmostEqual(rows["breaker-50"]["success"], 0.88, delta=0.01)

    def test_hedging_without_calling_off_collapses(self):
        rows = self.cases("hedging", "--set", "clients.rate=2017", "--set", "duration=30s")
        self.assertGreater(rows["copy, loser goes on"]["p50"], 1)
        self.assertLess(rows["copy, queued loser called off"]["p999"], rows["no copies"]["p999"] / 2)

    def test_the_way_down_is_not_the_way_up(self):
        seen = json.loads(sim("hysteresis", "--json", "--policy", "three")[1])
        at = {round(bin["offered"]): bin for bin in seen["hysteresis"]["three"]}
        self.assertGreater(at[775]["up"], 700)
        self.assertLess(at[775]["down"], 100)
        self.assertGreater(at[225]["down"], 200)


if __name__ == "__main__":
    unittest.main()
