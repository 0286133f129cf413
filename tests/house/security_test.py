# SPDX-License-Identifier: Apache-2.0
"""Does every promise of SECURITY.md name a test that exists?

A test is `Suite.name` or a link to a file; links are links_test's.
"""

import re

import house

PAGE = "SECURITY.md"
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
NAMED = re.compile(r"`([A-Z]\w+\.[a-z]\w+)`")
PROMISES = ("## What is promised", "## Limits")


def rows(text):
    """(number, line) of the rows of promises, without heads of tables."""
    promised, before = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            promised = line in PROMISES
        head = before == "" or set(line) <= set("|- ")
        if promised and line.startswith("|") and not head:
            yield number, line
        before = line.strip()


def problems(tree):
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), tree[PAGE], flags=re.DOTALL)
    known = {f"{suite}.{name}" for path in tree.under("tests", endings=(".cpp",)) for suite, name in TEST.findall(tree[path])}
    found = []
    for number, line in rows(text):
        named = NAMED.findall(line)
        if not named and "](" not in line:
            found.append(f"{PAGE}:{number}: names no test")
        found += [f"{PAGE}:{number}: there is no test {name}" for name in named if name not in known]
    return found


def self_test():
    def broken(*lines):
        text = "\n".join(["## What is promised", "", "| promise | test |", "|---|---|", *lines])
        return problems(house.Tree({PAGE: text, "tests/a_test.cpp": "TEST(Some, thing) {\nTEST_F(\nTEST_F(Other,\n       thing) {"}))

    house.expect(broken("| good | `Some.thing`, `Other.thing` |", "| a file | [a](tests/a_test.cpp) |"))
    house.expect(broken("| bad | `Some.other` |"), "no test Some.other")
    house.expect(broken("| bad | |"), "names no test")
    house.expect(broken("<!--", "| not yet | |", "-->"))
    house.expect(broken("", "| another | table |", "|---|---|", "| bad | |"), "names no test")


house.run(problems, self_test)
