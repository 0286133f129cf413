# SPDX-License-Identifier: Apache-2.0
"""Do all includes follow the arrows?

vocabulary <- time, stats <- policy <- call <- net; http and sql stand on net, dynamodb and cosmos
on http, chaos on net and http. sim turns call/progress and must never meet the real clock; testing
stands on core. Everything outside include/ and src/ uses public headers.
"""

import posixpath
import re

import house

# What a room stands on directly; what that stands on is included.
STANDS_ON = {
    "vocabulary": [],
    "time": ["vocabulary"],
    "stats": ["vocabulary"],
    "policy": ["time", "stats"],
    "call": ["policy"],
    "testing": ["call"],
    "net": ["call"],
    "http": ["net"],
    "sql": ["net"],
    "dynamodb": ["http"],
    "cosmos": ["http"],
    "chaos": ["net", "http"],
    "telemetry": ["call"],
    "scrape": ["telemetry", "http"],
    "sim": ["policy"],  # and what call/progress.hpp includes, see may_include
}
CORE = ["vocabulary", "time", "stats", "policy", "call", "testing"]
PROGRESS = "include/perdure/call/progress.hpp"
# A fake that took more of its clients would be their mirror.
FAKE_GATEWAY = "src/chaos/cosmos/"
EFFECTIVE_KEY = "include/perdure/cosmos/wire/effective_key.hpp"
FORBIDDEN_TO_SIM = ("include/perdure/call/caller.hpp", "include/perdure/time/system_clock.hpp")

# Core needs nothing but the standard library: no header of it has a dot or a slash in its name.
# Sources may ask the operating system for what the library cannot say, but never for a socket.
SYSTEM = {"ctime", "sys/random.h", "sys/resource.h", "sys/prctl.h", "sys/syscall.h", "unistd.h",
          "pthread.h", "time.h", "limits.h", "sched.h", "fcntl.h"}
# Libraries of others stay behind our sources; one header is for those who live in Asio themselves.
PRIVATE = re.compile(r"(asio|openssl|boost)([./]|$)|ares(_\w+)?\.h$|zlib\.h$"
                     r"|libpq|sqlite3\.h$|mysql|mariadb[/_]|(^|/)sql(ext|types|ucode)?\.h$")
