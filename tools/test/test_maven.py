# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests in which cases Maven is run again."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import maven
from terrace.common.term import Failure

# Fails the given number of times, and then succeeds.
SCRIPT = 'echo x >> "$0"; [ $(wc -l < "$0") -gt {failures} ] || {{ echo "{said}"; exit 1; }}'


@mock.patch.object(maven, "PAUSE_SECONDS", 0)
@mock.patch.object(maven, "command", lambda arguments, pom: ["sh", "-c", *arguments])
class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def runs(self, failures, said):
        """Returns the number of runs, and the output. Raises a Failure if the last run failed."""
        count = self.folder / "count"
        with contextlib.redirect_stdout(io.StringIO()) as out:
            try:
                maven.run([SCRIPT.format(failures=failures, said=said), count], self.folder / "log", "a test")
            finally:
                self.count = len(count.read_text().splitlines())
        return self.count, out.getvalue()

    def test_a_failed_download_is_retried(self):
        count, text = self.runs(2, "[ERROR] Could not transfer artifact a:b:1: Connect timed out")
        self.assertEqual(count, 3)
        self.assertIn("artifact a:b:1: Connect timed out", text)

    def test_download_retries_are_limited(self):
        with self.assertRaisesRegex(Failure, "Could not transfer artifact"):
            self.runs(9, "[ERROR] Could not transfer artifact a:b:1")
        self.assertEqual(self.count, 3)

    def test_other_failures_are_not_retried(self):
        with self.assertRaisesRegex(Failure, "There are test failures"):
            self.runs(1, "There are test failures")
        self.assertEqual(self.count, 1)

    def test_failed_tests_are_not_retried_after_a_failed_download(self):
        for said in ("[ERROR] Could not transfer artifact a:b:1. There are test failures",
                     "[WARNING] Could not transfer metadata a:b/maven-metadata.xml"):
            with self.assertRaises(Failure):
                self.runs(1, said)
            self.assertEqual(self.count, 1)
            (self.folder / "count").unlink()


if __name__ == "__main__":
    unittest.main()
