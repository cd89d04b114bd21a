# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the tables and plans of `terrace bench persist`."""
import os
import tempfile
import types
import unittest
from pathlib import Path

from bench.driver.persist import bench as persist
from bench.driver.persist import report
from bench.driver.persist import runs
from bench.driver.persist import ycsb
from bench.driver.persist import ycsb_report
from terrace.common.term import Failure


def commit(store, per_second, number=1, threads=1, level="SYNC"):
    return {"part": "commits", "store": store, "level": level, "threads": threads, "round": number, "perSecond": per_second,
            "p50": 10.0, "p99": 20.0, "count": 5}


class TablesTest(unittest.TestCase):
    def test_ratios_are_of_the_same_round(self):
        found = [commit("TERRACE", 300), commit("LMDB", 100), commit("TERRACE", 400, 2), commit("LMDB", 200, 2),
                 commit("TERRACE", 500, 3)]
        self.assertEqual(report.pairs(found, "SYNC", 1, "LMDB"), [3, 2])
        self.assertEqual(report.pairs(found, "SYNC", 1, "TERRACE"), [])

    def test_levels_and_threads_are_never_in_one_table(self):
        found = [commit(store, 100, level=level, threads=threads) for store in ("TERRACE", "ROCKSDB")
                 for level in ("SYNC", "PROCESS") for threads in (1, 16)]
        tables = list(report.commits(found))
        self.assertEqual(len(tables), 4)
        self.assertEqual([row[0] for row in tables[0].rows], ["Terrace", "RocksDB"])
        self.assertTrue(tables[0].title.startswith("Commits, SYNC, 1 thread:"))

    def test_medians_have_their_range(self):
        self.assertEqual(report.middle([1000, 3000, 2000]), "2,000 (1,000–3,000)")
        self.assertEqual(report.middle([2.25], 1), "2.2")

    def test_collections(self):
        one = {"part": "collections", "type": "hash", "call": "get"}
        found = [{**one, "subject": "java.util", "nanos": [10, 10, 20]}, {**one, "subject": "persistent", "nanos": [30]}]
        row, = next(report.collections(found)).rows
        self.assertEqual(row, ["hash, get", "–", "10.0 (10.0–20.0)", "30.0", "–", "3.0", "–"])

    def test_blocks(self):
        nanos = {pattern + of: 10.0 for pattern in report.PATTERNS for of in report.BLOCKS_OF}
        found = [{"part": "blocks", "side": "C", "round": 1, "nanos": nanos},
                 {"part": "blocks", "side": "persistent", "round": 1,
                  "nanos": {**nanos, "random read": 15.0, "random write of an array": 20.0}},
                 {"part": "blocks", "side": "C", "round": 2, "nanos": nanos}]
        table = next(report.blocks(found))
        self.assertEqual([row[3] for row in table.rows], ["1.00", "1.50", "1.00", "1.00"])
        self.assertEqual([row[6] for row in table.rows], ["1.00", "1.00", "1.00", "2.00"])

    def test_recovery(self):
        one = {"part": "recovery", "nominal": 3, "perSecond": 100, "entries": 5}
        found = [{**one, "opening": "killed, with collection", "round": 1, "opened": 1, "firstRequest": 2},
                 {**one, "opening": "closed", "round": 1, "opened": 0.25, "firstRequest": 0.5},
                 {**one, "opening": "closed", "round": 2, "opened": 0.75, "firstRequest": 1.5}]
        killed, closed = next(report.recovery(found)).rows
        self.assertEqual(killed, ["killed, with collection", "1.00", "2.00", "3.00", "100", "5"])
        self.assertEqual(closed[:3], ["closed", "0.50 (0.25–0.75)", "1.00 (0.50–1.50)"])

    def test_parts_that_were_not_run_have_no_table(self):
        self.assertEqual(report.tables({"runs": []}), [])

    def test_page(self):
        results = {"started": "then", "facts": {"CPU": "one"}, "java": "17", "load": {"space": [1.0, 2.0]},
                   "runs": [{"part": "space", "fields in the object": 0.098}]}
        page = report.page(results, report.tables(results))
        self.assertIn("| fields in the object | 9.8 % |", page)
        self.assertIn("Load before and after space: 1.0, 2.0", page)


