# SPDX-License-Identifier: Apache-2.0
"""What does a user compile who includes one of our headers?

Lines after the preprocessor, blank ones left out: they do not depend on who else uses the machine,
as times do. Most of them are the standard library's, so one #include too many in a public header
is what this finds. The limits are for libstdc++ 12; other versions have other headers.
"""

import os
import re
import subprocess
import sys

import house

CXX = os.environ.get("CXX", "g++")
GCC = "12"

# What was measured on 2026-11-17, plus 2 %. Lower a limit when its header gets
# lighter; a commit that raises one says why.
LIMITS = {
    "perdure/result.hpp": 43_750,
    "perdure/perdure.hpp": 52_500,
    "perdure/http/client.hpp": 52_750,
    "perdure/sql/transact.hpp": 52_300,
    "perdure/dynamodb/client.hpp": 58_650,
    "perdure/cosmos/client.hpp": 53_150,
}


def preprocessed(source, *flags):
    """(text, complaint): one of the two is empty."""
    done = subprocess.run([CXX, "-std=c++20", f"-I{house.ROOT / 'include'}", "-E", *flags, "-x", "c++", "-"],
                          input=source, capture_output=True, text=True, timeout=60)
    return (done.stdout, "") if done.returncode == 0 else ("", done.stderr.strip() or "it failed")


def gcc_version():
    """The major version of GCC, or nothing for another compiler."""
    macros, _ = preprocessed("", "-dM")
    major = re.search(r"^#define __GNUC__ (\d+)$", macros, re.MULTILINE)
    return major[1] if major and "#define __clang__ " not in macros else None


def cost(header):
    """Lines, or in words why they cannot be counted."""
    text, complaint = preprocessed(f"#include <{header}>\n", "-P")
    return complaint or sum(1 for line in text.splitlines() if line.strip())


def problems(limits, costs):
    found = []
    for header, most in limits.items():
        count = costs[header]
        if isinstance(count, str):
            found.append(f"{header}: cannot be preprocessed: {count}")
        elif count > most:
            found.append(f"{header}: {count} lines after the preprocessor, at most {most}: which #include "
                         "is new in it, or in what it includes?")
    return found


def self_test():
    house.expect(problems({"a.hpp": 100}, {"a.hpp": 100}))
    house.expect(problems({"a.hpp": 100}, {"a.hpp": 101}), "at most 100")
    house.expect(problems({"perdure/gone.hpp": 100}, {"perdure/gone.hpp": cost("perdure/gone.hpp")}), "cannot be")
    if not cost("cstddef") < cost("string") < cost("functional"):
        sys.exit("self-test: headers of the standard library are not told apart")


def main():
    version = gcc_version()
    if version != GCC:
        print(f"SKIPPED: the limits are for GCC {GCC}; {CXX} is " +
              (f"GCC {version}" if version else "another compiler"))
        sys.exit(77)
    costs = {header: cost(header) for header in LIMITS}
    for header, count in costs.items():
        print(f"{header}: {count} lines, at most {LIMITS[header]}")
    house.run(lambda _: problems(LIMITS, costs), self_test)


main()
