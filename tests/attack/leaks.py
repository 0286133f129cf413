# SPDX-License-Identifier: Apache-2.0
"""Does a secret stay where it belongs?

Each run has a text of its own in a place where a secret can stand. Afterwards everything that the tool
said, every file that it made or changed and the command lines of the processes that it started are
searched for that text: as it is, in halves, in base64, in hexadecimal and percent-encoded.

Exempt, because the user asked for it: the body of an answer on the standard output of `perdure get`, and
rejected records in the side file of `perdure load`. What a user writes into the tool's own command line
can be read there by everyone; --header-file, --auth env:NAME, PGPASSWORD and the like are the other way.
"""

import base64
import hashlib
import os
import re
import sys

from rig import Ended, Row, Stage

# Texts from which a request can be made that a service believes from anybody who has them.
SIGNATURES = (b"Signature=", b"sig%3d", b"type%3dmaster")


def text_for(place):
    """The same in each run, so that a failure can be repeated, and different for each place."""
    return "Cnry" + hashlib.sha256(place.encode()).hexdigest()[:24]


def secret(stage, place):
    stage.secrets[place] = text_for(place)
    return stage.secrets[place]


def forms(text):
    """{name: bytes}; all but base64 are compared without regard to case."""
    raw = text.encode()
    half = len(raw) // 2
    found = {"as it is": raw, "its first half": raw[:half], "its second half": raw[half:],
             "in hexadecimal": raw.hex().encode(),
             "percent-encoded": "".join(f"%{byte:02x}" for byte in raw).encode(),
             "in UTF-16": text.encode("utf-16-le")}
    for shift in range(3):
        whole = base64.b64encode(bytes(shift) + raw)
        found[f"in base64, {shift} bytes on"] = whole[4 if shift else 0:-4]
    return found


def shows(text, where):
    """The forms of a secret that stand in these bytes."""
    lower = where.lower()
    return [name for name, form in forms(text).items()
            if (form in where if "base64" in name else form.lower() in lower)]


def places(stage, ended):
    """(where, bytes) of everything that is searched."""
    yield "stdout", ended.out
    yield "stderr", ended.err
    for line in ended.children:
        yield "child", line
    for path in stage.folder.rglob("*"):
        yield "name of a file", path.name.encode()
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if stage.inputs.get(path) != content:
                yield f"file {path.relative_to(stage.folder)}", content


def leaks(stage, ended):
    found = []
    for where, text in places(stage, ended):
        for place, canary in stage.secrets.items():
            if (place, where) not in stage.exempt and (seen := shows(canary, text)):
                found.append(f"the secret of {place} is in {where}, {seen[0]}")
        if not where.startswith("child"):
            lower = text.lower()
            found += [f"a signature is in {where}" for one in SIGNATURES if one.lower() in lower]
    heard = stage.heard()
    found += [f"the secret of {place} was not in play: no server was told it" for place in stage.in_play
              if not shows(stage.secrets[place], heard)]
    return sorted(set(found))


def self_test():
    """A secret that was planted is found wherever it stands, in every form."""
    with Stage() as stage:
        canary = secret(stage, "a test")
        for name, form in forms(canary).items():
            for planted in (form, form.upper() if "base64" not in name else form):
                if not shows(canary, b"before " + planted + b" after"):
                    sys.exit(f"self-test: a secret {name} is not found")
        if shows(canary, text_for("another").encode()):
            sys.exit("self-test: one secret is taken for another")
        stage.file("input", canary)
        quiet = Ended(0, b"", b"", 0, 0, 0, set())
        if leaks(stage, quiet):
            sys.exit("self-test: an input counts as a leak")
        planted = {"stdout": {"out": canary.encode()}, "stderr": {"err": base64.b64encode(canary.encode())},
                   "child": {"children": {b"sh -c " + canary.encode()}}}
        for where, made in planted.items():
            if not any(where in one for one in leaks(stage, Ended(**{**vars(quiet), **made}))):
                sys.exit(f"self-test: a secret in {where} is not found")
        stage.exempt.add(("a test", "stdout"))
        if leaks(stage, Ended(**{**vars(quiet), "out": canary.encode()})):
            sys.exit("self-test: what is exempt counts as a leak")
        (stage.folder / "made").write_text(canary)
        if not any("file made" in one for one in leaks(stage, quiet)):
            sys.exit("self-test: a secret in a file is not found")
        stage.in_play.append("a test")
        if not any("not in play" in one for one in leaks(stage, quiet)):
            sys.exit("self-test: a secret that nobody was told counts as tested")


def row(name, stage_it, ends=(), **more):
    more = {"cpu": 3, "quiet": True, "watch": True, **more}
    return Row(f"no secret is shown: {name}", stage_it, ends, check=leaks, **more)



def shut_port():
    """Nothing listens there: ports below 1024 are not given out."""
    return 1


