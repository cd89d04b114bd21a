"""Counting what test tools print."""
import unittest

from terrace.testing import compare, jtreg, testing


class ResultsTest(unittest.TestCase):
    def test_gtest(self):
        text = ("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n[ RUN      ] A.two\n[  FAILED  ] A.two (3 ms)\n"
                "[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.two\n\n 1 FAILED TEST\n")
        self.assertEqual(testing.gtest_counts(text), (1, 1))

    def test_gtest_that_ran_nothing_failed(self):
        self.assertEqual(testing.gtest_counts("crash"), (0, 1))

    def test_maven_sums_modules_not_classes(self):
        text = ("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.B\n"
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n"
                "[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n")
        self.assertEqual(testing.maven_counts(text), (4, 2))

    def test_jtreg_summary(self):
        text = ("gc/A.java                     Passed. Execution successful\n"
                "gc/B.java#id0  Failed. Execution failed\ngc/C.java  Error. Agent error\ngc/D.java  Not run.\n")
        self.assertEqual(jtreg.parse_summary(text),
                         {"gc/A.java": "Passed", "gc/B.java#id0": "Failed", "gc/C.java": "Error"})

    def test_sections_of_upstream_tests(self):
        text = "# c\n[one] -XX:+UseParallelGC -Xmx1g\ngc/a\ngc/b  # why\n[two]\ngc/c\n"
        self.assertEqual(testing.upstream_sections(text),
                         [("one", ["-XX:+UseParallelGC", "-Xmx1g"], ["gc/a", "gc/b"]), ("two", [], ["gc/c"])])

    def test_differences(self):
        ours = {"a": "Passed", "b": "Failed", "c": "Failed", "d": "Passed"}
        theirs = {"a": "Passed", "b": "Passed", "c": "Failed", "e": "Passed"}
        self.assertEqual(compare.differences(ours, theirs),
                         [("b", "Failed", "Passed"), ("d", "Passed", "not run"), ("e", "not run", "Passed")])
