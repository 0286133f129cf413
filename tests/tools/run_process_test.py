# SPDX-License-Identifier: Apache-2.0
"""Does `perdure run` leave streams, signals and terminals alone, and nobody behind?"""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from tool import PATIENCE, TOOL, Case, call, ends, run, summary


class Streams(Case):
    def test_a_megabyte_passes_byte_for_byte(self):
        given = os.urandom(1 << 20)
        process = self.start("run", "--", "cat")
        self.assertEqual(process.communicate(given, timeout=PATIENCE)[0], given)

    def test_a_repeated_command_reads_on_where_the_last_one_stopped(self):
        script = 'read line; echo "$line"; test "$line" = c'
        status, out, _ = run("--", "sh", "-c", script, given=b"a\nb\nc\nd\n")
        self.assertEqual((status, out), (0, "a\nb\nc\n"))

    def test_arguments_arrive_untouched(self):
        given = ["-x", "--attempts", "--", "", "a b", "*", "--help", "ü"]
        out = call("run", "--", "printf", "<%s>", *given)[1]
        self.assertEqual(out, "".join(f"<{word}>" for word in given))

    def test_no_file_of_ours_is_open_in_the_command(self):
        listed = call("run", "--", "ls", "/proc/self/fd")[1].split()
        self.assertEqual(listed, ["0", "1", "2", "3"])  # 3 is what ls itself reads

    def test_a_closed_stream_stays_closed_for_the_command(self):
        script = '"$0" run -- ls /proc/self/fd <&-'
        done = subprocess.run(["sh", "-c", script, TOOL], check=False, capture_output=True)
        self.assertEqual(done.stdout.split(), [b"0", b"1", b"2"])  # 0 is what ls itself reads

    def test_signals_are_for_the_command_as_they_were_for_us(self):
        def masks(*command):
            wanted = ["grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"]
            return subprocess.run([*command, *wanted], check=True, capture_output=True).stdout

        self.assertEqual(masks(TOOL, "run", "--"), masks("env"))
        ignoring = ["sh", "-c", 'trap "" HUP USR1 TERM; exec "$@"', "sh"]
        self.assertEqual(masks(*ignoring, TOOL, "run", "--"), masks(*ignoring))

    def test_two_side_by_side_do_not_meet(self):
        given = [os.urandom(1 << 18) for _ in range(2)]
        both = [self.start("run", "--", "cat") for _ in given]
        for process, text in zip(both, given):
            self.assertEqual(process.communicate(text, timeout=PATIENCE)[0], text)

    def test_a_child_is_seen_to_end_also_where_ends_are_ignored(self):
        def ignoring():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        process = self.start("run", "--attempts", "1", "--", "sh", "-c", "exit 9", preexec_fn=ignoring)
        self.assertEqual(process.wait(PATIENCE), 9)


class NobodyLeft(Case):
    stubborn = "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo ready; wait"

    def test_a_timeout_ends_the_whole_group_and_those_who_ignore_sigterm(self):
        process = self.start("run", "--attempts", "1", "--timeout", "100ms", "--kill-after", "100ms",
                             "--", "sh", "-c", self.stubborn)
        self.assertTrue(ends(process.stdout, 5))
        self.assertEqual(process.wait(PATIENCE), 124)

    def test_a_stopped_command_is_ended_by_its_timeout(self):
        process = self.start("run", "--attempts", "1", "--timeout", "100ms", "--kill-after", "1h",
                             "--", "sh", "-c", "kill -STOP $$; echo no")
        self.assertTrue(ends(process.stdout, 5))
        self.assertEqual(process.wait(PATIENCE), 124)

    def test_what_a_failed_attempt_left_behind_ends_before_the_next(self):
        process = self.start("run", "--attempts", "2", "--base", "1ms", "--", "sh", "-c", "sleep 30 & exit 1")
        self.assertTrue(ends(process.stdout, 5))
        self.assertEqual(process.wait(PATIENCE), 1)

    def test_what_a_successful_command_left_behind_lives_on(self):
        go = os.path.join(self.folder, "go")
        os.mkfifo(go)
        process = self.start("run", "--", "sh", "-c", f"(read word <{go}; echo $word) & exit 0")
        self.assertEqual(process.wait(PATIENCE), 0)
        with open(go, "w", encoding="utf-8") as fifo:
            fifo.write("alive\n")
        self.assertEqual(process.stdout.read(), b"alive\n")

    def test_a_killed_perdure_takes_its_command_along(self):
        deaf = "trap '' TERM; echo ready; while :; do read x; done </dev/zero"
        for command in ("echo ready; exec sleep 30", deaf):
            process = self.start("run", "--", "sh", "-c", command)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.kill()
            self.assertTrue(ends(process.stdout, 5))


