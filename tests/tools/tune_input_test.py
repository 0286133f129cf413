# SPDX-License-Identifier: Apache-2.0
"""Does `perdure tune` read other people's files, and say what it could not read?"""

import gzip
import json
import os
import unittest

from latencies import ladder, lines, log_normal, shuffled
from tool import Case, call

VALUES = shuffled(ladder(3_000))  # milliseconds


def tune(given, *flags):
    """(exit status, the JSON answer or the complaint)"""
    given = given if isinstance(given, bytes) else given.encode()
    status, out, err = call("tune", "-", "--json", *flags, given=given)
    return status, json.loads(out) if out else err


class Formats(Case):
    def check(self, given, *flags):
        status, seen = tune(given, *flags)
        self.assertEqual(status, 0, seen)
        self.assertEqual((seen["whole"]["samples"], seen["whole"]["median_ms"], seen["whole"]["bound_ms"]),
                         (3_000, 1_500, 3_000))
        return seen

    def test_one_number_per_line(self):
        table = [(lines(VALUES), ["--unit", "ms"]), (lines(VALUES, "{}ms"), []), (lines(VALUES, "{} ms"), []),
                 (lines(VALUES, "{}000us"), []), (lines(VALUES, "{}000 \u00b5s"), []),
                 (lines(VALUES, "{}e-3"), ["--unit", "s"]), (lines(VALUES, "  {}000000\t"), ["--unit", "ns"]),
                 (lines(VALUES, "{}.0\r"), ["--unit", "ms"]), ("\ufeff" + lines(VALUES, "{}ms"), []),
                 ("# made by hand\n\n" + lines(VALUES, "{}ms\n"), []), (lines(VALUES, "{}ms")[:-1], []),
                 ("latency_ms\n" + lines(VALUES), []), ("ms\n" + lines(VALUES), []),
                 ("us\n" + lines(VALUES, "{}000"), []), ("s\n" + lines(VALUES, "{}e-3"), []),
                 ("ns\n" + lines(VALUES, "{}000000"), []), ("latency_\u00b5s\n" + lines(VALUES, "{}000"), []),
                 ("\u00b5s\n" + lines(VALUES, "{}000"), []), ("anything\n" + lines(VALUES), ["--unit", "ms"])]
        for given, flags in table:
            with self.subTest(given=given[:30], flags=flags):
                self.assertEqual(self.check(given, *flags)["input"]["format"], "one number per line")

    def test_csv(self):
        table = [("id,latency_ms\n", "7,{}", []), ("id;duration (ms)\n", "7;{}", []), ("id\tDurationMs\n", "7\t{}", []),
                 ("a|took_ms|b\n", "x|{}|y", []), ("id,lag\n", "7,{}ms", ["--column", "lag"]),
                 ("id,ms\n", "7,{}", ["--column", "ms"]), ("ns,id\n", "{}000000,7", ["--column", "1"]),
                 ("id,lag\n", "7,{}", ["--column", "2", "--unit", "ms"]), ("", "x,{}", ["--column", "2", "--unit", "ms"]),
                 ('"a, b","latency_ms"\n', '"x, ""y"" , z","{}"', []), ('note,latency_ms\n', '"he said ""no""",{}', []),
                 ("elapsed_seconds,status\n", "{}e-3,ok", []), ("latency_ms,more\r\n", " {} ,\r", []),
                 ("id\tlatency_ms\tnote\n", "\t{}\t", [])]
        for head, form, flags in table:
            with self.subTest(head=head, form=form, flags=flags):
                self.assertEqual(self.check(head + lines(VALUES, form), *flags)["input"]["format"], "CSV")

    def test_json_lines(self):
        table = [('{{"took_ms":{}}}', []), ('{{ "a" : [1,{{"b":"}}"}}] , "duration_ms" : {} , "c":null }}', []),
                 ('{{"http":{{"took":{}}}}}', ["--field", "http.took", "--unit", "ms"]),
                 ('{{"http.took":{},"http":1}}', ["--field", "http.took", "--unit", "ms"]),
                 ('{{"id":1,"ms":{}}}', ["--field", "ms"]), ('{{"latency":"{} ms"}}', []), ('{{"say":"a \\" quote","latency":"{}ms"}}', []),
                 ('{{"latency_ms":{}}}\r', [])]
        for form, flags in table:
            with self.subTest(form=form):
                self.assertEqual(self.check(lines(VALUES, form), *flags)["input"]["format"], "JSON lines")

    def test_files_of_different_kinds_together(self):
        one = self.file("one.csv", "latency_ms,x\n" + lines(VALUES[:1_000], "{},1"))
        two = self.file("two.jsonl", lines(VALUES[1_000:], '{{"latency_ms":{}}}'))
        three = self.file("three.jsonl", lines(VALUES, '{{"took_ms":{}}}'))
        status, out, _ = call("tune", one, two, "--json")
        seen = json.loads(out)
        self.assertEqual((status, seen["whole"]["bound_ms"]), (0, 3_000))
        self.assertEqual((seen["input"]["format"], seen["input"]["field"]), ("CSV and JSON lines", "latency_ms"))
        out = " ".join(call("tune", one, two, three)[1].split())
        self.assertIn("6,000 latencies from CSV and JSON lines, fields latency_ms and took_ms", out)

    def test_what_was_cut_off(self):
        table = [("status,latency_ms\n", "{1},{0}", ["--timed-out-if", "status=timeout"], "timeout", "ok"),
                 ("status,latency_ms\n", "{1},{0}", ["--timed-out-if", "1=504"], "504", "200"),
                 ("gave_up,latency_ms\n", "{1},{0}", ["--timed-out-if", "gave_up"], "True", "False"),
                 ("", '{{"latency_ms":{0},"late":{1}}}', ["--timed-out-if", "late"], "true", "false"),
                 ("", '{{"latency_ms":{0},"end":"{1}"}}', ["--timed-out-if", "end=deadline exceeded"],
                  "deadline exceeded", "")]
        for head, form, flags, yes, no in table:
            with self.subTest(form=form, flags=flags):
                text = head + "".join(form.format(v, yes if v > 2_998 else no) + "\n" for v in VALUES)
                status, seen = tune(text, *flags)
                self.assertEqual((status, seen["whole"]["cut_off"], seen["verdict"]), (2, 2, "cut_off"))

    def test_a_request_that_was_cut_off_needs_no_latency_of_its_own(self):
        text = "status,latency_ms\n" + lines(VALUES, "ok,{}") + lines(["late,"] * 20)
        status, seen = tune(text, "--timed-out-if", "status=late", "--timeout", "5s")
        self.assertEqual((status, seen["whole"]["samples"], seen["whole"]["cut_off"]), (2, 3_020, 20))

    def test_the_present_timeout_marks_what_took_as_long(self):
        seen = tune(lines(VALUES, "{}ms"), "--timeout", "2991ms", "--false-timeouts", "1%")[1]
        self.assertEqual((seen["whole"]["cut_off"], seen["present_timeout_ms"]), (10, 2_991))

    def test_other_requests_are_left_out(self):
        text = "status,latency_ms\n" + lines(VALUES, "200,{}") + lines(range(500), "500,{}")
        seen = self.check(text, "--only-if", "status=200")
        self.assertEqual(seen["input"]["left_out"], 500)

    def test_a_condition_that_leaves_nothing_says_which_values_there_are(self):
        text = "status,latency_ms\n" + lines(VALUES, "200,{}") + "500,1\n,1\n\x1b[31m,1\n"
        status, seen = tune(text, "--only-if", "status=nada")
        self.assertEqual(status, 3)
        self.assertIn("--only-if leaves no request: status is 'nada' in none", seen)
        self.assertIn("Its values are: 200, 500, (empty), \\x1b[31m", seen)
        self.assertIn("status says yes in none", tune(text, "--only-if", "status")[1])

    def test_times_in_every_usual_form(self):
        table = [("{}", 1), ("{}000", 1), ("{}000000", 1), ("{}000000000", 1), ("{}.5", 1)]
        start = 1_794_009_600  # 2026-11-07T00:00:00Z
        for form, _ in table:
            self.check_hours(lines((f"{form.format(start + 4 * i)},{v}" for i, v in enumerate(VALUES))))
        stamps = ["2026-11-07T{:02}:{:02}:{:02}Z", "2026-11-07 {:02}:{:02}:{:02}", "2026-11-07T{:02}:{:02}:{:02}.25Z",
                  "2026-11-07T{:02}:{:02}:{:02}+00:00", "2026-11-07T{:02}:{:02}:{:02}-0000"]
        for stamp in stamps:
            at = [stamp.format(4 * i // 3600, 4 * i // 60 % 60, 4 * i % 60) for i in range(3_000)]
            self.check_hours(lines(f"{a},{v}" for a, v in zip(at, VALUES)))
        zoned = [f"2026-11-07T{2 + 4 * i // 3600:02}:{4 * i // 60 % 60:02}:00+02:00" for i in range(3_000)]
        self.check_hours(lines(f"{a},{v}" for a, v in zip(zoned, VALUES)))
        # Lines in any order: they are sorted by time.
        self.check_hours(lines(shuffled(f"{start + 4 * i},{v}" for i, v in enumerate(VALUES))))

    def check_hours(self, rows):
        seen = tune("at,latency_ms\n" + rows, "--time", "at", "--block", "1h", "--false-timeouts", "5%")[1]
        self.assertEqual([block["from"][:16] for block in seen["blocks"]],
                         [f"2026-11-07T0{hour}:00" for hour in range(4)], rows[:40])
        self.assertEqual([block["samples"] for block in seen["blocks"]], [900, 900, 900, 300])


class Complaints(Case):
    def test_a_few_bad_lines_are_counted_and_named(self):
        text = "latency_ms,x\n" + lines(VALUES, "{},1") + "abc,1\n-4,1\n,1\n12parsec,1\n1e99,1\nnan,1\n\"12,1\n"
        status, seen = tune(text)
        self.assertEqual((status, seen["input"]["bad_lines"], seen["whole"]["samples"]), (0, 7, 3_000))
        self.assertEqual(seen["input"]["bad_examples"], ["standard input:3002: the latency is not a number",
                                                         "standard input:3003: the latency is negative",
                                                         "standard input:3004: the latency is empty"])
        self.assertIn("7 of 3,007 lines could not be read", " ".join(seen["warnings"]))

    def test_what_is_no_number_is_not_called_negative(self):
        for value in ("nan", "NaN", "-nan", "nanms", "?"):
            seen = tune("latency_ms\n" + lines(VALUES) + value + "\n")[1]
            self.assertEqual(seen["input"]["bad_examples"], ["standard input:3002: the latency is not a number"], value)

    def test_what_is_not_text_is_named_and_never_echoed(self):
        table = [(gzip.compress(lines(VALUES).encode()), "this is gzip; zcat it and use -"),
                 (b"\x28\xb5\x2f\xfd1234\n", "this is zstd"), (b"\xfd7zXZ\x00\n", "this is xz"),
                 (lines(VALUES).encode("utf-16"), "UTF-16"), (b"a,b\x00\x1b[31m\n1,2\n", "NUL bytes"),
                 (b"\x1b[31m,b\x7f,\xff\xc2\x9b,\xc3\xa9\n1,2,3,4\n", "\\x1b[31m, b\\x7f, \\xff\\xc2\\x9b, \u00e9")]
        for given, word in table:
            with self.subTest(given=given[:20]):
                status, seen = tune(given)
                self.assertEqual(status, 3)
                self.assertIn(word, seen)
                self.assertTrue(seen.replace("\n", "").isprintable(), seen)
        path = self.file("odd.csv", "latency\x1b[31m_ms,x\n" + lines(VALUES, "{},1"))
        status, out, _ = call("tune", path, "--column", "1")
        self.assertEqual((status, "\x1b" in out), (0, False))
        self.assertIn("latency\\x1b[31m_ms", out)

    def test_many_bad_lines_are_refused_unless_tolerated(self):
        text = "latency_ms\n" + lines(VALUES) + lines(["?"] * 40)
        status, seen = tune(text)
        self.assertEqual(status, 3)
        self.assertIn("40 of 3040 lines", seen)
        self.assertIn("standard input:3002:", seen)
        self.assertEqual(tune(text, "--lenient")[0], 0)
        self.assertEqual(tune("latency_ms\n" + lines(["?"] * 40), "--lenient")[0], 3)

    def test_what_cannot_be_read_is_3_with_a_word_about_the_fix(self):
        table = [("", "no samples"), ("\n# nothing\n", "no samples"), (lines(VALUES), "--unit ms"),
                 ("a,b\n1,2\n", "Choose with --column, by name or number: a, b"),
                 ('{"a":1,"b":2}\n', "Choose with --field: a, b"), ("{\n", "--field"),
                 (b"\x00\x01\xff\xfe\n" * 5, "cannot be read")]
        for given, word in table:
            with self.subTest(given=given[:20]):
                status, seen = tune(given)
                self.assertEqual(status, 3)
                self.assertIn(word, seen)
        for flags, word in ((["--column", "c"], "no 'c'"), (["--time", "c"], "no 'c'"), (["--column", "3"], "no '3'"),
                            (["--timed-out-if", "c=1"], "no 'c'"), (["--time", "b", "--column", "a"], "--time")):
            status, seen = tune("a,b\n" + lines(VALUES, "{}ms,x"), *flags)
            self.assertEqual(status, 3)
            self.assertIn(word, seen)
        self.assertIn("no 'x.y'", tune('{"x":{"z":1}}\n', "--field", "x.y")[1])

    def test_files_that_are_not_there(self):
        for path, word in ((os.path.join(self.folder, "none"), "No such file"), (self.folder, "directory")):
            status, out, err = call("tune", path)
            self.assertEqual((status, out), (3, ""))
            self.assertIn(path, err)
            self.assertIn(word, err)

    def test_a_time_that_nobody_asked_for_is_mentioned(self):
        seen = tune("timestamp,latency_ms\n" + lines(VALUES, "1,{}"))[1]
        self.assertIn("--time timestamp", " ".join(seen["warnings"]))


class Size(Case):
    def test_hundreds_of_thousands_of_lines_and_very_long_ones_are_fine(self):
        values = log_normal(2_000, 10, 40)
        path = self.file("large.csv", "pad,latency_ms\n" + lines(values, "x,{}") * 200 + "y" * 3_000_000 + ",5\n")
        status, out, _ = call("tune", path, "--json")
        self.assertEqual((status, json.loads(out)["whole"]["samples"]), (0, 400_001))


if __name__ == "__main__":
    unittest.main()
