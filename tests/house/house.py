# SPDX-License-Identifier: Apache-2.0
"""What does the tree say? Shared by the rules of the house.

A rule is a function from a `Tree` to a list of problems. A tree is either the project's own files
or a handful of made-up ones, so that every rule can be shown to fail before it is trusted.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPP = (".cpp", ".hpp")


class Tree:
    """The files of a project by their path from its root; a made-up tree is given as a dict."""

    def __init__(self, files):
        self._text = dict(files)
        self.paths = sorted(files)

    @classmethod
    def of_project(cls):
        tree = cls({})
        tree.paths = sorted(_project_files())
        return tree

    def __contains__(self, path):
        return path in self._text or path in self.paths

    def __getitem__(self, path):
        if path not in self._text:
            self._text[path] = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        return self._text[path]

    def under(self, *folders, endings=CPP):
        """Paths below any of the folders ("" is the root) that have one of the endings."""
        return [
            path
            for path in self.paths
            if path.endswith(tuple(endings))
            and any(folder == "" or path.startswith(folder + "/") for folder in folders)
        ]

    def is_folder(self, path):
        return path in ("", ".") or any(p.startswith(path.rstrip("/") + "/") for p in self.paths)


def _project_files():
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout.split("\0")
        return [path for path in listed if path and (ROOT / path).is_file()]
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive has no git
        found = (p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file())
        return [path for path in found if not path.startswith(("build/", ".git/"))]


_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<fence>[^(\s]*)\(.*?\)(?P=fence)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)


def blank(text):
    """The same text with every character but the line ends replaced by a space."""
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """C++ with comments and the insides of literals blanked, every place kept."""

    def hide(match):
        token = match.group()
        if token.startswith("/"):
            return blank(token)
        return token[0] + blank(token[1:-1]) + token[-1]

    return _TOKEN.sub(hide, text)


def comments(text):
    """(line number, text) of every // comment line, without the slashes."""
    for match in _TOKEN.finditer(text):
        if match.group().startswith("//"):
            yield line_of(text, match.start()), match.group()[2:]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+)(?P<language>[\w+]*)[^\n]*\n(?P<body>.*?)^ *(?P=fence) *$",
                    re.DOTALL | re.MULTILINE)


def code_blocks(markdown):
    """(position, language, body) of every fenced block."""
    for match in _FENCE.finditer(markdown):
        yield match.start(), match["language"], match["body"]


def without_code(markdown):
    """Markdown with fenced blocks and inline code blanked, every place kept."""
    markdown = _FENCE.sub(lambda m: blank(m.group()), markdown)
    return re.sub(r"`[^`\n]+`", lambda m: blank(m.group()), markdown)


def allowed(tree, rule):
    """{(path, what): reason} of one rule in allowed.txt; every entry has a reason or is a fault."""
    entries = {}
    path = "tests/house/allowed.txt"
    for number, line in enumerate(tree[path].splitlines() if path in tree else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields, _, reason = line.partition("#")
        words = fields.split()
        if len(words) != 3 or not reason.strip():
            raise SystemExit(f"{path}:{number}: an entry is `rule path what # reason`")
        if words[0] == rule:
            entries[(words[1], words[2])] = reason.strip()
    return entries


def unused(entries, used):
    """An exception that nobody needs any more must go, or it would hide the next fault."""
    return [
        f"tests/house/allowed.txt: {path} no longer needs {what}; remove the entry"
        for path, what in sorted(set(entries) - set(used))
    ]


def expect(problems, *words):
    """For self-tests: one problem for each of the words, in this order, and no others."""
    good = len(problems) == len(words) and all(w in p for w, p in zip(words, problems))
    if not good:
        found = "\n  ".join(problems) or "nothing"
        sys.exit(f"self-test: expected problems with {list(words)}, found:\n  {found}")


def run(rule, self_test):
    self_test()
    problems = rule(Tree.of_project())
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "the tree keeps this rule")
    sys.exit(1 if problems else 0)