class Signals(Case):
    def test_an_ending_signal_is_forwarded_and_no_further_attempt_made(self):
        for name in ("INT", "TERM", "HUP", "QUIT"):
            with self.subTest(signal=name):
                number = getattr(signal, "SIG" + name)
                script = f"trap 'echo got; exit 3' {name}; echo ready; while :; do sleep 0.01; done"
                process = self.start("run", "--json", "--", "sh", "-c", script)
                self.assertEqual(process.stdout.readline(), b"ready\n")
                process.send_signal(number)
                out, err = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, out), (128 + number, b"got\n"))
                seen = summary(err.decode())
                self.assertEqual((seen["attempts"], seen["stop"]), (1, "cancelled"))
                self.assertEqual(seen["effect"], "unknown")

    def test_a_command_that_succeeds_all_the_same_has_succeeded(self):
        script = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done"
        process = self.start("run", "--", "sh", "-c", script)
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_a_wait_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start("run", "--base", "1000h", "--", "sh", "-c", "exit 7")
            self.assertIn(b"next one in", process.stderr.readline())
            began = time.monotonic()
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 128 + number)
            self.assertLess(time.monotonic() - began, 0.5)

    def test_a_wait_before_the_first_attempt_ends_too(self):
        process = self.start("run", "--spread", "1000h", "--", "echo", "no")
        self.assertIn(b"first attempt in", process.stderr.readline())
        process.terminate()
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], b"")
        self.assertEqual(process.returncode, 143)

    def test_user_signals_are_forwarded_and_end_nothing(self):
        traps = "trap 'echo one' USR1; trap 'echo two; exit 5' USR2"
        script = traps + "; echo ready; while :; do sleep 0.01; done"
        process = self.start("run", "--attempts", "2", "--base", "1ms", "--", "sh", "-c", script)
        for number, said in ((signal.SIGUSR1, b"one\n"), (signal.SIGUSR2, b"two\n")):
            if number == signal.SIGUSR1:
                self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), said)
        self.assertEqual(process.stdout.readline(), b"ready\n")  # the second attempt
        process.send_signal(signal.SIGUSR2)
        self.assertEqual(process.wait(PATIENCE), 5)

    def test_a_signal_that_is_ignored_for_us_is_ignored(self):
        script = 'trap "" HUP; exec "$0" run -- sh -c "echo ready; read line; exit 4"'
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(["sh", "-c", script, TOOL], **pipes) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 143)


