# SPDX-License-Identifier: Apache-2.0
"""Is every co_await safe with g++ 12?

g++ 12 destroys some temporaries twice when they are made in the same full expression as a
co_await: a lambda, an aggregate with a designated initialiser, a braced list. So a call is made in
one statement and awaited in the next. Newer compilers trip over two more, both refused here: a
structured binding straight from a co_await, and a co_await in an arm of ?:.
"""

import re

import house

TOKEN = re.compile(r"co_await\b|\w+|->|::|[^\w\s]")
CONTROL = {"if", "for", "while", "switch", "catch", "constexpr"}
# A word before `{` after which a block of statements begins; after others it is a value in braces.
BLOCK_WORDS = {"else", "do", "try", "const", "noexcept", "mutable", "override", "final"}


class Group:
    """A pair of brackets or the whole text: its kind, and where it begins and ends in the tokens."""

    def __init__(self, kind, begin):
        self.kind, self.begin, self.end = kind, begin, None


def tokens_of(code):
    return [(m.group(), m.start()) for m in TOKEN.finditer(code)]


def is_lambda_intro(tokens, i):
    before = tokens[i - 1][0] if i else ";"
    after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
    attribute = after == "[" or before == "["
    binding = before in ("auto", "&") and i > 1 and "auto" in (before, tokens[i - 2][0])
    subscript = re.fullmatch(r"\w+|[)\]]", before) and before not in ("return", "co_await", "co_return", "case")
    return not attribute and not binding and not subscript


def opens_block(tokens, i, lambdas):
    """Is the `{` at i the start of statements? "lambda" if they are a lambda's."""
    j, depth = i - 1, 0
    # Back over specifiers, a trailing return type and the parameters to what the body belongs to.
    while j >= 0 and (depth or tokens[j][0] not in (";", "{", "}", "=", ",", "(", "?")):
        depth += (tokens[j][0] in (")", "]")) - (tokens[j][0] in ("(", "["))
        if depth == 0 and j in lambdas:
            return "lambda"
        j -= 1
    before = tokens[i - 1][0] if i else ";"
    words = [t for t, _ in tokens[j + 1:i]]
    if before in (";", "{", "}", ")", ":") or before in BLOCK_WORDS or "->" in words:
        return "block"
    return "block" if {"namespace", "struct", "class", "enum", "union"} & set(words) else None


def groups_of(tokens):
    """Every bracket's group, and for every token the groups around it, outermost first."""
    whole = Group("block", -1)
    stack, around, lambdas = [whole], [], set()
    for i, (token, _) in enumerate(tokens):
        around.append(list(stack))
        if token == "[" and is_lambda_intro(tokens, i):
            lambdas.add(i)
        if token == "{":
            stack.append(Group(opens_block(tokens, i, lambdas) or "braces", i))
        elif token in "([":
            control = token == "(" and i and tokens[i - 1][0] in CONTROL
            stack.append(Group("control" if control else "paren", i))
        elif token in ")]}" and len(stack) > 1:
            stack.pop().end = i
    return around, lambdas


def full_expression(tokens, around, i):
    """The token range of the full expression around the token at i."""
    home = next(g for g in reversed(around[i]) if g.kind in ("block", "lambda", "control"))

    def ends_here(k):
        direct = around[k][-1] is home
        if not direct:
            # A block or a control's parentheses right inside ours end a statement.
            inner = around[k][around[k].index(home) + 1]
            return inner.kind in ("block", "control")
        return tokens[k][0] == ";"

    first = i
    while first - 1 > home.begin and not ends_here(first - 1):
        first -= 1
    last = i
    while last + 1 < len(tokens) and home in around[last + 1] and not ends_here(last + 1):
        last += 1
    return first, last


def faults(code):
    """(position, what is wrong) of every co_await that shares its expression with such a temporary."""
    tokens = tokens_of(code)
    around, lambdas = groups_of(tokens)
    for i, (token, position) in enumerate(tokens):
        if token != "co_await":
            continue
        first, last = full_expression(tokens, around, i)
        here = range(first, last + 1)
        hidden = [g for k in here for g in around[k][len(around[i]):] if g.kind == "lambda"]
        visible = [k for k in here if not any(g in around[k] for g in hidden)]
        whats = {fault_at(tokens, lambdas, k, i) for k in visible} - {None}
        yield from ((position, what) for what in sorted(whats))


