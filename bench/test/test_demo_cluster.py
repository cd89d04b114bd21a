# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how the demo on a cluster evaluates its runs, and that no process of a cluster remains."""
import copy
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.demo import demo, on_cluster
from bench.driver.spark import cluster as spark_cluster
from terrace.cli import main as cli
from terrace.common import paths
from terrace.common.term import Failure

MIB = 1 << 20


def executor(number, active=True):
    return {"id": str(number), "isActive": active, "rddBlocks": 4 + number}


def second_heap(number, state="active"):
    return {"executorId": str(number), "state": state, "blocksInH2": 4 - number, "bytesInH2": 40 * MIB, "h2Used": 48 * MIB,
            "transfers": 2, "transferMillis": 30, "movedBytes": 41 * MIB}


def one_run(side, loss):
    executors = [executor(number, active=not (loss and number == 1)) for number in range(4 if loss else 3)]
    return {"program": "logreg", "side": side, "loss": loss, "folder": "some/folder", "wall": 20.0, "failure": None,
            "lost": 1 if loss else None, "lost_at": 9.0 if loss else None, "executors": executors,
            "h2": [second_heap(number, "gone" if loss and number == 1 else "active") for number in range(3)]
                  if side == "terrace" else [],
            "gc": {"minor_seconds": 1.0, "major_seconds": 0.5, "moved_bytes": 0},
            "report": {"result": {"rows": 5, "loss": 0.25, "digest": "ab" if loss else "cd"},
                       "cached": {"partitions": 8, "inMemory": 8 if side == "terrace" else 5, "onDisk": 0},
                       "spilled": {"cachedBytes": 0}}}


def all_runs():
    return [one_run(side, loss) for side in ("stock", "terrace") for loss in (False, True)]


class VerdictTest(unittest.TestCase):
    def test_equal_but_for_the_last_bits(self):
        runs = all_runs()
        runs[2]["report"]["result"]["loss"] = 0.25 * (1 + 1e-14)
        digits, differences = on_cluster.compare(runs)
        self.assertEqual(differences, [])
        self.assertIn(digits, (13, 14))

    def test_differences(self):
        for key, value in (("loss", 0.25 * (1 + 1e-9)), ("rows", 6), ("more", 1)):
            runs = all_runs()
            runs[3]["report"]["result"][key] = value
            with self.subTest(key):
                differences = on_cluster.compare(runs)[1]
                self.assertEqual(len(differences), 1)
                self.assertIn(f"Terrace, one lost: {key} is {value!r}", differences[0])

    def test_nothing_wrong(self):
        self.assertEqual(on_cluster.judge(all_runs(), 3), [])

    def test_every_requirement(self):
        def failed(run): run["failure"] = "exit status 1"
        def nothing_killed(run): run["lost"] = None
        def not_replaced(run): run["executors"].pop()
        def evicted(run): run["report"]["cached"]["inMemory"] = 7
        def serialized(run): run["report"]["spilled"]["cachedBytes"] = 1
        def stayed(run): run["h2"] = [second_heap(1, "gone")]
        for change in (failed, nothing_killed, not_replaced, evicted, serialized, stayed):
            runs = copy.deepcopy(all_runs())
            change(runs[3])
            with self.subTest(change.__name__):
                self.assertEqual(len(on_cluster.judge(runs, 3)), 1)

    def test_tables(self):
        runs = all_runs()
        table = on_cluster.table(runs, {"logreg": (14, [])})
        self.assertRegex(table, r"Terrace, one lost +20.0 +9.00 +4 +8 of 8 +6 +0 +1.50 +yes, to 14 digits")
        self.assertRegex(on_cluster.executors_table("logreg", runs), r"executor 1 +gone +3 +40 +48 +2 +30 +41")

    def test_a_failed_run_has_a_line(self):
        runs = all_runs()
        runs[0].update(failure="no result was printed", report=None)
        self.assertIn("failed", on_cluster.table(runs, {"logreg": (14, [])}))


