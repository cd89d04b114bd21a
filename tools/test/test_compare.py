# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What `terrace dev upstream-compare` concludes from the results of both sides."""
import argparse
import contextlib
import io
import unittest
from unittest import mock

from terrace.testing import compare

ASKED = ["gc", "runtime"]


def compared(ours, theirs, *options):
    """(exit status, what is printed, the tests that the pristine side was asked to run)."""
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
        self.assertIn("not passed on either: gc/Bad.java", printed)

    def test_failed_only(self):
        status, printed, asked = compared(self.OURS, dict.fromkeys(self.OURS, "Passed"), "--failed-only")
        self.assertEqual((status, asked), (1, ["gc/Bad.java", "gc/Known.java"]))
        self.assertIn("1 tests passed on Terrace", printed)
        self.assertIn("0 tests with equal results, 2 differ, 1 worse", printed)

    def test_failed_only_where_none_failed(self):
        status, printed, asked = compared({"gc/Good.java": "Passed"}, {}, "--failed-only")
        self.assertEqual((status, asked), (0, None))
        self.assertIn("1 tests passed on Terrace", printed)


if __name__ == "__main__":
    unittest.main()
