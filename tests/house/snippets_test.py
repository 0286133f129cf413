# SPDX-License-Identifier: Apache-2.0
"""Is the C++ in our pages the C++ that is compiled?

A block of C++ in README.md or docs/ is preceded by `<!-- from examples/NAME.cpp:MARK -->` and equals
what stands between `// [MARK]` and `// [/MARK]` there. A block that cannot compile, such as a
mistake on show, says so: `<!-- not compiled: REASON -->`.
"""

import re
import textwrap

import house

SOURCE = re.compile(r"<!-- from (?P<path>examples/[\w./-]+):(?P<mark>[\w-]+) -->\s*$")
EXCUSE = re.compile(r"<!-- not compiled: \S.* -->\s*$")
MARK = re.compile(r"^\s*// \[/?[\w-]+\]\s*$")


def snippet(code, mark):
    """The marked lines, dedented and without the marks of others; None if there are none."""
    match = re.search(rf"^\s*// \[{mark}\]\s*?\n(.*?)^\s*// \[/{mark}\]\s*?$", code, re.DOTALL | re.MULTILINE)
    if not match:
        return None
    lines = [line for line in match[1].splitlines() if not MARK.match(line)]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def problem_with(tree, before, body):
    source = SOURCE.search(before)
    if not source:
        return None if EXCUSE.search(before) else "says neither where it comes from nor why it is not compiled"
    if source["path"] not in tree:
        return f"there is no {source['path']}"
    text = snippet(tree[source["path"]], source["mark"])
    if text is None:
        return f"{source['path']} has no [{source['mark']}]"
    if text != textwrap.dedent(body).strip("\n"):
        return f"differs from [{source['mark']}] in {source['path']}"
    return None


def problems(tree):
    found = []
    pages = [page for page in ("README.md",) if page in tree] + tree.under("docs", endings=(".md",))
    for page in pages:
        for position, language, body in house.code_blocks(tree[page]):
            if language not in ("cpp", "c++"):
                continue
            why = problem_with(tree, tree[page][:position], body)
            if why:
                found.append(f"{page}:{house.line_of(tree[page], position)}: the block {why}")
    return found


def self_test():
    example = "int main() {\n    // [one]\n    run(1);\n    // [two]\n    run(2);\n    // [/two]\n    // [/one]\n}\n"

    def broken(before, body, page="docs/guide/a.md"):
        text = f"# A\n\n{before}\n```cpp\n{body}\n```\n"
        return problems(house.Tree({page: text, "examples/a.cpp": example}))

    house.expect(broken("<!-- from examples/a.cpp:one -->", "run(1);\nrun(2);"))
    house.expect(broken("<!-- from examples/a.cpp:two -->", "run(2);", "README.md"))
    house.expect(broken("<!-- from examples/a.cpp:one -->", "run(1);\nrun(3);"), "differs")
    house.expect(broken("<!-- from examples/a.cpp:three -->", "run(1);"), "has no [three]")
    house.expect(broken("<!-- from examples/b.cpp:one -->", "run(1);"), "there is no examples/b.cpp")
    house.expect(broken("", "run(1);"), "neither")
    house.expect(broken("<!-- not compiled: shows the mistake -->", "run(1);"))
    house.expect(problems(house.Tree({"README.md": "```sh\nmake\n```\n"})))


house.run(problems, self_test)
