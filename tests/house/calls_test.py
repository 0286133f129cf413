# SPDX-License-Identifier: Apache-2.0
"""Do time and chance come in from outside?

Clocks are read, threads put to sleep and chance is drawn in two files; everybody else is handed a
Clock and a Random. That is what lets a seed replay a failure and a test run without waiting.

Threads of the library and the tool are started in one file, which returns an error when the system has
none left; the constructor of std::thread throws.
"""

import re

import house

ONLY_IN = ("src/time/system_clock.cpp", "src/time/system_random.cpp")
MAY_BE_ALLOWED = ("tools/", "bench/", "tests/live/")

BANNED = {
    "sleep": r"\bsleep_for\b|\bthis_thread\s*::\s*sleep_until\b|\b(?:u|nano|clock_nano)sleep\s*\(|(?<![\w>])::\s*sleep\s*\(",
    "steady_clock::now": r"\bsteady_clock\s*::\s*now\b",
    "system_clock::now": r"\b(?:system|utc|file|tai|gps)_clock\s*::\s*now\b",
    "high_resolution_clock": r"\bhigh_resolution_clock\b",
    # Another name for a clock would hide its now().
    "clock-alias": r"\busing\s+\w+\s*=\s*(?:std\s*::\s*)?chrono\s*::\s*(?:steady|system)_clock\s*;",
    "clock_gettime": r"\bclock_gettime\b|\bgettimeofday\b|(?<![\w.>])time\s*\(\s*(?:nullptr|NULL|0|&)",
    "random_device": r"\brandom_device\b|\bgetrandom\b|\bgetentropy\b|\barc4random\w*",
    "rand": r"\bstd\s*::\s*s?rand\b|(?<![\w.>:])s?rand\s*\(",
}


STARTS_THREADS = "include/perdure/time/start_thread.hpp"
# A declaration of an empty one is a name and then `;`, `{}` or `= {}`.
THREAD = re.compile(r"\bstd\s*::\s*(?:j?thread\s*(?:\w+\s*)?[({](?!\s*[)}])|async\s*[(<])"
                    r"|\bpthread_create\b|\bthrd_create\b")
# A container of threads that makes one in place.
THREADS = re.compile(r"\bstd\s*::\s*\w+\s*<\s*std\s*::\s*j?thread\b[^;>]*>\s*(\w+)")


def started_threads(path, code):
    if path == STARTS_THREADS:
        return
    places = [match.start() for match in THREAD.finditer(code)]
    for name in {match[1] for match in THREADS.finditer(code)}:
        places += [match.start() for match in re.finditer(rf"\b{name}\s*\.\s*emplace", code)]
    for place in sorted(places):
        yield f"{path}:{house.line_of(code, place)}: threads are started by start_thread, in {STARTS_THREADS}"


def problems(tree):
    found = []
    for path in tree.under("include", "src", "tools/perdure"):
        found += started_threads(path, house.code_only(tree[path]))
    entries, used = house.allowed(tree, "calls"), set()
    for path, what in entries:
        if not path.startswith(MAY_BE_ALLOWED):
            found.append(f"tests/house/allowed.txt: {path} may not be excused from {what}")
    for path in tree.under("include", "src", "tools", "examples", "bench", "tests"):
        if path in ONLY_IN:
            continue
        code = house.code_only(tree[path])
        for what, pattern in BANNED.items():
            for match in re.finditer(pattern, code):
                if (path, what) in entries:
                    used.add((path, what))
                    continue
                line = house.line_of(code, match.start())
                found.append(f"{path}:{line}: {what} belongs in {' or '.join(ONLY_IN)}")
    return found + house.unused(entries, used)


def self_test():
    def broken(code, path="src/call/caller.cpp", allowed=""):
        return problems(house.Tree({path: code, "tests/house/allowed.txt": allowed}))

    house.expect(broken("std::this_thread::sleep_for(1s);"), "sleep")
    house.expect(broken("std::this_thread::sleep_until(t);"), "sleep")
    house.expect(broken("clock.sleep_until(deadline, stop);"))
    house.expect(broken("usleep(5); ::sleep(1);"), "sleep", "sleep")
    house.expect(broken("auto nap = perdure::sleep(clock, 5ms); auto rest = sleep(executor);"))
    house.expect(broken("nanosleep(&t, nullptr);"), "sleep")
    house.expect(broken("auto t = std::chrono::steady_clock ::now();"), "steady_clock::now")
    house.expect(broken("auto t = system_clock::now();"), "system_clock::now")
    house.expect(broken("// steady_clock::now is read elsewhere\nlog(\"random_device\");"))
    house.expect(broken("using Ticks = std::chrono::steady_clock;"), "clock-alias")
    house.expect(broken("using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;"))
    house.expect(broken("std::chrono::high_resolution_clock::time_point t;"), "high_resolution_clock")
    house.expect(broken("clock_gettime(CLOCK_REALTIME, &t);"), "clock_gettime")
    house.expect(broken("seed(time(nullptr));"), "clock_gettime")
    house.expect(broken("std::random_device source;"), "random_device")
    house.expect(broken("int n = rand() % 6; std::srand(1);"), "rand", "rand")
    house.expect(broken("const double operand(int); x = random.rand();"))
    house.expect(broken("std::random_device d;", path="src/time/system_random.cpp"))
    house.expect(broken("std::thread worker{[] {}}; std::jthread(work);"), "start_thread", "start_thread")
    house.expect(broken("x = std::jthread{work}; std::async(work); pthread_create(&t);"),
                 "start_thread", "start_thread", "start_thread")
    house.expect(broken("std::vector<std::jthread> others; others.emplace_back(work);"), "start_thread")
    house.expect(broken("std::jthread worker; std::thread other{}; std::thread::hardware_concurrency();"))
    house.expect(broken("std::vector<std::jthread> all; all.push_back(*std::move(started));"))
    house.expect(broken("return std::jthread{std::forward<Work>(work)};",
                        path="include/perdure/time/start_thread.hpp"))
    house.expect(broken("std::thread worker{[] {}};", path="tests/call/a_test.cpp"))
    entry = "calls bench/a.cpp steady_clock::now # measures real time\n"
    house.expect(broken("steady_clock::now();", "bench/a.cpp", entry))
    house.expect(broken("", "bench/a.cpp", entry), "remove the entry")
    entry = "calls src/call/caller.cpp rand # no good reason\n"
    house.expect(broken("rand();", allowed=entry), "may not be excused")


house.run(problems, self_test)
