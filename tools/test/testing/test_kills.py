# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that kills of virtual machines are followed by a check for files and for processes that hold them."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common.term import Failure
from terrace.testing import kills

# This program holds a file without a name in a folder, says that it works, and waits.
HOLDER = """
import mmap, os, sys, tempfile, time
file = tempfile.TemporaryFile(dir=sys.argv[1])
file.truncate(1 << 20)
if sys.argv[2] == "mapped":
    memory = mmap.mmap(os.dup(file.fileno()), 1 << 20)
    memory[0] = 1
    os.closerange(3, 100)
print("1 operations", flush=True)
time.sleep(600)
"""


class Holder:
    """Starts HOLDER instead of a JVM."""

    def __init__(self, folder, how="open", at=None):
        self.folder, self.h2, self.how, self.at = folder, folder / "h2", how, at
        self.h2.mkdir()

    def command(self, options, *arguments, at):
        return [sys.executable, "-c", HOLDER, self.at or at, self.how]

    def start(self, folder, log, command):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, start_new_session=True)
        log.write_bytes(process.stdout.readline())
        process.stdout.close()
        return process


class KillsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def held(self, how):
        """Returns a process that holds a file in the folder, in one of the ways of HOLDER."""
        process = subprocess.Popen([sys.executable, "-c", HOLDER, self.folder, how], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process

    def kill(self, program):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            kills.kill_many(program, 2, 1)
        return out.getvalue()

    def test_a_file_without_a_name_that_is_open_or_mapped_is_held(self):
        for how in ("open", "mapped"):
            with self.subTest(how):
                process = self.held(how)
                self.assertIn("(deleted)", kills.holders(self.folder)[process.pid])
                with self.assertRaisesRegex(Failure, f"kill 5 left process {process.pid}, which holds .*deleted"):
                    kills.check_nothing_is_left(self.folder, 5)
                process.kill()
                process.wait()
                kills.check_nothing_is_left(self.folder, 5)

    def test_a_file_with_a_name_is_left(self):
        (self.folder / "h2.1").touch()
        with self.assertRaisesRegex(Failure, "kill 3 left h2.1"):
            kills.check_nothing_is_left(self.folder, 3)

    def test_programs_are_killed_and_other_programs_in_the_folder_do_not_matter(self):
        program = Holder(self.folder)
        other = tempfile.TemporaryFile(dir=program.h2)
        self.addCleanup(other.close)
        with mock.patch.object(kills.random.Random, "uniform", return_value=0):
            self.assertIn("no file is left, and no process holds one", self.kill(program))
        self.assertEqual(list(program.h2.iterdir()), [])

    def test_a_program_with_its_file_elsewhere_fails(self):
        with mock.patch.object(kills.random.Random, "uniform", return_value=0):
            with self.assertRaisesRegex(Failure, "uses H2, but has no file of"):
                self.kill(Holder(self.folder, at=self.folder))


if __name__ == "__main__":
    unittest.main()
