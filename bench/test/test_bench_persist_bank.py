# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the tables and plots of the bank in `terrace bench persist`."""
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from bench.driver.persist import bank, report


def run(name, level="SYNC", number=1, **changed):
    kept = {} if name == "VOLATILE" else {"lost": 0, "wrong": 0, "difference": 0, "violations": []}
    return {"part": "bank", "bank": name, "level": level, "round": number, "perSecond": 1000.0, "serving": 1.5,
            "firstRequest": 1.75, "nominal": 4.0, "refused": 0, "killed": 1.0, "bucketSeconds": 0.1,
            "buckets": [100] * 10 + [0] * 10 + [50] * 10 + [3], **kept, **changed}


def rows(found):
    return [table.rows for table in bank.tables(found, report.middle)]


class BankTest(unittest.TestCase):
    def test_levels_are_never_in_one_table(self):
        found = [run("TERRACE", level, perSecond=speed) for level, speed in (("PROCESS", 2000), ("SYNC", 1000))]
        tables = list(bank.tables(found, report.middle))
        self.assertEqual([table.title.partition(":")[0] for table in tables], ["Bank, SYNC", "Bank, PROCESS"])
        self.assertEqual([[row[:2] for row in table.rows] for table in tables],
                         [[["Terrace", "1,000"]], [["Terrace", "2,000"]]])

    def test_rounds_have_medians_and_ranges(self):
        (row,), = rows([run("TERRACE", number=number, firstRequest=seconds) for number, seconds in enumerate((3, 1, 2))])
        self.assertEqual(row, ["Terrace", "1,000 (1,000–1,000)", "1.50 (1.50–1.50)", "2.00 (1.00–3.00)", "4.0 (4.0–4.0)", "0",
                               "0", "right"])

    def test_a_row_shows_the_damage_of_a_kill(self):
        (row,), = rows([run("INFINISPAN_SOFT_INDEX", lost=3, wrong=2, difference=-500), run("INFINISPAN_SOFT_INDEX", number=2)])
        self.assertEqual(row[5:], ["3", "2", "wrong in 1 of 2"])

    def test_a_volatile_bank_loses_everything(self):
        (row,), = rows([run("VOLATILE")])
        self.assertEqual(row[5:], ["all", "–", "–"])

    def test_refusals_are_told(self):
        (row,), = rows([run("TERRACE", refused=2), run("TERRACE", number=2, refused=1)])
        self.assertEqual(row[0], "Terrace (3 refused)")

    def test_a_throughput_that_is_never_reached_again(self):
        self.assertEqual(bank.nominal([run("TERRACE", nominal=None)], report.middle), "1 × not reached")
        self.assertEqual(bank.nominal([run("TERRACE", nominal=None), run("TERRACE")], report.middle), "4.0, 1 × not reached")

    def test_a_line_has_the_kill_at_0(self):
        seconds, speeds = bank.line(run("TERRACE"))
        self.assertAlmostEqual(seconds[0], -0.75)
        self.assertEqual(speeds[0], 1000)
        at = {round(second, 2): speed for second, speed in zip(seconds, speeds)}
        self.assertEqual([at[0.25], at[0.75], at[1.25]], [0, 0, 500])
        # The last bucket was incomplete.
        self.assertEqual(speeds[-1], 500)

    def test_plots_are_the_same_for_the_same_runs(self):
        found = [run("TERRACE"), run("VOLATILE"), run("TERRACE", "PROCESS")]
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            paths = bank.plots(found, Path(one))
            self.assertEqual([path.name for path in paths], ["bank-SYNC.svg", "bank-PROCESS.svg"])
            again = bank.plots(found, Path(other))
            self.assertEqual([path.read_bytes() for path in paths], [path.read_bytes() for path in again])
            self.assertIn("java.util, volatile", paths[0].read_text())
            self.assertNotIn("java.util, volatile", paths[1].read_text())

    def test_no_runs_give_no_plots(self):
        self.assertEqual(bank.plots([], Path("none")), [])

    def test_each_bank_is_killed_once_a_round_at_each_level_it_has(self):
        asked = []

        def java(what, *arguments, options):
            asked.append(dict(zip(arguments[1::2], arguments[2::2])))
            return {"perSecond": 1.0, "firstRequest": 1.0}
        lab = SimpleNamespace(quick=True, rounds=2, java=java, folder=lambda: "folder")
        found = list(bank.runs(lab))
        self.assertEqual(len(found), 2 * (5 + 6))
        self.assertEqual({(one["--bank"], one["--level"]) for one in asked if one["--bank"] == "INFINISPAN_SINGLE_FILE"},
                         {("INFINISPAN_SINGLE_FILE", "PROCESS")})
        self.assertNotEqual([run["bank"] for run in found[:5]], [run["bank"] for run in found[11:16]])
