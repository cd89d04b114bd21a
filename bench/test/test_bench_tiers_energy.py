# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the model of energy and cost with numbers worked by hand, and `terrace bench tiers --energy`."""
import argparse
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.tiers import bench as tiers
from bench.driver.tiers import energy, energy_report
from terrace.common import libraries
from terrace.common.term import Failure

MIB, GIB = 1 << 20, 1 << 30
NARROW, WIDE = energy.NVM


class LineTest(unittest.TestCase):
    """512 bits in the row buffer, and the array in every second access."""

    def test_dram(self):
        # 512 x 0.93 = 476.16, 8192 / 2 x 2.47 / 2.1 = 4817.68; 512 x 1.02 = 522.24, 4817.68 + 4096 x 0.39 = 6415.12
        self.assertAlmostEqual(energy.DRAM.read_line(), 5293.84, places=2)
        self.assertAlmostEqual(energy.DRAM.write_line(), 6937.36, places=2)

    def test_nvm_with_the_row_of_dram(self):
        # 4096 x 2.47 = 10117.12; a write adds 4096 x 16.8 x 7.6 % = 5229.77
        self.assertAlmostEqual(WIDE.read_line(), 10593.28, places=2)
        self.assertAlmostEqual(WIDE.write_line(), 15869.13, places=2)

    def test_nvm_with_a_row_of_one_line(self):
        # 256 x 2.47 = 632.32; a write adds 16 x 16.8 x 7.6 % = 20.43
        self.assertAlmostEqual(NARROW.read_line(), 1108.48, places=2)
        self.assertAlmostEqual(NARROW.write_line(), 1174.99, places=2)


class ModelTest(unittest.TestCase):
    def test_the_cost_of_the_papers_configurations(self):
        # Section 7.3: 35.2 % and 39.6 % less. (16.61 / 3 + 2 / 3 x 7.85) / 16.61 = 0.6484, (16.61 / 4 + 3 / 4 x 7.85) / 16.61 = 0.6045
        self.assertAlmostEqual(energy.cost_ratio(1 / 3)[1], 1 - 0.352, places=3)
        self.assertAlmostEqual(energy.cost_ratio(1 / 4)[1], 1 - 0.396, places=3)
        # Table 2, 5 : 1: (5 + 2) / 15
        self.assertAlmostEqual(energy.cost_ratio(1 / 3)[0], 7 / 15)

    def test_the_papers_heap_with_a_third_of_dram(self):
        # 64 GB, 1,000 s, 6.4 TB read, all of H1 idle. DRAM only: 0.4 x 64 x 1000 = 25600 J static, and 10^11 lines x 5293.84 pJ = 529.38 J.
        load = energy.Load(64 * GIB, 1000, 0, 6.4e12, 0)
        case = energy.Case(0.4, WIDE, 1, False)
        self.assertAlmostEqual(energy.static_joules(load, 1, 0, 0, case), 25600)
        self.assertAlmostEqual(energy.joules(load, 1, 0, 0, case), 26129.38, places=2)
        # 3.2 TB from NVM take 3.2e12 x (1 / 10 - 1 / 30) ns = 213.33 s more. Static 25600 / 3 x 1.21333 = 10353.78 J, dynamic
        # 5 x 10^10 x (5293.84 + 10593.28) pJ = 794.36 J.
        self.assertAlmostEqual(energy.seconds(load, 3.2e12, 0, case), 1213.333, places=3)
        self.assertAlmostEqual(energy.joules(load, 1 / 3, 3.2e12, 0, case), 11148.13, places=2)

    def test_waiting_for_each_line_takes_longer_than_bandwidth(self):
        load = energy.Load(GIB, 10, 0, 64e9, 0)
        # 10^9 lines x 180 ns
        self.assertAlmostEqual(energy.seconds(load, 64e9, 0, energy.Case(0.1, WIDE, 1, True)), 190)
        self.assertAlmostEqual(energy.seconds(load, 64e9, 0, energy.Case(0.1, WIDE, 1, False)), 10 + 64 / 15)
        self.assertAlmostEqual(energy.seconds(load, 0, 15e9, energy.Case(0.1, WIDE, 1, True)), 11)

    def test_accesses_to_h1_are_dynamic_energy_of_dram(self):
        load = energy.Load(GIB, 1, 64e6, 0, 0)
        # 10^6 lines read and written ten times: 10^7 x (5293.84 + 6937.36) pJ
        self.assertAlmostEqual(energy.dynamic_joules(load, 0, 0, energy.Case(0.1, WIDE, 10, False)), 0.122312, places=6)

    def test_ranges_are_of_all_cases(self):
        load = energy.Load(64 * GIB, 1000, 1e12, 6.4e12, 1e11)
        low, high = energy.energy_ratio(load, 1 / 3, 3.2e12, 1e11)
        for case in energy.CASES:
            self.assertTrue(low <= energy.joules(load, 1 / 3, 3.2e12, 1e11, case) / energy.joules(load, 1, 0, 0, case) <= high)
        self.assertEqual(len(set(energy.CASES)), 16)
        self.assertEqual(energy.energy_ratio(load, 1, 0, 0), (1, 1))
        self.assertEqual(energy.time_ratio(load, 0, 0), (1, 1))

    def test_dram_has_no_negative_accesses(self):
        load = energy.Load(64 * GIB, 1000, 0, 1e12, 2e12)
        for case in energy.CASES:
            expected = (3e12 * case.nvm.read_line() + 4e12 * case.nvm.write_line()) / energy.LINE * 1e-12
            self.assertAlmostEqual(energy.dynamic_joules(load, 3e12, 4e12, case), expected)

    def test_policies_compare_with_the_same_parameters(self):
        load = energy.Load(64 * GIB, 1000, 1e12, 6.4e12, 0)
        low, high = energy.energy_between(load, 1 / 3, (1e12, 0), (3.2e12, 0))
        ratios = [energy.joules(load, 1 / 3, 1e12, 0, case) / energy.joules(load, 1 / 3, 3.2e12, 0, case) for case in energy.CASES]
        self.assertEqual((low, high), (min(ratios), max(ratios)))
        self.assertEqual(energy.energy_between(load, 1 / 3, (1e12, 0), (1e12, 0)), (1, 1))

    def test_slow_bytes_are_on_lines_through_the_measured_points(self):
        for share, expected in ((1, 0), (0.9, 50), (0.8, 100), (0.6, 300), (0.7, 200), (0.5, 400)):
            self.assertAlmostEqual(energy.slow_bytes([(0.8, 100), (0.6, 300)], share), expected)
        self.assertAlmostEqual(energy.slow_bytes([(0.8, 100)], 0.4), 300)
        # A line that falls does not become negative.
        self.assertEqual(energy.slow_bytes([(0.8, 300), (0.6, 100)], 0.4), 0)


