# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""How `terrace nightly` goes on where it stopped, and when it writes its record."""
import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import term
from terrace.common.term import Failure
from terrace.testing import nightly, runner, selection
from terrace.testing.results import Result
from terrace.testing.stages import Stage

COMMIT, OTHER = "a" * 40, "b" * 40


class NightlyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.commit, self.ran, self.outcomes, self.changes = COMMIT, [], {}, []
        names = ("one", "two", "three")
        for target, name, value in (
                (nightly, "STATE", self.folder / "state.json"), (runner, "LOGS", self.folder),
                (selection, "RECORD", self.folder / "nightly.txt"),
                (selection, "git", lambda *words: self.commit), (selection, "changed", lambda commit: self.changes),
                (nightly, "PARTS", [Stage(name, self.part(name), "") for name in names]),
                (nightly.prerequisites, "require", lambda *of: None)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def part(self, name):
        def run(plan, file):
            self.assertTrue(plan.full)
            self.ran.append(name)
            outcome = self.outcomes.get(name, Result(2))
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome
        return run

    def night(self, seed=None, hours=None):
        """(status, the parts that ran)"""
        self.ran.clear()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = nightly.run(argparse.Namespace(list=False, seed=seed, hours=hours))
        self.printed = out.getvalue()
        return status, list(self.ran)

    def test_what_has_passed_does_not_run_again(self):
        self.outcomes["two"] = Result(1, 1)
        self.assertEqual(self.night(), (1, ["one", "two", "three"]))
        self.assertFalse(selection.RECORD.exists())
        self.outcomes.clear()
        self.assertEqual(self.night(), (0, ["two"]))
        self.assertEqual(selection.base(), (COMMIT, ""))

    def test_an_interrupted_part_runs_again(self):
        self.outcomes["two"] = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            self.night()
        self.outcomes.clear()
        self.assertEqual(self.night()[1], ["two", "three"])

    def test_a_part_that_the_hours_ended_runs_again(self):
        self.outcomes["two"] = term.OutOfTime()
        self.assertEqual(self.night(hours=1), (1, ["one", "two"]))
        self.assertRegex(self.printed, r"three +not run: the deadline")
        self.outcomes.clear()
        self.assertEqual(self.night(), (0, ["two", "three"]))

    def test_another_commit_or_seed_starts_over(self):
        self.outcomes["three"] = Result(0, 1)
        self.night()
        self.assertEqual(self.night(seed=7)[1], ["one", "two", "three"])
        self.assertEqual(self.night()[1], ["three"])
        self.commit = OTHER
        self.assertEqual(self.night()[1], ["one", "two", "three"])
        self.assertIn("does not count: one, two", self.printed)

    def test_a_part_without_tests_has_not_passed(self):
        self.outcomes["one"] = Result()
        self.night()
        self.assertFalse(selection.RECORD.exists())
        self.assertEqual(self.night()[1], ["one"])

    def test_what_is_not_committed_cannot_be_recorded(self):
        self.changes = ["hotspot/x.cpp"]
        with self.assertRaisesRegex(Failure, "commit first"):
            self.night()


if __name__ == "__main__":
    unittest.main()
