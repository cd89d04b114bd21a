# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests flags and limits of runs in `terrace bench far`, its evaluation of logs and samples, and its errors."""
import argparse
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.far import bench as far, cycles as far_cycles, plan as far_plan, report as far_report, runs as far_runs
from bench.driver.far.plan import MIB
from bench.driver.measure.tables import aligned
from terrace.common.term import Failure

HOME = Path("/jdk")
LOG = """\
[1.000s][info][gc] GC(3) Concurrent Mark Cycle
[1.100s][info][gc,marking] GC(3) Concurrent Mark
[1.100s][info][gc,marking] GC(3) Concurrent Mark From Roots
[3.100s][info][gc,marking] GC(3) Concurrent Mark From Roots 2000.000ms
[3.200s][info][gc,marking] GC(3) Concurrent Mark 2100.000ms
[3.300s][info][gc,marking] GC(3) Concurrent Rebuild Remembered Sets
[4.300s][info][gc,marking] GC(3) Concurrent Rebuild Remembered Sets 1000.000ms
[5.000s][info][gc] GC(3) Concurrent Mark Cycle 4000.000ms
[6.000s][info][gc] GC(4) Concurrent Mark Cycle
[6.500s][info][gc,marking] GC(4) Concurrent Mark Abort
[6.600s][info][gc] GC(4) Concurrent Mark Cycle 600.000ms
[7.000s][info][gc] GC(5) Concurrent Undo Cycle
[7.100s][info][gc] GC(5) Concurrent Undo Cycle 100.000ms
[8.000s][info][gc] GC(6) Concurrent Mark Cycle
""".splitlines()

SHENANDOAH_LOG = """\
[0.900s][info][gc,ergo     ] Free: 713M, Max: 512K regular, 713M humongous
[1.000s][info][gc,start    ] GC(0) Concurrent reset
[1.010s][info][gc          ] GC(0) Concurrent reset 0.066ms
[1.020s][info][gc          ] GC(0) Concurrent marking roots 1.037ms
[1.030s][info][gc,start    ] GC(0) Concurrent marking (unload classes)
[3.030s][info][gc          ] GC(0) Concurrent marking (unload classes) 2000.000ms
[3.040s][info][gc          ] GC(0) Concurrent cleanup 353M->352M(1024M) 0.056ms
[3.050s][info][gc,ergo     ] GC(0) Free: 618M, Max: 512K regular, 616M humongous
[3.250s][info][gc          ] GC(0) Concurrent evacuation 200.000ms
[4.250s][info][gc          ] GC(0) Concurrent update references 1000.000ms
[4.300s][info][gc          ] GC(0) Concurrent cleanup 552M->552M(1024M) 0.066ms
[4.310s][info][gc,ergo     ] Free: 417M, Max: 512K regular, 417M humongous
[5.000s][info][gc,start    ] GC(1) Concurrent reset
[5.500s][info][gc          ] GC(1) Concurrent marking 400.000ms
[5.510s][info][gc,far      ] GC(1) Evacuation is postponed: 9 pages absent, 1K garbage in fragmented regions; 5M available, 4M needed
[5.520s][info][gc,ergo     ] Free: 417M, Max: 512K regular, 417M humongous
[6.000s][info][gc,start    ] GC(2) Concurrent reset
[6.100s][info][gc          ] Cancelling GC: Allocation Failure
[6.110s][info][gc,ergo     ] Free: 1M, Max: 512K regular, 1M humongous
[6.120s][info][gc,start    ] GC(3) Pause Degenerated GC (Mark)
[6.130s][info][gc          ] GC(3) Cannot finish degeneration, upgrading to Full GC
[6.140s][info][gc          ] GC(3) Pause Degenerated GC (Mark) 500M->400M(1024M) 20.000ms
[6.500s][info][gc,start    ] GC(4) Pause Degenerated GC (Mark)
[6.510s][info][gc          ] Cancelling GC: Upgrade To Full GC
[6.900s][info][gc          ] GC(4) Pause Degenerated GC (Mark) 500M->499M(1024M) 400.000ms
[7.000s][info][gc,start    ] GC(4) Pause Full
[7.100s][info][gc          ] GC(4) Pause Full 500M->400M(1024M) 100.000ms
[8.000s][info][gc,start    ] GC(5) Concurrent reset
[8.100s][info][gc,start    ] GC(5) Concurrent marking
[9.000s][info][gc          ] GC(5) Concurrent marking 900.000ms
[9.050s][info][gc,start    ] GC(5) Concurrent evacuation
[9.100s][info][gc          ] Cancelling GC: Stopping VM
[9.110s][info][gc,ergo     ] Free: 1M, Max: 512K regular, 1M humongous
""".splitlines()