def one_run(policy, read, repeat=1, failure=None, written=0, program="pagerank"):
    return {"program": program, "policy": policy, "repeat": repeat, "failure": failure, "wall": 10.0, "device_written": written,
            "memory": [(0.1, 100 * MIB, 0), (0.2, 700 * MIB, 300 * MIB), (0.3, 600 * MIB, 350 * MIB)],
            "gc": {"allocated_bytes": 5 * GIB},
            "report": {"deviceReadBytes": read, "taskReadBytes": 2 * GIB, "h2": {"MovedBytes": 300 * MIB}}}


def results(*runs, fast=200 * MIB, cap=700 * MIB, heap=400 * MIB, device=None):
    return {"quick": True, "heap_bytes": heap, "device_rate": device, "fast_bytes": fast, "cap": cap, "graph": {"edges": 4}, "runs": list(runs)}


def measured(*found):
    titles = {name: workload.title for name, workload in tiers.WORKLOADS.items()}
    return energy_report.measured([(one, Path(f"/results-{index}")) for index, one in enumerate(found)], titles, tiers.POLICIES)


class MeasuredTest(unittest.TestCase):
    def test_counts_are_medians_beyond_those_of_the_run_with_dram_only(self):
        program, = measured(results(one_run("dram", 40 * MIB), one_run("lru", 60 * MIB), one_run("lru", 90 * MIB, 2, written=MIB),
                                    one_run("lru", 400 * MIB, 3), one_run("hints", 30 * MIB), one_run("both", 7, failure="timeout")))
        self.assertEqual(program.policies(), ["lru", "hints"])
        lru, hints = program.points
        self.assertEqual((lru.share, lru.slow_read, lru.slow_written), (0.7, 50 * MIB, 0))
        self.assertEqual(hints.slow_read, 0)
        self.assertEqual(program.load, energy.Load(1000 * MIB, 10.0, 5 * GIB, 2 * GIB, 300 * MIB))
        self.assertEqual(program.least, 0.5)

    def test_results_with_other_fast_memory_give_more_points(self):
        program, = measured(results(one_run("dram", 0), one_run("lru", 100 * MIB)),
                            results(one_run("lru", 300 * MIB), fast=100 * MIB, cap=600 * MIB))
        self.assertEqual([point.share for point in program.points], [0.6, 0.7])
        self.assertAlmostEqual(program.slow("lru", 0.65)[0] / MIB, 200)
        table = energy_report.curves(program, "energy")
        self.assertEqual([row[0] for row in table.rows if row[2].endswith("*")], ["60 %", "70 %"])
        self.assertEqual(table.rows[-1], ["100 %", "1.00", "1.00"])

    def test_results_with_the_same_fast_memory_are_rounds_of_one_point(self):
        program, = measured(results(one_run("dram", 0), one_run("lru", 100 * MIB)), results(one_run("lru", 200 * MIB)))
        self.assertEqual([(point.share, point.slow_read) for point in program.points], [(0.7, 150 * MIB)])

    def test_a_limit_that_holds_everything_has_no_curve(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(measured(results(one_run("dram", 0), one_run("lru", 0), cap=1000 * MIB, fast=500 * MIB)), [])

    def test_curves_start_where_only_h1_and_the_vm_are_in_dram(self):
        program, = measured(results(one_run("dram", 0), one_run("lru", 100 * MIB)))
        self.assertEqual([row[0] for row in energy_report.curves(program, "time").rows], ["50 %", "60 %", "70 %", "80 %", "90 %", "100 %"])

    def test_a_policy_compares_with_interleave(self):
        runs = [one_run("dram", 0), one_run("interleave", 2 * GIB), one_run("hints", GIB)]
        program, = measured(results(*runs))
        table = energy_report.comparison(program)
        self.assertEqual((table.header, table.rows[-1]), (["DRAM", "hints"], ["100 %", "1.00"]))
        self.assertLess(float(table.rows[0][1].partition("–")[0]), 1)
        for other in (runs[:2], runs[::2]):
            self.assertIsNone(energy_report.comparison(measured(results(*other))[0]))

    def test_other_settings_do_not_compare(self):
        with self.assertRaisesRegex(Failure, "results-1 and .*results-0 have different values of --heap, .*only --fast may differ"):
            measured(results(one_run("dram", 0), one_run("lru", 1)), results(one_run("lru", 1), heap=500 * MIB))

    def test_another_speed_of_the_device_does_not_compare(self):
        for first, second in ((None, 25 * MIB), (25 * MIB, 100 * MIB)):
            with self.assertRaisesRegex(Failure, "different values of --device"):
                measured(results(one_run("dram", 0), one_run("lru", 1), device=first), results(one_run("lru", 1), device=second))
        self.assertTrue(measured(results(one_run("dram", 0), one_run("lru", 1), device=MIB), results(one_run("lru", 1), device=MIB)))
        # Results of an earlier version without this setting had no limit.
        old = results(one_run("lru", 1))
        del old["device_rate"]
        self.assertTrue(measured(results(one_run("dram", 0), one_run("lru", 1)), old))
        with self.assertRaisesRegex(Failure, "--beside 100m --device 25m --edges 4"):
            measured(results(one_run("lru", 0), device=25 * MIB))

    def test_missing_runs_are_named_with_the_command(self):
        with self.assertRaisesRegex(Failure, "no run with the policy dram.*run ./terrace bench tiers --quick --fast 200m --heap 400m --beside 100m "
                                    "--edges 4 --only pagerank --policy dram,.*results-0"):
            measured(results(one_run("lru", 0)))

    def test_results_of_an_earlier_version(self):
        for part, name in (("report", "taskReadBytes"), ("gc", "allocated_bytes")):
            old = one_run("lru", 0)
            del old[part][name]
            with self.assertRaisesRegex(Failure, "of an earlier version.*run ./terrace bench tiers"):
                measured(results(one_run("dram", 0), old))


class CommandTest(unittest.TestCase):
    def run_with(self, *words):
        parser = argparse.ArgumentParser()
        tiers.add(parser.add_subparsers())
        arguments = parser.parse_args(["tiers", *map(str, words)])
        with mock.patch.object(tiers, "find_homes") as homes, contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()):
            arguments.run(arguments)
        homes.assert_not_called()
        return out.getvalue()

    def test_nothing_runs_and_measured_and_modelled_are_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "results.json").write_text(json.dumps(results(one_run("dram", 0), one_run("lru", GIB), one_run("hints", 9 * MIB))))
            plot = ("--svg", folder / "plot.svg") if libraries.offer("matplotlib") else ()
            out = self.run_with("--energy", "--out", folder, "--policy", "dram,lru", *plot)
            self.assertEqual((folder / "plot.svg").exists(), bool(plot))
            text = (folder / "energy.md").read_text()
        for found in (out, text):
            self.assertIn("PageRank that caches contributions, measured", found)
            self.assertIn("PageRank that caches contributions, modelled: energy", found)
            self.assertNotIn("hints", found)
            self.assertIn("1000 MB in use, 5120 MB allocated", found)

    def test_without_results_the_command_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Failure, "has no results of ./terrace bench tiers; run ./terrace bench tiers --policy dram,.* --out "):
                self.run_with("--energy", folder)
            (Path(folder) / "results.json").write_text(json.dumps(results(one_run("dram", 0, failure="timeout"))))
            with self.assertRaisesRegex(Failure, "no run with slow memory succeeded"):
                self.run_with("--energy", folder)

    def test_a_plot_is_of_energy(self):
        with self.assertRaisesRegex(Failure, "--svg needs --energy"):
            self.run_with("--svg", "x.svg")


if __name__ == "__main__":
    unittest.main()
