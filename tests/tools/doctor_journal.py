# SPDX-License-Identifier: Apache-2.0
"""Small journals for tests of `perdure doctor`: calls written by hand, nothing drawn by chance."""

import json

BEGIN = 1_794_009_600  # a full minute
MS = 1_000_000


def attempt(number=1, took=5, cause=None, **more):
    """`took` in ms; further members by name, "_" for "."."""
    members = {"number": number, "started_ns": 0, "took_ns": took * MS,
               **{name.replace("server_", "server."): value for name, value in more.items()}}
    if cause is None:
        return {**members, "succeeded": True}
    return {**members, "cause": cause, "effect": "unknown", "code": cause.upper(), "status": 503}


def line(at=0.0, instance="host-1", attempts=None, **more):
    """A call that began `at` seconds after BEGIN."""
    attempts = attempts or [attempt()]
    succeeded = attempts[-1].get("succeeded", False)
    elapsed = sum(one["took_ns"] + one.get("waited_before_ns", 0) for one in attempts)
    members = {"kind": "call", "time_unix_nano": int((BEGIN + at) * 1e9), "service.name": "shop",
               "service.instance.id": instance, "peer.service": "orders-db", "operation": "get", "elapsed_ns": elapsed,
               "cpu_ns": 40_000, "succeeded": succeeded, "attempts_made": len(attempts), "attempts_left_out": 0,
               "times_asked": 0, "attempts": attempts}
    if not succeeded:
        members.update(stop="attempts", effect="unknown")
    return {**members, **more}


def text(lines):
    return "".join(json.dumps(one) + "\n" for one in lines)


def healthy(calls=600, hosts=3):
    return [line(at=i / 10, instance=f"host-{i % hosts + 1}") for i in range(calls)]


def sick(calls=1200, hosts=4):
    """Every third call of host-3 fails once and is repeated."""
    lines = []
    for i in range(calls):
        name = f"host-{i % hosts + 1}"
        bad = name == "host-3" and (i // hosts) % 3 == 0
        lines.append(line(at=i / 20, instance=name, attempts=[
            attempt(1, 5, "unavailable", request_id=f"r-{i}", server_address="db.example"),
            attempt(2, 5, waited_before_ns=20 * MS, server_address="db.example")] if bad else
            [attempt(1, 5, server_address="db.example")]))
    return lines
