# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the demo's table, its verdict, and its options."""
import copy
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.demo import demo, report, summary
from bench.driver.measure import tables
from bench.driver.measure import graphs, setting
from bench.driver.spark import runs as spark_runs
from terrace.cli import main as cli
from terrace.common import memory_cap
from terrace.common.options import writable
from terrace.common.term import Failure

MIB = 1 << 20


def one_run(side, repeat, wall):
    moved = 90 * MIB if side == "terrace" else 0
    return {
        "program": "logreg", "side": side, "repeat": repeat, "wall": wall, "user": wall, "system": 0.0,
        "failure": None, "log": "some.log", "h2_blocks": 8 if moved else 0, "anonymous_peak": 400 * MIB,
        "cap_peak": 500 * MIB, "device_read": 0, "device_written": 0,
        "gc": {"minor_count": 5, "minor_seconds": 0.5, "major_count": 2, "major_seconds": 1.0,
               "transfer_seconds": 0.1, "longest_pause": 0.2, "moved_bytes": moved},
        "report": {"result": {"loss": 0.25}, "cached": {"partitions": 8, "inMemory": 8 if moved else 3,
                                                        "onDisk": 0 if moved else 5},
                   "spilled": {"cachedBytes": 0 if moved else 50 * MIB, "shuffleDiskBytes": 0}}}


def results(cap=1 << 30):
    return {"cap_bytes": cap, "programs": {"logreg": {"digits": 17, "differences": []}},
            "runs": [one_run(side, repeat, wall) for side, walls in (("stock", (10.0, 14.0)), ("terrace", (8.0, 10.0)))
                     for repeat, wall in enumerate(walls, 1)]}


def cells(table):
    return {row.label.strip(): row.cells["logreg"] for row in table}


class SettleTest(unittest.TestCase):
    """Stock always has the same sum, and Terrace always another one."""

    def settled(self, loss, program="logreg"):
        found = results()
        for run in found["runs"]:
            run["program"] = program
            run["report"]["result"]["loss"] = 0.25 if run["side"] == "stock" else loss
        found["programs"] = {program: {"digits": 0, "differences": []}}
        bench = mock.Mock(run=lambda of, side, repeat, why: {**one_run(side, repeat, 10.0), "program": of})
        demo.settle(found, program, bench)
        return found["programs"][program], len(found["runs"])

    def test_another_order_of_the_tasks_is_no_difference(self):
        self.assertEqual(self.settled(0.25 + 1e-16), ({"digits": 12, "differences": []}, 4 + demo.MORE_STOCK_RUNS))

    def test_more_than_that_is_one(self):
        self.assertEqual(len(self.settled(0.25 + 1e-11)[0]["differences"]), 2)

    def test_a_program_without_such_sums_repeats_each_bit(self):
        self.assertEqual(len(self.settled(0.25 + 1e-16, "pagerank")[0]["differences"]), 2)

    def test_equal_results_need_no_more_runs(self):
        self.assertEqual(self.settled(0.25), ({"digits": 17, "differences": []}, 4))


