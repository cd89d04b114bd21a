# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how `terrace test persist` calls Maven, and what it counts."""
import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.cli import main as cli
from terrace.common import maven
from terrace.common.term import Failure
from terrace.testing import persist_crashes, suites

PASSED = """crash states opened, single operations: 6344
programs killed, SYNC: 67
[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in org.terrace.persist.CrashTest
sequences: 26 of 650
crash states opened, sequences: 5926
programs killed, GROUP: 67
[INFO] Tests run: 26, Failures: 0, Errors: 0, Skipped: 0
"""
FAILED = PASSED.replace("[INFO] Tests run: 26, Failures: 0, Errors: 0", """[ERROR] Failures:
[ERROR]   CrashTest.lambda:56 seed 3, crash after event 7
[ERROR] Tests run: 26, Failures: 1, Errors: 2""")


def parsed(*words):
    return cli.parser(["test"]).parse_args(["test", "persist", *words])


maven_run = maven.run


def in_a_shell(arguments, pom):
    """Replaces Maven."""
    return ["bash", "-c", *arguments]


class PersistSuiteTest(unittest.TestCase):
    def test_counts(self):
        self.assertEqual(persist_crashes.counts(PASSED), {"states": 12270, "kills": 134, "sequences": "26 of 650", "tests": 26,
                                                       "violations": 0})

    def test_failures_and_errors_are_violations(self):
        self.assertEqual(persist_crashes.counts(FAILED)["violations"], 3)
        self.assertEqual(persist_crashes.violations(FAILED), ["CrashTest.lambda:56 seed 3, crash after event 7"])

    def test_a_run_that_ended_early_has_no_tests(self):
        self.assertEqual(persist_crashes.counts("[ERROR] COMPILATION ERROR")["tests"], 0)

    def test_nightly_kills_more_and_takes_all_sequences(self):
        command = persist_crashes.command(parsed("--nightly"))
        self.assertIn("-Dpersist.share=1/1", command)
        self.assertIn("-Dpersist.length=3", command)
        kills = [int(part.partition("=")[2]) for part in map(str, command) if part.startswith("-Dpersist.kills=")]
        self.assertGreaterEqual(4 * kills[0], 1000)

    def test_references_are_stored_in_a_thousand_ways(self):
        for words in ((), ("--nightly",)):
            effort = dict(part.split("=") for part in map(str, persist_crashes.command(parsed(*words))) if part.startswith("-Dpersist."))
            self.assertGreaterEqual(int(effort["-Dpersist.ways"]), 1000)
            self.assertGreaterEqual(int(effort["-Dpersist.waysKilled"]), 1000)

    def test_seed_and_share_are_handed_on(self):
        command = persist_crashes.command(parsed("--seed", "5", "--share", "3/650"))
        self.assertIn("-Dpersist.seed=5", command)
        self.assertIn("-Dpersist.share=3/650", command)
        self.assertIn("-Dpersist.length=3", command)

    def test_without_them_maven_chooses_the_sequences(self):
        self.assertFalse(any("length" in str(part) or "seed" in str(part) for part in persist_crashes.command(parsed())))

    def test_bank_kills_and_seed_are_passed_to_maven(self):
        command = list(map(str, persist_crashes.bank_command(parsed("--bank-kills", "7", "--seed", "5"))))
        self.assertIn("-Dbank.kills=7", command)
        self.assertIn("-Dbank.seed=5", command)
        self.assertFalse(any("seed" in part for part in map(str, persist_crashes.bank_command(parsed()))))
        self.assertEqual([persist_crashes.bank_kills(parsed(*words)) for words in ((), ("--nightly",), ("--nightly", "--share", "1/9"))],
                         [0, 200, 0])

    def test_kills_of_the_bank_are_counted_once(self):
        text = "killed so far, bank: 20\nkilled so far, bank: 40\n"
        self.assertEqual(persist_crashes.progress(text), "40 kills")
        self.assertEqual(persist_crashes.counts(text + "programs killed, bank: 50\n")["kills"], 50)

    @mock.patch.object(maven, "command", in_a_shell)
    def test_a_bank_that_lost_money_is_a_violation(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            lines = ("[ERROR]   BankKillTest.noMoneyIsMadeOrLostInAHeap:35 seed 4, kill 9: the sum is 5 too large",
                     "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0")
            script = "".join(f"echo '{line}'; " for line in lines) + "exit 1"
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(persist_crashes.suite("bank", [script], log)["violations"], 1)
            self.assertIn("FAIL BankKillTest.noMoneyIsMadeOrLostInAHeap:35 seed 4, kill 9", out.getvalue())

    @mock.patch.object(maven, "command", in_a_shell)
    def test_a_build_that_fails_is_no_violation(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            with self.assertRaises(Failure):
                persist_crashes.suite("bank", ["echo '[ERROR] COMPILATION ERROR'; exit 1"], Path(folder, "log"))

    def test_invalid_shares_are_refused(self):
        for text in ("0/4", "5/4", "4", "1/0", "a/b"):
            with self.assertRaises(argparse.ArgumentTypeError):
                persist_crashes.share(text)

    def test_test_without_persist_runs_the_stages(self):
        self.assertEqual(cli.parser(["test"]).parse_args(["test", "--only", "self"]).only, ["self"])
        self.assertNotEqual(parsed().run, cli.parser(["test"]).parse_args(["test"]).run)


class SuitesTest(unittest.TestCase):
    def run_suites(self, script, prepare=lambda: None):
        """Returns the result with this script instead of Maven, and the output."""
        def run(arguments, *others, **options):
            maven_run([script], *others, **options)
        with (tempfile.TemporaryDirectory() as folder, mock.patch.object(maven, "command", in_a_shell),
              mock.patch.object(maven, "run", run), mock.patch.object(suites.build, "prepare_locked", prepare),
              contextlib.redirect_stdout(io.StringIO()) as said):
            return suites.run(None, Path(folder, "log")), said.getvalue()

    def test_tests_are_counted_and_not_the_classes(self):
        result, _ = self.run_suites("echo 'tests of suites, deque: 235'; echo 'tests of suites, hash map, NONE: 988'")
        self.assertEqual((result.passed, result.failed), (1223, 0))

    def test_a_build_that_fails_without_a_test_is_no_result(self):
        with self.assertRaises(Failure):
            self.run_suites("echo 'tests of suites, deque: 235'; exit 1")

    def test_without_the_source_it_has_not_passed(self):
        def prepare():
            raise Failure("no network")
        result, said = self.run_suites("exit 1", prepare)
        self.assertEqual((result.passed, result.failed), (0, 0))
        self.assertIn("skipped", said)
