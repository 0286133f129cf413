# SPDX-License-Identifier: Apache-2.0
"""Does `perdure get` fetch, repeat only what it may, and say how it ended?"""

import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from small_server import Server, answer, reset
from tool import PATIENCE, TOOL, Case

OUTCOME = {"succeeded", "status", "cause", "effect", "stop", "code", "message", "request_id", "sent",
           "phase"}
FIELDS = {"method", "url", "safety", "exit_status", "outcome", "elapsed_ms", "attempts", "headers",
          "body_bytes", "output", "redirected", "diagnostics"}
PROXIES = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"}


def plain_environment(more):
    kept = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
    return {**kept, "LC_ALL": "C", "COLUMNS": "80", **more}


def start(*arguments, environment=None):
    return subprocess.Popen([TOOL, "get", "--base", "1ms", *arguments],
                            env=plain_environment(environment or {}), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def get(*arguments, given=b"", environment=None):
    """(exit status, bytes of standard output, text of standard error)"""
    process = start(*arguments, environment=environment)
    out, err = process.communicate(given, timeout=PATIENCE)
    return process.returncode, out, err.decode()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Secrets(Case):
    """What may be in no list of processes, and in no message."""

    def sent(self, *arguments, **options):
        with Server([answer(200, b"hello")]) as server:
            status, _, err = get(*arguments, server.url(), **options)
        self.assertEqual(status, 0, err)
        return server.requests[0]

    def test_of_the_authorization_come_from_a_variable_or_a_file(self):
        request = self.sent("--auth", "env:TOKEN", environment={"TOKEN": "Bearer CANARY \n"})
        self.assertIn(b"\r\nAuthorization: Bearer CANARY\r\n", request)
        path = os.path.join(self.folder, "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\ufeffBearer CANARY\n")
        self.assertIn(b"\r\nAuthorization: Bearer CANARY\r\n", self.sent("--auth", "file:" + path))

    def test_in_headers_come_from_files_and_standard_input(self):
        request = self.sent("--header-file", "-", given=b"\xef\xbb\xbfX-Api-Key: CANARY\r\n\nX-Other: 1\n")
        self.assertIn(b"\r\nX-Api-Key: CANARY\r\n", request)
        self.assertIn(b"\r\nX-Other: 1\r\n", request)

    def test_that_cannot_be_meant_are_refused_before_anything_is_sent(self):
        token = {"TOKEN": "Bearer CANARY", "BLANK": " \n"}
        files = {b"": "has no header", b"\xef\xbb\xbf\r\n\n": "has no header",
                 b"X: 1\n\nCANARY\n": "line 3 of 'standard input' is not 'Name: value'",
                 b"# CANARY: no comments\n": "line 1 of", b": CANARY\n": "line 1 of"}
        table = [(["--header-file", "-"], given, words) for given, words in files.items()]
        table += [(["--auth", "env:BLANK"], b"", "is not set, or is empty"),
                  (["--auth", "env:TOKEN", "-H", "authorization: CANARY"], b"", "give one"),
                  (["--auth", "env:TOKEN", "--header-file", "-"], b"AUTHORIZATION:CANARY", "give one")]
        with Server([answer(200)]) as server:
            for flags, given, words in table:
                with self.subTest(flags=flags, given=given):
                    status, out, err = get(*flags, server.url(), given=given, environment=token)
                    self.assertEqual((status, out), (125, b""), err)
                    self.assertIn(words, err)
                    self.assertNotIn("CANARY", err)
            closed = subprocess.run(["sh", "-c", 'exec "$0" get --header-file - "$1" <&-', TOOL, server.url()],
                                    capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(closed.returncode, 125, closed.stderr)
        self.assertEqual(server.requests, [])

    def test_are_in_no_message_however_they_were_given(self):
        url = "http://user:CANARY@127.0.0.1:9/"
        broken = os.path.join(self.folder, "broken")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("CANARY\n")
        table = [
            (["http://127.0.0.1:9/", url], 125, "word 5 after perdure was not expected"),
            (["http://127.0.0.1:9/", "--json=CANARY"], 125, "--json"),
            (["http://127.0.0.1:9/", "--", url], 125, "was not expected"),
            (["--auth", "Bearer CANARY", "http://127.0.0.1:9/"], 125, "write env:NAME or file:PATH"),
            (["--auth", "env:NOT_SET", "http://127.0.0.1:9/"], 125, "is not set, or is empty"),
            (["--auth", "file:/nowhere", "http://127.0.0.1:9/"], 3, "--auth: cannot read '/nowhere'"),
            (["--header-file", broken, "http://127.0.0.1:9/"], 125,
             f"--header-file: line 1 of '{broken}' is not 'Name: value'"),
            (["--header-file", "/dev/zero", "http://127.0.0.1:9/"], 3, "more than 1 MiB"),
            (["--header-file", "-", "--body-file", "-", "http://127.0.0.1:9/"], 125,
             "standard input can be only one of"),
        ]
        for arguments, expected, message in table:
            with self.subTest(arguments=arguments):
                status, out, err = get(*arguments)
                self.assertEqual(status, expected, err)
                self.assertIn(message, err)
                self.assertNotIn("CANARY", err + out.decode())
        for words in ([url], ["help", url], ["load", url, url], ["run", url], ["chaos", url],
                      ["chaos", "--to", url]):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertNotIn("CANARY", done.stdout + done.stderr)


class Answers(Case):
    def test_a_key_from_a_variable_that_is_not_set_is_refused(self):
        status, _, said = get("--idempotency-key=", "http://127.0.0.1:1/")
        self.assertEqual(status, 125)
        self.assertIn("--idempotency-key=", said)

    def test_the_body_goes_to_standard_output_byte_for_byte_and_nothing_else_is_said(self):
        body = bytes(range(256)) * 40_000
        with Server([answer(200, body)]) as server:
            self.assertEqual(get(server.url("/a?b=1")), (0, body, ""))
        self.assertTrue(server.requests[0].startswith(b"GET /a?b=1 HTTP/1.1\r\n"))

    def test_include_shows_the_head_as_it_came(self):
        with Server([answer(200, b"hello", "X-Two: 2")]) as server:
            status, out, _ = get("--include", server.url())
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith(b"HTTP/1.1 200 Words\r\n"))
        self.assertTrue(out.endswith(b"X-Two: 2\r\n\r\nhello"))

    def test_gzip_is_asked_for_and_unpacked_also_in_failures(self):
        packed = answer(200, gzip.compress(b"hello" * 1000), "Content-Encoding: gzip")
        refused = answer(404, gzip.compress(b"sorry"), "Content-Encoding: gzip")
        with Server([packed, refused]) as server:
            self.assertEqual(get("--gzip", server.url())[1], b"hello" * 1000)
            self.assertEqual(get("--gzip", "--fail-body", server.url())[:2], (1, b"sorry"))
        self.assertIn(b"Accept-Encoding: gzip", server.requests[0])

    def test_a_reader_who_has_enough_is_no_failure_worth_a_word(self):
        with Server([answer(200, b"x" * 5_000_000)]) as server:
            process = start(server.url())
            process.stdout.read(1)
            process.stdout.close()
            words = process.stderr.read()
            process.stderr.close()
            process.stdin.close()
            self.assertEqual((process.wait(PATIENCE), words), (128 + signal.SIGPIPE, b""))

    def test_an_answer_larger_than_allowed_is_refused(self):
        with Server([answer(200, b"x" * 1_100_000)]) as server:
            status, out, err = get("--max-body", "1", server.url())
        self.assertEqual((status, out), (4, b""))
        self.assertIn("too-large", err)


class Requests(Case):
    def test_bodies_come_from_the_flag_from_a_file_and_from_standard_input(self):
        path = os.path.join(self.folder, "body")
        with open(path, "wb") as file:
            file.write(b"\0from a file\xff")
        table = [
            (["--body", "from a flag"], b"", b"POST", b"from a flag"),
            (["--body-file", path, "-X", "PUT"], b"", b"PUT", b"\0from a file\xff"),
            (["--body-file", "-"], b"from\0a pipe", b"POST", b"from\0a pipe"),
        ]
        for flags, given, method, sent in table:
            with self.subTest(flags=flags), Server([answer(204)]) as server:
                status, _, err = get(*flags, "--content-type", "a/b", server.url(), given=given)
                self.assertEqual((status, err), (0, ""))
                head, body = server.requests[0].split(b"\r\n\r\n", 1)
                self.assertEqual((head.split()[0], body), (method, sent))
                self.assertIn(b"Content-Type: a/b", head)

    def test_headers_are_sent_as_given_and_the_url_is_still_the_last_word(self):
        with Server([answer(200)]) as server:
            status, _, err = get("-H", "X-One:  1 ", "-H", "User-Agent: me", server.url())
        self.assertEqual((status, err), (0, ""))
        self.assertIn(b"X-One: 1\r\n", server.requests[0])
        self.assertIn(b"User-Agent: me\r\n", server.requests[0])
        self.assertNotIn(b"User-Agent: perdure", server.requests[0])

    def test_name_and_password_of_the_url_become_credentials_and_are_never_shown(self):
        with Server([answer(403)]) as server:
            url = server.url("/p?token=secret", name="me:secret@")
            for flags in (["--trace"], ["--json"]):
                status, out, err = get(*flags, url)
                self.assertEqual(status, 1)
                self.assertNotIn("secret", out.decode() + err)
        self.assertIn(b"Authorization: Basic bWU6c2VjcmV0\r\n", server.requests[0])

    def test_an_idempotency_key_stays_the_same_over_all_attempts(self):
        with Server([reset, answer(201)]) as server:
            self.assertEqual(get("--body", "x", "--idempotency-key", server.url())[0], 0)
            self.assertEqual(get("--body", "x", "--idempotency-key=k7", server.url())[0], 0)
        keys = [re.search(rb"Idempotency-Key: (\S+)", one)[1] for one in server.requests]
        self.assertEqual((len(keys), keys[0], keys[2]), (3, keys[1], b"k7"))

    def test_wrong_flags_are_refused_before_anything_is_sent(self):
        with Server([answer(200)]) as server:
            url = server.url()
            table = [
                (["-H", "A: b\r\nC: d", url], "control character"),
                (["-H", "no colon", url], "Name: value"),
                (["-H", "Content-Length: 5", url], "Content-Length"),
                (["-X", "GET /x HTTP/1.1\r\nA:", url], "method"),
                (["--body", "a", "--body-file", "b", url], "--body-file"),
                (["--content-type", "a/b", url], "without a body"),
                (["--safety", "maybe", url], "idempotent"),
                (["--answers", "200", url], "400 to 599"),
                (["--hedge", "1s", "-X", "POST", url], "--safety read"),
                (["--proxy", "http://x", "--no-proxy", url], "give one"),
                (["--proxy", "https://x", url], "HTTP proxies"),
                (["--json", "--include", url], "--json"),
                (["--deadline", "0", url], "--deadline"),
                (["--endpoint", "nowhere", url], "--endpoint"),
                (["ftp://127.0.0.1/"], "http://"),
                ([], "URL is missing"),
            ]
            for flags, word in table:
                with self.subTest(flags=flags):
                    status, out, err = get(*flags)
                    self.assertEqual((status, out), (125, b""), err)
                    self.assertIn(word, err)
            secure = url.replace("http:", "https:")
            for flags in (["--body-file", "/no/such/file", url], ["--ca", "/no/such/file", secure],
                          ["-o", "/no/such/folder/file", url]):
                with self.subTest(flags=flags):
                    self.assertEqual(get(*flags)[0], 3)
        self.assertEqual(server.requests, [])


class Endings(Case):
    def ends(self, script, *flags, status, words, out=b""):
        with Server(script) as server:
            got, printed, err = get(*flags, server.url("/p"))
            self.assertEqual((got, printed), (status, out), err)
            self.assertEqual(len(err.splitlines()), 1, err)
            for word in [words] if isinstance(words, str) else words:
                self.assertIn(word, err)
            return len(server.requests)

    def test_the_last_line_says_what_the_server_said(self):
        refusal = answer(409, b'{"error":\n "book 7 is sold out"}',
                         "Content-Type: application/json")
        with Server([refusal]) as server:
            status, out, said = get(server.url())
        self.assertEqual((status, out), (1, b""))
        self.assertIn('Conflict: {"error": "book 7 is sold out"}; ', said)

    def test_a_failure_that_was_answered_is_1_and_its_body_is_shown_only_on_request(self):
        words = "answered 404 Not Found"
        self.ends([answer(404, b"why")], status=1, words=words)
        self.ends([answer(404, b"why")], "--fail-body", status=1, words=words, out=b"why")
        self.assertEqual(self.ends([answer(503)], status=1, words="no attempts left"), 4)
        with Server([answer(404, b"why")]) as server:
            self.assertEqual(get("--answers", "404,409", server.url()), (0, b"why", ""))

    def test_no_answer_and_nothing_done_is_4(self):
        # A server that does not listen is waited for until the deadline; a second is enough here.
        status, _, err = get("--deadline", "1s", "-X", "POST", f"http://127.0.0.1:{free_port()}/p")
        self.assertEqual(status, 124)
        for word in ("nothing was sent", "ECONNREFUSED", "while connecting", "no time left"):
            self.assertIn(word, err)
        status, _, err = get("--deadline", "2s", "http://no-such-host.invalid/")
        self.assertIn(status, (4, 124))  # by whether there is a name server
        self.assertIn("nothing was sent", err)
        self.ends([reset], status=4, words="a read changes nothing")

    def test_a_write_without_an_answer_is_5_and_is_not_repeated(self):
        words = ["the request was sent; whether it took effect is unknown", "might do it twice"]
        self.assertEqual(self.ends([reset], "--body", "x", status=5, words=words), 1)
        self.assertEqual(self.ends([reset], "-X", "PUT", status=5, words="4 attempts"), 4)
        self.ends([answer(500)], "--body", "x", status=5, words="answered 500")

    def test_a_yes_whose_body_was_lost_is_6(self):
        cut = answer(200, b"hello")[:-2]
        words = ["it took effect", "[truncated, while reading the answer]"]
        self.assertEqual(self.ends([cut], "--body", "x", status=6, words=words), 1)

    def test_time_is_up_by_the_deadline_whatever_the_server_does(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        silent, body, fields = Server([]), Server([]), Server([])
        silent.script, body.script = [silent.silence], [body.drip(head=head)]
        fields.script = [fields.drip(head=b"HTTP/1.1 200 OK\r\nX-Long: ")]
        table = [(silent, [], 124, "first_byte"), (body, [], 124, "body"), (fields, [], 124, "body"),
                 (silent, ["--body", "x"], 5, "first_byte"), (body, ["--body", "x"], 6, "body")]
        with silent, body, fields:
            for server, flags, status, phase in table:
                with self.subTest(phase=phase, flags=flags):
                    began = time.monotonic()
                    got, out, err = get("--deadline", "800ms", "--json", *flags, server.url())
                    self.assertLess(time.monotonic() - began, 1.8)
                    self.assertEqual((got, json.loads(out)["outcome"]["phase"]), (status, phase), err)

    def test_ctrl_c_says_what_can_have_happened(self):
        with Server([]) as server:
            asked = []
            server.script = [lambda connection: (asked[0].send_signal(signal.SIGINT),
                                                 server.silence(connection))]
            asked.append(start("--body", "x", server.url()))
            _, err = asked[0].communicate(timeout=PATIENCE)
        self.assertEqual(asked[0].returncode, 128 + signal.SIGINT)
        self.assertIn(b"whether it took effect is unknown", err)


class Output(Case):
    def test_a_file_is_replaced_whole_or_not_at_all(self):
        path = self.file("kept", "old", mode=0o640)
        link = os.path.join(self.folder, "link")
        os.symlink(path, link)
        with Server([answer(200, b"hello")[:-2], answer(404, b"no"), answer(200, b"new")]) as server:
            for flags, status in ([["--attempts", "1"], 4], [["--fail-body"], 1], [[], 0]):
                with self.subTest(status=status):
                    self.assertEqual(get(*flags, "-o", link, server.url())[0], status)
                    with open(path, encoding="utf-8") as file:
                        self.assertEqual(file.read(), "old" if status else "new")
        self.assertEqual(sorted(os.listdir(self.folder)), ["kept", "link"])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)

    def test_what_cannot_be_written_is_7(self):
        with Server([answer(200, b"hello")]) as server:
            status, _, err = get("-o", "/dev/full", server.url())
            self.assertEqual(status, 7)
            self.assertIn("/dev/full", err)

    def test_json_says_everything_but_secrets(self):
        path = os.path.join(self.folder, "out")
        fields = ["Set-Cookie: id=secret", "Content-Type: text/plain",
                  "Location: http://me:secret@example.org/x"]
        with Server([answer(503), answer(200, b"hello", *fields)]) as server:
            status, out, err = get("--json", "-o", path, "-H", "Authorization: secret",
                                   "-H", "Cookie: secret", server.url("/p?q=1"))
        told = json.loads(out)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(set(told), FIELDS)
        self.assertEqual(set(told["outcome"]), OUTCOME)
        self.assertEqual(told["url"], server.url("/p"))
        self.assertNotIn("secret", out.decode())
        self.assertIn(["Set-Cookie", "(hidden)"], told["headers"])
        self.assertIn(["Location", "http://example.org/x"], told["headers"])
        self.assertEqual((told["attempts"], told["body_bytes"], told["output"]), (2, 5, path))
        self.assertEqual(told["outcome"]["status"], 200)
        last = told["diagnostics"]["attempts"][-1]
        self.assertEqual(last["phases"]["sent"], "response_begun")

    def test_json_has_cause_effect_and_stop_of_a_failure(self):
        with Server([reset]) as server:
            status, out, _ = get("--json", "--body", "x", server.url())
        told = json.loads(out)
        self.assertEqual((status, told["exit_status"]), (5, 5))
        found = {name: told["outcome"][name] for name in ("status", "cause", "effect", "stop", "sent")}
        self.assertEqual(found, {"status": None, "cause": "unavailable", "effect": "unknown",
                                 "stop": "unsafe", "sent": "all"})
        self.assertIsNone(told["body_bytes"])

    def test_trace_draws_one_line_for_each_attempt_in_the_width_of_the_terminal(self):
        with Server([answer(503), answer(200, b"hello")]) as server:
            status, out, err = get("--trace", server.url("/p"), environment={"COLUMNS": "60"})
            lines = err.splitlines()
            self.assertEqual((status, out), (0, b"hello"))
            self.assertRegex(lines[0], r"^ {11}0 +[\d.]+ [mu]?s$")
            self.assertRegex(lines[1], r"^attempt 1  [dcs#-]+x$")
            self.assertRegex(lines[2], r"^attempt 2  [ ~]*[dcs#-]+\+$")
            self.assertIn("attempt 1  unavailable (503) after", err)
            self.assertRegex(lines[-1], r"^perdure get: GET http\S+/p: 200 after 2 attempts and")
            self.assertLessEqual(max(len(line) for line in lines[:-1]), 60)
            self.assertIn("─", get("--trace", server.url(), environment={"LC_ALL": "C.UTF-8"})[2])


class Ways(Case):
    def test_a_redirect_takes_neither_key_nor_body_to_another_place(self):
        with Server([answer(200)]) as other:
            there = answer(307, b"moved", f"Location: {other.url('/new')}")
            with Server([there, there]) as first:
                keyed = ["-H", "X-Api-Key: CANARY", "--redirects", "3", first.url("/old")]
                self.assertEqual(get(*keyed)[0], 0)
                status, _, err = get("-X", "POST", "--body", "CANARY", *keyed)
                self.assertEqual(status, 1)
                self.assertIn("would take the request's body to another origin", err)
        self.assertEqual(len(other.requests), 1)
        self.assertNotIn(b"CANARY", other.requests[0])

    def test_redirects_are_followed_when_asked_and_credentials_stay_at_home(self):
        with Server([answer(200, b"there")]) as other:
            there = answer(302, b"moved", f"Location: {other.url('/new')}")
            with Server([there, there, answer(307, b"", "Location: /same"), answer(200)]) as first:
                url = first.url("/old", name="me:secret@")
                status, out, err = get(url)
                self.assertEqual((status, out), (0, b"moved"))
                self.assertIn("--redirects", err)
                secrets = ["-H", "Cookie: secret", "--redirects", "3"]
                status, out, err = get("--trace", *secrets, url)
                self.assertEqual((status, out), (0, b"there"))
                self.assertIn("redirect 1, attempt 1", err)
                status, out, _ = get("--json", *secrets, url)
                self.assertEqual(len(json.loads(out)["redirected"]), 1)
        self.assertTrue(other.requests[0].startswith(b"GET /new "))
        self.assertNotIn(b"Authorization", other.requests[0])
        self.assertNotIn(b"secret", other.requests[0])
        self.assertIn(b"Cookie: secret", first.requests[-1])

    def test_proxies_come_from_the_environment_or_a_flag_and_can_be_left_out(self):
        with Server([answer(200, b"proxy")]) as proxy, Server([answer(200, b"server")]) as server:
            told = {"http_proxy": proxy.url()}
            table = [
                (told, [], b"proxy"),
                (told, ["--no-proxy"], b"server"),
                ({**told, "no_proxy": "127.0.0.1"}, [], b"server"),
                ({}, ["--proxy", proxy.url()], b"proxy"),
                ({}, [], b"server"),
            ]
            for environment, flags, who in table:
                with self.subTest(environment=environment, flags=flags):
                    self.assertEqual(get(*flags, server.url(), environment=environment)[1], who)
        self.assertTrue(proxy.requests[0].startswith(b"GET " + server.url().encode()))

    def test_another_endpoint_answers_for_one_that_is_down(self):
        with Server([answer(200, b"second")]) as second:
            down = f"http://127.0.0.1:{free_port()}/path?q"
            self.assertEqual(get(down, "--endpoint", second.url())[:2], (0, b"second"))
        self.assertTrue(second.requests[0].startswith(b"GET /path?q "))

    def test_a_hedge_answers_for_a_slow_read(self):
        with Server([]) as server:
            server.script = [server.silence, answer(200, b"copy")]
            status, out, err = get("--hedge", "30ms", "--trace", server.url())
        self.assertEqual((status, out), (0, b"copy"))
        self.assertRegex(err, r"(?m)^attempt 1  .*/$")
        self.assertRegex(err, r"(?m)^hedge 2  .*\+$")

    def test_certificates_are_checked_unless_insecure_is_given_and_said_loudly(self):
        pem = self.certificate()
        with Server([answer(200, b"hello")], tls=pem) as server:
            status, out, err = get(server.url())
            self.assertEqual((status, out), (4, b""))
            self.assertIn("[tls-certificate, while shaking hands for TLS]", err)
            self.assertEqual(get("--ca", pem, server.url()), (0, b"hello", ""))
            status, out, err = get("--insecure", server.url())
            self.assertEqual((status, out), (0, b"hello"))
            self.assertIn("WARNING", err)

    def certificate(self):
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl to make a certificate with")
        pem = os.path.join(self.folder, "one.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pem, "-out", pem + "2"],
                       check=True, capture_output=True, timeout=PATIENCE)
        with open(pem, "a", encoding="utf-8") as both, open(pem + "2", encoding="utf-8") as public:
            both.write(public.read())
        return pem


if __name__ == "__main__":
    if subprocess.run([TOOL, "get", "--help"], stdout=subprocess.DEVNULL, check=False,
                      stderr=subprocess.DEVNULL, timeout=PATIENCE).returncode != 0:
        print("SKIPPED: this tool was built without the network rooms, so it has no `get`")
        sys.exit(77)
    unittest.main()
