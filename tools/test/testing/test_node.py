# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the evaluation of the output of the guest with two nodes, and the behaviour without a guest."""
import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common.term import Failure
from terrace.testing import node


def printed(programs, killed=0, without=()):
    """Returns the output as the serial line transmits it."""
    text = "node0: processors 0, Node 0 MemTotal: 1 kB\r\n"
    for number, program in enumerate(programs):
        said = [*program.says, *([f"PASSED {program.mode}"] if program.mode else [])]
        text += f"begin {number}\r\n" + "".join(f"[1.0s] {words}\r\n" for words in said if words not in without)
        text += f"end {number} {program.status}\r\n"
    return text + f"killed {killed}\r\n"


class NodeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "node.log"

    def judged(self, text):
        with contextlib.redirect_stdout(io.StringIO()):
            result = node.judge(text, self.file)
        self.assertEqual(result.passed + result.failed, len(node.PROGRAMS) + 1)
        return result.failed

    def test_all_is_well(self):
        self.assertEqual(self.judged(printed(node.PROGRAMS)), 0)

    def test_a_program_without_a_result_has_failed(self):
        self.assertEqual(self.judged(printed(node.PROGRAMS, without=["PASSED full"])), 1)
        self.assertEqual(self.judged(printed(node.PROGRAMS, killed=1)), 1)

    def test_a_guest_that_ends_early_has_failed(self):
        text = printed(node.PROGRAMS)
        self.assertEqual(self.judged(text[:text.index("end 4")]), len(node.PROGRAMS) - 4 + 1)
        self.assertEqual(self.judged(""), len(node.PROGRAMS) + 1)

    def test_the_script_runs_each_program(self):
        text = node.script(node.PROGRAMS)
        for number in range(len(node.PROGRAMS)):
            self.assertIn(f'echo "end {number} $?"', text)
        self.assertEqual(text.count("timeout -s KILL"), len(node.PROGRAMS))
        subprocess.run(["sh", "-n"], input=text, text=True, check=True, timeout=20)

    def test_without_a_guest_it_is_skipped_and_has_not_passed(self):
        out = io.StringIO()
        with mock.patch.object(node.prerequisites, "require", side_effect=Failure("no apt")), contextlib.redirect_stdout(out):
            result = node.run(None, self.file)
        self.assertEqual((result.passed, result.failed), (0, 0))
        self.assertIn("skipped: a virtual machine with two NUMA nodes cannot be started: no apt", out.getvalue())


if __name__ == "__main__":
    unittest.main()