FOR_ASIO = "include/perdure/http/async_send.hpp"
# Decisions have no clock, no thread, no I/O and no log.
NOT_IN_POLICY = {"thread", "iostream", "ostream", "fstream", "condition_variable", "ctime"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes(tree, path):
    """(line, bracket, name) of every include in a file."""
    # Comments are blanked first, but a quoted name is a literal: look at both texts.
    text = tree[path]
    bare = house.code_only(text)
    for match in INCLUDE.finditer(text):
        if "#" in bare[match.start():match.end()]:
            yield house.line_of(text, match.start(1)), match[1], match[2]


def resolve(tree, path, name):
    """The path from the root of what `path` means by `name`, or None if it is not ours."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    for candidate in (f"include/{name}", beside, f"src/{name}", f"tests/{name}", name):
        if candidate in tree:
            return posixpath.normpath(candidate)
    return f"include/{name}" if name.startswith("perdure/") else None


def is_umbrella(path):
    return path in ("include/perdure.hpp", "include/perdure/perdure.hpp")


def room_of(path):
    """The room of a file in include/ or src/, the folder's name of one elsewhere.

    A fuzzer is a test of the room with which its name begins, if there is one."""
    parts = path.split("/")
    fuzzed = parts[-1].split("_")[0]
    if parts[:-1] == ["tests", "fuzz"] and fuzzed in STANDS_ON:
        return fuzzed
    if parts[0] == "include":
        parts = parts[1:]
    if parts[0] in ("perdure", "src", "tests"):
        return parts[1] if len(parts) > 2 else "vocabulary"
    return parts[0]


def below(room):
    rooms = {room}
    for under in STANDS_ON.get(room, []):
        rooms |= below(under)
    return rooms


def closure(tree, path, seen=None):
    """Every header of ours that including `path` brings along."""
    seen = set() if seen is None else seen
    for _, _, name in includes(tree, path) if path in tree else []:
        target = resolve(tree, path, name)
        if target and target not in seen:
            seen.add(target)
            closure(tree, target, seen)
    return seen


def may_include(tree, path, target):
    """Why `path` may not include `target`, or None."""
    room, other = room_of(path), room_of(target)
    outside = path.split("/")[0] not in ("include", "src")
    if target.startswith("src/"):
        # A private header opens only to the sources of its room and to their tests.
        if path.startswith(("src/", "tests/")) and room == other:
            return None
        return f"{target} is private to src/{other}"
    if outside or target.startswith("tests/"):
        return None if outside else "the library does not stand on its tests"
    if is_umbrella(target):
        return "the umbrella header is for users only"
    if is_umbrella(path):
        return None if other in CORE else f"the umbrella covers core, and {other} is not core"
    if room not in STANDS_ON:
        return f"the room {room} has no arrows yet; write them in layers_test.py"
    if path.startswith(FAKE_GATEWAY) and other == "cosmos":
        ok = target == EFFECTIVE_KEY
        return None if ok else "of cosmos, the fake gateway may use the effective key and no more"
    if room == "sim" and target in FORBIDDEN_TO_SIM:
        return "the simulator never meets the real clock or the blocking loop"
    if room == "sim" and other == "call":
        ok = target == PROGRESS or target in closure(tree, PROGRESS)
        return None if ok else "of call, sim may use call/progress.hpp and what it includes"
    return None if other in below(room) else f"{room} does not stand on {other}"


def may_use_system(path, name):
    room = room_of(path)
    standard = re.fullmatch(r"[a-z_0-9]+", name)
    if room == "policy" and name in NOT_IN_POLICY:
        return f"policy has no clock, no thread and no I/O, so no <{name}>"
    if path.startswith("include/") and PRIVATE.match(name) and path != FOR_ASIO:
        return f"<{name}> is private to sources"
    if room not in CORE or standard or (path.startswith("src/") and name in SYSTEM):
        return None
    return f"core needs nothing but the standard library, and <{name}> is not in it"


def problems(tree):
    found = []
    for path in tree.under("include", "src", "tools", "examples", "bench", "tests"):
        inside = path.startswith(("include/", "src/"))
        for line, bracket, name in includes(tree, path):
            target = resolve(tree, path, name) if bracket == '"' or name.startswith("perdure/") else None
            why = None
            if target:
                why = may_include(tree, path, target)
            elif inside and bracket == '"':
                why = f'"{name}" is no file of ours; others\' headers are written <{name}>'
            elif inside:
                why = may_use_system(path, name)
            if why:
                found.append(f"{path}:{line}: {why}")
        if room_of(path) in ("sim", "policy") and inside:
            match = re.search(r"\bsystem_(clock|random)\s*\(", house.code_only(tree[path]))
            if match:
                line = house.line_of(tree[path], match.start())
                found.append(f"{path}:{line}: time and chance come in by argument here")
    for header in sorted(closure(tree, PROGRESS) & set(FORBIDDEN_TO_SIM)):
        found.append(f"{PROGRESS}: brings {header} along, which the simulator must not meet")
    for folder in sorted({p.split("/")[1] for p in tree.under("tests") if p.count("/") > 1}):
        known = folder in STANDS_ON or folder in ("house", "compile_fail", "live", "promises", "fuzz", "package", "tools", "support")
        if not known:
            found.append(f"tests/{folder}: is named after no room, so nothing builds it")
    return found


def self_test():
    def broken(path, line, **others):
        files = {p.replace("__", "/") + ".hpp": text for p, text in others.items()}
        return problems(house.Tree({**files, path: line + "\n"}))

    def inc(name):
        return f'#include "{name}"'

    P = "include/perdure/"
    house.expect(broken(P + "policy/a.hpp", inc("perdure/time/clock.hpp")))
    house.expect(broken(P + "policy/a.hpp", "// " + inc("perdure/call/caller.hpp")))
    house.expect(broken(P + "policy/a.hpp", inc("perdure/call/caller.hpp")), "does not stand on call")
    house.expect(broken("src/time/a.cpp", inc("perdure/stats/sketch.hpp")), "does not stand on stats")
    house.expect(broken(P + "cause.hpp", inc("perdure/time/clock.hpp")), "vocabulary does not")
    house.expect(broken("src/sql/a.cpp", inc("perdure/http/client.hpp")), "sql does not stand on http")
    house.expect(broken("src/chaos/a.cpp", inc("perdure/http/client.hpp")))
    house.expect(broken("src/chaos/cosmos/a.cpp", inc("perdure/cosmos/wire/effective_key.hpp")))
    house.expect(broken("src/chaos/cosmos/a.cpp", inc("perdure/cosmos/wire/signature.hpp")), "and no more")
    house.expect(broken("src/chaos/a.cpp", inc("perdure/cosmos/wire/effective_key.hpp")), "does not stand")
    house.expect(broken(P + "testing/a.hpp", inc("perdure/net/socket.hpp")), "testing does not")
    house.expect(broken("src/call/a.cpp", inc("perdure/perdure.hpp")), "umbrella")
    house.expect(broken(P + "perdure.hpp", inc("perdure/http/client.hpp")), "http is not core")
    house.expect(broken(P + "cellar/a.hpp", inc("perdure/cause.hpp")), "no arrows yet")
    house.expect(broken(P + "time/a.hpp", "#include <sys/socket.h>"), "standard library")
    house.expect(broken("src/time/a.cpp", "#include <netdb.h>"), "standard library")
    house.expect(broken(P + "http/a.hpp", "#include <asio/io_context.hpp>"), "private to sources")
    house.expect(broken(P + "net/a.hpp", "#include <openssl/ssl.h>"), "private to sources")
    house.expect(broken("src/net/a.cpp", "#include <ares.h>\n#include <zlib.h>"))
    house.expect(broken(FOR_ASIO, "#include <asio/post.hpp>"))
    house.expect(broken("src/time/a.cpp", "#include <sys/random.h>"))
    house.expect(broken("src/policy/a.cpp", "#include <thread>"), "no thread")
    house.expect(broken("src/policy/a.cpp", "auto t = system_clock().now();"), "by argument")
    house.expect(broken("src/call/a.cpp", inc("fmt/format.h")), "no file of ours")
    private = {"src__time__wheel_slots": ""}
    house.expect(broken("src/time/a.cpp", inc("wheel_slots.hpp"), **private))
    house.expect(broken("tests/time/a_test.cpp", inc("time/wheel_slots.hpp"), **private))
    house.expect(broken("tests/fuzz/time_wheel_fuzz.cpp", inc("time/wheel_slots.hpp"), **private))
    house.expect(broken("tests/fuzz/call_wheel_fuzz.cpp", inc("time/wheel_slots.hpp"), **private), "private")
    house.expect(broken("tests/fuzz/wheel_fuzz.cpp", inc("time/wheel_slots.hpp"), **private), "private")
    house.expect(broken("src/call/a.cpp", inc("time/wheel_slots.hpp"), **private), "private")
    house.expect(broken("tools/perdure/a.cpp", inc("../../src/time/wheel_slots.hpp"), **private), "private")
    house.expect(broken("tests/polciy/a_test.cpp", ""), "named after no room")
    progress = {"include__perdure__call__progress": inc("perdure/call/plan.hpp"),
                "include__perdure__call__plan": "", "include__perdure__call__caller": ""}
    house.expect(broken("src/sim/a.cpp", inc("perdure/call/plan.hpp"), **progress))
    house.expect(broken("src/sim/a.cpp", inc("perdure/call/caller.hpp"), **progress), "blocking loop")
    house.expect(broken("src/sim/a.cpp", inc("perdure/call/batch.hpp"), **progress), "of call, sim may")
    progress["include__perdure__call__plan"] = inc("perdure/call/caller.hpp")
    house.expect(broken("src/sim/a.cpp", "", **progress), "brings include/perdure/call/caller.hpp")


house.run(problems, self_test)
