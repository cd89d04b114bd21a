# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the counts that are read from the output of test tools."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths
from terrace.testing import compare, jtreg, results, stages


class ResultsTest(unittest.TestCase):
    def test_gtest(self):
        text = ("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n[ RUN      ] A.two\n[  FAILED  ] A.two (3 ms)\n"
                "[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.two\n\n 1 FAILED TEST\n")
        result = results.gtest(text)
        self.assertEqual((result.passed, result.failed), (1, 1))
        self.assertEqual(result.seconds, {"A.one": 0, "A.two": 0.003})
        self.assertEqual(result.failures, ["A.two"])

    def test_gtest_that_ran_nothing_failed(self):
        self.assertEqual(results.gtest("crash").failed, 1)

    def test_maven_sums_modules_not_classes(self):
        text = ("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.B\n"
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n"
                "[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n")
        self.assertEqual(results.maven_counts(text), (4, 2))

    def test_maven_names_what_began_and_did_not_end(self):
        text = ("[INFO] Running org.terrace.ATest\n[INFO] Running org.terrace.BTest\n"
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in org.terrace.ATest\n"
                "[ERROR] There was a timeout in the fork\n")
        self.assertEqual(results.maven_unfinished(text), ["org.terrace.BTest"])

    def test_reports_of_surefire_are_those_of_this_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for module, age in (("new", 0), ("old", 100)):
                report = Path(folder, module, "target/surefire-reports/TEST-A.xml")
                report.parent.mkdir(parents=True)
                report.write_text('<testsuite><testcase name="a" classname="org.terrace.ATest" time="1,002.5"/>'
                                  '<testcase name="b" classname="org.terrace.ATest"><failure/></testcase></testsuite>')
                os.utime(report, (1000 - age, 1000 - age))
            with mock.patch.object(paths, "ROOT", Path(folder)):
                found = results.surefire(["new", "old"], 950)
        self.assertEqual([(name, seconds) for name, seconds, _ in found], [("new: ATest.a", 1002.5), ("new: ATest.b", 0)])
        self.assertEqual([name for name, _, problem in found if problem is not None], ["new: ATest.b"])

    def test_a_failure_is_said_in_one_line(self):
        said = [results.said(name, problem) for name, _, problem in results.junit(
            '<testsuite><testcase name="a"><failure message="1 of 2&#10;more"/></testcase>'
            '<testcase name="b"><error>\nat C\nat D</error></testcase><testcase name="c"><failure/></testcase></testsuite>')]
        self.assertEqual(said, ["a: 1 of 2", "b: at C", "c"])

    def test_the_slowest_come_first(self):
        result = results.Result(seconds={"a": 0.001, "b": 2, **{f"c{i}": 1 for i in range(20)}})
        self.assertEqual(result.slowest()[0], ("b", 2))
        self.assertEqual(len(result.slowest()), results.SLOWEST)

    def test_time_of_a_jtreg_test_with_an_id(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "work/gc/B_slow.jtr")
            file.parent.mkdir(parents=True)
            file.write_text("#-----testresult-----\nelapsed=12345 0\\:00\\:12.345\n")
            found = results.of_jtreg({"gc/B.java#slow": "Passed", "gc/C.java": "Passed"}, Path(folder))
        self.assertEqual((found.passed, found.seconds), (2, {"gc/B.java#slow": 12.345}))

    def test_jtreg_summary(self):
        text = ("gc/A.java                     Passed. Execution successful\n"
                "gc/B.java#id0  Failed. Execution failed\ngc/C.java  Error. Agent error\ngc/D.java  Not run.\n")
        self.assertEqual(jtreg.parse_summary(text),
                         {"gc/A.java": "Passed", "gc/B.java#id0": "Failed", "gc/C.java": "Error"})

    def test_sections_of_upstream_tests(self):
        text = "# c\n[one] -XX:+UseParallelGC -Xmx1g\ngc/a\ngc/b  # why\n[two]\ngc/c\n"
        self.assertEqual(stages.upstream_sections(text),
                         [("one", ["-XX:+UseParallelGC", "-Xmx1g"], ["gc/a", "gc/b"]), ("two", [], ["gc/c"])])

    def test_differences(self):
        ours = {"a": "Passed", "b": "Failed", "c": "Failed", "d": "Passed"}
        theirs = {"a": "Passed", "b": "Passed", "c": "Failed", "e": "Passed"}
        self.assertEqual(compare.differences(ours, theirs),
                         [("b", "Failed", "Passed"), ("d", "Passed", "not run"), ("e", "not run", "Passed")])
