# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the flags of the policies in `terrace bench tiers`, its tables, and its failures."""
import argparse
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.tiers import bench as tiers
from bench.driver.measure.tables import aligned
from terrace.common.term import Failure

MIB = 1 << 20
HOME, H2, PLANS = Path("/jdk"), Path("/h2"), Path("/plans")


def one_run(policy, wall, repeat=1, failure=None, rank=1.5):
    return {"program": "pagerank", "policy": policy, "repeat": repeat, "failure": failure, "log": "some.log", "wall": wall,
            "user": wall, "system": 1.0, "device_written": 0, "h2_blocks": 4,
            "gc": {"minor_seconds": 0.5, "major_seconds": 1.0},
            "report": {"result": {"rank": rank, "vertices": 3}, "deviceReadBytes": 5 * MIB, "taskReadBytes": 20 * MIB,
                       "seconds": {"start": 1, "load": 2, "plan": 0, "iterate": wall - 4, "top": 1, "total": wall},
                       "h2": {"PrefetchedBytes": MIB, "PagedOutBytes": 7 * MIB, "MovedBytes": 9 * MIB}}}


def results(*runs):
    return {"heap_bytes": 512 * MIB, "fast_bytes": 128 * MIB, "cap": 1024 * MIB, "interval": 500, "started": "today", "facts": {"CPU": "some"},
            "graph": {"title": "a graph", "vertices": 3, "edges": 4}, "plan": ["fast groupByKey at A.java:1"], "runs": list(runs)}


class MachineTest(unittest.TestCase):
    def command(self, policy):
        machine = tiers.machine_of(tiers.POLICIES[policy], HOME, H2, PLANS, 512 * MIB, 128 * MIB, 700)
        return " ".join([*machine.vm, *machine.spark])

    def test_each_policy_is_told_to_the_vm(self):
        for policy in ("interleave", "lru", "hints", "monitor", "writes", "both"):
            self.assertIn(f"-XX:H2FastSize={128 * MIB} -XX:H2TierPolicy={policy} -XX:H2SampleInterval=700", self.command(policy))

    def test_policies_that_follow_hints_have_a_plan(self):
        for policy in tiers.POLICIES:
            self.assertEqual("spark.terrace.plan=/plans/plan.txt" in self.command(policy), policy in ("hints", "both"), policy)

    def test_lineage_has_a_plan_of_the_programs(self):
        self.assertIn("spark.terrace.plan=/plans/plan-program.txt --conf spark.terrace.lineage=true", self.command("lineage"))
        self.assertIn("spark.terrace.lineage=false", self.command("hints"))
        self.assertTrue(tiers.is_own("fast groupByKey at PageRank.java:55 # fast: links, used in the loop at PageRank.scala:82"))
        self.assertFalse(tiers.is_own("heap map at KMeans.scala:417 # heap: costs, used at KMeans.java:5"))

    def test_a_profile_has_a_plan_of_an_earlier_run(self):
        self.assertIn("spark.terrace.plan=/plans/plan-profile.txt --conf spark.terrace.lineage=false", self.command("profile"))
        runs = mock.Mock(heap=512 * MIB)
        runs.run.return_value = {"failure": None}
        with mock.patch.object(tiers, "place") as place, contextlib.redirect_stderr(io.StringIO()):
            tiers.make_profiled_plan(runs, HOME, H2, PLANS, 128 * MIB, 700, "pagerank", True, {"path": "x"})
        machine = runs.run.call_args.args[2]
        self.assertIn("spark.terrace.plan=/plans/plan.txt", machine.spark)
        self.assertIn("spark.terrace.profile=/plans/profile-pagerank.txt", machine.spark)
        place.assert_called_once_with(PLANS / "plan-profile.txt", "--profile", PLANS / "profile-pagerank.txt")
        runs.run.return_value = {"failure": "exit status 1", "log": "some.log"}
        with self.assertRaisesRegex(Failure, "run for the profile failed: exit status 1"):
            tiers.make_profiled_plan(runs, HOME, H2, PLANS, 128 * MIB, 700, "pagerank", True, {"path": "x"})

    def test_the_baselines_have_no_tiers(self):
        for policy in ("dram", "untiered"):
            self.assertNotIn("H2FastSize", self.command(policy))
        self.assertEqual([name for name, policy in tiers.POLICIES.items() if not policy.capped], ["dram"])

    def test_quick_omits_the_untiered_policy(self):
        self.assertEqual([name for name, policy in tiers.POLICIES.items() if not policy.quick], ["untiered"])


