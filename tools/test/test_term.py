# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how ./terrace ends on a signal, and how its child processes end."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths, term
from terrace.common.term import Failure

LONG = 60
# Long enough for a child to get going on a busy machine.
SHORT = 4


def gone(pid):
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def left(pids):
    """Returns the processes that still exist after a while. A killed process ends only when a processor is available."""
    pids, until = list(pids), time.monotonic() + LONG / 2
    while not all(map(gone, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return [pid for pid in pids if not gone(pid)]


class StepTest(unittest.TestCase):
    """Tests that a long step shows that it is still running."""

    def setUp(self):
        self.now = 1000.0
        clock = mock.patch.object(term.time, "monotonic", lambda: self.now)
        clock.start()
        self.addCleanup(clock.stop)

    def after(self, seconds, step):
        """Returns the output of the step after the given time."""
        self.now += seconds
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            step.tick()
        return printed.getvalue()

    def test_a_log_gets_a_line_per_minute_of_silence(self):
        with contextlib.redirect_stdout(io.StringIO()):
            step = term.Step("unpacking")
        self.assertEqual(self.after(59, step), "")
        self.assertEqual(self.after(1, step), "  unpacking … (1:00 min)\n")
        self.assertEqual(self.after(59, step), "")
        self.assertEqual(self.after(2, step), "  unpacking … (2:01 min)\n")
        step.end()
        self.assertEqual(self.after(61, step), "")

    def test_a_terminal_line_is_updated_in_place(self):
        with mock.patch.object(sys, "stdout", mock.Mock(isatty=lambda: True)):
            step = term.Step("unpacking")
            step.update("the source")
        self.assertEqual(self.after(2, step), "\r\033[K  unpacking … the source (2.0 s)")

    def test_a_long_step_ticks_while_it_runs(self):
        ticked = threading.Event()
        with mock.patch.object(term, "TICK_SECONDS", 0.001), mock.patch.object(term.Step, "tick", lambda step: ticked.set()), \
                contextlib.redirect_stdout(io.StringIO()), term.step("long"):
            self.assertTrue(ticked.wait(LONG))


class EndingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pids = Path(folder.name, "pids")
        family = f"sleep {LONG} & echo $$ $! > {self.pids}.part; mv {self.pids}.part {self.pids}; wait"
        self.program = textwrap.dedent(f"""
            import runpy, sys
            sys.path.insert(0, {str(paths.ROOT / 'tools')!r})
            from terrace.cli import main
            from terrace.common import term
            main.main = lambda: term.logged(["sh", "-c", {family!r}], {str(Path(folder.name, 'log'))!r})
            runpy.run_path({str(paths.ROOT / 'terrace')!r})
            """)

    def started(self, *before):
        """Starts a ./terrace whose command runs a program that never ends. Returns the command and the processes of that program."""
        self.pids.unlink(missing_ok=True)
        command = subprocess.Popen([*before, sys.executable, "-c", self.program], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(command.wait)
        self.addCleanup(command.kill)
        while not self.pids.exists():
            self.assertIsNone(command.poll())
            time.sleep(0.05)
        pids = [int(pid) for pid in self.pids.read_text().split()]
        self.addCleanup(subprocess.run, ["kill", "-9", *map(str, pids)], stderr=subprocess.DEVNULL)
        return command, pids

    def test_a_signal_ends_the_child_processes_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                # The tests themselves may have been started by nohup.
                command, pids = self.started("env", "--default-signal")
                command.send_signal(number)
                self.assertEqual(command.wait(LONG), 128 + number)
                self.assertEqual(left(pids), [])

    def test_nohup_keeps_the_command_running_after_sighup(self):
        command, pids = self.started("nohup")
        command.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            command.wait(1)
        self.assertEqual([pid for pid in pids if gone(pid)], [])


class LimitTest(unittest.TestCase):
    """Tests a child that hangs and ignores SIGTERM, like the process that it has started."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log, self.pids = Path(folder.name, "log"), Path(folder.name, "pids")
        self.hanging = ["sh", "-c", f"trap '' TERM; echo getting on; sh -c 'trap \"\" TERM; sleep {LONG}; :' & "
                                    f"echo $$ $! > {self.pids}.part; mv {self.pids}.part {self.pids}; wait; sleep {LONG}"]

    def assert_nothing_left(self, started):
        self.assertLess(time.monotonic() - started, LONG / 2)
        self.assertEqual(left(map(int, self.pids.read_text().split())), [])

    def test_a_child_that_exceeds_its_limit_is_killed_and_named(self):
        started = time.monotonic()
        with self.assertRaises(Failure) as raised:
            term.logged(self.hanging, self.log, what="counting to infinity", limit=SHORT, grace=0.5)
        self.assertIn(f"counting to infinity did not end within {SHORT:.1f} s and was killed", str(raised.exception))
        self.assertIn("getting on", str(raised.exception))
        self.assert_nothing_left(started)

    def test_a_deadline_kills_the_child(self):
        started = time.monotonic()
        with self.assertRaises(term.OutOfTime), term.deadline(SHORT):
            term.logged(self.hanging, self.log, grace=0.5)
        self.assert_nothing_left(started)

    def test_code_cannot_swallow_a_deadline(self):
        with self.assertRaises(term.OutOfTime), term.deadline(0.2), contextlib.suppress(Exception):
            time.sleep(LONG)

    def test_a_signal_during_process_start_kills_the_child(self):
        pids = self.pids

        class Interrupted(subprocess.Popen):
            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                while not pids.exists():
                    time.sleep(0.05)
                os.kill(os.getpid(), self.number)
                time.sleep(0.2)

        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
        for number, handler in before.items():
            self.addCleanup(signal.signal, number, handler)
            signal.signal(number, signal.SIG_DFL)
        term.end_properly()
        for number, expected in ((signal.SIGTERM, SystemExit), (signal.SIGALRM, term.OutOfTime)):
            self.pids.unlink(missing_ok=True)
            started = time.monotonic()
            with (self.subTest(number.name), mock.patch.object(Interrupted, "number", number, create=True),
                  mock.patch.object(subprocess, "Popen", Interrupted), self.assertRaises(expected), term.deadline(LONG)):
                term.logged(self.hanging, self.log, grace=0.5)
            self.assert_nothing_left(started)

    def test_a_deadline_that_is_met_disarms_the_timer(self):
        with term.deadline(LONG):
            pass
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0, 0))

    def test_output_limits_the_time_of_its_command(self):
        with self.assertRaisesRegex(Failure, "'sleep 60' did not end within 0.2 s"):
            term.output(["sleep", "60"], limit=0.2)


if __name__ == "__main__":
    unittest.main()
