# SPDX-License-Identifier: Apache-2.0
"""Rounds of the money test itself, for scripts/mariadb-kills: Perdure, with one thing changed by PERDURE_MONEY."""

import os
import re
import shutil
import subprocess
import tempfile

import hang
from server import DAMAGE

# By the name of the switch: the words for PERDURE_MONEY, which tests/live/sql/support/money_switches.hpp describes.
WORDS = {
    "money-test": "",
    "money-test-text": "text",
    "money-test-no-kills": "no-kills",
    "money-test-no-proxy": "no-proxy",
    "money-test-no-aio": "no-aio",
    "money-test-key": "key",
    "money-test-slow": "slow-write",
    "money-test-slow-key": "slow-write key",
}
TESTS, TRANSFERS = 2, 2_000  # with tokens, and with the caller's own query; transfers of each
FILTER = "MoneyMariadb.is_neither_lost_nor_doubled*"


def play_round(program, switch, kills, place, slow_write):
    """The numbers of one round for the results file. What explains a wrong result or a hang is kept in `place`."""
    place.mkdir(parents=True)
    scratch = tempfile.mkdtemp(prefix="perdure-kills-", dir=os.environ.get("PERDURE_SCRATCH"))
    os.chmod(scratch, 0o711)  # the server's user must pass through it
    environment = {**os.environ, "TMPDIR": scratch, "PERDURE_KILLS": str(kills // TESTS),
                   "PERDURE_TRANSFERS": str(TRANSFERS), "PERDURE_MONEY": WORDS[switch] + " general-log", "PERDURE_EVIDENCE": str(place),
                   "PERDURE_SLOW_WRITE": str(slow_write)}
    with open(place / "output.txt", "w") as output:
        test = subprocess.Popen([program, f"--gtest_filter={FILTER}"], env=environment, stdout=output,
                                stderr=subprocess.STDOUT)
        try:
            hung = not hang.ends(test, hang.SECONDS + 10 * kills, place / "hang.txt")
        except BaseException:  # a round that is stopped leaves nothing
            end(test)
            shutil.rmtree(place)
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    end(test)
    if test.returncode < 0:  # it was killed or gave up, and kept nothing itself
        shutil.copytree(scratch, place / "scratch", ignore=shutil.ignore_patterns("socket"))
    shutil.rmtree(scratch, ignore_errors=True)
    numbers = read_output((place / "output.txt").read_text(errors="replace"))
    reports = "".join(path.read_text(errors="replace") for path in place.glob("*/report.txt"))
    numbers["three"] = len(re.findall(r"^\d+: 1 rows, 3 postings", reports, re.MULTILINE))
    numbers |= {"failed": test.returncode != 0, "hung": hung}
    if test.returncode == 0:
        shutil.rmtree(place)
    else:
        numbers["kept"] = place
    return numbers


def end(test):
    test.kill()  # its servers end with it
    test.wait()


def read_output(text):
    """What the test printed: each of its runs ends with a line of counts, and one with the kills."""
    counts = re.findall(r": (\d+) done, .* lost (\d+), doubled (\d+), ghosts (\d+),", text)
    wrong = sum(int(number) for line in counts for number in line[1:])
    sums = set(re.findall(r"account \d+ is not the sum of its postings", text))
    return {"kills": sum(int(number) for number in re.findall(r"sessions ended, (\d+) kills", text)),
            "transfers": sum(int(line[0]) for line in counts), "recovered": 0, "wrong": wrong,
            "problems": wrong + len(sums), "damaged": bool(re.search(DAMAGE, text))}
