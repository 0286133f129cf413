# SPDX-License-Identifier: Apache-2.0
"""Does `perdure doctor` name the cause? Staged fleets, seeds drawn now, a confusion matrix.

    python3 -B tests/tools/doctor_matrix_test.py

    PERDURE_MATRIX_RUNS   fleets per cause, twice as many healthy ones; 4 unless told, 20 for the claim
    PERDURE_MATRIX_SEED   where the seeds come from; drawn, and printed, unless told
    PERDURE_MATRIX_MOST   the most calls of one fleet

The claim (at least 90 % of the staged causes named right, at most 1 false alarm in 40) is checked as
it stands with 20 runs or more. Fewer runs allow for chance: a doctor that just keeps the claim fails
them less than once in a thousand times.
"""

import collections
import concurrent.futures
import glob
import json
import math
import os
import random
import subprocess
import tempfile
import unittest

from tool import TOOL

STAGE = os.environ.get("PERDURE_DOCTOR_STAGE", "perdure_doctor_stage")
RUNS = int(os.environ.get("PERDURE_MATRIX_RUNS", "4"))
SEED = int(os.environ.get("PERDURE_MATRIX_SEED", random.SystemRandom().randrange(2**32)))
MOST = int(os.environ.get("PERDURE_MATRIX_MOST", "100000" if RUNS >= 20 else "20000"))
PATIENCE = 120  # seconds for one fleet

STAGED = ("sick-instance", "regional-outage", "hot-key", "client-cpu", "slow-dns", "short-timeout",
          "retry-storm")

Run = collections.namedtuple("Run", "story seed named told")


def play(story, seed, folder, most=MOST):
    """Leaves the journals of a fleet in the folder and returns what the stage says about it."""
    order = [STAGE, story, "--seed", str(seed), "--most", str(most), "--out", folder]
    return subprocess.run(order, check=True, capture_output=True, timeout=PATIENCE).stdout.decode()


def diagnose(folder):
    journals = sorted(glob.glob(os.path.join(folder, "*.jsonl")))
    answer = subprocess.run([TOOL, "doctor", "--json", *journals], capture_output=True, check=False,
                            timeout=PATIENCE)
    try:
        return json.loads(answer.stdout)["verdict"]
    except (ValueError, KeyError, TypeError):
        return f"no answer ({answer.returncode}: {answer.stderr.decode(errors='replace')[:200]})"


def run(case):
    story, seed = case
    with tempfile.TemporaryDirectory() as folder:
        told = play(story, seed, folder)
        return Run(story, seed, diagnose(folder), told.strip())


def again(story, seed):
    return (f"perdure_doctor_stage {story} --seed {seed} --most {MOST} --out /tmp/fleet && "
            "perdure doctor /tmp/fleet/*.jsonl")


def most_unlucky(runs, rate):
    """How often something of this rate may happen in so many runs, but for one time in a thousand."""
    left, hits = 1.0, -1
    while left > 0.001:
        hits += 1
        left -= math.comb(runs, hits) * rate**hits * (1 - rate) ** (runs - hits)
    return hits


def matrix(runs):
    counts = collections.Counter((run.story, run.named) for run in runs)
    others = sorted({run.named for run in runs} - {*STAGED, "healthy"})
    columns = [*STAGED, "healthy", *others]
    lines = [" " * 18 + "named:"]
    for i, column in enumerate(columns):
        lines.append(" " * 18 + "     " * i + f"    ┌ {column[:40]}")
    for story in (*STAGED, "healthy"):
        total = sum(run.story == story for run in runs)
        cells = "".join(f"{counts[story, column] or '·':>5}" for column in columns)
        lines.append(f"{story:>16}: {cells}   {100 * counts[story, story] / max(1, total):5.0f} %")
    return "\n".join(lines)


class Stage(unittest.TestCase):
    """The stage itself, without the doctor."""

    def journals(self, story, seed):
        with tempfile.TemporaryDirectory() as folder:
            play(story, seed, folder, most=3000)
            texts = {}
            for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
                with open(path, encoding="utf-8") as file:
                    texts[os.path.basename(path)] = file.read()
            return texts

    def test_the_same_seed_leaves_the_same_journals(self):
        for story in (*STAGED, "healthy"):
            with self.subTest(story=story, seed=SEED):
                self.assertEqual(self.journals(story, SEED), self.journals(story, SEED))

    def test_journals_are_whole_and_agree_with_themselves(self):
        for story in (*STAGED, "healthy"):
            with self.subTest(story=story, seed=SEED):
                lines = [json.loads(line) for text in self.journals(story, SEED).values()
                         for line in text.splitlines()]
                calls = [line for line in lines if line["kind"] == "call"]
                self.assertGreaterEqual(sum(call.get("weight", 1) for call in calls), 400)
                for call in calls:
                    ends = [each["started_ns"] + each["took_ns"] for each in call["attempts"]]
                    self.assertLessEqual(max(ends), call["elapsed_ns"])
                    self.assertEqual("stop" in call, not call["succeeded"])
                    for each in call["attempts"]:
                        phases = sum(value for name, value in each["phases"].items()
                                     if name.endswith("_ns"))
                        self.assertLessEqual(phases, each["took_ns"])

    def test_healthy_fleets_are_healthy(self):
        dice = random.Random(SEED)
        for _ in range(5):
            seed = dice.randrange(2**32)
            with self.subTest(seed=seed):
                calls = [json.loads(line) for text in self.journals("healthy", seed).values()
                         for line in text.splitlines() if '"kind":"call"' in line]
                failed = sum(not call["succeeded"] for call in calls)
                total = sum(call.get("weight", 1) for call in calls)
                self.assertLess(failed / total, 0.015)


class Matrix(unittest.TestCase):
    def test_the_doctor_names_the_cause(self):
        dice = random.Random(SEED)
        cases = [(story, dice.randrange(2**32)) for story in STAGED for _ in range(RUNS)]
        cases += [("healthy", dice.randrange(2**32)) for _ in range(2 * RUNS)]
        print(f"{len(cases)} fleets; to see the same ones: PERDURE_MATRIX_SEED={SEED} "
              f"PERDURE_MATRIX_RUNS={RUNS} PERDURE_MATRIX_MOST={MOST}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = list(pool.map(run, cases))
        print(matrix(runs))
        wrong = [each for each in runs if each.named != each.story]
        for each in wrong:
            print(f"{each.story} was named {each.named}\n    {each.told}\n"
                  f"    {again(each.story, each.seed)}")
        alarms = sum(each.story == "healthy" for each in wrong)
        missed = len(wrong) - alarms
        staged = len(STAGED) * RUNS
        print(f"named right: {staged - missed} of {staged}; false alarms: {alarms} of {2 * RUNS}")
        may_miss, may_alarm = staged // 10, 2 * RUNS // 40
        if RUNS < 20:
            may_miss, may_alarm = most_unlucky(staged, 0.1), most_unlucky(2 * RUNS, 1 / 40)
        self.assertLessEqual(missed, may_miss, "the doctor misses too much")
        self.assertLessEqual(alarms, may_alarm, "the doctor cries wolf")


if __name__ == "__main__":
    unittest.main(verbosity=2)
