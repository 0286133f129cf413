# SPDX-License-Identifier: Apache-2.0
"""Is every file small enough to hold in one's head?

The limits are where we stop, not where we aim (CONTRIBUTING.md). What is above them today stands in
sizes_allowed.txt, and that list may only shrink.
"""

import house

ALLOWED = "tests/house/sizes_allowed.txt"


def limit(path):
    """(kind, lines), or None for a file without a limit."""
    if path.endswith("CMakeLists.txt"):
        return "build file", 60
    if path.startswith("tests/") and path.endswith((".cpp", ".hpp", ".py")):
        return "test", 500
    if path.endswith(".hpp"):
        return "header", 250
    if path.endswith((".cpp", ".py")) or path.startswith("scripts/"):
        return "source", 400
    return None


def entries(tree):
    listed = {}
    for line in tree[ALLOWED].splitlines() if ALLOWED in tree else []:
        if line.strip() and not line.startswith("#"):
            path, size = line.split()
            listed[path] = int(size)
    return listed


def problems(tree):
    found = []
    listed = entries(tree)
    for path in sorted(set(listed) - set(tree.paths)):
        found.append(f"{ALLOWED}: {path} is gone; remove the entry")
    for path in tree.paths:
        if limit(path) is None:
            continue
        kind, most = limit(path)
        lines = len(tree[path].splitlines())
        if path not in listed:
            if lines > most:
                found.append(f"{path}: {lines} lines; a {kind} has at most {most}")
        elif lines <= most:
            found.append(f"{ALLOWED}: {path} has {lines} lines now; remove the entry")
        elif lines < listed[path]:
            found.append(f"{ALLOWED}: {path} has {lines} lines now; lower the entry")
        elif lines > listed[path]:
            found.append(f"{path}: {lines} lines; it may shrink below {listed[path]}, not grow")
    return found


def self_test():
    def broken(path, lines, listed=""):
        return problems(house.Tree({path: "x\n" * lines, ALLOWED: listed}))

    house.expect(broken("include/perdure/a.hpp", 250))
    house.expect(broken("include/perdure/a.hpp", 251), "at most 250")
    house.expect(broken("src/a.cpp", 401), "at most 400")
    house.expect(broken("tests/time/a_test.cpp", 500))
    house.expect(broken("tests/time/a_test.cpp", 501), "at most 500")
    house.expect(broken("bench/CMakeLists.txt", 61), "at most 60")
    house.expect(broken("src/a.cpp", 450, "src/a.cpp 450\n"))
    house.expect(broken("src/a.cpp", 451, "src/a.cpp 450\n"), "not grow")
    house.expect(broken("src/a.cpp", 449, "src/a.cpp 450\n"), "lower the entry")
    house.expect(broken("src/a.cpp", 400, "src/a.cpp 450\n"), "remove the entry")
    house.expect(broken("src/a.cpp", 10, "src/b.cpp 450\n"), "src/b.cpp is gone")


house.run(problems, self_test)