def fault_at(tokens, lambdas, k, i):
    token = tokens[k][0]
    before = tokens[k - 1][0] if k else ""
    after = [t for t, _ in tokens[k + 1:k + 4]]
    if k in lambdas:
        return "a lambda"
    if token == "{" and after[:1] == ["."] and after[2:3] and after[2] in "={":
        return "a designated initialiser"
    if token == "{" and before in ("(", ",", "{"):
        return "a braced list"
    if token == "[" and k < i and before in ("auto", "&") and tokens[k - 1][0] != "[":
        return "a structured binding"
    if token == "?" and k < i:
        return "?:"
    return None


def problems(tree):
    found = []

    def look(path, code, line):
        for position, what in faults(house.code_only(code)):
            at = line + code.count("\n", 0, position)
            found.append(f"{path}:{at}: co_await and {what} in one expression; use two statements")

    for path in tree.under("include", "src", "tools", "examples", "bench", "tests"):
        # Those are what must not compile.
        if "co_await" in tree[path] and not path.startswith("tests/compile_fail/"):
            look(path, tree[path], 1)
    for path in tree.under("", endings=(".md",)):
        for position, language, body in house.code_blocks(tree[path]):
            if language in ("cpp", "c++"):
                look(path, body, house.line_of(tree[path], position) + 1)
    return found


BAD = {
    "a lambda": [
        "Task<> f() { co_await run([s] { return s; }); }",
        "Task<> f() { const auto x = co_await users.start(op, [&](const Attempt& a) { return g(a); }); }",
        "Task<> f() { co_await [s]() -> Task<> { co_return; }(); }",
        "Task<> f() { if (co_await run([s] { return 1; })) return; }",
        "Task<> f() { use([s] { return s; }, co_await g()); }",
        "Task<> f() { co_return co_await run(std::function<int()>([p = std::move(p)] { return *p; })); }",
    ],
    "a designated initialiser": [
        "Task<> f() { co_await run(Options{.name = s}); }",
        "Task<> f() { co_await run(Options{.name{s}}, 1); }",
        "Task<> f() { use(Options{.name = s}, co_await g()); }",
    ],
    "a braced list": [
        "Task<> f() { co_await run({a, b}); }",
        "Task<> f() { co_await run(1, {}); }",
    ],
    "a structured binding": ["Task<> f() { auto [a, b] = co_await g(); }"],
    "?:": ["Task<> f() { auto x = c ? co_await a(1) : b(2); }"],
}
GOOD = [
    "Task<> f() { auto op = run([s] { return s; }); co_await std::move(op); }",
    "Task<> f() { auto op = run({.name = s}, [s] { return s; });\n const auto x = co_await std::move(op); }",
    "auto task = [](int n) -> Task<int> { co_return co_await twice(n); };",
    "auto task = [&]() -> Task<> { co_await one(); co_await two(v[3]); }();",
    "Task<> f() { if (co_await ready()) run([s] { return s; }); }",
    "Task<> f() { for (int i = 0; i < 3; ++i) { co_await step(i); } use([s] { return s; }); }",
    "Task<> f() { co_await sleep(Duration{5}); co_await g(std::string{\"x\"}); }",
    "Task<> f() { spawn([]() -> Task<> { co_await one(); }); }",
    "Task<> f() { const auto x = co_await g(); use(x ? 1 : 2, {x}); auto [a, b] = pair(x); }",
    "TEST(A, b) { EXPECT_EQ(run([&]() -> Task<int> { co_return co_await g(1); }), (std::vector{1})); }",
    "// co_await run([s] { return s; });\n",
    "[[nodiscard]] Task<> f() { while (true) co_await tick(); }",
]


def self_test():
    for what, samples in BAD.items():
        for sample in samples:
            house.expect(problems(house.Tree({"src/call/a.cpp": sample})), f"{what} in one expression")
    for sample in GOOD:
        house.expect(problems(house.Tree({"src/call/a.cpp": sample})))
    page = "# A\n\n```cpp\nTask<> f() {\n    co_await run([s] {});\n}\n```\n"
    house.expect(problems(house.Tree({"docs/a.md": page})), "docs/a.md:5")


house.run(problems, self_test)
