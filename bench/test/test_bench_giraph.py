# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the order and options of runs in `terrace bench giraph`, its tables, and its failures."""
import argparse
import json
import tempfile
import unittest
from pathlib import Path

from bench.driver.giraph import bench as giraph, plan as giraph_plan, report as giraph_report
from bench.driver.giraph.plan import SIDES, WORKLOADS
from terrace.common.term import Failure

MIB = 1 << 20
NO_FACTS = {"quick": True, "capped": True, "facts": {"CPU": "some"}}


def outcome(seconds, checksum="c0ffee"):
    """Returns the outcome of a run, which failed if it has no seconds."""
    gc = {"minor_count": 5, "minor_seconds": 0.5, "major_count": 2, "major_seconds": 1.0, "short_seconds": 0.0,
          "moved_bytes": 7 * MIB, "h2_peak_bytes": 5 * MIB}
    return {"user": 1.0, "system": 0.0, "log": "some.log", "anonymous_peak": 100 * MIB, "device_read": 0, "device_written": 0,
            "gc": gc, "report": {"seconds": seconds, "result": {"checksum": checksum}} if seconds else None,
            "failure": None if seconds else "exit status 1, out of memory"}


class FakeRuns:
    """Runs that take ten seconds, or the given times."""

    def __init__(self, times):
        self.times, self.started = times, []

    def run(self, name, title, side, setting, heap, program, words):
        self.started.append((side, setting))
        return outcome(self.times.get((side, setting), 10.0))


class ComparisonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.results = {"runs": [], **NO_FACTS, "quick": False}

    def compare(self, times, repeats=2, heap=100):
        runs = FakeRuns(times)
        giraph.Comparison(self.results, self.out, runs, list(SIDES), "cdlp", heap).run(repeats)
        return runs.started

    def test_out_of_core_is_at_its_fastest_setting(self):
        started = self.compare({("parallel-ooc", "8"): 9.0, ("g1-ooc", "4"): 8.0})
        first = [("parallel-ooc", setting) for setting in ("8", "12", "4", "auto")] + \
            [("g1-ooc", setting) for setting in ("8", "12", "4")]
        self.assertEqual(started[:7], first)
        self.assertEqual(started[7:12], [("parallel", ""), ("g1", ""), ("parallel-ooc", "8"), ("g1-ooc", "4"), ("terrace", "")])
        self.assertEqual(started[12:], [("g1", ""), ("parallel-ooc", "8"), ("g1-ooc", "4"), ("terrace", ""), ("parallel", "")])

    def test_quick_tries_one_setting(self):
        self.results["quick"] = True
        self.assertEqual(self.compare({}, repeats=1),
                         [("parallel", ""), ("g1", ""), ("parallel-ooc", "8"), ("g1-ooc", "8"), ("terrace", "")])

    def test_a_side_that_never_succeeded_does_not_run_again(self):
        started = self.compare({("g1-ooc", setting): None for setting in SIDES["g1-ooc"].settings})
        self.assertNotIn("g1-ooc", [side for side, _ in started[7:]])

    def test_the_ratio_is_to_the_fastest_stock_side(self):
        self.compare({("parallel", ""): None, ("g1", ""): None, ("g1-ooc", "12"): 5.0, ("terrace", ""): 4.0})
        self.assertEqual(giraph_report.ratios(self.results["runs"], "cdlp", 100), [0.8, 0.8])
        row = giraph_report.overview(self.results).rows[0]
        self.assertEqual(row[:2], ["label propagation", "100m"])
        self.assertEqual(row[2:4], ["out of memory"] * 2)
        self.assertIn("5.00 /12", row)
        self.assertEqual((row[-3], row[-1]), ("0.80", "yes"))
        self.assertEqual(giraph.judge(self.results), [])

    def test_a_stock_run_that_fails_is_a_result_and_one_of_terrace_is_not(self):
        self.compare({("terrace", ""): None})
        self.assertEqual(len(giraph.judge(self.results)), 2)
        self.assertIn("out of memory", giraph.judge(self.results)[0])

    def test_another_result_is_found_at_any_heap(self):
        self.compare({}, heap=100)
        self.compare({}, heap=50)
        self.results["runs"][-1]["report"]["result"]["checksum"] = "other"
        self.results["runs"][-1]["side"] = "terrace"
        self.assertIn("results differ: checksum is 'other'", giraph.judge(self.results)[0])
        self.assertEqual(giraph_report.overview(self.results).rows[0][-1], "NO")

    def test_rounding_differences_of_sums_are_accepted(self):
        self.compare({})
        for run in self.results["runs"]:
            run["report"]["result"] = {"sum": 0.1 + 1e-14 if run["side"] == "terrace" else 0.1}
        self.assertEqual(giraph.judge(self.results), [])
        self.results["runs"][-1]["report"]["result"] = {"sum": 0.1 + 1e-8}
        self.results["runs"][-1]["side"] = "terrace"
        self.assertIn("results differ: sum is", giraph.judge(self.results)[0])

    def test_resumes_where_it_was_cut_off(self):
        whole = len(self.compare({}))
        stored = json.loads((self.out / "results.json").read_text())["runs"]
        self.assertEqual(len(stored), whole)
        self.results["runs"] = stored[:-3]
        self.assertEqual(len(self.compare({})), 3)

    def test_tables_are_written(self):
        self.compare({})
        text = giraph_report.write(self.results, self.out).read_text()
        self.assertIn("**label propagation, -Xmx100m**", text)
        self.assertIn("| moved to H2, MB | 7 |", text)


class PlanTest(unittest.TestCase):
    def test_only_terrace_has_a_second_heap_and_the_plugin(self):
        for side in SIDES:
            words = [*giraph_plan.vm(side, "/h2"), *giraph_plan.options(side, SIDES[side].settings[0])]
            self.assertEqual(any("AllocateH2At=/h2" in word for word in words), side == "terrace", side)
            self.assertEqual(any(giraph_plan.PLUGIN in word for word in words), side == "terrace", side)
            for option in ("giraph.useOutOfCoreGraph=true", "giraph.waitForPerWorkerRequests=true"):
                self.assertEqual(option in words, side.endswith("-ooc"), side)

    def test_giraph_chooses_or_is_told(self):
        self.assertNotIn("maxPartitionsInMemory", " ".join(giraph_plan.options("parallel-ooc", "auto")))
        self.assertIn("giraph.maxPartitionsInMemory=8", giraph_plan.options("parallel-ooc", "8"))

    def test_each_program_has_less_heap_the_second_time(self):
        for workload in WORKLOADS.values():
            for quick in (True, False):
                heaps = workload.size(quick).heaps
                self.assertEqual(sorted(heaps, reverse=True), list(heaps))


class BeginTest(unittest.TestCase):
    def test_other_sizes_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            (out / "results.json").write_text(json.dumps({"runs": [{}], **NO_FACTS, "quick": False}))
            with self.assertRaisesRegex(Failure, "--resume.*'quick'"):
                giraph.begin(argparse.Namespace(resume=True), out, NO_FACTS)
            self.assertEqual(giraph.begin(argparse.Namespace(resume=False), out, NO_FACTS)["runs"], [])

    def test_heaps_are_numbers(self):
        self.assertEqual(giraph.parse_heaps("96,64"), [96, 64])
        with self.assertRaisesRegex(Failure, "--heap: 'some'"):
            giraph.parse_heaps("some")


if __name__ == "__main__":
    unittest.main()
