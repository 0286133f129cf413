# SPDX-License-Identifier: Apache-2.0
"""Does every name say something?

No type or file ends in a word that fits everything, and no public function takes a bool: at the
call site `true` says nothing, where a two-word enum or a named field would.
"""

import re

import house

EMPTY_WORDS = "Manager|Helper|Util|Utils|Impl|Base|Handler|Data|Info"
TYPE = re.compile(rf"\b(?:class|struct|union|enum|using|concept)\s+(?:\[\[[^\]]*\]\]\s*)?"
                  rf"(\w*(?:{EMPTY_WORDS}))\b(?!\s*::)")
FILE = re.compile(rf"(?:^|_)(?:{EMPTY_WORDS.lower()})$")

BOOL = re.compile(r"([(,])\s*(?:const\s+|volatile\s+)*bool\b(?!\s*\()")
NO_PARAMETERS = {"sizeof", "alignof", "noexcept", "if", "for", "while", "switch", "requires", "decltype"}


def opener(code, position):
    """The index of the bracket that is open at `position`, or -1."""
    depth = 0
    for i in range(position - 1, -1, -1):
        c = code[i]
        if c in ")]}" or (c == ">" and code[i - 1] not in "-="):
            depth += 1
        elif c in "([{" or (c == "<" and code[i + 1] not in "=<"):
            if depth == 0:
                return i
            depth -= 1
        elif c == ";" and depth == 0:
            return -1
    return -1


def bool_parameters(code):
    """(position, function) of every parameter of type bool."""
    for match in BOOL.finditer(code):
        at = match.start() if match[1] == "(" else opener(code, match.start())
        if at < 0 or code[at] != "(":
            continue
        before = re.search(r"([\w~]*)\s*$", code[:at])[1]
        if before not in NO_PARAMETERS:
            yield match.start(), before or "(unnamed)"


def problems(tree):
    found = []
    entries, used = house.allowed(tree, "bool"), set()
    for path in tree.under("include", "src", "tools", "examples", "bench", "tests"):
        code = house.code_only(tree[path])
        for match in TYPE.finditer(code):
            line = house.line_of(code, match.start(1))
            found.append(f"{path}:{line}: {match[1]} ends in a word that fits everything")
        stem = path.rsplit("/", 1)[1].rsplit(".", 1)[0]
        if FILE.search(re.sub("_test$", "", stem)):
            found.append(f"{path}: the file's name ends in a word that fits everything")
    for path in tree.under("include"):
        code = house.code_only(tree[path])
        for position, function in bool_parameters(code):
            if (path, function) in entries:
                used.add((path, function))
                continue
            line = house.line_of(code, position)
            found.append(f"{path}:{line}: {function} takes a bool; name it: an enum or an option")
    return found + house.unused(entries, used)


def self_test():
    def broken(code, path="include/perdure/a.hpp", allowed=""):
        return problems(house.Tree({path: code, "tests/house/allowed.txt": allowed}))

    house.expect(broken("class RetryManager {};"), "RetryManager")
    house.expect(broken("struct [[nodiscard]] CallInfo;"), "CallInfo")
    house.expect(broken("enum class HandlerBase { a };"), "HandlerBase")
    house.expect(broken("using RowData = int;", "src/sql/a.cpp"), "RowData")
    house.expect(broken("struct Database {}; struct Basement; class Information; // class XImpl"))
    house.expect(broken("", "src/call/call_util.cpp"), "file's name")
    house.expect(broken("", "src/call/database.cpp"))

    house.expect(broken("void hedge(bool on);"), "hedge takes a bool")
    house.expect(broken("void hedge(int n,\n    const bool on = true);"), "a.hpp:1: hedge")
    house.expect(broken("void f(std::map<int, bool> seen, bool last);"), "f takes a bool")
    house.expect(broken("void each(std::function<void(bool)> f);"), "takes a bool")
    house.expect(broken("template <class T, bool fast> struct Ring;"))
    house.expect(broken("bool admit(Now now) const; explicit operator bool() const;"))
    house.expect(broken("bool ok(std::function<bool(int)> f); using Pair = std::pair<int, bool>;"))
    house.expect(broken("static_assert(sizeof(bool) == 1); auto x = f(bool(y));"))
    house.expect(broken("inline void g() { if (bool ok = f()) return; }"))
    house.expect(broken("void hedge(bool on);", "src/call/a.hpp"))
    entry = "bool include/perdure/a.hpp hedge # mirrors the standard's own function\n"
    house.expect(broken("void hedge(bool on);", allowed=entry))
    house.expect(broken("void hedge();", allowed=entry), "remove the entry")


house.run(problems, self_test)
