# SPDX-License-Identifier: Apache-2.0
"""Does every file open and read as the house wants?

The licence line first; a public header then says which question it answers. No marks of work put
off, no code parked in comments.
"""

import re

import house

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SCRIPT_FOLDERS = ("scripts", ".ci")
MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")

# What a comment line looks like when it was code. Examples are set in by more than one space.
CODE = re.compile(
    r"^ ?(?:"
    r"(?:if|for|while|switch) \(.*[;{]"
    r"|(?:return|throw|delete|co_await|co_return) (?:\w+|.*[(){}\[\]:+*=.].*);|(?:return|break|continue);"
    r"|using (?:namespace|\w+ =) .*;|template <.*|auto[&*]* \w+ = .*;|const [\w:<>]+[&*]* \w+ = .*;"
    r"|#\s*(?:include|define|if|endif)\b.*"
    r"|[\w:.>-]+\([^ ].*\);|[\w:.>-]+\(\);"
    r"|[\w:<>*&]+ \w+(?: = [^,]+|\{.*\}|\(.*\));"
    r"|\w+(?:\.|->)\w+ = .*;"
    r"|[{}]+;?"
    r")\s*$")


def needs_licence(path):
    return (path.endswith((".cpp", ".hpp", ".py", ".cmake", ".cmake.in", ".sh", ".rs", "CMakeLists.txt"))
            or path == "Makefile"
            or path.startswith(tuple(folder + "/" for folder in SCRIPT_FOLDERS)))


def opening_comment(text):
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line)
    return "\n".join(lines)


def problems(tree):
    found = []
    for path in filter(needs_licence, tree.paths):
        lines = tree[path].splitlines() or [""]
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if first not in (f"// {LICENCE}", f"# {LICENCE}"):
            found.append(f"{path}:1: the first line is not `{LICENCE}` in a comment")
    for path in tree.under("include"):
        if "?" not in opening_comment(tree[path]):
            found.append(f"{path}:2: the opening comment asks no question")
    for path in tree.under("", endings=house.CPP):
        if path.endswith(".hpp") and "#pragma once" not in tree[path]:
            found.append(f"{path}: has no #pragma once")
        for line, comment in house.comments(tree[path]):
            if CODE.match(comment):
                found.append(f"{path}:{line}: code in a comment; set an example in, delete the rest")
    texts = (".cpp", ".hpp", ".md", ".py", ".cmake", ".txt", ".json", "Makefile", ".rs", ".toml")
    for path in tree.under("", endings=texts) + tree.under(*SCRIPT_FOLDERS, endings=("",)):
        for match in MARKS.finditer(tree[path]):
            line = house.line_of(tree[path], match.start())
            found.append(f"{path}:{line}: {match.group()}: do it, or open an issue")
    return found


def self_test():
    good = f"// {LICENCE}\n//\n// Which one? This one.\n#pragma once\n"

    def broken(text, path="include/perdure/a.hpp"):
        return problems(house.Tree({path: text}))

    house.expect(broken(good))
    house.expect(broken("#pragma once\n"), "first line", "no question")
    house.expect(broken(good.replace("Which one? ", "")), "no question")
    house.expect(broken(good.replace("#pragma once", "")), "#pragma once")
    house.expect(broken(f"#!/usr/bin/env bash\n# {LICENCE}\n", "scripts/a"))
    house.expect(broken("#!/usr/bin/env bash\n", "scripts/a"), "first line")
    house.expect(broken("cmake_minimum_required()\n", "bench/CMakeLists.txt"), "first line")
    house.expect(broken("Later: TO" "DO\n", "docs/a.md"), "do it")
    house.expect(broken(f"# {LICENCE}\n# FIX" "ME\n", "scripts/a"), "do it")
    for parked in ("return x;", "if (a) {", "run(1, 2);", "int n = 5;", "}", "state.n = 4;", "#include <map>"):
        house.expect(broken(good + f"// {parked}\n"), "code in a comment")
    for prose in ("if it is late, stop;", "one of these (see above);", "return early: it is rare",
                  "    return x;", "a; b; c;", "for the rest, see below;", "const is enough here",
                  "using it twice is an error;", "throw away what is old;"):
        house.expect(broken(good + f"// {prose}\n"))


house.run(problems, self_test)
