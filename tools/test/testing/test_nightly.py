# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how `terrace nightly` resumes, and when it writes its record."""
import argparse
import contextlib
import inspect
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import maven, paths, term
from terrace.common.term import Failure
from terrace.testing import nightly, runner, selection
from terrace.testing.results import Result
from terrace.testing.stages import Stage

REAL_PARTS = nightly.PARTS
COMMIT, OTHER = "a" * 40, "b" * 40


class NightlyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.commit, self.ran, self.outcomes, self.changes = COMMIT, [], {}, []
        names = ("one", "two", "three")
        for target, name, value in (
                (runner, "LOGS", self.folder), (paths, "ROOT", self.folder),
                (selection, "RECORD", self.folder / "test/nightly.txt"),
                (selection, "git", lambda *words, check=False: self.commit), (selection, "known", lambda commit: True),
                (selection, "changed", lambda commit: [] if commit in (self.commit, "HEAD") else self.changes),
                (selection, "needed", lambda path: ({path}, set())), (maven, "modules", dict),
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

    def night(self, seed=None, hours=None, **options):
        """Returns (status, the parts that ran)."""
        self.ran.clear()
        arguments = {"list": False, "all": False, "only": None, "seed": seed, "hours": hours, **options}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = nightly.run(argparse.Namespace(**arguments))
        self.printed = out.getvalue()
        return status, list(self.ran)

    def test_passed_parts_do_not_run_again(self):
        self.outcomes["two"] = Result(1, 1)
        self.assertEqual(self.night(seed=5), (1, ["one", "two", "three"]))
        self.assertEqual(selection.record()["one"], selection.Passed(COMMIT, 5, 2, "0.0 s"))
        self.assertEqual(set(selection.record()), {"one", "three"})
        self.assertIn("Never passed: two", self.printed)
        self.outcomes.clear()
        self.assertEqual(self.night(), (0, ["two"]))
        self.assertEqual(set(selection.record()), {"one", "two", "three"})
        self.assertNotIn("Never passed", self.printed)

    def test_parts_take_a_plan_and_a_file(self):
        for part in REAL_PARTS:
            inspect.signature(part.run).bind(None, self.folder / "a.log")

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

    def test_a_part_runs_again_when_what_it_needs_has_changed(self):
        self.night()
        self.commit, self.changes = OTHER, ["two"]
        self.assertEqual(self.night(), (0, ["two"]))
        self.assertEqual({name: passed.commit for name, passed in selection.record().items()},
                         {"one": COMMIT, "two": OTHER, "three": COMMIT})
        self.assertEqual(self.night()[1], [])

    def test_all_and_some_of_them(self):
        self.night()
        self.assertEqual(self.night(all=True)[1], ["one", "two", "three"])
        self.assertEqual(self.night(only=["three"])[1], ["three"])

    def test_a_part_that_fails_later_keeps_its_commit(self):
        self.night()
        self.commit, self.changes, self.outcomes["one"] = OTHER, ["one"], Result(1, 1)
        self.assertEqual(self.night(), (1, ["one"]))
        self.assertEqual(selection.record()["one"].commit, COMMIT)

    def test_a_part_without_tests_has_not_passed(self):
        self.outcomes["one"] = Result()
        self.night()
        self.assertNotIn("one", selection.record())
        self.assertEqual(self.night()[1], ["one"])

    def test_uncommitted_changes_cannot_be_recorded(self):
        with mock.patch.object(selection, "changed", lambda commit: ["test/nightly.txt", "hotspot/x.cpp"]):
            with self.assertRaisesRegex(Failure, "commit first"):
                self.night()

    def test_behaviour_tests_run_on_the_release_vm_too(self):
        with mock.patch.object(nightly, "run_jtreg", return_value=Result(3)) as run:
            part = next(part for part in REAL_PARTS if part.name == "release")
            self.assertEqual(part.run(selection.Plan([], set(), 7, full=True), self.folder / "release.log").passed, 3)
        self.assertEqual(run.call_args.kwargs["on"], "release")

    def test_the_real_parts_are_what_rules_name(self):
        names = {part.name for part in REAL_PARTS}
        self.assertLessEqual({*selection.USERS, *selection.OF_MODULES, *selection.STRESS, *nightly.UNRECORDED}, names)


if __name__ == "__main__":
    unittest.main()
