# SPDX-License-Identifier: Apache-2.0
"""Does every link between our pages lead somewhere, down to the heading?"""

import posixpath
import re
import urllib.parse

import house

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"
                  r"|^ {0,3}\[[^\]]+\]:\s*(\S+)"
                  r"|\b(?:href|src)=\"([^\"]+)\"", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def anchors(markdown):
    """The names under which the headings of a page can be linked to, by GitHub's rule."""
    names, seen = set(), {}
    for heading in HEADING.findall(re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower().replace("`", "")).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        names.add(f"{slug}-{count}" if count else slug)
    names.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", markdown))
    return names


def problem_with(tree, page, target):
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    full = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if path.startswith("/") or full.startswith(".."):
        return "links inside the project are relative and stay inside"
    if full not in tree and not tree.is_folder(full):
        return "leads nowhere"
    if anchor and full.endswith(".md") and anchor not in anchors(tree[full]):
        return f"{full} has no such heading"
    return None


def problems(tree):
    found = []
    for page in tree.under("", endings=(".md",)):
        text = house.without_code(tree[page])
        for match in LINK.finditer(text):
            target = match[1] or match[2] or match[3]
            if OUTSIDE.match(target):
                continue
            why = problem_with(tree, page, target)
            if why:
                found.append(f"{page}:{house.line_of(text, match.start())}: {target}: {why}")
    return found


def self_test():
    def broken(text, **others):
        pages = {name.replace("__", "/") + ".md": body for name, body in others.items()}
        return problems(house.Tree({"docs/page.md": text, **pages}))

    house.expect(broken("[a](other.md) [b](../README.md#why-not) [c](#two-words)\n# Two words\n",
                        docs__other="", README="## `Why` not?\n"))
    house.expect(broken("[a](gone.md)"), "gone.md: leads nowhere")
    house.expect(broken("line\n![a](pictures/gone.svg)"), "page.md:2")
    house.expect(broken("[a](other.md#no)", docs__other="# Yes"), "no such heading")
    house.expect(broken("[a](#no)\n```\n# no\n```\n"), "no such heading")
    house.expect(broken("[a][1]\n\n[1]: gone.md"), "leads nowhere")
    house.expect(broken('<img src="gone.svg">'), "leads nowhere")
    house.expect(broken("[a](/etc/passwd) [b](../../x)"), "stay inside", "stay inside")
    house.expect(broken("[a](https://example.org/x) `[b](gone.md)`\n```\n[c](gone.md)\n```\n"))
    house.expect(broken("[a](../docs)", docs__other="", README=""))
    house.expect(broken("[a](#two-1)\n# Two\n# Two\n"))


house.run(problems, self_test)