class RunsTest(unittest.TestCase):
    def test_jmh(self):
        found = [{"benchmark": "org.x.CollectionsBenchmark.get", "params": {"type": "hash", "subject": "nothing"},
                  "primaryMetric": {"rawData": [[1.0, 2.0]]}}]
        self.assertEqual(list(runs.jmh_runs(found)), [{"call": "get", "type": "hash", "subject": "nothing", "nanos": [1.0, 2.0]}])

    def test_the_device_is_compared_with_what_syncs_only(self):
        self.assertIn("DEVICE", runs.LEVELS["SYNC"])
        self.assertNotIn("DEVICE", runs.LEVELS["PROCESS"])

    def test_a_folder_without_a_jdk_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Failure, "not the folder of a JDK"):
                persist.java_home(Path(folder), {})
            with self.assertRaisesRegex(Failure, "no JDK"):
                persist.java_home(None, {"PATH": folder})
            compiler = Path(folder, "bin/javac")
            compiler.parent.mkdir()
            compiler.write_text("#!/bin/sh\necho javac 11.0.2\n")
            os.chmod(compiler, 0o755)
            with self.assertRaisesRegex(Failure, "JDK 11; 17"):
                persist.java_home(Path(folder), {})


KNOWN = {"workloads": {"A": "half", "E": "scans"}, "peers": [
    {"name": "TERRACE", "title": "Terrace, hash map", "family": "STORE", "scans": "NONE",
     "levels": {"SYNC": "s", "PROCESS": "p"}},
    {"name": "TERRACE_TREE", "title": "Terrace, tree map", "family": "STORE", "scans": "FIRST",
     "levels": {"SYNC": "s", "PROCESS": "p"}},
    {"name": "ROCKSDB", "title": "RocksDB", "family": "STORE", "scans": "TOO", "levels": {"SYNC": "s", "PROCESS": "p"}},
    {"name": "ECLIPSE", "title": "Eclipse Store", "family": "STORE", "scans": "NONE", "levels": {"PROCESS": "p"}},
    {"name": "INFINISPAN_SIFS", "title": "SIFS", "family": "CACHE", "scans": "NONE", "levels": {"PROCESS": "p"}}]}


def options(**given):
    return types.SimpleNamespace(**{"workloads": None, "peers": None, "levels": None, "records": None, "operations": 10,
                                    "threads": "1", "fields": "10x100", "cached": "0.1", **given})


def one_of(peer, per_second, number=1, workload="A", family="STORE", **more):
    return {"part": "ycsb", "peer": peer, "title": peer.lower(), "family": family, "level": "PROCESS", "workload": workload,
            "threads": 1, "fields": [10, 100], "cached": 0.1, "records": 1000, "round": number, "perSecond": per_second,
            "cpuMicros": 2.0, "readP50": 1.0, "readP99": 3.0, "changeP50": 2.0, "changeP99": 4.5, **more}


class YcsbPlanTest(unittest.TestCase):
    def planned(self, **given):
        return [(level, workload, threads, fields, cached, [peer["name"] for peer in peers]) for
                level, workload, threads, fields, cached, peers in ycsb.combinations(ycsb.plan(options(**given)), KNOWN)]

    def test_what_runs_unless_more_is_asked_for(self):
        self.assertEqual(self.planned(), [
            ("PROCESS", "A", 1, (10, 100), 0.1, ["TERRACE", "ROCKSDB", "ECLIPSE", "INFINISPAN_SIFS"]),
            ("PROCESS", "E", 1, (10, 100), 0.1, ["TERRACE_TREE", "ROCKSDB"]),
            ("SYNC", "A", 1, (10, 100), 0.1, ["TERRACE", "ROCKSDB"])])

    def test_a_store_that_cannot_keep_a_level_is_not_there(self):
        self.assertEqual(self.planned(levels="sync", peers="ECLIPSE,ROCKSDB"), [("SYNC", "A", 1, (10, 100), 0.1, ["ROCKSDB"])])
        self.assertEqual(self.planned(levels="SYNC", peers="ECLIPSE"), [])

    def test_sorted_maps_run_workloads_without_scans_if_they_are_named(self):
        self.assertEqual(self.planned(workloads="A", levels="PROCESS", peers="TERRACE,TERRACE_TREE")[0][-1],
                         ["TERRACE", "TERRACE_TREE"])

    def test_cached_shares_are_of_caches(self):
        self.assertEqual([one[-2:] for one in self.planned(workloads="A", levels="PROCESS", cached="0,1")],
                         [(0, ["TERRACE", "ROCKSDB", "ECLIPSE", "INFINISPAN_SIFS"]), (1, ["INFINISPAN_SIFS"])])

    def test_one_run_for_each_number_of_threads_and_size(self):
        found = self.planned(workloads="A", levels="SYNC", threads="1,4", fields="10x100,1x2000")
        self.assertEqual([one[2:4] for one in found], [(1, (10, 100)), (1, (1, 2000)), (4, (10, 100)), (4, (1, 2000))])

    def test_wrong_options(self):
        for given, message in (({"threads": "0"}, "--threads: at least 1"), ({"threads": "two"}, "no list of numbers"),
                               ({"cached": "1.5"}, "--cached: 0 to 1"), ({"fields": "10"}, "not like 10x100"),
                               ({"fields": "2x8"}, "at least 16 bytes"), ({"records": 0}, "--records: at least 1"),
                               ({"workloads": "Z"}, "--workloads: there is no 'Z'; there are A, E"),
                               ({"peers": "ORACLE"}, "--peers: there is no 'ORACLE'"),
                               ({"levels": "CLOSED"}, "--levels: there is no 'CLOSED'")):
            with self.subTest(given), self.assertRaisesRegex(Failure, message):
                self.planned(**given)

    def test_list(self):
        text = "\n".join(ycsb.listing(["ycsb"], KNOWN))
        self.assertIn("  A  half", text)
        self.assertIn("  TERRACE_TREE: Terrace, tree map, for scans\n    SYNC: s\n    PROCESS: p", text)


