# SPDX-License-Identifier: Apache-2.0
"""Is the timeout that `perdure tune` recommends the right one, and does it refuse what it cannot know?"""

import json
import os
import random
import shutil
import subprocess
import unittest

from latencies import ladder, lines, log_normal, shuffled
from tool import Case, call

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tune(text, *flags):
    """(exit status, the JSON answer) for samples in milliseconds."""
    status, out, err = call("tune", "-", "--unit", "ms", "--json", *flags, given=text.encode())
    return status, json.loads(out) if out else err


class Statistics(Case):
    def test_the_bound_is_the_order_statistic_of_the_exact_binomial(self):
        table = [("1%", 299, 1), ("1%", 1_000, 5), ("1%", 10_000, 84), ("0.1%", 2_995, 1),
                 ("0.1%", 3_000, 1), ("0.1%", 10_000, 5), ("0.1%", 30_000, 21), ("0.1%", 100_000, 84)]
        for share, count, rank in table:
            with self.subTest(share=share, count=count):
                status, seen = tune(lines(ladder(count)), "--false-timeouts", share)
                self.assertEqual((status, seen["whole"]["bound_ms"]), (0, count + 1 - rank))

    def test_too_few_samples_are_refused_with_the_number_needed(self):
        table = [("1%", "95%", 299), ("0.1%", "95%", 2_995), ("0.01%", "95%", 29_956),
                 ("1%", "99%", 459), ("0.1%", "99%", 4_603), ("0.01%", "99%", 46_050)]
        for share, confidence, needed in table:
            with self.subTest(share=share, confidence=confidence):
                flags = ["--false-timeouts", share, "--confidence", confidence]
                status, seen = tune(lines(ladder(needed - 1)), *flags)
                self.assertEqual((status, seen["verdict"], seen["timeout_ms"]), (2, "too_few", None))
                self.assertEqual(seen["whole"]["samples_needed"], needed)
                self.assertIsNone(seen["plan"])
                self.assertEqual(tune(lines(ladder(needed)), *flags)[0], 0)

    def test_people_read_how_many_samples_are_missing(self):
        status, out, _ = call("tune", "-", "--unit", "ms", given=lines(ladder(500)).encode())
        self.assertEqual(status, 2)
        self.assertIn("needs 2,995 samples, has 500", out)
        self.assertIn("Collect 2,495 more.", out)
        self.assertIn("--false-timeouts 1% can be answered", out)

    def test_samples_that_repeat_each_other_count_as_fewer(self):
        chance = random.Random(3)
        steps, level = [], 0.0
        for _ in range(20_000):
            level = 0.9 * level + chance.gauss(0, 0.1)
            steps.append(10 * 2 ** level)
        status, seen = tune(lines(steps), "--false-timeouts", "1%")
        self.assertEqual(status, 0)
        self.assertAlmostEqual(seen["whole"]["correlation"], 19, delta=6)
        self.assertAlmostEqual(seen["whole"]["effective_samples"], 20_000 / 19, delta=500)
        self.assertEqual(tune(lines(steps[:3_000]))[0], 2)
        self.assertEqual(tune(lines(shuffled(steps[:3_000])))[0], 0)


class Padding(Case):
    def test_tight_latencies_get_twice_their_median_and_a_cliff_report(self):
        status, seen = tune(lines(log_normal(100_000, 10, 12)), "--utilisation", "0.6")
        self.assertEqual((status, seen["timeout_ms"]), (0, 20))
        rows = {row["growth"]: row for row in seen["cliff"]}
        self.assertEqual(list(rows), [0, 0.1, 0.2, 0.5])
        for growth, share in ((0, 0.001), (0.1, 0.07), (0.2, 0.5), (0.5, 1)):
            self.assertAlmostEqual(rows[growth]["percentile"]["false_timeouts"], share, delta=0.02)
            self.assertEqual(rows[growth]["recommended"]["false_timeouts"], 0)
            self.assertEqual(rows[growth]["recommended"]["load"], 1)
        # A fifth slower, and 60 % busy becomes an outage.
        self.assertAlmostEqual(rows[0.2]["percentile"]["load"], 1.75, delta=0.05)
        self.assertAlmostEqual(rows[0.2]["percentile"]["utilisation"], 1.26, delta=0.03)
        self.assertAlmostEqual(rows[0.2]["recommended"]["utilisation"], 0.72)

    def test_a_long_tail_needs_no_padding(self):
        seen = tune(lines(log_normal(100_000, 10, 100)))[1]
        self.assertLess(seen["timeout_ms"], 130)
        self.assertGreaterEqual(seen["timeout_ms"], 100)
        shares = [row["percentile"]["false_timeouts"] for row in seen["cliff"]]
        for share, known in zip(shares, (0.001, 0.0015, 0.0022, 0.0055)):
            self.assertAlmostEqual(share, known, delta=0.0006)

    def test_room_for_a_slow_round_trip_and_the_network(self):
        samples = lines(ladder(10_000))
        self.assertEqual(tune(samples)[1]["timeout_ms"], 10_000)
        self.assertEqual(tune(samples, "--worst-rtt", "8s")[1]["timeout_ms"], 13_000)
        self.assertEqual(tune(samples, "--worst-rtt", "8s", "--network", "2s")[1]["timeout_ms"], 15_000)


