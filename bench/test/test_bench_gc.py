# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the order of runs in `terrace bench gc`, its rejected options, and its tables."""
import contextlib
import io
import json
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.gc import bench as bench_gc, plan as gc_plan, report as gc_report, runs as gc_runs
from bench.driver.gc.plan import PROGRAMS, Setting, Side
from bench.driver.measure import processor_cap, ratios
from bench.driver.measure import graphs
from terrace.cli import main as cli
from terrace.common import libraries
from terrace.common.term import Failure

SETTING = Setting("parallel", 0, 2.0, 0, 0, False)


def one_run(side, time, program="xalan", number=1, failure=None, result=7, setting=SETTING, copy=0, gc=0.5, tasks=None,
            flags=()):
    run = {**vars(setting), "program": program, "side": side, "round": number, "copy": copy, "failure": failure,
           "command": ["java", *setting.vm(program, True), *flags], "log": "some.log", "wall": time + 1, "user": time,
           "system": 0.1, "tasks": tasks or {}, "report": None, "gc": None}
    if not failure:
        run["report"] = {"seconds": [time / 2, time / 2], "cpuSeconds": 2 * time, "result": result,
                         "latencies": {"read": {"count": 3, "p50": 1.0, "p99": 2.0, "p999": 3.0, "max": 4.0}}}
        run["gc"] = {"collections": 4, "pauses": 5, "seconds": gc, "p50": 0.001, "p99": 0.02, "max": 0.03,
                     "beside_seconds": 0.0}
    return run


def results(runs, sides=("stock", "terrace")):
    described = {name: {"home": name, "flags": ["-XX:+Some"], "version": "17"} for name in sides}
    return {"quick": True, "sides": described, "facts": {"CPU": "some"}, "runs": runs}


def rounds(program="xalan", **times):
    return [one_run(side, time, program, number) for side, of in times.items() for number, time in enumerate(of, 1)]


class FakeRuns:
    """Runs that take no time."""

    def __init__(self):
        self.started = []

    def run(self, name, title, setting, side, program):
        self.started.append(side.name)
        marks = (*gc_report.SETTING, "program", "side", "round", "copy")
        run = {name: value for name, value in one_run(side.name, 1.0).items() if name not in marks}
        return [run] * (2 if setting.two else 1)


class OptionsTest(unittest.TestCase):
    def refused(self, *words):
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            self.assertEqual(cli.main(["bench", "gc", *words]), 1, words)
        return error.getvalue()

    def test_list_names_each_program(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertFalse(cli.main(["bench", "gc", "--list"]))
        lines = out.getvalue().splitlines()
        self.assertEqual([line.split()[0] for line in lines], list(PROGRAMS))
        self.assertTrue(all(len(line) <= 120 for line in lines))

    def test_invalid_options_are_refused(self):
        for words, text in ((["--only", "xalan,x"], "--only.*'x'"), (["--gc", "serial"], "--gc.*'serial'"),
                            (["--gc-threads", "two"], "--gc-threads: 'two'"), (["--gc-threads", "0"], "--gc-threads: at"),
                            (["--mutators", "1,x"], "--mutators: '1,x'"),
                            (["--pairs", "0"], "--pairs: at least 1"), (["--beside-loops", "-1"], "--beside-loops"),
                            (["--heap-factor", "0.5"], "--heap-factor: 0.5")):
            self.assertRegex(self.refused(*words), text)

    def test_a_side_has_a_name_a_home_and_flags(self):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "bin").mkdir()
            (home / "bin/java").touch(mode=0o755)
            self.assertEqual(gc_plan.side(f"on={home},-XX:+UseNUMA,-Xlog:gc,safepoint:file=x,-Xss1m"),
                             Side("on", home, ("-XX:+UseNUMA", "-Xlog:gc,safepoint:file=x", "-Xss1m")))
            self.assertEqual(gc_plan.side(f"off={home}").flags, ())
            self.assertEqual(gc_plan.side(f"half@0.5={home},-Xss1m"), Side("half@0.5", home, ("-Xss1m",), 0.5))
            with self.assertRaisesRegex(Failure, "two sides have the name on"):
                bench_gc.find_sides([f"on={home}", f"on={home},-Xss1m"])

    def test_invalid_sides_are_refused(self):
        for text in ("/some/home", "=x", "on=", "on=x,UseNUMA", "on@=x", "on@half=x", "on@0=x"):
            with self.assertRaisesRegex(Failure, "NAME=HOME", msg=text):
                gc_plan.side(text)
        with self.assertRaisesRegex(Failure, "no JDK home"):
            gc_plan.side("on=/nowhere")

    def test_each_collector_with_each_number_of_threads(self):
        parser = cli.parser(["bench"])
        arguments = parser.parse_args(["bench", "gc", "--gc", "g1,parallel", "--gc-threads", "2,15", "--two-at-once"])
        self.assertEqual([(one.collector, one.threads, one.two) for one in bench_gc.settings(arguments)],
                         [("parallel", 2, True), ("parallel", 15, True), ("g1", 2, True), ("g1", 15, True)])


