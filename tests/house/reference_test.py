# SPDX-License-Identifier: Apache-2.0
"""Is every policy described?

Each header in include/perdure/policy has its page docs/reference/<name>.md, which names every
enumerator the header declares; docs/reference/presets.md names every preset.
"""

import re

import house

POLICY = "include/perdure/policy"
PRESETS = (f"{POLICY}/presets.hpp", "include/perdure/call/presets.hpp")
ENUM = re.compile(r"\benum\s+class\s+(\w+)[^;{]*\{([^}]*)\}")
FUNCTION = re.compile(r"^[ \t]*(?:\[\[[^\]]*\]\]\s*)?(?:(?:inline|constexpr|consteval|static)\s+)*"
                      r"(?!return\b|using\b|namespace\b|else\b)[\w:<>,&* \t]*[\w>&*]\s+(\w+)\s*\(",
                      re.MULTILINE)


def enumerators(code):
    for name, body in ENUM.findall(code):
        for item in body.split(","):
            word = re.match(r"\s*(\w+)", item)
            if word:
                yield name, word[1]


def functions(code):
    """Names of the functions declared at namespace level; bodies are blanked first."""
    depth, kept = 0, []
    for piece in re.split(r"([{}])", re.sub(r"\bnamespace[^;{]*\{", " ", code)):
        depth += (piece == "{") - (piece == "}")
        depth = max(depth, 0)
        kept.append(piece if depth == 0 else house.blank(piece))
    return sorted(set(FUNCTION.findall("".join(kept))))


def page_names(page, word):
    return re.search(rf"\b{re.escape(word)}\b", page)


def problems(tree):
    found = []
    for header in tree.under(POLICY, endings=(".hpp",)):
        name = header.rsplit("/", 1)[1][: -len(".hpp")]
        page = f"docs/reference/{name}.md"
        if page not in tree:
            found.append(f"{header}: has no page {page}")
            continue
        for enum, word in enumerators(house.code_only(tree[header])):
            if not page_names(tree[page], word):
                found.append(f"{page}: does not name {enum}::{word}")
    page = "docs/reference/presets.md"
    for header in filter(tree.__contains__, PRESETS):
        if page not in tree:
            if header.startswith("include/perdure/call"):
                found.append(f"{header}: has no page {page}")
            continue
        for preset in functions(house.code_only(tree[header])):
            if not page_names(tree[page], preset):
                found.append(f"{page}: does not name the preset {preset}")
    return found


def self_test():
    def broken(header, page=None, name="budget"):
        files = {f"{POLICY}/{name}.hpp": header}
        if page is not None:
            files[f"docs/reference/{name}.md"] = page
        return problems(house.Tree(files))

    house.expect(problems(house.Tree({})))
    house.expect(broken(""), "no page docs/reference/budget.md")
    house.expect(broken("enum class Kind : int {\n  own,  // ours\n  aws = 3,\n};", "`own`"), "Kind::aws")
    house.expect(broken("enum class Kind { own };", "own"))
    presets = ("namespace perdure {\ninline namespace v0 {\nPlan aws_standard();\n"
               "inline constexpr Rule legacy(int n) {\n    return make(n);\n}\n"
               "[[nodiscard]] std::vector<Rule> all(\n    Cost cost);\n}\n}\n")
    house.expect(broken(presets, "aws_standard legacy all", "presets"))
    house.expect(broken(presets, "none of them", "presets"), "preset all", "preset aws_standard", "preset legacy")
    house.expect(problems(house.Tree({PRESETS[1]: presets})), "no page docs/reference/presets.md")


house.run(problems, self_test)