class ReportTest(unittest.TestCase):
    def test_ratios_are_of_one_round(self):
        found = results(one_run("lru", 10.0, 1), one_run("hints", 5.0, 1), one_run("hints", 40.0, 2), one_run("lru", 20.0, 2))
        table = tiers.tables(found)[0]
        self.assertEqual(table.header, ["", "lru", "hints"])
        self.assertEqual(table.rows[-3], ["hints ÷ this, wall time", "1.00", "1.00"])
        self.assertIn("15.0 (10.0–20.0)", aligned(table))

    def test_the_share_of_the_gap_is_of_the_median_passes(self):
        found = results(one_run("dram", 10.0), one_run("interleave", 19.0, 1), one_run("interleave", 20.0, 2), one_run("interleave", 50.0, 3),
                        one_run("lru", 25.0), one_run("hints", 12.0), one_run("both", 15.0))
        table = tiers.tables(found)[-1]
        self.assertEqual(table.header, ["", "lru", "hints", "both", "best of ours"])
        self.assertEqual(table.rows, [["PageRank that caches contributions", "-0.50", "0.80", "0.50", "0.80"], ["geometric mean", "", "", "", "0.80"]])

    def test_noise_is_no_gap(self):
        found = results(one_run("dram", 10.0), one_run("interleave", 10.5), one_run("hints", 9.0))
        self.assertEqual(len(tiers.tables(found)), 1)
        self.assertEqual(len(tiers.tables(results(one_run("dram", 10.0), one_run("hints", 9.0)))), 1)

    def test_a_share_below_zero_has_no_geometric_mean(self):
        found = results(one_run("dram", 10.0), one_run("interleave", 20.0), one_run("hints", 21.0))
        self.assertEqual(tiers.tables(found)[-1].rows[-1], ["geometric mean", "", "–"])

    def test_a_policy_without_a_run_that_succeeded_has_no_column(self):
        table = tiers.tables(results(one_run("dram", 10.0), one_run("lru", 20.0, failure="exit status 1")))[0]
        self.assertEqual(table.header, ["", "dram"])

    def test_the_report_has_the_plan(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            tiers.show(results(one_run("dram", 10.0), one_run("hints", 20.0)), Path(folder))
            text = (Path(folder) / "report.md").read_text()
        self.assertIn("    fast groupByKey at A.java:1", text)
        self.assertIn("memory capped at 1024 MB", text)
        self.assertIn("paged out, MB", out.getvalue())

    def test_rdds_are_counted_by_the_reason_of_their_tier(self):
        text = "\n".join(f"12:00:00.000 INFO TerracePlugin: Terrace: RDD {line}" for line in (
            "3, map at A.java:5, belongs to tier FAST: its entry in the plan",
            "4, map at B.scala:6, belongs to tier AUTO: no entry of the plan decides",
            "5, map at B.scala:7, belongs to tier SLOW: computed into RDD 9, map at A.java:7",
            "5, map at B.scala:7, belongs to tier FAST: computed from RDD 3, map at A.java:5",
            "9, map at A.java:7, belongs to tier SLOW: its entry in the plan"))
        self.assertEqual(tiers.placed(text), {"plan": 2, "lineage": 1})

    def test_failures_and_differences_are_troubles(self):
        self.assertEqual(tiers.judge(results(one_run("dram", 10.0), one_run("hints", 20.0))), [])
        troubles = tiers.judge(results(one_run("dram", 10.0), one_run("lru", 5.0, failure="ended after 9 s"),
                                       one_run("hints", 20.0, rank=2.5)))
        self.assertEqual(len(troubles), 2)
        self.assertIn("lru, round 1: ended after 9 s", troubles[0])
        self.assertIn("differ from those of dram: rank is 2.5", troubles[1])


class CommandTest(unittest.TestCase):
    def parse(self, *words):
        parser = argparse.ArgumentParser()
        tiers.add(parser.add_subparsers())
        return parser.parse_args(["tiers", *words])

    def test_list_runs_nothing(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, mock.patch.object(tiers, "find_homes") as homes:
            arguments = self.parse("--list")
            arguments.run(arguments)
        homes.assert_not_called()
        for name in [*tiers.POLICIES, *tiers.WORKLOADS]:
            self.assertIn(name, out.getvalue())

    def test_invalid_options_are_refused_before_anything_runs(self):
        for words, message in ((["--policy", "best"], "--policy: there is no 'best'"), (["--only", "x"], "--only"),
                               (["--repeats", "0"], "--repeats"), (["--fast", "much"], "--fast: 'much' is not a size")):
            arguments = self.parse(*words)
            with self.assertRaisesRegex(Failure, message), mock.patch.object(tiers, "find_homes") as homes:
                arguments.run(arguments)
            homes.assert_not_called()

    def test_without_a_control_group_only_what_needs_none_runs(self):
        arguments = self.parse("--quick")
        with mock.patch.object(tiers.memory_cap, "unavailable", return_value="not here"):
            with self.assertRaisesRegex(Failure, "no control group can be made: not here"):
                arguments.run(arguments)

    def test_rounds_begin_with_another_policy_each(self):
        started = []

        def record(_, home, h2, plans, fast, interval, program, policy, repeat, quick, graph):
            started.append((program, policy, repeat))
            return one_run(policy, 10.0, repeat)
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            for name, value in (("find_homes", {"stock": HOME, "terrace": HOME}), ("make_plans", ["fast a at B.java:1"])):
                stack.enter_context(mock.patch.object(tiers, name, return_value=value))
            for module, name in ((tiers.benchmarks.Programs, "build"), (tiers.measure, "touch_memory")):
                stack.enter_context(mock.patch.object(module, name))
            stack.enter_context(mock.patch.object(tiers.memory_cap, "unavailable", return_value=None))
            stack.enter_context(mock.patch.object(tiers.graphs, "random_graph",
                                                  return_value={"title": "a graph", "vertices": 3, "edges": 4, "path": "x"}))
            stack.enter_context(mock.patch.object(tiers, "one_run", record))
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            arguments = self.parse("--quick", "--only", "logreg", "--policy", "dram,lru", "--repeats", "2", "--out", folder)
            arguments.run(arguments)
            stored = json.loads((Path(folder) / "results.json").read_text())
        self.assertEqual(started, [("logreg", policy, repeat) for policy, repeat in (("dram", 1), ("lru", 1), ("lru", 2), ("dram", 2))])
        self.assertEqual(stored["cap"], (480 + 64 + 224) * MIB)


if __name__ == "__main__":
    unittest.main()
