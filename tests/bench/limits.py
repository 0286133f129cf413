# SPDX-License-Identifier: Apache-2.0
"""What may a call cost? limits.txt, and what is said about a call that costs more."""

import pathlib


def limits(begins=""):
    """(case, instructions, allocations) of every line whose case begins so"""
    for line in (pathlib.Path(__file__).resolve().parent / "limits.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            case, most, allocations = line.split()
            if case.startswith(begins):
                yield case, int(most), int(allocations)


def too_dear(what, found, most):
    """A line that says what is wrong, or None."""
    if found > most:
        return f"{what}: {found:g}, at most {most} allowed by tests/bench/limits.txt"
    if what.endswith("instructions") and found < 0.8 * most:
        return f"{what}: {found:g}, far below the {most} of tests/bench/limits.txt: lower it"
    return None


def self_test():
    assert too_dear("full instructions", 101, 100) and not too_dear("full instructions", 100, 100)
    assert too_dear("full instructions", 79, 100), "a limit nobody can reach guards nothing"
    assert too_dear("full allocations", 0.001, 0) and not too_dear("full allocations", 0, 0)