class OnATerminal(Case):
    """The tool as the foreground job of a terminal whose other end is ours."""

    def setUp(self):
        super().setUp()

        def give_up(*_):
            raise TimeoutError

        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        self.addCleanup(signal.alarm, 0)

    def open(self, *arguments):
        pid, self.master = pty.fork()
        if pid == 0:
            os.execv(TOOL, [TOOL, *arguments])
        self.addCleanup(os.close, self.master)
        self.seen = b""
        return pid

    def until(self, text):
        limit = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready = select.select([self.master], [], [], max(0, limit - time.monotonic()))[0]
            self.assertTrue(ready, f"waited for {text!r}, saw {self.seen!r}")
            try:
                self.seen += os.read(self.master, 4096)
            except OSError:  # how Linux says that the last user of a terminal is gone
                self.fail(f"waited for {text!r}, saw {self.seen!r}")
        self.seen = self.seen.partition(text)[2]

    def status(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_a_command_may_read_from_the_terminal_in_every_attempt(self):
        script = 'echo "name?"; read name; echo "hello $name"; test "$name" = b'
        pid = self.open("run", "--base", "1ms", "--", "sh", "-c", script)
        for name in (b"a", b"b"):
            self.until(b"name?")
            os.write(self.master, name + b"\n")
            self.until(b"hello " + name)
        self.assertEqual(self.status(pid), 0)

    def test_ctrl_c_ends_a_command_that_does_not_read(self):
        pid = self.open("run", "--", "sh", "-c", "echo ready; while :; do sleep 0.01; done")
        self.until(b"ready")
        os.write(self.master, b"\x03")
        self.assertEqual(self.status(pid), 130)

    def test_ctrl_c_ends_a_command_that_reads(self):
        pid = self.open("run", "--", "sh", "-c", "echo ready; read one; echo again; read two")
        self.until(b"ready")
        os.write(self.master, b"x\n")
        self.until(b"again")
        os.write(self.master, b"\x03")
        self.assertEqual(self.status(pid), 130)

    def test_ctrl_c_ends_a_wait_after_a_command_that_read(self):
        pid = self.open("run", "--base", "1000h", "--", "sh", "-c", "echo ready; read line; exit 1")
        self.until(b"ready")
        os.write(self.master, b"x\n")
        self.until(b"next one in")
        os.write(self.master, b"\x03")
        self.assertEqual(self.status(pid), 130)

    def test_ctrl_z_without_a_shell_stops_nobody(self):
        pid = self.open("run", "--", "sh", "-c", "echo ready; read line; echo got $line")
        self.until(b"ready")
        os.write(self.master, b"a\x1a")  # the terminal drops what was typed before the stop
        os.write(self.master, b"b\n")
        self.until(b"got b")
        self.assertEqual(self.status(pid), 0)

    def test_a_terminal_without_echo_is_mended_after_a_timeout(self):
        script = "stty -echo; echo hidden; read line"
        pid = self.open("run", "--base", "1ms", "--timeout", "300ms", "--", "sh", "-c",
                        f"test -e {self.folder}/x && exec stty -a; touch {self.folder}/x; {script}")
        self.until(b"hidden")
        self.until(b" echo ")
        self.assertEqual(self.status(pid), 0)

    def open_shell(self):
        shell, self.master = pty.fork()
        if shell == 0:
            os.environ.update(PS1="$ ", TOOL=TOOL)
            os.execvp("bash", ["bash", "--norc", "--noediting", "-i"])
        self.addCleanup(os.close, self.master)
        self.seen = b""
        return shell

    def test_a_pager_behind_it_keeps_the_keyboard(self):
        shell = self.open_shell()
        pager = b'sh -c "cat; echo mo""re; read k </dev/tty; echo ke""y \\$k"'
        os.write(self.master, b'"$TOOL" run -- echo page | ' + pager + b"\n")
        self.until(b"more")
        os.write(self.master, b"7\n")
        self.until(b"key 7")
        os.write(self.master, b"exit 6\n")
        self.assertEqual(self.status(shell), 6)

    def test_a_job_in_the_background_asks_for_the_terminal_as_any_other(self):
        shell = self.open_shell()
        os.write(self.master, b'"$TOOL" run -- sh -c "read a; echo go""t \\$a" & wait\n')
        self.until(b"Stopped")
        os.write(self.master, b"fg\n")
        self.until(b"run --")
        os.write(self.master, b"2\n")
        self.until(b"got 2")
        os.write(self.master, b"exit 6\n")
        self.assertEqual(self.status(shell), 6)

    def test_a_shell_can_stop_and_continue_it(self):
        shell = self.open_shell()
        command = b'sh -c "echo re""ady; read a; echo go""t; read b; echo en""d \\$b"'
        os.write(self.master, b'"$TOOL" run -- ' + command + b"\n")
        self.until(b"ready")
        os.write(self.master, b"1\n")
        self.until(b"got")
        os.write(self.master, b"\x1a")
        self.until(b"Stopped")
        os.write(self.master, b"fg\n")
        self.until(b"run --")
        os.write(self.master, b"2\n")
        self.until(b"end 2")
        os.write(self.master, b"exit 6\n")
        self.assertEqual(self.status(shell), 6)


if __name__ == "__main__":
    unittest.main()
