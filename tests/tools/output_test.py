# SPDX-License-Identifier: Apache-2.0
"""Does any command pass control characters of its inputs on to the terminal?

Each row of the table gives a command something hostile: a name, a file, an answer of a server. What the command
then writes to a pseudo-terminal is text, without anything that moves a cursor or sets a title.
"""

import fcntl
import json
import os
import pty
import re
import sqlite3
import struct
import subprocess
import sys
import termios
import unittest

from small_server import Server, answer
from tool import PATIENCE, TOOL, Case, call

if call("chaos", "--help")[0] != 0:
    print("this tool was built without the modules of the network")
    sys.exit(77)

# Sets a title, clears the screen in the 8-bit form and as UTF-8, turns the line around.
HOSTILE = "\x1b]0;PWN\x07\x9b2J\u202eend"
IN_BYTES = HOSTILE.encode() + b"\x9b2J"
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]|\r(?!\r*\n)")
OURS = re.compile("\r\x1b\\[K|\x1b\\[\\d*m")  # the status line, colours

SCENARIO = """
title = %s
question = %s
duration = "20s"
show = ["recovered"]
[clients]
count = 2
rate = 20
[service]
work = { exponential = "10ms" }
[call]
timeout = "200ms"
[policy.%s]
attempts = 1
"""


def in_terminal(*arguments, cwd=None):
    """(exit status, everything that it writes to a terminal)"""
    own, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 200, 0, 0))
    process = subprocess.Popen([TOOL, *arguments], stdin=subprocess.DEVNULL, stdout=its, stderr=its, cwd=cwd,
                               start_new_session=True)
    os.close(its)
    seen = b""
    try:
        while part := os.read(own, 65536):
            seen += part
    except OSError:  # Linux says EIO when the last process has closed the terminal
        pass
    os.close(own)
    return process.wait(timeout=PATIENCE), seen


class Terminal(Case):
    def check(self, *arguments, shows="PWN"):
        _, seen = in_terminal(*arguments, cwd=self.folder)
        text = OURS.sub("", seen.decode(errors="replace"))
        # Otherwise the row would prove nothing.
        self.assertIn(shows, text)
        found = CONTROL.search(text)
        self.assertIsNone(found, found and repr(text[max(0, found.start() - 80):found.end() + 80]))

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def table(self, statement):
        path = os.path.join(self.folder, "t.db")
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()
        return "sqlite:" + path

    def test_gets_no_control_characters_of_arguments(self):
        self.write("x", b'{"a":1}\n')
        for arguments in (["explain", HOSTILE], ["explain", "http", HOSTILE], ["explain", HOSTILE, "1"], [HOSTILE],
                          ["sim", HOSTILE], ["sim", "retry-storm", "--policy", HOSTILE],
                          ["sim", "retry-storm", "--set", HOSTILE + "=1"], ["tune", HOSTILE], ["doctor", HOSTILE],
                          ["load", HOSTILE, "--to", "sqlite:x.db", "--table", "t"],
                          ["load", "x", "--to", HOSTILE, "--table", "t"],
                          ["load", "x", "--to", "sqlite:" + HOSTILE + "/x.db", "--table", HOSTILE],
                          ["get", "http://" + HOSTILE + "/"], ["run", "--attempts", "1", "--", HOSTILE],
                          ["chaos", "--listen", HOSTILE], ["chaos", "--plan", HOSTILE],
                          ["offset", "--every", HOSTILE], ["offset", "--every", "1h", "--host", HOSTILE],
                          ["gateway", "cosmos", "--listen", HOSTILE], ["run", "--" + HOSTILE]):
            with self.subTest(arguments=arguments):
                # What may be a URL with a password is not repeated at all.
                hidden = arguments[0] in (HOSTILE, "get", "gateway", "offset", "chaos") or arguments[2:4] == ["--to", HOSTILE]
                shows = "perdure" if hidden else "PWN"
                self.check(*arguments, shows=shows)

    def test_gets_no_control_characters_of_a_load(self):
        rows = {
            "a key without a column": (json.dumps({"id": 1, HOSTILE: 2}).encode(), "create table t (id integer)"),
            "a late key": (b'{"id":1}\n' * 3000 + json.dumps({"id": 1, HOSTILE: 2}).encode(), "create table t (id integer)"),
            "a constraint": (b'{"id":1}\n', f'create table t (id integer, constraint "{HOSTILE}" check (id > 1))'),
            "a column of the table": (b'{"x":1}\n', f'create table t (id integer, "{HOSTILE}" text)'),
        }
        for name, (text, statement) in rows.items():
            with self.subTest(name):
                path = self.write("in.jsonl", text)
                target = self.table("drop table if exists t")
                self.table(statement)
                self.check("load", path, "--to", target, "--table", "t", "--again")

    def test_gets_no_control_characters_of_names_of_files(self):
        folder = os.path.join(self.folder, "found")
        os.mkdir(folder)
        for text in (b"a,b\n1,2,3\n", b"a,a\n", b'a,b\n"'):
            with open(os.path.join(folder.encode(), IN_BYTES.replace(b"/", b"") + b".csv"), "wb") as file:
                file.write(text)
            self.check("load", "found/*.csv", "--to", "sqlite:n.db", "--table", "t", "--create", "--as", "x")
        self.check("load", "found/*.csv", "--to", "sqlite:n.db", "--table", "t", "--create", shows="perdure")

    def test_gets_no_control_characters_of_scenarios_and_plans(self):
        toml = json.dumps(HOSTILE)
        self.check("sim", self.write("titled.toml", (SCENARIO % (toml, toml, toml)).encode()))
        self.check("sim", self.write("raw.toml", (SCENARIO % ((toml,) * 3)).encode() + b"# " + IN_BYTES), "--print")
        self.check("sim", self.write("key.toml", toml.encode() + b" = 1\n"))
        self.check("chaos", "--to", "127.0.0.1:1", "--duration", "1ms", "--plan", self.write("plan.toml", toml.encode() + b" = 1\n"))

    def test_gets_no_control_characters_of_measurements(self):
        self.check("tune", self.write("a.csv", b"time," + IN_BYTES + b"\n1,x\n"))
        self.check("tune", self.write("a.jsonl", json.dumps({HOSTILE: 1}).encode() + b"\n"))
        self.check("doctor", self.write("j.jsonl", json.dumps({HOSTILE: 1}).encode() + b"\n"), shows="perdure")

    def test_gets_no_control_characters_of_answers(self):
        with Server([answer(404, IN_BYTES), answer(200, IN_BYTES), answer(503, IN_BYTES)]) as server:
            self.check("get", "--attempts", "1", "--fail-body", server.url())
            self.check("get", "-i", server.url())
            self.check("get", "--trace", "--attempts", "2", "--base", "1ms", "--fail-body", server.url())

    def test_is_the_only_place_where_an_answer_is_changed(self):
        with Server([answer(200, IN_BYTES)]) as server:
            process = self.start("get", server.url())
            out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(out, IN_BYTES)


if __name__ == "__main__":
    unittest.main()
