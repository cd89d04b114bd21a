# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the order of runs in `terrace bench spark`, its tables, and its failures."""
import argparse
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.spark import bench as spark, plan as spark_plan, profile as spark_profile, report as spark_report
from bench.driver.spark.plan import LEVELS, SIDES, STOCK, WORKLOADS
from bench.driver.measure import series
from terrace.common import libraries
from terrace.common.term import Failure

MIB = 1 << 20
CAP = 1 << 30


def one_run(side, wall, program="logreg", level="MEMORY_AND_DISK", phase="repeat", repeat=1, failure=None, loss=0.25):
    run = {"program": program, "side": side, "level": level, "cap": CAP, "phase": phase, "repeat": repeat,
           "wall": wall, "user": wall, "system": 0.0, "failure": failure, "log": "some.log",
           "anonymous_peak": 400 * MIB, "cap_peak": CAP, "device_read": 0, "device_written": 0, "h2_blocks": 0, "gc": None,
           "report": None}
    if not failure:
        run["gc"] = {"minor_count": 5, "minor_seconds": 0.5, "major_count": 2, "major_seconds": 1.0, "short_count": 0,
                     "short_seconds": 0.0, "transfer_seconds": 0.1, "longest_pause": 0.2, "moved_bytes": 0}
        run["report"] = {"result": {"loss": loss}, "cached": {"partitions": 8, "inMemory": 3, "onDisk": 5},
                         "spilled": {"cachedBytes": 50 * MIB, "shuffleDiskBytes": 0}}
    return run


def results(runs, **more):
    return {"quick": True, "heap_bytes": 512 * MIB, "versions": {"newest": "JDK 25"}, "facts": {"CPU": "some"},
            "words": {"logreg": ["--rows", "5"]}, "runs": runs, **more}


def rounds(phase="repeat", **walls):
    return [one_run(side, wall, phase=phase, repeat=repeat) for side, of in walls.items()
            for repeat, wall in enumerate(of, 1)]


class FakeRuns:
    """Runs that take no time. `walls` has the reported times."""

    def __init__(self, walls):
        self.cap, self.walls, self.started = CAP, walls, []

    def run(self, name, title, machine, program, words, inputs=()):
        side, level = machine, words[words.index("--storage-level") + 1]
        self.started.append((side, level))
        run = one_run(side, self.walls.get((side, level), 10.0))
        if run["wall"] is None:
            run = one_run(side, 1.0, failure="exit status 1, out of memory")
        return {key: value for key, value in run.items()
                if key not in ("program", "side", "level", "cap", "phase", "repeat")}


class ComparisonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.results = results([], graph={"path": "edges"},
                               words={program: workload.words(True) for program, workload in WORKLOADS.items()})

    def compare(self, walls, program="logreg", repeats=2, pairs=None, sides=tuple(SIDES), levels=LEVELS):
        runs = FakeRuns(walls)
        comparison = spark.Comparison(self.results, self.out, runs, {side: side for side in SIDES}, sides, levels)
        comparison.run(program, repeats, pairs)
        return runs.started

    def test_repeats_take_the_fastest_level_of_the_first_pass(self):
        started = self.compare({("parallel", "MEMORY_ONLY_SER"): 5.0, ("g1", "MEMORY_AND_DISK_SER"): 5.0})
        repeats = started[8:]
        self.assertEqual(len(repeats), 2 * len(SIDES))
        self.assertEqual({level for side, level in repeats if side in ("parallel", "newest-parallel")},
                         {"MEMORY_ONLY_SER"})
        self.assertEqual({level for side, level in repeats if side in ("g1", "newest-g1", "newest-zgc")},
                         {"MEMORY_AND_DISK_SER"})
        self.assertEqual({level for side, level in repeats if side == "terrace"}, {"MEMORY_AND_DISK"})

    def test_every_round_begins_with_another_side(self):
        started = self.compare({}, sides=["parallel", "g1", "terrace"])
        self.assertEqual([side for side, _ in started[8:]], ["parallel", "g1", "terrace", "g1", "terrace", "parallel"])

    def test_out_of_memory_is_a_result_and_no_level(self):
        self.compare({("parallel", "MEMORY_ONLY"): 99} | {("parallel", level): None for level in LEVELS[1:]})
        levels = {run["level"] for run in self.results["runs"] if (run["side"], run["phase"]) == ("parallel", "repeat")}
        self.assertEqual(levels, {"MEMORY_ONLY"})
        self.assertEqual(spark.judge(self.results), [])

    def test_a_collector_without_success_does_not_run_again(self):
        started = self.compare({("g1", level): None for level in LEVELS})
        self.assertNotIn("g1", [side for side, _ in started[8:]])

    def test_pairs_are_of_the_fastest_stock_side_and_terrace(self):
        started = self.compare({("g1", "MEMORY_ONLY"): 5.0}, pairs=3)
        self.assertEqual([side for side, _ in started[8:]], ["g1", "terrace", "terrace", "g1", "g1", "terrace"])

    def test_resumes_where_it_was_cut_off(self):
        whole = len(self.compare({}))
        stored = json.loads((self.out / "results.json").read_text())
        self.assertEqual(len(stored["runs"]), whole)
        self.results["runs"] = stored["runs"][:-3]
        self.assertEqual(len(self.compare({})), 3)

    def test_a_program_that_takes_no_level_has_one_run_in_the_first_pass(self):
        self.assertEqual(self.compare({}, program="svdplusplus")[:3],
                         [("parallel", "MEMORY_ONLY"), ("g1", "MEMORY_ONLY"), ("parallel", "MEMORY_ONLY")])
        self.results["runs"] = []
        self.assertEqual(len(self.compare({}, program="svdplusplus", levels=["MEMORY_AND_DISK"])), 2 + 2 * len(SIDES))

    def test_levels_can_be_left_out(self):
        started = self.compare({}, sides=["parallel", "terrace"], levels=["MEMORY_AND_DISK_SER"])
        self.assertEqual(started[:2], [("parallel", "MEMORY_AND_DISK_SER")] * 2)


class BeginTest(unittest.TestCase):
    def test_other_sizes_are_refused(self):
        setting = {"quick": True, "heap_bytes": 1, "words": {}, "graph": {}}
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            (out / "results.json").write_text(json.dumps({**setting, "heap_bytes": 2, "started": "then", "runs": [{}]}))
            with self.assertRaisesRegex(Failure, "--resume.*heap"):
                spark.begin(argparse.Namespace(resume=True), out, setting)
            self.assertEqual(spark.begin(argparse.Namespace(resume=False), out, setting)["runs"], [])

    def test_the_same_graph_may_be_in_another_file(self):
        setting = {"quick": True, "heap_bytes": 1, "words": {}, "graph": {"path": "a", "edges": 5}}
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            (out / "results.json").write_text(json.dumps({**setting, "started": "then", "runs": [{}]}))
            moved = {**setting, "graph": {"path": "b", "edges": 5}}
            self.assertEqual(spark.begin(argparse.Namespace(resume=True), out, moved)["graph"]["path"], "b")
            other = {**setting, "graph": {"path": "a", "edges": 6}}
            with self.assertRaisesRegex(Failure, "graph"):
                spark.begin(argparse.Namespace(resume=True), out, other)

    def test_unknown_names(self):
        self.assertEqual(series.chosen("--only", "svm,pagerank", WORKLOADS), ["pagerank", "svm"])
        with self.assertRaisesRegex(Failure, "--only.*'x'"):
            series.chosen("--only", "svm,x", WORKLOADS)