def samples(*rows):
    """Returns samples of time and counts. Each group has one more than the group before it."""
    return [[at, value, value, value + 1, value + 2, value + 3] for at, value in rows]


def one_run(side="far", repeat=1, failure=None, program="keyvalue", cycles=None, oom_kills=0, wrong=0, stops=()):
    return {"program": program, "side": side, "local": 25, "repeat": repeat, "failure": failure, "log": "some.log", "wall": 20.0,
            "user": 3.0, "system": 1.0, "limit": 320 * MIB, "oom_kills": oom_kills, "notes": ["No summaries of pages: x"],
            "samples": samples((0, 0), (10, 1000), (20, 5000)),
            "cycles": cycles if cycles is not None else [
                {"start": 2.0, "end": 3.0, "mark": 9.0, "rebuild": 9.0, "aborted": False},
                {"start": 12.0, "end": 14.0, "mark": 1.0, "rebuild": 0.5, "aborted": False}],
            "stops": list(stops),
            "gc": {"minor_seconds": 0.5, "major_seconds": 0.0, "short_seconds": 0.25, "longest_pause": 0.125},
            "report": {"result": {"wrong": wrong}, "from": 10.0, "to": 20.0,
                       "seconds": [{"120": 1000}] * 2 + [{"120": 90, "159": 10}] * 2 + [{"120": 1000}] * 6}}


def results(*runs, collector="g1"):
    return {"quick": True, "collector": collector, "started": "today", "facts": {"CPU": "some"}, "runs": list(runs)}


