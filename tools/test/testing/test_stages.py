# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how the stages call other programs."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import maven
from terrace.building import build, check
from terrace.testing import jtreg, results, selection, stages


class StagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for target, name, value in ((build, "home", lambda name: Path(name)), (stages, "LOGS", self.folder),
                                    (build, "prepare_locked", lambda: None)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def maven(self, *modules, full=False):
        """Runs the stage. Returns the words of Maven's command line, and its JAVA_HOME."""
        def run(command, log, what, env, **options):
            log.write_text("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n")
            self.said = list(map(str, command)), env["JAVA_HOME"]
        with mock.patch.object(maven, "run", run):
            result = stages.stage_java(selection.Plan([], set(modules), 7, full), self.folder / "java.log")
        self.assertEqual((result.passed, result.failed), (3, 0))
        return self.said

    def test_modules_without_a_second_heap_are_tested_on_the_stock_vm(self):
        command, home = self.maven("persist/infinispan", "bench/programs/persist")
        self.assertEqual(home, "stock")
        self.assertEqual(command[command.index("-pl") + 1:][:2], ["bench/programs/persist,persist/infinispan", "-am"])
        self.assertFalse(any("terrace.jdk" in word for word in command))

    def test_modules_with_a_second_heap_are_tested_on_the_release_vm(self):
        command, home = self.maven("java/spark")
        self.assertEqual(home, "release")
        self.assertIn("-Dterrace.jdk=release", command)

    def test_the_seed_reaches_the_tests(self):
        self.assertIn("-Dpersist.seed=7", self.maven("persist/core")[0])

    def test_the_cluster_suite_runs_twice_at_night(self):
        self.assertTrue(any("ClusterTest" in word for word in self.maven("java/spark")[0]))
        self.assertFalse(any("ClusterTest" in word for word in self.maven("java/spark", full=True)[0]))

    def test_long_tests_run_at_night(self):
        self.assertNotIn("-Dterrace.nightly=true", self.maven("java/giraph")[0])
        self.assertIn("-Dterrace.nightly=true", self.maven("java/giraph", full=True)[0])

    def test_maven_that_hangs_names_the_class(self):
        def run(command, log, what, **options):
            log.write_text("[INFO] Running org.terrace.ATest\n[ERROR] There was a timeout in the fork\n")
            raise stages.Failure("mvn verify failed")
        with mock.patch.object(maven, "run", run), contextlib.redirect_stdout(io.StringIO()):
            result = stages.stage_java(selection.Plan([], {"java/api"}, 7), self.folder / "java.log")
        self.assertEqual(result.failed, 1)
        self.assertEqual(result.failures, ["org.terrace.ATest (began and did not end)"])

    def test_samples_are_those_of_the_seed_and_none_at_night(self):
        for full, expected in ((False, ["-e:TERRACE_TEST_SEED=7"]), (True, [])):
            with (mock.patch.object(jtreg, "run", return_value={"a": "Passed"}) as run,
                  mock.patch.object(results, "of_jtreg", return_value=results.Result(1))):
                stages.stage_jtreg(selection.Plan([], set(), 7, full), self.folder / "jtreg.log")
            self.assertEqual([option for option in run.call_args.kwargs["options"] if option.startswith("-e:")], expected)

    def test_without_is_compiled_at_night_only(self):
        for full, name in ((False, "preprocessed_without"), (True, "compiles_without")):
            with (mock.patch.object(check, name, return_value=(True, "as it must be", "")) as asked,
                  contextlib.redirect_stdout(io.StringIO())):
                stages.stage_without(selection.Plan([], set(), 7, full), self.folder / "without.log")
            asked.assert_called_once()


if __name__ == "__main__":
    unittest.main()