class CutOff(Case):
    def test_it_never_shortens_a_timeout_because_of_its_own_timeouts(self):
        values = log_normal(20_000, 10, 200)
        free = tune(lines(values), "--false-timeouts", "1%")[1]["timeout_ms"]
        refused = 0
        for limit in (20, 40, 80, 120, 400):
            cut = lines(min(value, limit) for value in values)
            status, seen = tune(cut, "--false-timeouts", "1%", "--timeout", f"{limit}ms")
            if status == 2:
                self.assertEqual(seen["verdict"], "cut_off")
                self.assertIn("Do not shorten", seen["advice"][0])
                refused += 1
            else:
                self.assertEqual(seen["timeout_ms"], free)
        self.assertEqual(refused, 3)

    def test_requests_given_up_at_different_times_count_for_what_is_known(self):
        chance = random.Random(5)
        text = "status,latency_ms\n"
        for value in log_normal(20_000, 10, 200):
            limit = chance.uniform(5, 500) if chance.random() < 0.5 else 1e6
            text += f"gave_up,{limit}\n" if value > limit else f"ok,{value}\n"
        flags = ["--false-timeouts", "1%", "--timed-out-if", "status=gave_up"]
        status, seen = tune(text, *flags)
        self.assertEqual(status, 0)
        whole = tune(lines(log_normal(20_000, 10, 200)), "--false-timeouts", "1%")[1]["whole"]
        self.assertAlmostEqual(seen["whole"]["percentile_ms"], whole["percentile_ms"], delta=10)
        # As if they had been answered: far too short.
        self.assertLess(tune(text, "--false-timeouts", "1%")[1]["whole"]["percentile_ms"] * 0.9,
                        seen["whole"]["percentile_ms"])

    def test_a_wall_of_equal_latencies_is_noticed(self):
        text = lines(min(value, 40) for value in log_normal(20_000, 10, 200))
        warned = " ".join(tune(text)[1]["warnings"])
        self.assertIn("--timeout 40ms", warned)
        self.assertNotIn("--timeout 40ms", " ".join(tune(text, "--timeout", "40ms")[1]["warnings"]))