class PlanTest(unittest.TestCase):
    def test_each_program_has_a_command_at_each_size(self):
        for name, program in PROGRAMS.items():
            for quick in (True, False):
                words = list(map(str, gc_plan.command(name, quick, Path("home"), ["-Xmx9m"], "scratch", "graph")))
                self.assertIn(name, words)
                self.assertIn("scratch", words)
                self.assertFalse([word for word in words if "{" in word], words)
                self.assertLessEqual(program.quick.least_heap, program.full.least_heap, name)

    def test_mutators_are_threads_or_cores(self):
        of_lucene, of_spark = (list(map(str, gc_plan.command(name, True, Path("home"), [], "scratch", "graph", 5)))
                               for name in ("lucene-index", "kmeans"))
        self.assertEqual(of_lucene[of_lucene.index("--threads") + 1], "5")
        self.assertEqual(of_spark[of_spark.index("--cores") + 1], "5")

    def test_the_heap_is_a_multiple_of_the_least(self):
        setting = Setting("g1", 15, 3.0, 4, 10, True)
        least = PROGRAMS["xalan"].quick.least_heap
        self.assertEqual(setting.vm("xalan", True), ["-XX:+UseG1GC", f"-Xms{3 * least}m", f"-Xmx{3 * least}m",
                                                     "-XX:ParallelGCThreads=15"])
        self.assertIn(f"-Xmx{least // 2}m", setting.vm("xalan", True, Side("half@0.5", Path("home"), (), 0.5)))
        self.assertEqual(setting.short(), "g1-h3-t15-m4-loops10-two")
        self.assertRegex(setting.title(), "15 GC threads, 4 mutators, beside 10 busy loops, two VMs")

    def test_containers_have_names(self):
        names = {(setting.short(), setting.title()) for setting in
                 (Setting("g1", 0, 2.0, 0, 0, False, kind) for kind in ("", *processor_cap.KINDS))}
        self.assertEqual(len({short for short, _ in names}), 4)
        self.assertIn(("g1-h2-half-cpu", "G1GC, 2 × the least heap, a container of half of a processor's time"), names)


class RoundsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.results = results([])

    def compare(self, count=2, setting=SETTING):
        runs = FakeRuns()
        sides = [Side("stock", Path("a")), Side("terrace", Path("b"))]
        bench_gc.rounds(self.results, self.out, runs, setting, "xalan", sides, count)
        return runs.started

    def test_every_round_begins_with_another_side(self):
        self.assertEqual(self.compare(3), ["stock", "terrace", "terrace", "stock", "stock", "terrace"])

    def test_resumes_where_it_was_cut_off(self):
        self.compare()
        self.results["runs"] = json.loads((self.out / "results.json").read_text())["runs"][:-1]
        self.assertEqual(self.compare(), ["stock"])

    def test_resume_repeats_failed_runs(self):
        runs = [one_run("a", 1.0), one_run("a", 1.0, number=2), one_run("a", 1.0, number=2, copy=1, failure="time out")]
        (self.out / "results.json").write_text(json.dumps({**results(runs), "sides": {"a": {"flags": []}}}))
        with mock.patch.object(bench_gc, "described_side", lambda side: {"flags": list(side.flags)}):
            kept = bench_gc.begin(mock.Mock(resume=True, quick=True), self.out, {"a": Side("a", Path("home"))})
        self.assertEqual([(run["round"], run["copy"]) for run in kept["runs"]], [(1, 0)])

    def test_other_circumstances_add_to_what_is_there(self):
        self.compare()
        self.assertEqual(len(self.compare(setting=Setting("parallel", 15, 2.0, 0, 0, False))), 4)

    def test_runs_in_a_container_add_to_those_of_before_there_were_any(self):
        self.compare()
        for run in self.results["runs"]:
            del run["container"]
        self.assertEqual(self.compare(), [])
        within = Setting("parallel", 0, 2.0, 0, 0, False, "one-cpu")
        self.assertEqual(len(self.compare(setting=within)), 4)
        self.assertEqual(gc_report.settings(self.results), [SETTING, within])
        self.assertEqual(self.compare(setting=within), [])

    def test_two_at_once_count_once(self):
        two = Setting("parallel", 0, 2.0, 0, 0, True)
        self.compare(1, two)
        self.assertEqual(len(self.results["runs"]), 4)
        self.assertEqual(gc_report.by_round(self.results, two, "xalan", "stock", gc_report.TIME.value), {1: 1.0})

    def test_another_jvm_of_the_same_name_is_refused(self):
        arguments = mock.Mock(resume=True, quick=True)
        with mock.patch.object(bench_gc, "described_side", lambda side: {"flags": list(side.flags)}):
            made = bench_gc.begin(arguments, self.out, {"a": Side("a", Path("home"))})
            (self.out / "results.json").write_text(json.dumps(made))
            more = bench_gc.begin(arguments, self.out, {"a": Side("a", Path("home")), "b": Side("b", Path("home"))})
            self.assertEqual(list(more["sides"]), ["a", "b"])
            with self.assertRaisesRegex(Failure, "--resume.*side a.*other flags"):
                bench_gc.begin(arguments, self.out, {"a": Side("a", Path("home"), ("-Xint",))})
            with self.assertRaisesRegex(Failure, "made with --quick"):
                bench_gc.begin(mock.Mock(resume=True, quick=False), self.out, {"a": Side("a", Path("home"))})


class PartTest(unittest.TestCase):
    def test_the_first_edges_once(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = Path(folder) / "some.edges"
            graph.write_text("1 2\n3 4\n5 6\n")
            whole = {"title": "some", "vertices": 6, "edges": 3, "path": str(graph)}
            self.assertEqual(graphs.part(whole, 3), whole)
            made = graphs.part(whole, 2)
            self.assertEqual((made["edges"], Path(made["path"]).read_text()), (2, "1 2\n3 4\n"))
            graph.write_text("")
            self.assertEqual(Path(graphs.part(whole, 2)["path"]).read_text(), "1 2\n3 4\n")


class ContainerTest(unittest.TestCase):
    def measured(self, setting):
        """Returns the arguments of measure.run."""
        with (tempfile.TemporaryDirectory() as folder, mock.patch.object(gc_runs, "printed", lambda *of: {"report": None}),
              mock.patch.object(gc_runs.measure, "run") as run):
            for kind in ("out", "log"):
                (Path(folder) / f"name.{kind}").touch()
            run.return_value = gc_runs.measure.Measurement(status=1)
            gc_runs.GcRuns(True, Path(folder), None).one("name", setting, Side("a", Path("home")), "xalan",
                                                               threading.Event())
        (*_, container), options = run.call_args
        return container, options

    def test_the_vm_runs_in_the_group_which_is_removed(self):
        group = mock.Mock()
        with mock.patch.object(processor_cap, "create", lambda name: group):
            container, options = self.measured(Setting("g1", 0, 2.0, 0, 0, False, "half-cpu"))
        self.assertIs(container, group)
        group.remove.assert_called_once_with()
        options["watch"](7.5)
        group.watch.assert_called_once_with(7.5)
        _, without = self.measured(SETTING)
        self.assertGreater(options["timeout"], without["timeout"])

    def test_none_without_the_option(self):
        with mock.patch.object(processor_cap, "create", side_effect=AssertionError):
            container, options = self.measured(SETTING)
            options["watch"](0)
        self.assertIsNone(container)

    def test_memory_is_capped_for_all_sides_alike(self):
        setting = Setting("parallel", 0, 2.0, 0, 0, False, "", 256)
        cap = contextlib.nullcontext(mock.Mock(spec=["remove"]))
        with mock.patch.object(gc_runs.memory_cap, "memory_cap", return_value=cap) as made:
            group, options = self.measured(setting)
            options["watch"](0)
        self.assertIs(group, cap.enter_result)
        made.assert_called_once_with((2 * PROGRAMS["xalan"].quick.least_heap + 256) << 20)
        self.assertEqual(setting.short(), "parallel-h2-memory256")
        self.assertRegex(setting.title(), "2 × the least heap, memory of that heap and 256 MB")

    def test_a_cap_that_cannot_be_had_is_told_before_anything_runs(self):
        for words, reason, told in ((["--memory-beside", "256"], "no such group", "--memory-beside needs a memory limit: no control group.*no such group"),
                                    (["--memory-beside", "256", "--container", "one-cpu"], None, "--memory-beside: .*--container"),
                                    (["--memory-beside", "-1"], None, "--memory-beside: at least 0")):
            with (tempfile.TemporaryDirectory() as folder, mock.patch.object(bench_gc.memory_cap, "unavailable", return_value=reason),
                  mock.patch.object(bench_gc.libraries, "require"), mock.patch.object(processor_cap, "require"),
                  mock.patch.object(bench_gc, "find_sides", side_effect=AssertionError),
                  contextlib.redirect_stderr(io.StringIO()) as error):
                self.assertEqual(cli.main(["bench", "gc", *words, "--out", folder]), 1)
            self.assertRegex(error.getvalue(), told)

    def test_the_option(self):
        parser = cli.parser(["bench"])
        for words, kind in (([], ""), (["--container", "one-cpu"], "one-cpu")):
            setting, = bench_gc.settings(parser.parse_args(["bench", "gc", *words]))
            self.assertEqual(setting.container, kind)
        with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit):
            parser.parse_args(["bench", "gc", "--container", "x"])
        self.assertRegex(error.getvalue(), "--container.*'x'")

    def test_an_unavailable_container_is_reported_before_anything_runs(self):
        refusal = Failure("--container one-cpu: no")
        with (tempfile.TemporaryDirectory() as folder, mock.patch.object(processor_cap, "create", side_effect=refusal),
              mock.patch.object(bench_gc.libraries, "require"),
              mock.patch.object(bench_gc, "find_sides", side_effect=AssertionError),
              contextlib.redirect_stderr(io.StringIO()) as error):
            self.assertEqual(cli.main(["bench", "gc", "--container", "one-cpu", "--out", folder]), 1)
        self.assertIn(str(refusal), error.getvalue())