class SummaryTest(unittest.TestCase):
    def test_median_range_and_ratio(self):
        wall = cells(summary.rows(results()))["wall time, s"]
        self.assertEqual((wall.stock, wall.terrace, wall.ratio), ("12.0 (10.0–14.0)", "9.00 (8.00–10.0)", "0.75"))

    def test_partitions(self):
        table = cells(summary.rows(results()))
        self.assertEqual((table["in memory, H1"].stock, table["in memory, H1"].terrace), ("3", "0"))
        self.assertEqual((table["in memory, H2"].stock, table["in memory, H2"].terrace), ("0", "8"))

    def test_no_ratio_without_a_cap(self):
        table = cells(summary.rows(results(cap=0)))
        self.assertEqual(table["wall time, s"].ratio, "")
        self.assertNotIn("with page cache, peak MB", table)

    def test_failed_runs_do_not_count(self):
        broken = results()
        broken["runs"][0]["failure"] = "exit status 1"
        self.assertEqual(cells(summary.rows(broken))["wall time, s"].stock, "14.0")
        broken["runs"][1]["failure"] = "exit status 1"
        self.assertEqual(cells(summary.rows(broken))["wall time, s"].stock, "–")

    def test_verdict(self):
        self.assertEqual(summary.verdict({"digits": 17, "differences": []}), "yes, to the last bit")
        self.assertEqual(summary.verdict({"digits": 12, "differences": []}), "yes, to 12 digits")
        self.assertEqual(summary.verdict({"digits": 12, "differences": ["x"]}), "NO")

    def test_a_sentence_says_what_the_table_means(self):
        said = summary.in_words(results(), "logreg")
        self.assertEqual(said, "logistic regression: Terrace took 25 % less time than stock. It kept 8 of 8 cached partitions in memory, "
                               "stock 3 and serialized 50 MB to disk. The results are equal.")
        slower = results()
        for run in slower["runs"]:
            run["wall"] = 10.0 if run["side"] == "stock" else 11.0
        slower["programs"]["logreg"]["differences"] = ["loss is 1"]
        said = summary.in_words(slower, "logreg")
        self.assertIn("10 % more time than stock", said)
        self.assertIn("The results differ", said)
        self.assertIn("times do not compare", summary.in_words(results(cap=0), "logreg"))
        slower["runs"] = slower["runs"][:2]
        self.assertIn("no verdict", summary.in_words(slower, "logreg"))

    def test_bars_are_as_long_as_the_times(self):
        self.assertEqual([line.count("█") for line in summary.bars(results(), "logreg").splitlines()], [50, 38])

    def test_each_program_has_a_table_and_a_verdict(self):
        two = results()
        two["programs"]["pagerank"] = two["programs"]["logreg"]
        two["runs"] += [{**run, "program": "pagerank"} for run in two["runs"]]
        shown = summary.text(two)
        self.assertEqual(shown.count("wall time, s"), 2)
        self.assertLess(shown.index("logistic regression: Terrace took"), shown.index("PageRank: Terrace took"))

    def test_regression_comes_first_and_no_setting_is_hidden(self):
        for plan in (demo.QUICK, demo.FULL):
            self.assertEqual(list(plan.programs), ["logreg", "pagerank"])
            self.assertEqual([word for words in plan.programs.values() for word in words if word.startswith("spark.")], [])

    def test_numbers(self):
        self.assertEqual([tables.decimal(x) for x in (0, 1.234, 12.34, 123.4)], ["0", "1.23", "12.3", "123"])
        self.assertEqual([tables.megabytes(x) for x in (0, 1, 5 * MIB)], ["0", "< 1", "5"])

    def test_columns_line_up(self):
        lines = summary.text(results()).splitlines()
        self.assertEqual(lines[1].index("Terrace") + len("Terrace"), lines[2].index("(8.00–10.0)") + len("(8.00–10.0)"))


class JudgeTest(unittest.TestCase):
    def troubles(self, change):
        changed = copy.deepcopy(results())
        change(changed["runs"][-1], changed)
        return demo.judge(changed)

    def test_nothing_wrong(self):
        self.assertEqual(demo.judge(results()), [])

    def test_every_requirement(self):
        def evicted(run, _): run["report"]["cached"]["inMemory"] = 7
        def nothing_cached(run, _): run["report"]["cached"] = {"partitions": 0, "inMemory": 0, "onDisk": 0}
        def serialized(run, _): run["report"]["spilled"]["cachedBytes"] = 1
        def stayed(run, _): run["gc"]["moved_bytes"] = 0
        def failed(run, _): run["failure"] = "exit status 1"
        def differs(_, all): all["programs"]["logreg"]["differences"] = ["loss is 1"]
        for change in (evicted, nothing_cached, serialized, stayed, failed, differs):
            with self.subTest(change.__name__):
                self.assertEqual(len(self.troubles(change)), 1)


