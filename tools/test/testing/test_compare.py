# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the conclusions of `terrace dev upstream-compare` from the results of both sides."""
import argparse
import contextlib
import io
import unittest
from unittest import mock

from terrace.testing import compare

ASKED = ["gc", "runtime"]


def compared(ours, theirs, *options):
    """Returns (exit status, output, the tests that the pristine side was asked to run)."""
    asked = {}

    def one_side(side, _name, _arguments, tests, _options):
        asked[side] = tests
        return ours if side == "Terrace" else {test: theirs[test] for test in theirs if tests == ASKED or test in tests}

    commands = argparse.ArgumentParser().add_subparsers()
    compare.register_dev(commands)
    arguments = commands.choices["upstream-compare"].parse_args([*options, *ASKED])
    printed = io.StringIO()
    with mock.patch.object(compare, "one_side", one_side), contextlib.redirect_stdout(printed), \
            mock.patch.object(compare, "exclusions", lambda: {"gc/Known.java": "the reason"}):
        status = arguments.run(arguments)
    return status, printed.getvalue(), asked.get("pristine")


class CompareTest(unittest.TestCase):
    OURS = {"gc/Good.java": "Passed", "gc/Bad.java": "Failed", "gc/Known.java": "Failed"}

    def test_worse(self):
        status, printed, asked = compared(self.OURS, dict.fromkeys(self.OURS, "Passed"))
        self.assertEqual((status, asked), (1, ASKED))
        self.assertIn("gc/Bad.java: Terrace Failed, pristine Passed\n", printed)
        self.assertIn("(expected: the reason)", printed)
        self.assertIn("1 tests with equal results, 2 differ, 1 worse", printed)

    def test_equally_bad(self):
        status, printed, _ = compared(self.OURS, self.OURS)
        self.assertEqual(status, 0)
        self.assertIn("not passed on either side: gc/Bad.java", printed)

    def test_failed_only(self):
        status, printed, asked = compared(self.OURS, dict.fromkeys(self.OURS, "Passed"), "--failed-only")
        self.assertEqual((status, asked), (1, ["gc/Bad.java", "gc/Known.java"]))
        self.assertIn("1 tests passed on Terrace", printed)
        self.assertIn("0 tests with equal results, 2 differ, 1 worse", printed)

    def test_failed_only_where_none_failed(self):
        status, printed, asked = compared({"gc/Good.java": "Passed"}, {}, "--failed-only")
        self.assertEqual((status, asked), (0, None))
        self.assertIn("1 tests passed on Terrace", printed)

    def test_a_sample_is_the_same_for_a_seed(self):
        found = [f"gc/T{number}.java" for number in range(100)]
        samples = []
        for seed in ("1", "1", "2"):
            with mock.patch.object(compare.jtreg, "listed", return_value=found) as listed, \
                    mock.patch.object(compare.build, "build", return_value="home"):
                status, printed, asked = compared({}, {}, "--sample", "10", "--seed", seed)
            self.assertEqual(listed.call_args.args[1], ASKED)
            self.assertEqual(status, 0)
            self.assertIn(f"10 of 100 tests, seed {seed}\n", printed)
            self.assertEqual((len(asked), asked), (10, sorted(asked)))
            samples.append(asked)
        self.assertEqual(samples[0], samples[1])
        self.assertNotEqual(samples[0], samples[2])

    def test_names_of_tests_in_a_list(self):
        text = "Testsuite: /a/b\nDirectory \"/w\" not found: creating\ngc/B.java#id2\ngc/A.java\nTests found: 2\n"
        self.assertEqual(compare.jtreg.parse_list(text), ["gc/A.java", "gc/B.java#id2"])


if __name__ == "__main__":
    unittest.main()
