# SPDX-License-Identifier: Apache-2.0
"""Do the examples and pages write JSON by a function that escapes, and never by joining texts?

Examples are copied. A customer's name that is put between two pieces of JSON with `+` or `<<` can end its
own quotes and add properties.
"""

import re

import house

LITERAL = re.compile(r'R"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<plain>(?:[^"\\\n]|\\.)*)"', re.DOTALL)
JSON = re.compile(r'[{,]\s*"|"\s*:')
JOINED_AFTER = re.compile(r"\s*(\+|<<)")
JOINED_BEFORE = re.compile(r"(\+|<<)\s*$")


def is_json(match):
    text = match["raw"] if match["raw"] is not None else match["plain"].replace('\\"', '"')
    return bool(JSON.search(text))


def joined(code):
    """The positions of pieces of JSON that something is joined to."""
    for match in LITERAL.finditer(code):
        if is_json(match) and (JOINED_AFTER.match(code, match.end()) or JOINED_BEFORE.search(code[: match.start()])):
            yield match.start()


def problems(tree):
    found = []

    def look(path, code, offset):
        for position in joined(code):
            line = house.line_of(tree[path], offset + position)
            found.append(f"{path}:{line}: JSON is put together by hand; cosmos::object escapes")

    for path in tree.under("examples"):
        look(path, tree[path], 0)
    for path in [page for page in ("README.md",) if page in tree] + tree.under("docs", endings=(".md",)):
        for position, language, body in house.code_blocks(tree[path]):
            if language in ("cpp", "c++"):
                look(path, body, tree[path].index(body, position))
    return found


def self_test():
    def found(code, path="examples/a.cpp"):
        text = code if path.endswith(".cpp") else f"# A\n\n```cpp\n{code}\n```\n"
        return problems(house.Tree({path: text}))

    house.expect(found('auto json = R"({"id": ")" + id + R"("})";'), "examples/a.cpp:1")
    house.expect(found('auto json = "{\\"id\\": " + id;'), "by hand")
    house.expect(found('\nout << R"({"id": )" << id;', "docs/guide/a.md"), "docs/guide/a.md:5")
    house.expect(found('auto json = object({{"id", id}}).json();'))
    house.expect(found('post("/x").body(R"({"book": 7})"); auto sum = "a" + b;'))
    house.expect(found('auto body = R"({"a":1,)" R"("b":2})";'))


house.run(problems, self_test)