class PageTest(unittest.TestCase):
    def page(self, **changes):
        whole = dict(results(), heap_bytes=512 * MIB, no_cap=None, repeats=2, started="now", again="./terrace demo",
                     graph={"title": "a <graph>", "vertices": 5, "edges": 7}, facts={"CPU": "a & b"},
                     versions={"stock": ["17"], "terrace": ["17"]}, settings={"logreg": ["--rows", "5"]}, **changes)
        for run in whole["runs"]:
            run["command"] = ["java", "-Xmx512m"]
            run["report"]["setup"] = {"spark": "3.5"}
        return report.page(whole, [("logreg", [], "no run")], "")

    def test_shows_table_and_commands(self):
        page = self.page()
        for part in ("12.0 (10.0–14.0)", "yes, to the last bit", "java -Xmx512m", "--rows 5", "no run"):
            self.assertIn(part, page)

    def test_escapes(self):
        self.assertIn("a &lt;graph&gt;", self.page())
        self.assertIn("a &amp; b", self.page())

    def test_needs_no_network(self):
        self.assertNotRegex(self.page(), r"(src|href)=")


class OptionsTest(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([setting.parse_size("--heap", text) for text in ("800m", "2G", "0", "512k")],
                         [800 * MIB, 2048 * MIB, 0, MIB // 2])
        for text in ("", "m", "-1g", "1.5g", "5q"):
            with self.subTest(text), self.assertRaisesRegex(Failure, "--heap"):
                setting.parse_size("--heap", text)

    def test_without_a_right_to_control_groups(self):
        with mock.patch.object(memory_cap, "unavailable", lambda: "/cg: Permission denied"):
            cap, why = setting.choose_cap(None, 512 * MIB)
        self.assertEqual(cap, 0)
        self.assertIn("Permission denied", why)

    def test_cap(self):
        with mock.patch.object(memory_cap, "unavailable", lambda: None):
            self.assertEqual(setting.choose_cap("2g", 512 * MIB), (2048 * MIB, None))
            self.assertEqual(setting.choose_cap("0", 512 * MIB)[0], 0)
            with self.assertRaisesRegex(Failure, "--memory"):
                setting.choose_cap("256m", 512 * MIB)

    def test_out_that_cannot_be_written(self):
        with tempfile.NamedTemporaryFile() as file:
            with self.assertRaisesRegex(Failure, "--out"):
                writable("--out", Path(file.name) / "inside")

    def test_only_what_runs_left_is_cleared(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = Path(folder) / "runs"
            logs.mkdir()
            for name in ("mine.log", "pagerank-notes.log", "pagerank-stock-1.gc.log", "logreg-terrace-12.out"):
                (logs / name).touch()
            demo.fresh_folder(Path(folder), logs, keep=False)
            self.assertEqual(sorted(file.name for file in logs.iterdir()), ["mine.log", "pagerank-notes.log"])
            demo.fresh_folder(Path(folder), logs, keep=True)
            self.assertEqual(list(logs.iterdir()), [])
            self.assertTrue((Path(folder) / "runs-1/mine.log").exists())

    def test_the_command_line_again(self):
        self.assertEqual(demo.reproduce(cli.parser(["demo"]).parse_args(["demo", "--quick", "--heap", "1g"])),
                         "./terrace demo --quick --heap 1g")

    def test_no_apt_cache(self):
        with mock.patch("shutil.which", lambda name: None), self.assertRaisesRegex(Failure, "--quick.*apt-cache"):
            graphs.packages()


class RunsTest(unittest.TestCase):
    def test_blocks_are_those_before_spark_lets_go_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "app.driver.plugin.h2.blocks.csv").write_text("t,value\n17,15\n17,15\n17,0\n")
            self.assertEqual(spark_runs.moved_blocks(Path(folder)), 15)
            (Path(folder) / "app.driver.plugin.h2.blocks.csv").unlink()
            self.assertEqual(spark_runs.moved_blocks(Path(folder)), 0)