class WatchTest(unittest.TestCase):
    def watch(self, on_terrace, h2=()):
        watch = on_cluster.Watch(on_terrace)
        watch.executors, watch.h2 = [executor(0), executor(1), executor(2, active=False)], list(h2)
        return watch

    def test_the_victim_has_most_to_lose(self):
        self.assertEqual(self.watch(False).victim(), 1)
        self.assertEqual(self.watch(True, [second_heap(0), second_heap(1)]).victim(), 0)

    def test_no_victim_before_something_is_cached(self):
        self.assertIsNone(self.watch(True).victim())
        self.assertIsNone(on_cluster.Watch(False).victim())

    def test_a_driver_that_does_not_answer_changes_nothing(self):
        watch = self.watch(False)
        watch.look("logreg: app-1 is at http://127.0.0.1:1\n")
        self.assertEqual(len(watch.executors), 3)


class OptionsTest(unittest.TestCase):
    def refused(self, *words):
        with self.assertRaises(Failure) as caught:
            demo.run(cli.parser(["demo"]).parse_args(["demo", *words]))
        return str(caught.exception)

    def test_one_executor_cannot_be_lost(self):
        self.assertIn("--cluster: at least 2", self.refused("--cluster", "1"))

    def test_options_without_a_meaning(self):
        for words in (["--memory", "1g"], ["--repeats", "3"], ["--h2", "x"], ["--keep"]):
            self.assertIn(f"{words[0]} has no effect with --cluster", self.refused("--cluster", "3", *words))


class ProcessesTest(unittest.TestCase):
    """Tests processes with a shell that starts another process, as a worker starts executors."""

    FAMILY = "trap '' TERM; sleep 100 & echo $! $$; wait; wait"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def family(self, processes):
        out = Path(tempfile.mkstemp(dir=self.folder)[1])
        processes.start(["sh", "-c", self.FAMILY], out, self.folder / "log")
        while len(out.read_text().split()) < 2:
            time.sleep(0.05)
        return [int(pid) for pid in out.read_text().split()]

    @mock.patch.object(spark_cluster, "STOP_SECONDS", 1)
    def test_all_end_with_the_block_however_it_ends(self):
        for ending in (None, Failure("x"), KeyboardInterrupt()):
            with self.subTest(repr(ending)):
                try:
                    with spark_cluster.Processes() as processes:
                        pids = self.family(processes)
                        if ending:
                            raise ending
                except (Failure, KeyboardInterrupt):
                    pass
                self.assertEqual([pid for pid in pids if alive(pid)], [])

    def test_all_end_when_the_demo_is_terminated(self):
        program = textwrap.dedent(f"""
            import sys, time
            sys.path[:0] = [{str(paths.ROOT / 'tools')!r}, {str(paths.ROOT)!r}]
            from bench.driver.spark import cluster as spark_cluster
            from terrace.common import term
            spark_cluster.STOP_SECONDS = 1
            term.end_properly()
            with spark_cluster.Processes() as processes:
                processes.start(["sh", "-c", {self.FAMILY!r}], {str(self.folder / 'out')!r}, {str(self.folder / 'log')!r})
                time.sleep(100)
            """)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                (self.folder / "out").write_text("")
                # A background process of a shell inherits that SIGINT is ignored.
                parent = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL,
                                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                while len((self.folder / "out").read_text().split()) < 2:
                    time.sleep(0.05)
                pids = [int(pid) for pid in (self.folder / "out").read_text().split()]
                parent.send_signal(number)
                self.assertNotEqual(parent.wait(20), 0)
                self.assertEqual([pid for pid in pids if alive(pid)], [])

    def test_a_daemon_that_does_not_start_names_its_log(self):
        home = self.folder / "home"
        (home / "bin").mkdir(parents=True)
        (home / "bin/java").write_text("#!/bin/sh\necho no such class >&2\nexit 1\n")
        (home / "bin/java").chmod(0o755)
        (self.folder / "scratch").mkdir()
        with self.assertRaisesRegex(Failure, r"master did not start[^$]*master.log[^$]*no such class"):
            with spark_cluster.Cluster(home, self.folder, self.folder / "scratch", 2, 512):
                self.fail("it did not start")


def alive(pid):
    """Returns whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
