# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the messages of the stages of `terrace test` about failures. CI records nothing else."""
import contextlib
import io
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths
from terrace.testing import jtreg, results, stages

EXCEPTION = """\
#section:compile
----------messages:(9/356)----------
command: compile Some.java
result: Passed. Compilation successful

#section:main
----------messages:(8/647)----------
command: main Some
----------System.out:(2/20)----------
something else
----------System.err:(4/200)----------
java.lang.RuntimeException: no second heap
\tat gc.Some.main(Some.java:29)
\tat java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
\tat com.sun.javatest.regtest.agent.MainWrapper$MainTask.run(MainWrapper.java:138)

JavaTest Message: shutting down test

STATUS:Failed.
----------rerun:(39/2516)*----------
cd scratch
result: Failed. Execution failed: `main' threw exception: java.lang.RuntimeException: no second heap


test result: Failed. Execution failed: `main' threw exception: java.lang.RuntimeException: no second heap
"""

CRASH = """\
#section:main
----------System.out:(3/20)----------
round 1
#  Internal Error (h2Heap.cpp:12), pid=1, tid=2
#  assert(is_aligned) failed: misplaced
----------System.err:(0/0)----------
----------rerun:(39/2516)*----------
cd scratch
result: Failed. Unexpected exit from test [exit code: 134]


test result: Failed. Unexpected exit from test [exit code: 134]
"""

CHILD = """\
#section:driver
----------System.out:(1/20)----------
a command
----------System.err:(9/200)----------
 stdout: [[0.697s][info ][gc,h2] H2: 2M used
%s
];
 stderr: [%s
];
 exitValue = 1

java.lang.RuntimeException: Expected to get exit value of [0]
\tat jdk.test.lib.process.OutputAnalyzer.shouldHaveExitValue(OutputAnalyzer.java:489)
result: Failed. Execution failed: `main' threw exception: java.lang.RuntimeException: Expected to get exit value of [0]


test result: Failed. Execution failed: `main' threw exception: java.lang.RuntimeException: Expected to get exit value of [0]
"""

NOT_COMPILED = """\
#section:compile
----------stdout:(0/0)----------
----------stderr:(0/0)----------
----------direct:(1/50)----------
Some.java:3: error: cannot find symbol
result: Failed. Compilation failed: Compilation failed


test result: Failed. Compilation failed: Compilation failed
"""

GTEST = """\
[ RUN      ] H2Region.one
[       OK ] H2Region.one (0 ms)
[ RUN      ] H2Region.other
test_h2Region.cpp:12: Failure
Expected equality of these values:
  1
  2
[  FAILED  ] H2Region.other (1 ms)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] H2Region.other
"""

MAVEN = """\
[ERROR] Failures:
[ERROR]   HeapTest.opens:12 expected: <1> but was: <2>
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal surefire:test (default-test) on project persist: There are test failures.
[ERROR]
[ERROR] -> [Help 1]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException
"""


def printed(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = function(*arguments)
    return result, out.getvalue()


class FailuresTest(unittest.TestCase):
    def test_unit_test_failures_include_their_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder) / "test"
            tools.mkdir()
            (tools / "sample_of_failures.py").write_text(textwrap.dedent("""
                import unittest
                class SampleTest(unittest.TestCase):
                    def test_one(self): self.fail("the first cause")
                    def test_other(self): raise ValueError("the other cause\\\\n" + 100 * "more\\\\n" + "its end")
                    def test_passing(self): pass
                """))
            with mock.patch.object(paths, "TOOLS", Path(folder)):
                result, text = printed(stages.unit_tests, Path(folder) / "log", "sample_*.py", 60)
        self.assertEqual((result.passed, result.failed), (1, 2))
        for part in ("SampleTest.test_one", "the first cause", "SampleTest.test_other", "the other cause", "its end"):
            self.assertIn(part, text)
        self.assertLess(len(text.splitlines()), 90)

    def test_gtest_failures_are_printed(self):
        result, text = printed(results.gtest, GTEST)
        self.assertEqual((result.passed, result.failed), (1, 1))
        self.assertIn("test_h2Region.cpp:12: Failure", text)
        self.assertNotIn("H2Region.one", text)

    def test_jtreg_failures_are_printed_with_their_cause(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "work/gc/Some.jtr"
            file.parent.mkdir(parents=True)
            file.write_text(EXCEPTION)
            result, text = printed(results.of_jtreg, {"gc/Some.java": "Failed", "gc/Other.java": "Passed",
                                                      "gc/Lost.java": "Error"}, Path(folder))
        self.assertEqual((result.passed, result.failed), (1, 2))
        self.assertIn("FAIL gc/Some.java (Failed)", text)
        self.assertIn("java.lang.RuntimeException: no second heap\n    \tat gc.Some.main(Some.java:29)\n", text)
        self.assertIn("FAIL gc/Lost.java (Error)", text)
        self.assertEqual(result.failures, ["gc/Lost.java", "gc/Some.java: java.lang.RuntimeException: no second heap"])

    def test_cause_omits_lines_common_to_all_failures(self):
        self.assertEqual([line for line in jtreg.cause(EXCEPTION) if line.strip()], [
            "test result: Failed. Execution failed: `main' threw exception: java.lang.RuntimeException: no second heap",
            "java.lang.RuntimeException: no second heap", "\tat gc.Some.main(Some.java:29)", "something else"])

    def test_cause_includes_end_of_output(self):
        self.assertIn("#  assert(is_aligned) failed: misplaced", jtreg.cause(CRASH))

    def test_reason_is_that_of_a_vm_that_the_test_started(self):
        expected = "java.lang.RuntimeException: Expected to get exit value of [0]"
        for out, err, reason in (
                ("", 'Exception in thread "main" java.lang.AssertionError: 0 nodes',
                 f'Exception in thread "main" java.lang.AssertionError: 0 nodes ({expected})'),
                ("#  Internal Error (h2Heap.cpp:12), pid=1, tid=2\n#  assert(is_aligned) failed: misplaced", "",
                 f"assert(is_aligned) failed: misplaced ({expected})"),
                ("", "killed", expected)):
            self.assertEqual(jtreg.reason(jtreg.cause(CHILD % (out, err))), reason)
        self.assertEqual(jtreg.reason(jtreg.cause(EXCEPTION)), "java.lang.RuntimeException: no second heap")
        self.assertEqual(jtreg.reason([]), "")

    def test_cause_of_a_compilation_failure_is_the_compiler_message(self):
        self.assertIn("Some.java:3: error: cannot find symbol", jtreg.cause(NOT_COMPILED))

    def test_cause_of_a_test_without_steps_is_its_result(self):
        self.assertEqual(jtreg.cause("test result: Error. Cannot find library\n"), ["test result: Error. Cannot find library"])

    def test_maven_error_lines_are_kept_without_advice(self):
        self.assertEqual(results.maven_errors(MAVEN), [
            "Failures:", "HeapTest.opens:12 expected: <1> but was: <2>", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
            "Failed to execute goal surefire:test (default-test) on project persist: There are test failures."])

    def test_long_lines_and_long_texts_keep_both_ends(self):
        text = results.excerpt([1000 * "x", *map(str, range(100))], 10).splitlines()
        self.assertEqual(len(text), 11)
        self.assertLess(len(text[0]), 400)
        self.assertEqual(text[-1].strip(), "99")


if __name__ == "__main__":
    unittest.main()