class PlanTest(unittest.TestCase):
    def words(self, program, side, quick=True):
        return " ".join(map(str, far_plan.command(HOME, side, program, quick, ["-Xlog:gc"], "/scratch")))

    def test_sides_differ_by_their_flags_alone(self):
        stock = self.words("cassandra", "stock")
        self.assertNotIn("FarMemory", stock)
        self.assertEqual(self.words("cassandra", "far").replace("-XX:+UseFarMemory ", ""), stock)
        self.assertIn("-XX:+UseFarMemory -XX:+UnlockDiagnosticVMOptions -XX:-FarMemorySummaries", self.words("cassandra", "deferred"))

    def test_shenandoah_is_the_collector_of_all_sides(self):
        stock, ours, summaries = (" ".join(map(str, far_plan.command(HOME, side, "keyvalue", True, [], "/scratch", "shenandoah"))) for side in
                       far_plan.COLLECTORS["shenandoah"].sides)
        self.assertIn("-XX:+UseShenandoahGC", stock)
        self.assertIn("-XX:+DisableExplicitGC", stock)
        self.assertNotIn("G1", stock)
        self.assertNotIn("InitiatingHeapOccupancyPercent", stock)
        self.assertEqual(ours.replace("-XX:+UseFarMemory ", ""), stock)
        self.assertEqual(summaries.replace("-XX:+UnlockDiagnosticVMOptions -XX:+FarMemorySummaries ", ""), ours)

    def test_a_program_that_meets_the_bench_is_told_where(self):
        self.assertIn("keyvalue --megabytes 640", self.words("keyvalue", "stock"))
        self.assertIn("--meet /scratch", self.words("keyvalue", "stock"))
        self.assertIn("-XX:+ExplicitGCInvokesConcurrent", self.words("keyvalue", "stock"))
        self.assertIn("--dir /scratch", self.words("cassandra", "stock"))
        self.assertIn("--local-dir /scratch", self.words("kmeans", "stock"))

    def test_threads_are_those_of_the_program_that_meets_the_bench(self):
        for program, has in (("keyvalue", True), ("kmeans", False), ("cassandra", False)):
            words = " ".join(map(str, far_plan.command(HOME, "far", program, True, [], "/scratch", "g1", 1)))
            self.assertEqual("--threads 1" in words, has, program)
        self.assertNotIn("--threads", self.words("keyvalue", "far"))

    def test_a_program_that_would_lock_its_memory_may_not(self):
        self.assertTrue(self.words("cassandra", "far").startswith("setpriv --bounding-set=-ipc_lock prlimit --memlock=65536 /jdk/bin/java"))
        self.assertTrue(self.words("keyvalue", "far").startswith("/jdk/bin/java"))

    def test_the_limit_is_a_part_of_the_heap_and_what_lies_beside_it(self):
        self.assertEqual(far_plan.cap("keyvalue", True, 25), (1024 // 4 + 64) * MIB)
        self.assertEqual(far_plan.cap("keyvalue", True, 100), (1024 + 512) * MIB)
        self.assertEqual(far_plan.wide("keyvalue", True), (1024 + 512) * MIB)

    def test_a_quick_run_has_programs_of_the_plan(self):
        self.assertLess(set(far_plan.QUICK_PROGRAMS), set(far_plan.PROGRAMS))

    def test_swap_has_room_for_the_largest_heap_twice(self):
        self.assertEqual(far_plan.swap_size(["kmeans", "keyvalue"], True), 2048 * MIB)


class LogTest(unittest.TestCase):
    def test_cycles(self):
        (first, aborted, last), stops = far_cycles.g1(LOG)
        self.assertEqual(first, far_cycles.Cycle(1.0, 5.0, mark=2.1, rebuild=1.0))
        self.assertEqual(stops, [])
        self.assertEqual((aborted.start, aborted.end, aborted.aborted), (6.0, 6.6, True))
        self.assertEqual((last.start, last.end, last.mark), (8.0, None, None))

    def test_cycles_of_shenandoah(self):
        (first, postponed, aborted, last), stops = far_cycles.shenandoah(SHENANDOAH_LOG)
        self.assertEqual(first, far_cycles.Cycle(1.0, 4.31, mark=2.0, evacuation=0.2, update=1.0))
        self.assertEqual(postponed, far_cycles.Cycle(5.0, 5.52, mark=0.4, postponed=True))
        self.assertEqual(aborted, far_cycles.Cycle(6.0, 6.11, aborted=True))
        self.assertEqual((last.start, last.end, last.mark, last.update), (8.0, None, 0.9, None))
        self.assertAlmostEqual(last.evacuation, 0.05)
        self.assertEqual([(stop.at, stop.full) for stop in stops], [(6.12, False), (6.13, True), (6.5, False), (6.51, True), (7.0, True)])

    def test_what_terrace_does_without_is_noted_once(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "gc.log"
            log.write_text("[0.1s][info][gc,far] No summaries of pages: the system refuses userfaultfd (EPERM)\n" * 2)
            self.assertEqual(far_cycles.collected(log, "g1")["notes"],
                             ["No summaries of pages: the system refuses userfaultfd (EPERM)"])
            self.assertEqual(far_cycles.collected(Path(folder) / "none", "g1"), {"cycles": [], "stops": [], "notes": []})


class WindowTest(unittest.TestCase):
    def test_counts_between_two_times_are_interpolated(self):
        found = far_runs.between(samples((0, 0), (10, 1000), (20, 5000)), 5, 15)
        self.assertEqual(found, dict.fromkeys(("swap_ins", "program", "concurrent", "pauses", "refinement"), 2500))

    def test_outside_of_the_samples_nothing_was_counted(self):
        self.assertEqual(far_runs.between(samples((5, 100), (6, 200)), 0, 4)["swap_ins"], 0)
        self.assertEqual(far_runs.between(samples((5, 100), (6, 200)), 7, 9)["swap_ins"], 0)
        self.assertEqual(far_runs.between([], 0, 4)["program"], 0)

    def test_a_second_belongs_where_most_of_it_is(self):
        inside, outside = far_runs.seconds_by_window(one_run(cycles=[
            {"start": 12.4, "end": 14.4, "mark": 1.0, "rebuild": 1.0, "aborted": False}]))
        self.assertEqual((len(inside), len(outside)), (2, 8))

    def test_a_cycle_that_did_not_end_lasts_to_the_end(self):
        inside, outside = far_runs.seconds_by_window(one_run(cycles=[
            {"start": 15.0, "end": None, "mark": None, "rebuild": None, "aborted": False}]))
        self.assertEqual((len(inside), len(outside)), (5, 5))

    def test_percentiles_are_of_all_operations_of_all_seconds(self):
        seconds = [{"24": 99}, {"159": 1}]
        self.assertEqual(far_runs.percentile(seconds, 0.99), 9 / 1e6)
        self.assertAlmostEqual(far_runs.percentile(seconds, 1.0), 1.048576)
        self.assertIsNone(far_runs.percentile([], 0.99))


class WatcherTest(unittest.TestCase):
    def test_memory_becomes_short_when_the_data_is_loaded(self):
        group = mock.Mock(**{"narrow.side_effect": [False, True], "swap_ins.return_value": 7, "processes.return_value": []})
        with tempfile.TemporaryDirectory() as folder:
            meet = Path(folder)
            watcher = far_runs.Watcher(group, meet, 5)
            watcher.watch(0.0)
            group.narrow.assert_not_called()
            (meet / "loaded").touch()
            watcher.watch(0.1)
            self.assertFalse((meet / "go").exists())
            watcher.watch(0.2)
            self.assertTrue((meet / "go").exists())
            watcher.watch(0.3)
        self.assertEqual(group.narrow.mock_calls, [mock.call(5)] * 2)


class ReportTest(unittest.TestCase):
    def row(self, label, *runs, collector="g1"):
        return next(row[1:] for row in far_report.tables(results(*runs, collector=collector))[0].rows if row[0].strip() == label)

    def test_only_cycles_while_memory_is_short_count(self):
        self.assertEqual(self.row("cycles that ended", one_run()), ["1"])
        self.assertEqual(self.row("longest cycle, s", one_run()), ["2.00"])
        self.assertEqual(self.row("swap-ins in a cycle, k", one_run()), ["0.80"])
        self.assertEqual(self.row("marking, s", one_run()), ["1.00"])

    def test_what_shenandoah_does_while_memory_is_short(self):
        cycles = [vars(cycle) for cycle in (
            far_cycles.Cycle(2.0, 9.0, mark=7.0, update=9.0, postponed=True),
            far_cycles.Cycle(11.0, 13.0, mark=1.0, evacuation=0.5, update=0.25),
            far_cycles.Cycle(14.0, 16.0, mark=1.5, postponed=True), far_cycles.Cycle(17.0))]
        stops = [vars(far_cycles.Stop(at, full)) for at, full in ((3.0, False), (4.0, True), (16.5, False), (16.6, False), (16.7, True))]
        run = one_run(cycles=cycles, stops=stops)
        for label, value in (("longest marking, s", "1.50"), ("longest evacuation, s", "0.50"), ("longest update of references, s", "0.25"),
                             ("postponed cycles", "1"), ("degenerated collections", "2"), ("full collections", "1"),
                             ("cycles that did not", "1"), ("major faults in all, k: the collector's workers", "4.00")):
            self.assertEqual(self.row(label, run, collector="shenandoah"), [value], label)
        self.assertEqual(far_report.tables(results(one_run("stock", cycles=cycles), run, collector="shenandoah"))[0].header,
                         ["", "stock Shenandoah", "far memory"])

    def test_results_of_an_older_version_are_those_of_g1(self):
        old = results(one_run("stock"))
        del old["collector"], old["runs"][0]["stops"]
        self.assertEqual(far_report.tables(old)[0].header, ["", "stock G1"])

    def test_a_cycle_during_which_memory_became_short_counts(self):
        run = one_run(cycles=[vars(far_cycles.Cycle(9.5, mark=10.5))])
        self.assertEqual(self.row("longest marking, s", run, collector="shenandoah"), ["10.5"])
        self.assertEqual(self.row("longest cycle, s", run, collector="shenandoah"), ["10.5"])

    def test_in_cycles_and_out_of_them(self):
        self.assertEqual(self.row("k operations/s, no cycle", one_run()), ["1.00"])
        self.assertEqual(self.row("k operations/s, in cycles", one_run()), ["0.10"])
        self.assertEqual(self.row("ratio", one_run()), ["0.10"])
        self.assertEqual(self.row("p99, ms, in cycles", one_run()), ["1.05"])

    def test_a_cycle_that_did_not_end_is_counted_apart(self):
        run = one_run(cycles=[{"start": 12.0, "end": None, "mark": None, "rebuild": None, "aborted": False}])
        self.assertEqual(self.row("cycles that did not", run), ["1"])
        self.assertEqual(self.row("longest cycle, s", run), ["8.00"])
        self.assertEqual(self.row("marking, s", run), ["–"])

    def test_kills_of_runs_that_failed_count(self):
        found = results(one_run("stock", failure="killed", oom_kills=1), one_run())
        self.assertIn("OOM kills", aligned(far_report.tables(found)[0]))
        self.assertEqual(self.row("OOM kills", *found["runs"]), ["1", "0"])
        self.assertEqual(far.judge(found), [])
        self.assertIn("far memory: killed", far.judge(results(one_run(failure="killed")))[0])

    def test_results_that_differ_are_troubles(self):
        troubles = far.judge(results(one_run("stock", program="kmeans"), one_run(program="kmeans", wrong=1)))
        self.assertEqual(len(troubles), 1)
        self.assertIn("kmeans: results differ", troubles[0])

    def test_the_file_has_tables_notes_and_facts(self):
        with tempfile.TemporaryDirectory() as folder:
            text = far_report.write(results(one_run()), Path(folder)).read_text()
        for part in ("| k operations/s, all |", "* No summaries of pages: x", "* CPU: some"):
            self.assertIn(part, text)


class CommandTest(unittest.TestCase):
    def parse(self, *words):
        parser = argparse.ArgumentParser()
        far.add(parser.add_subparsers())
        return parser.parse_args(["far", *words])

    def test_list_runs_nothing(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, mock.patch.object(far, "find_homes") as homes:
            arguments = self.parse("--list")
            arguments.run(arguments)
        homes.assert_not_called()
        for name in [*far_plan.PROGRAMS, *far_plan.SIDES, "stock G1"]:
            self.assertIn(name, out.getvalue())
        with contextlib.redirect_stdout(io.StringIO()) as out:
            arguments = self.parse("--list", "--gc", "shenandoah")
            arguments.run(arguments)
        self.assertIn("stock Shenandoah", out.getvalue())
        self.assertNotIn("deferred", out.getvalue())

    def test_a_jdk_without_the_collector_is_refused(self):
        with mock.patch.object(far.subprocess, "run", side_effect=[mock.Mock(returncode=0), mock.Mock(returncode=1)]) as ran, \
                self.assertRaisesRegex(Failure, "--terrace: /jdk refuses -XX:.UseShenandoahGC"):
            far.check_collector({"stock": HOME, "terrace": HOME}, "shenandoah")
        self.assertEqual(ran.mock_calls[0].args[0], [HOME / "bin/java", "-XX:+UseShenandoahGC", "-version"])

    def test_invalid_options_are_refused_before_anything_runs(self):
        for words, message in ((["--only", "x"], "--only: there is no 'x'"), (["--side", "x"], "--side"),
                               (["--gc", "shenandoah", "--side", "deferred"], "--side: there is no 'deferred'"),
                               (["--repeats", "0"], "--repeats"),
                               (["--local", "much"], "--local: 'much' is not"), (["--local", "0"], "--local"),
                               (["--local", "101"], "--local")):
            arguments = self.parse(*words)
            with self.assertRaisesRegex(Failure, message), mock.patch.object(far, "find_homes") as homes:
                arguments.run(arguments)
            homes.assert_not_called()

    def test_without_swap_or_a_control_group_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(far.swapping, "obstacle", return_value="not here"):
            arguments = self.parse("--quick", "--out", folder)
            with self.assertRaisesRegex(Failure, "memory cannot be made short here: not here"):
                arguments.run(arguments)

    def test_without_summaries_on_an_older_kernel_there_is_one_side_less(self):
        with mock.patch.object(far.swapping, "has_pagemap_scan", return_value=False), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(far.possible_sides(["stock", "far"], "g1"), ["stock", "deferred"])
            self.assertEqual(far.possible_sides(["stock"], "g1"), ["stock"])
            self.assertEqual(far.possible_sides(["stock", "far"], "shenandoah"), ["stock", "far"])
            self.assertEqual(far.possible_sides(["stock", "summaries"], "shenandoah"), ["stock", "far"])
        self.assertIn("no PAGEMAP_SCAN", out.getvalue())

    def test_rounds_begin_with_another_side_each_and_are_stored(self):
        started = []

        def record(_, name, title, program, side, jdk, local):
            started.append((side, jdk, local))
            return one_run(side, program=program)
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(far, "find_homes", return_value={"stock": HOME, "terrace": HOME}))
            stack.enter_context(mock.patch.object(far, "build"))
            stack.enter_context(mock.patch.object(far, "check_collector"))
            for name, value in (("obstacle", None), ("check_room", None), ("has_pagemap_scan", True)):
                stack.enter_context(mock.patch.object(far.swapping, name, return_value=value))
            for name in ("journal", "swap"):
                stack.enter_context(mock.patch.object(far.swapping, name, lambda *_: contextlib.nullcontext()))
            stack.enter_context(mock.patch.object(far.FarRuns, "run", record))
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            arguments = self.parse("--quick", "--only", "keyvalue", "--side", "stock,far", "--repeats", "2", "--local", "50",
                                   "--out", folder)
            arguments.run(arguments)
            stored = json.loads((Path(folder) / "results.json").read_text())
        self.assertEqual(started, [("stock", "stock", 50), ("far", "terrace", 50), ("far", "terrace", 50), ("stock", "stock", 50)])
        self.assertEqual(len(stored["runs"]), 4)


if __name__ == "__main__":
    unittest.main()
