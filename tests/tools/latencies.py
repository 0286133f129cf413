# SPDX-License-Identifier: Apache-2.0
"""Latencies for tests of the tuner: worked out or drawn from a seed, never stored."""

import math
import random
from statistics import NormalDist


def log_normal(count, median, p999):
    """At even shares of the distribution, then shuffled: the same numbers on every run."""
    spread = math.log(p999 / median) / NormalDist().inv_cdf(0.999)
    values = [median * math.exp(spread * NormalDist().inv_cdf((i + 0.5) / count)) for i in range(count)]
    random.Random(1).shuffle(values)
    return values


def ladder(count):
    """1, 2, ... count: the k-th largest is count + 1 - k."""
    return range(1, count + 1)


def shuffled(values, seed=1):
    values = list(values)
    random.Random(seed).shuffle(values)
    return values


def lines(values, form="{}"):
    return "".join(form.format(value) + "\n" for value in values)