class LoopsTest(unittest.TestCase):
    def test_loops_end_with_the_run(self):
        with mock.patch.object(gc_runs.subprocess, "Popen") as started:
            with self.assertRaises(KeyError), gc_runs.busy_loops(3):
                raise KeyError
        loop = started.return_value
        self.assertEqual((started.call_count, loop.kill.call_count, loop.wait.call_count), (3, 3, 3))


class ReportTest(unittest.TestCase):
    def setUp(self):
        try:
            libraries.require("matplotlib", "scipy")
        except Failure as failure:
            self.skipTest(str(failure))

    def ratios_of(self, found):
        return gc_report.comparison(found, SETTING, "terrace").rows

    def test_ratios_round_by_round(self):
        row, = self.ratios_of(results(rounds(stock=[10, 20, 30], terrace=[5, 10, 15])))
        self.assertEqual(row[:6], ["xalan", "3", "0.500", "0.500–0.500", "0.500", "0.500–0.500"])
        self.assertEqual(row[-2:], ["faster", "as fast, within noise"])

    def test_within_noise(self):
        row, = self.ratios_of(results(rounds(stock=[10, 10, 10], terrace=[11, 9, 10])))
        self.assertEqual(row[-2], "as fast, within noise")
        low, high = ratios.confidence([1.1, 0.9, 1.0])
        self.assertEqual(row[3], f"{low:.3f}–{high:.3f}")

    def test_without_libraries_there_are_tables_without_bounds(self):
        self.addCleanup(libraries.offer.cache_clear)
        for library in ("scipy", "matplotlib"):
            with self.subTest(library), contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out), \
                    tempfile.TemporaryDirectory() as folder, \
                    mock.patch.object(libraries, "require", side_effect=Failure("the index cannot be reached")):
                libraries.offer.cache_clear()
                found = results(rounds(stock=[10, 20, 30], terrace=[5, 10, 15]))
                self.assertEqual(self.ratios_of(found)[0][2:4], ["0.500", "–"])
                self.assertEqual([path.name for path in gc_report.write(found, Path(folder))], ["tables.md"])
                self.assertEqual(out.getvalue().count(f"because {library} cannot be installed: the index cannot be reached"), 1)

    def test_a_round_in_which_one_failed_has_no_ratio(self):
        runs = rounds(stock=[10, 10, 10], terrace=[5, 5]) + [one_run("terrace", 1, number=3, failure="exit status 1")]
        self.assertEqual(self.ratios_of(results(runs))[0][1], "2")
        table = gc_report.overview(results(runs), SETTING)
        self.assertEqual(table.rows, [["xalan", "64m", "10.0", "5.00; 1 × exit status 1", "yes"]])

    def test_a_side_with_a_heap_of_its_own_says_so(self):
        runs = [one_run("stock", 1), one_run("terrace", 2, flags=["-Xms32m", "-Xmx32m"])]
        self.assertEqual(gc_report.overview(results(runs), SETTING).rows, [["xalan", "64m", "1.00", "2.00; -Xmx32m", "yes"]])

    def test_the_set_is_the_mean_of_programs_in_each_round(self):
        runs = rounds(stock=[10, 10], terrace=[5, 10]) + rounds("ecj", stock=[10, 10], terrace=[20, 10])
        last = self.ratios_of(results(runs))[-1]
        self.assertEqual(last[:4], ["all programs", "2", "1.000", "1.000–1.000"])
        self.assertEqual(gc_report.of_the_set([{1: 4.0, 2: 1.0}, {2: 4.0}]), [2.0])

    def test_one_without_collections_has_no_ratio_of_pauses(self):
        runs = [one_run("stock", 1, gc=0.0), one_run("terrace", 1, gc=0.0)]
        row, = self.ratios_of(results(runs))
        self.assertEqual((row[2], row[6], row[-1]), ("1.000", "–", "–"))

    def test_details(self):
        runs = [one_run("stock", 2, tasks={"attempts": 40, "failed": 30, "offers": 7}), one_run("terrace", 3)]
        table = gc_report.details(results(runs), SETTING, "xalan")
        rows = {label: cells for label, *cells in table.rows}
        self.assertEqual(rows["time, s"], ["2.00", "3.00"])
        self.assertEqual(rows["pause p99, ms"], ["20.0", "20.0"])
        self.assertEqual(rows["read p99.9, ms"], ["3.00", "3.00"])
        self.assertEqual((rows["steal attempts"], rows["  failed"], rows["  failed, %"]),
                         (["40", "0"], ["30", "0"], ["75.0", "0"]))

    def test_other_results(self):
        runs = [one_run("stock", 1), one_run("terrace", 1, result=[8, 9])]
        self.assertRegex(bench_gc.judge(results(runs))[0], "xalan: terrace has another result")
        self.assertEqual(gc_report.overview(results(runs), SETTING).rows[0][-1], "NO")
        self.assertEqual(bench_gc.judge(results([one_run("stock", 1), one_run("terrace", 1)])), [])
        self.assertRegex(bench_gc.judge(results([one_run("stock", 1, failure="time out")]))[0], "stock: time out")

    def test_writes_tables_and_plots(self):
        runs = rounds(stock=[10, 11], terrace=[9, 10]) + rounds("ecj", stock=[3, 4], terrace=[3, 5])
        with tempfile.TemporaryDirectory() as folder:
            written = gc_report.write(results(runs), Path(folder))
            self.assertEqual([path.name for path in written],
                             ["tables.md", "ratios-parallel-h2.svg", "pauses-parallel-h2.svg"])
            self.assertIn("| all programs | 2 |", written[0].read_text())
            self.assertIn("* terrace: 17, -XX:+Some", written[0].read_text())
            self.assertIn("xalan", written[1].read_text())

    def test_counted_steals_have_a_plot(self):
        runs = [one_run("stock", 2, tasks={"attempts": 40, "failed": 30}), one_run("terrace", 3, tasks={"attempts": 4, "failed": 1}),
                one_run("terrace", 3, tasks={"attempts": 6, "failed": 3})]
        self.assertEqual(gc_report.steal_bars(results(runs), SETTING),
                         {"xalan": {"stock": (40, 30), "terrace": (5, 2)}})
        with tempfile.TemporaryDirectory() as folder:
            written = gc_report.write(results(runs), Path(folder))
            self.assertIn("steals-parallel-h2.svg", [path.name for path in written])

    def test_one_side_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            written = gc_report.write(results(rounds(stock=[10]), sides=["stock"]), Path(folder))
            self.assertEqual([path.name for path in written], ["tables.md", "pauses-parallel-h2.svg"])