class NewestTest(unittest.TestCase):
    def test_the_newest_of_those_installed(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(spark_plan, "JDKS", Path(folder)):
            self.assertIsNone(spark_plan.newest_home(None))
            for name, version in (("a", "17.0.1"), ("b", "25.0.3"), ("c", "21")):
                (Path(folder) / name).mkdir()
                (Path(folder) / name / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
            self.assertEqual(spark_plan.newest_home(None), (Path(folder) / "b", "JDK 25"))
            self.assertEqual(spark_plan.newest_home(f"{folder}/c")[1], "JDK 21")
            self.assertIsNone(spark_plan.newest_home("none"))
            with self.assertRaisesRegex(Failure, "--newest"):
                spark_plan.newest_home(folder)

    def test_an_old_one_does_not_count(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(spark_plan, "JDKS", Path(folder)):
            (Path(folder) / "a").mkdir()
            (Path(folder) / "a/release").write_text('JAVA_VERSION="17.0.1"\n')
            self.assertIsNone(spark_plan.newest_home(None))


class JudgeTest(unittest.TestCase):
    def test_failures_of_terrace_count_and_those_of_stock_do_not(self):
        failed = dict(failure="exit status 1")
        self.assertEqual(spark.judge(results([one_run("parallel", 1.0, **failed), one_run("g1", 1.0)])), [])
        self.assertEqual(len(spark.judge(results([one_run("terrace", 1.0, **failed)]))), 1)

    def test_other_results_than_stock(self):
        runs = [one_run("parallel", 1.0), one_run("g1", 1.0), one_run("terrace", 1.0, loss=0.3)]
        self.assertRegex(spark.judge(results(runs))[0], "results differ: loss")


SAMPLES = """\
jdk.ExecutionSample {
  sampledThread = "Executor task launch worker for task 3.0 in stage 1.0 (TID 3)" (javaThreadId = 9)
  stackTrace = [
    java.util.Arrays.copyOf(byte[], int) line: 1
    com.esotericsoftware.kryo.io.Output.require(int) line: 2
  ]
}

jdk.NativeMethodSample {
  sampledThread = "Executor task launch worker for task 3.0 in stage 1.0 (TID 3)" (javaThreadId = 9)
  stackTrace = [
    sun.nio.ch.FileDispatcherImpl.read0(FileDescriptor, long, int)
  ]
}

jdk.NativeMethodSample {
  sampledThread = "Executor task launch worker for task 3.0 in stage 1.0 (TID 3)" (javaThreadId = 9)
  stackTrace = [
    sun.nio.ch.EPoll.wait(int, long, int, int)
  ]
}

jdk.ExecutionSample {
  sampledThread = "Executor task launch worker for task 4.0 in stage 1.0 (TID 4)" (javaThreadId = 9)
  stackTrace = [
    org.terrace.bench.PageRank.add(Digest, Tuple2) line: 7
  ]
}

jdk.ExecutionSample {
  sampledThread = "main" (javaThreadId = 1)
  stackTrace = [
    com.esotericsoftware.kryo.Kryo.writeObject(Output, Object) line: 2
  ]
}
"""


class ProfileTest(unittest.TestCase):
    def test_samples_of_tasks_by_what_they_did(self):
        found = spark_profile.count(SAMPLES)
        self.assertEqual(found, {"serialization": 1, "files": 1, "program": 1})
        self.assertAlmostEqual(spark_profile.share(found, "serialization", "files"), 2 / 3)
        self.assertIsNone(spark_profile.share(spark_profile.count(""), "files"))

    def test_table(self):
        run = dict(one_run("g1", 5.0, phase="profile"), samples={"serialization": 30, "files": 10, "program": 60})
        self.assertEqual(spark_report.profile(results([run]), CAP).rows,
                         [["logistic regression", "stock G1", "MD", "100", "30%", "10%", "60%"]])


class ReportTest(unittest.TestCase):
    def setUp(self):
        try:
            libraries.require("matplotlib", "scipy")
        except Failure as failure:
            self.skipTest(str(failure))

    def test_ratio_to_the_best_stock_side_round_by_round(self):
        runs = rounds(parallel=[10, 12, 11], g1=[20, 9, 30], terrace=[5, 6, 5.5])
        self.assertEqual(spark_report.best_stock(runs, "logreg", CAP), "parallel")
        self.assertEqual(spark_report.ratios(runs, "logreg", CAP, "repeat"), [0.5, 0.5, 0.5])

    def test_a_round_in_which_one_failed_has_no_ratio(self):
        runs = rounds(parallel=[10, 10], terrace=[5, 5])
        runs[-1] = one_run("terrace", 1, repeat=2, failure="exit status 1")
        self.assertEqual(spark_report.ratios(runs, "logreg", CAP, "repeat"), [0.5])

    def test_confidence(self):
        self.assertIsNone(spark_report.confidence([0.5]))
        low, high = spark_report.confidence([0.8, 0.9, 1.0, 0.9])
        self.assertTrue(0.75 < low < 0.89 < 0.9 < high < 1.05, (low, high))
        self.assertEqual(spark_report.verdict((0.8, 0.95)), "faster")
        self.assertEqual(spark_report.verdict((1.01, 1.2)), "slower")
        self.assertIn("noise", spark_report.verdict((0.9, 1.1)))

    def test_overview(self):
        runs = rounds(parallel=[10, 12, 11], g1=[20, 21, 22], terrace=[5, 6, 5.5])
        runs += [one_run("parallel", 30, level="MEMORY_ONLY", phase="select"), one_run("newest-zgc", 7)]
        row = spark_report.overview(results(runs), CAP)
        self.assertEqual(row.header[2:6], ["stock ParallelGC", "stock G1", "JDK 25 ZGC", "Terrace"])
        self.assertEqual(row.rows[0], ["logistic regression", "3/8", "11.0 (10.0–12.0) MD", "21.0 (20.0–22.0) MD",
                                       "7.00 MD", "5.50 (5.00–6.00) MD", "0.50", "0.50–0.50", "0.50", "all"])

    def test_failures_are_named(self):
        runs = rounds(parallel=[10]) + [one_run("parallel", 1, repeat=2, failure="exit status 3, out of memory")]
        self.assertEqual(spark_report.timing(runs), "10.0 MD; 1 × out of memory")
        self.assertEqual(spark_report.brief("ended after 180 s"), "time out")

    def test_first_pass_marks_the_fastest(self):
        runs = [one_run("g1", wall, level=level, phase="select") for wall, level in zip((9, 8, 7), LEVELS)]
        table = spark_report.first_pass(results(runs), CAP)
        self.assertEqual(table.rows, [["logistic regression", "stock G1", "9.00", "8.00", "7.00*", "–"]])

    def test_pairs(self):
        table = spark_report.pairs(results(rounds("pair", g1=[10, 10, 11], terrace=[8, 8.1, 8.9])), CAP)
        self.assertEqual((table.rows[0][1], table.rows[0][2], table.rows[0][-1]), ("stock G1", "3", "faster"))

    def test_pairs_repeats_and_the_first_pass_beside_each_other(self):
        runs = rounds("pair", parallel=[10, 10, 11], terrace=[8, 8, 8.8]) + [one_run("newest-g1", 12)]
        runs += [one_run("g1", wall, level=level, phase="select") for wall, level in ((15, "MEMORY_ONLY"),
                                                                                      (14, "MEMORY_AND_DISK_SER"))]
        row = spark_report.overview(results(runs), CAP).rows[0]
        self.assertEqual(row[2:8], ["10.0 (10.0–11.0) MD", "14.0 MDS", "12.0 MD", "8.00 (8.00–8.80) MD", "0.80",
                                    "0.80–0.80"])

    def test_writes_tables_and_plots(self):
        runs = rounds(**{side: [10, 11] for side in (*STOCK, "terrace")})
        runs += rounds("select", parallel=[10])
        with tempfile.TemporaryDirectory() as folder:
            written = spark_report.write(results(runs), Path(folder))
            plots = {f"{name}-1024.svg" for name in ("wall", "cpu", "memory", "traffic", "cached")}
            self.assertEqual({path.name for path in written}, {"tables.md"} | plots)
            self.assertIn("| 10.5 (10.0–11.0) MD |", written[0].read_text())
            self.assertIn("moving to H2", (Path(folder) / "wall-1024.svg").read_text())
            again = (Path(folder) / "wall-1024.svg").read_bytes()
            spark_report.write(results(runs), Path(folder))
            self.assertEqual(again, (Path(folder) / "wall-1024.svg").read_bytes(), "the same numbers, the same file")