class Stretches(Case):
    def day(self):
        """One request every 4 s for a day, twice as slow from 14:00 to 15:00."""
        values = log_normal(21_600, 10, 40)
        return "at,latency_ms\n" + lines(
            f"{1_794_009_600 + 4 * i},{value * (2 if i // 900 == 14 else 1)}" for i, value in enumerate(values))

    def test_the_worst_hour_decides_and_not_the_pooled_day(self):
        status, seen = tune(self.day(), "--time", "at", "--block", "1h", "--false-timeouts", "1%")
        self.assertEqual((status, len(seen["blocks"]), seen["worst_block"]), (0, 24, 14))
        self.assertEqual(seen["blocks"][14]["from"], "2026-11-07T14:00:00.000Z")
        self.assertGreater(seen["blocks"][14]["bound_ms"], 1.5 * seen["whole"]["bound_ms"])
        self.assertGreaterEqual(seen["timeout_ms"], seen["blocks"][14]["bound_ms"])

    def test_blocks_are_chosen_so_that_each_carries_the_statement(self):
        for share, seconds in (("5%", 900), ("1%", 3600)):
            seen = tune(self.day(), "--time", "at", "--false-timeouts", share)[1]
            self.assertEqual((share, seen["block_seconds"]), (share, seconds))

    def test_without_times_stretches_of_the_file_serve(self):
        seen = tune("\n".join(self.day().replace(",", "\n").split()[3::2]), "--false-timeouts", "1%")[1]
        self.assertIsNone(seen["block_seconds"])
        self.assertGreater(len(seen["blocks"]), 10)
        self.assertIn(13, (seen["worst_block"], seen["worst_block"] - 1))

    def test_of_stretches_that_are_alike_none_decides(self):
        for seed in range(1, 13):
            chance = random.Random(seed)
            values = [chance.lognormvariate(2.3, 0.5) for _ in range(20_000)]
            at = [f"{1_794_009_600 + 4 * i},{value}" for i, value in enumerate(values)]
            table = [(lines(values), []), ("at,latency_ms\n" + lines(at), ["--time", "at"]),
                     ("at,latency_ms\n" + lines(at), ["--time", "at", "--block", "6h"])]
            for given, flags in table:
                with self.subTest(seed=seed, flags=flags):
                    status, seen = tune(given, *flags)
                    self.assertEqual((status, seen["worst_block"]), (0, None))
                    self.assertGreaterEqual(seen["timeout_ms"], seen["whole"]["bound_ms"])
                    self.assertLess(seen["timeout_ms"], 1.15 * seen["whole"]["bound_ms"])

    def test_one_bad_hour_decides_at_every_seed(self):
        for seed in range(1, 7):
            chance = random.Random(seed)
            values = [chance.lognormvariate(2.3, 0.5) * (2 if i // 3_600 == 5 else 1) for i in range(43_200)]
            at = [f"{1_794_009_600 + i},{value}" for i, value in enumerate(values)]
            for given, flags in ((lines(values), []), ("at,latency_ms\n" + lines(at), ["--time", "at"])):
                with self.subTest(seed=seed, flags=flags):
                    seen = tune(given, *flags)[1]
                    worst = seen["blocks"][seen["worst_block"]]
                    self.assertTrue(worst["worse_than_chance"])
                    self.assertGreater(seen["timeout_ms"], 1.15 * seen["whole"]["bound_ms"])
                    if flags:
                        self.assertEqual(worst["from"], "2026-11-07T05:00:00.000Z")

    def test_people_read_that_no_stretch_is_worse(self):
        out = " ".join(call("tune", "-", "--unit", "ms", given=lines(log_normal(20_000, 10, 40)).encode())[1].split())
        self.assertIn("from all samples together: of 6 equal stretches of the file, no stretch is worse than chance", out)

    def test_people_read_both(self):
        flags = ["--time", "at", "--block", "1h", "--false-timeouts", "1%"]
        out = " ".join(call("tune", "-", *flags, given=self.day().encode())[1].split())
        self.assertIn("the worst of 24 blocks of 1 h: 2026-11-07 14:00 UTC", out)
        self.assertIn("all together ask for", out)

    def test_sorted_samples_have_lost_their_time(self):
        seen = tune(lines(sorted(log_normal(10_000, 10, 40))))[1]
        self.assertEqual((seen["whole"]["correlation"], len(seen["blocks"])), (1, 1))
        self.assertIn("sorted by latency", " ".join(seen["warnings"]))


class Plan(Case):
    def test_attempts_waits_and_deadline_fit_together(self):
        plan = tune(lines(ladder(10_000)), "--base", "1s", "--attempts", "4")[1]["plan"]
        self.assertEqual(plan["longest_waits_ms"], 1_000 + 2_000 + 4_000)
        self.assertEqual(plan["longest_call_ms"], 4 * 10_000 + 7_000)
        self.assertGreaterEqual(plan["deadline_ms"], plan["longest_call_ms"])

    def test_a_deadline_says_how_many_attempts_fit(self):
        table = [("1m", 3, True), ("20150ms", 2, False), ("12s", 1, False), ("5s", 1, False)]
        for deadline, attempts, fits in table:
            seen = tune(lines(ladder(10_000)), "--deadline", deadline)[1]
            self.assertEqual((seen["plan"]["attempts"], seen["plan"]["fits"]), (attempts, fits), deadline)
            self.assertLessEqual(seen["plan"]["longest_call_ms"], seen["plan"]["deadline_ms"])
            self.assertEqual("deadline" in " ".join(seen["warnings"]), not fits)

    def test_the_printed_plan_is_c_plus_plus(self):
        compiler = shutil.which(os.environ.get("CXX", "c++"))
        if not compiler:
            self.skipTest("no compiler")
        seen = tune(lines(log_normal(10_000, 10, 40)), "--name", 'say "so"')[1]
        self.assertIn("us,", seen["plan"]["cpp"])
        code = '#include "perdure/call/plan.hpp"\nusing namespace perdure;\n' \
               f'const Plan plan = {seen["plan"]["cpp"]};\n'
        done = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
                               "-fsyntax-only", "-I", os.path.join(ROOT, "include"), "-x", "c++", "-"],
                              input=code, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class TippingPoint(Case):
    def at(self, timeout, rate, *flags):
        # All alike, so that the timeout is twice the latency.
        return tune(lines([timeout / 2] * 3_000), "--capacity", "1000", "--attempts", "4", "--rate",
                    str(rate), *flags)[1]

    def test_the_states_are_those_of_the_known_table(self):
        table = [(50, 300, (300, 997, 1200)), (50, 800, (800.04, 964.7, 3200)), (50, 900, (910, 933, 3600)),
                 (50, 950, (None, None, 3800)), (500, 990, (None, None, 3960)), (50, 200, (200, None, None))]
        for timeout, rate, states in table:
            seen = self.at(timeout, rate)["tipping"]
            for name, known in zip(("healthy", "tipping", "stuck"), states):
                if known is None:
                    self.assertIsNone(seen[name], (rate, name))
                else:
                    self.assertAlmostEqual(seen[name], known, delta=0.5, msg=(rate, name))
        self.assertIsNotNone(self.at(500, 980)["tipping"]["healthy"])
        self.assertAlmostEqual(self.at(50, 800)["tipping"]["distance"], (964.7 - 800.04) / 800.04, places=3)

    def test_people_read_it_in_words(self):
        flags = ["--unit", "ms", "--attempts", "4", "--rate", "800", "--utilisation", "80%"]
        out = " ".join(call("tune", "-", *flags, given=lines([25] * 3_000).encode())[1].split())
        self.assertIn("brings the attempts from 800/s to 964.7/s (+21 %) tips it over", out)
        self.assertIn("3200/s", out)
        self.assertIn("retries without a budget", out)
        self.assertIn("Lower the load or the attempts first", " ".join(self.at(50, 950)["advice"]))


class Talking(Case):
    def test_how_it_was_sampled_matters(self):
        samples = lines(ladder(3_000))
        self.assertIn("coordinated omission", " ".join(tune(samples, "--sampled", "closed")[1]["warnings"]))
        self.assertIn("--sampled", " ".join(tune(samples)[1]["warnings"]))
        self.assertNotIn("--sampled", " ".join(tune(samples, "--sampled", "open")[1]["warnings"]))
        self.assertIn("set-up", " ".join(tune(samples)[1]["warnings"]))
        self.assertNotIn("set-up", " ".join(tune(samples, "--network", "1ms")[1]["warnings"]))

    def test_it_ends_with_what_to_do_and_keeps_its_lines_short(self):
        flags = ["--unit", "ms", "--rate", "800", "--capacity", "1000"]
        for given in (lines(log_normal(20_000, 10, 40)), lines(ladder(10))):
            out = call("tune", "-", *flags, given=given.encode())[1]
            self.assertRegex(out.split("\n\n")[-1], r"^do +[A-Zp]")
            self.assertLessEqual(max(map(len, out.splitlines())), 100)
            self.assertNotIn("\x1b", out)

    def test_help_has_an_example_and_the_exit_status(self):
        status, out, err = call("tune", "--help")
        self.assertEqual((status, err), (0, ""))
        for word in ("Example", "perdure tune ", "--json", "Exit status", "FILE"):
            self.assertIn(word, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_wrong_usage_is_125_with_a_word_about_the_fix(self):
        table = [([], "FILE"), (["-", "--unit", "parsec"], "ns, us, ms, s"), (["-", "--sampled", "x"], "open or closed"),
                 (["-", "--false-timeouts", "0"], "above 0"), (["-", "--false-timeouts", "99%"], "below 0.5"),
                 (["-", "--confidence", "lots"], "not a number"), (["-", "--block", "1h"], "--time"),
                 (["-", "--column", "a", "--field", "b"], "give one"), (["-", "--attempts", "0"], "at least 1"),
                 (["-", "--rate", "1", "--capacity", "2", "--utilisation", "0.5"], "leave --utilisation out"),
                 (["-", "--timeout", "12"], "no unit")]
        for flags, word in table:
            with self.subTest(flags=flags):
                status, out, err = call("tune", *flags)
                self.assertEqual((status, out), (125, ""))
                self.assertIn(word, err)

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        path = self.file("samples", lines(ladder(3_000)))
        with open("/dev/full", "wb") as full:
            self.assertEqual(call("tune", path, "--unit", "ms", stdout=full)[0], 1)
        for place in ("/dev/full", os.path.join(self.folder, "no", "such.html")):
            status, _, err = call("tune", path, "--unit", "ms", "--html", place)
            self.assertEqual(status, 1)
            self.assertIn(place, err)

    def test_a_place_for_the_page_is_found_before_the_samples_are_read(self):
        place = os.path.join(self.folder, "no", "such.html")
        status, out, err = call("tune", "-", "--unit", "ms", "--html", place, given=b"")
        self.assertEqual((status, out), (1, ""))
        self.assertIn(place, err)
        # Nothing is left behind, and nothing lost, where the samples cannot be read.
        fresh, old = os.path.join(self.folder, "fresh.html"), self.file("old.html", "kept" * 100_000)
        for place in (fresh, old):
            self.assertEqual(call("tune", "-", "--html", place, given=b"")[0], 3)
        self.assertFalse(os.path.exists(fresh))
        self.assertEqual(os.path.getsize(old), 400_000)
        call("tune", "-", "--unit", "ms", "--html", old, given=lines(ladder(3_000)).encode())
        with open(old, encoding="utf-8") as page:
            self.assertNotIn("kept", page.read())


if __name__ == "__main__":
    unittest.main()