class YcsbReportTest(unittest.TestCase):
    def test_stores_by_workloads(self):
        found = [one_of("ROCKSDB", 100), one_of("TERRACE", 300), one_of("ROCKSDB", 200, 2), one_of("TERRACE", 600, 2),
                 one_of("ROCKSDB", 50, workload="B")]
        throughput, ratio, latency, cpu = ycsb_report.tables(found)
        self.assertEqual(throughput.header, ["", "A", "B"])
        self.assertEqual(throughput.rows, [["terrace", "450 (300–600)", "–"], ["rocksdb", "150 (100–200)", "50"]])
        self.assertEqual(ratio.rows, [["terrace", "–", "–"], ["rocksdb", "3.00 (3.00–3.00)", "–"]])
        self.assertEqual(latency.rows[0], ["terrace", "1.0 / 3.0; 2.0 / 4.5", "–"])
        self.assertEqual(cpu.rows[0], ["terrace", "2.0 (2.0–2.0)", "–"])
        self.assertIn("PROCESS, stores, 1 thread, 1,000 records of 10 × 100 bytes", throughput.title)

    def test_scans_are_compared_with_the_tree_map(self):
        scans = {"workload": "E", "readP50": None, "scanP50": 7.0, "scanP99": 9.0}
        found = [one_of("ROCKSDB", 100, **scans), one_of("TERRACE_TREE", 50, **scans)]
        for run in found:
            del run["readP50"], run["readP99"]
        _, ratio, latency, _ = ycsb_report.tables(found)
        self.assertEqual(ratio.rows, [["terrace_tree", "–"], ["rocksdb", "0.50"]])
        self.assertEqual(latency.rows[0][1], "7.0 / 9.0; 2.0 / 4.5")

    def test_levels_and_caches_are_never_beside_others(self):
        found = [one_of("TERRACE", 1), one_of("TERRACE", 1, level="SYNC"),
                 one_of("INFINISPAN_TERRACE", 1, family="CACHE"), one_of("INFINISPAN_SIFS", 2, family="CACHE")]
        tables = list(ycsb_report.tables(found))
        self.assertEqual([[row[0] for row in table.rows] for table in tables[::4]],
                         [["terrace"], ["terrace"], ["infinispan_terrace", "infinispan_sifs"]])
        self.assertIn("10 % of them in memory", tables[8].title)
        self.assertEqual(tables[9].rows[1], ["infinispan_sifs", "0.50"])

    def test_what_has_several_values_is_a_table_and_a_figure(self):
        found = [one_of(peer, 100 * threads, threads=threads) for threads in (1, 8) for peer in ("TERRACE", "ROCKSDB")]
        *_, table = ycsb_report.tables(found)
        self.assertTrue(table.title.startswith("YCSB A, PROCESS, stores, 1,000 records of 10 × 100 bytes: operations/s by th"))
        self.assertEqual((table.header, table.rows[1]), (["", "1", "8"], ["rocksdb", "100", "800"]))
        with tempfile.TemporaryDirectory() as folder:
            figure, = ycsb_report.figures(found, Path(folder))
            self.assertEqual(figure.name, "ycsb-threads-a-process-stores-1-000-records-of-10-100-bytes.svg")
            self.assertIn("rocksdb", figure.read_text())

    def test_one_value_is_no_sweep(self):
        self.assertEqual(ycsb_report.figures([one_of("TERRACE", 1), one_of("TERRACE", 1, 2)], Path("nowhere")), [])
