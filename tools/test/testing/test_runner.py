# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how `terrace test` runs its stages if one hangs, fails, is interrupted, or is left out."""
import contextlib
import io
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths, term
from terrace.testing import runner, selection, stages
from terrace.testing.results import Result
from terrace.testing.stages import Stage

LONG = 60


def passes(plan, file):
    return Result(3, 0, {"slow": 2.0, "quick": 0.0})


def hangs(plan, file):
    term.logged(["sleep", str(LONG)], file, what="the child that hangs", limit=plan.seed, grace=1)


def names(plan, file):
    return Result(2, 1, failures=["the one of three"])


def fails(plan, file):
    raise ValueError("a mistake of the stage's own")


class RunStagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.enterContext(mock.patch.object(runner, "LOGS", Path(folder.name)))
        self.enterContext(mock.patch.object(stages, "LOGS", Path(folder.name)))

    def enterContext(self, context):    # unittest has it from Python 3.11 on
        result = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return result

    def run_all(self, *functions, seed=1, seconds=LONG):
        """Returns the plan, {stage: (passed, failed)}, and the output."""
        plan = selection.Plan([Stage(function.__name__, function, "") for function in functions], set(), seed)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            outcomes = runner.run_stages(plan, time.monotonic() + seconds)
            runner.print_end(plan, outcomes)
        return plan, {name: (result.passed, result.failed) for name, (result, _) in outcomes.items()}, out.getvalue()

    def test_a_child_that_hangs_ends_its_stage_with_its_name(self):
        started = time.monotonic()
        _, counts, text = self.run_all(hangs, passes)
        self.assertLess(time.monotonic() - started, LONG / 2)
        self.assertEqual(counts, {"hangs": (0, 1), "passes": (3, 0)})
        self.assertIn("the child that hangs did not end within 1.0 s and was killed", text)

    def test_the_deadline_ends_what_runs_and_lists_the_rest(self):
        plan, counts, text = self.run_all(passes, hangs, fails, seed=LONG, seconds=4)
        self.assertEqual(counts, {"passes": (3, 0), "hangs": (0, 1)})
        self.assertEqual(plan.left_out, {"fails": "the deadline"})
        self.assertIn("FAIL deadline: hangs was ended after", text)
        self.assertIn(f"$ sleep {LONG}", text)
        self.assertRegex(text, r"fails +not run: the deadline")

    def test_when_time_is_short_stages_that_can_wait_do(self):
        started = time.monotonic()
        plan = selection.Plan([Stage("first", passes, "", can_wait=True), Stage("second", passes, "")], set(), 1)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            outcomes = runner.run_stages(plan, started + LONG, short=started)
            runner.print_end(plan, outcomes)
        self.assertEqual(list(outcomes), ["second"])
        self.assertRegex(out.getvalue(), r"first +not run: time is short")

    def test_a_stage_that_breaks_is_one_failure(self):
        _, counts, text = self.run_all(fails)
        self.assertEqual(counts, {"fails": (0, 1)})
        self.assertIn("a mistake of the stage's own", text)

    def test_failed_tests_are_named_at_the_end(self):
        _, _, text = self.run_all(names, passes)
        self.assertRegex(text.split("slowest of")[1], r"names +2 passed +1 failed.*\n +FAIL the one of three\n +passes")

    def test_slow_tests_are_named(self):
        _, _, text = self.run_all(passes)
        self.assertRegex(text, r"slowest of passes:\n +2\.0 s  slow\n")
        self.assertNotIn("quick", text)

    def test_a_test_of_the_tool_that_hangs_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder) / "test"
            tools.mkdir()
            (tools / "sample_that_hangs.py").write_text(textwrap.dedent(f"""
                import time, unittest
                class SampleTest(unittest.TestCase):
                    def test_hangs(self): time.sleep({LONG})
                    def test_passes(self): pass
                """))
            with (mock.patch.object(paths, "TOOLS", Path(folder)), mock.patch.object(stages, "TEST_LIMIT", 1),
                  contextlib.redirect_stdout(io.StringIO()) as out):
                result = stages.unit_tests(Path(folder) / "log", "sample_*.py", LONG)
        self.assertEqual((result.passed, result.failed), (1, 1))
        self.assertIn("test_hangs", out.getvalue())
        self.assertIn("Timeout", out.getvalue())


if __name__ == "__main__":
    unittest.main()
