"""How ./terrace ends when it is told to, with what it has started."""
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

from terrace.common import paths

LONG = 60


def gone(pid):
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


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
        """A ./terrace with a command that runs something that never ends, and the processes of that."""
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

    def test_what_it_started_ends_with_it(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                # These tests may themselves have been started by nohup.
                command, pids = self.started("env", "--default-signal")
                command.send_signal(number)
                self.assertEqual(command.wait(LONG), 128 + number)
                until = time.monotonic() + LONG / 2
                while not all(map(gone, pids)) and time.monotonic() < until:
                    time.sleep(0.05)
                self.assertEqual([pid for pid in pids if not gone(pid)], [])

    def test_it_outlives_a_terminal_that_it_was_told_to_ignore(self):
        command, pids = self.started("nohup")
        command.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            command.wait(1)
        self.assertEqual([pid for pid in pids if gone(pid)], [])
