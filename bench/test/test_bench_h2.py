# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests how the measurements of the second heap read logs and reports, and their tables."""
import ctypes
import mmap
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from bench.driver.h2 import cache
from bench.driver.h2 import cards
from bench.driver.h2 import fio
from bench.driver.h2 import goal
from bench.driver.h2 import hot
from bench.driver.h2 import hotvalues
from bench.driver.h2 import lab
from bench.driver.h2 import liveness
from bench.driver.h2 import paging as h2_paging
from bench.driver.h2 import regions
from bench.driver.h2 import service
from bench.driver.h2 import transfer
from bench.driver.measure import nmt
from terrace.common import gclog
from terrace.common.term import Failure

LOG = """\
[1.007s][debug][gc,phases,start] GC(3) H2 Select
[1.070s][debug][gc,h2          ] Select: 2 workers, words least 10, mean 20, most 30
[1.070s][debug][gc,phases      ] GC(3) H2 Select 41.250ms
[1.130s][debug][gc,h2          ] Copy: 2 workers, words least 19, mean 20, most 21
[1.131s][debug][gc,phases      ] GC(3) H2 Copy 60,5ms
[1.131s][debug][gc,phases      ] GC(3)     Total                          Min: 0, Avg:  0.5, Max: 1, Diff: 1, Sum: 1
[1.150s][info ][gc,phases      ] GC(4) Marking Phase 7.000ms
"""

NMT = """\
[0x0000000000010000 - 0x0000000000020000] reserved 65536 for GC from
    [0x00007ff8311dfe4a] H2StartTable::initialize(HeapWordImpl**, unsigned long)+0x3a
    [0x00007ff8311d69e3] H2Heap::initialize()+0x83

\t[0x0000000000010000 - 0x0000000000011000] committed 4096 from
            [0x00007ff8311d610b] H2Heap::open(unsigned int, long, char const**)+0x12b
            [0x00007ff8311bc379] H2Assigner::open(unsigned int, unsigned long)+0x49

[0x0000000000030000 - 0x0000000000050000] reserved 131072 for GC from
    [0x00007ff8311dfe4a] ReservedSpace::reserve(unsigned long)+0x291

\t[0x0000000000030000 - 0x0000000000032000] committed 8192 from
            [0x00007ff8311d60f4] H2Heap::open(unsigned int, long, char const**)+0x114

[0x00007ff8311d6a01] H2Heap::initialize()+0xa1
[0x00007ff831896c69] TerraceHooks::initialize_h2()+0x19
                             (malloc=262144 type=GC #1) (at peak)

[0x00007ff8311d6d09] H2RegionSet::leaf_for(unsigned int)+0x39
[0x00007ff8311cf6fd] H2CopyTask::work(unsigned int)+0x57d
                             (malloc=33280 type=GC #65)

[0x00007f5ca77d6c2b] H2RegionSet::initialize(unsigned int)+0x2b
[0x00007f5ca77d61ab] H2Heap::open(unsigned int, long, char const**)+0x1cb
                             (malloc=520 type=GC #65) (at peak)

[0x00007f5ca77d6c2b] VirtualMemoryTracker::add_committed_region(unsigned char*)+0x11f
[0x00007f5ca77d61ab] H2Heap::open(unsigned int, long, char const**)+0x12b
                             (malloc=56 type=Native Memory Tracking #1) (at peak)
"""


def cells(table, row=0):
    """Returns the cells of a row in a Markdown table."""
    return [cell.strip() for cell in table.splitlines()[2 + row].split("|")[1:-1]]


class LogTest(unittest.TestCase):
    def test_phases_and_workers_belong_to_their_collection(self):
        times, workers = lab.phases(LOG.splitlines())
        self.assertEqual(times, {3: {"H2 Select": 41.25, "H2 Copy": 60.5}, 4: {"Marking Phase": 7.0}})
        self.assertEqual(workers, {3: {"Select": (2, 10, 20, 30), "Copy": (2, 19, 20, 21)}})


class OptionsTest(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual(lab.sizes("512k,1.5g,7"), [512 << 10, 3 << 29, 7])
        self.assertEqual([lab.words(size) for size in lab.sizes("512k,1.5g,7,2g")], ["512k", "1536m", "7", "2g"])
        for wrong in ("", "m", "-1m", "1x"):
            with self.assertRaises(ValueError, msg=wrong):
                lab.size(wrong)

    def test_a_count_is_at_least_one(self):
        with self.assertRaises(ValueError):
            lab.count("0")


class TableTest(unittest.TestCase):
    def test_markdown(self):
        self.assertEqual(lab.table(["a", "bb"], [["long", 1]]).splitlines(),
                         ["| a    | bb |", "| ---- | -: |", "| long |  1 |"])

    def test_a_spread_is_left_out_where_there_is_none(self):
        self.assertEqual([lab.spread([3, 1, 2]), lab.spread([1.04, 1.02], 1), lab.spread([])], ["2 (1–3)", "1.0", "–"])


class NativeMemoryTest(unittest.TestCase):
    def test_ranges_have_the_frames_of_both_who_reserved_and_who_committed(self):
        ranges, mallocs = nmt.parse(NMT)
        self.assertEqual([(one.start, one.end, len(one.frames), one.reserved_by[0][:15]) for one in ranges],
                         [(0x10000, 0x11000, 2, "H2StartTable::i"), (0x30000, 0x32000, 1, "ReservedSpace::")])
        self.assertEqual([one.size for one in mallocs], [262144, 33280, 520, 56])
        self.assertEqual(mallocs[1].frames[1], "H2CopyTask::work(unsigned int)+0x57d")

    def test_resident_pages_are_those_that_were_touched(self):
        with mmap.mmap(-1, 64 * nmt.PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            memory.madvise(mmap.MADV_NOHUGEPAGE)
            for page in (3, 4, 40):
                memory[page * nmt.PAGE] = 1
            anchor = ctypes.c_char.from_buffer(memory)
            start = ctypes.addressof(anchor)
            found = nmt.resident(os.getpid(), start, start + len(memory))
            del anchor  # otherwise the mapping cannot be closed
        self.assertEqual(found, 3 * nmt.PAGE)


class RegionsTest(unittest.TestCase):
    def setUp(self):
        self.lab = unittest.mock.Mock(homes={"terrace": Path("home")})

    def test_a_snapshot_tells_the_tables_apart(self):
        with unittest.mock.patch.object(regions, "output", return_value=NMT), \
                unittest.mock.patch.object(nmt, "resident", lambda pid, start, end: end - start):
            found = regions.snapshot(self.lab, 1)
        self.assertEqual(found, {"cards": 8192, "starts": 4096, "table": 262144, "sets": 33280, "directory": 520})

    def test_a_report_without_tables_is_refused(self):
        with unittest.mock.patch.object(regions, "output", return_value=""), self.assertRaises(Failure):
            regions.snapshot(self.lab, 1)

    def test_a_terabyte(self):
        region = 2 * lab.MIB
        shots = [{"cards": 100, "starts": 100, "table": 64 * 12288, "sets": 1000, "directory": 24, "regions": 1},
                 {"cards": 100 + 4096 * 10, "starts": 100, "table": 64 * 12288, "sets": 1000 + 500 * 10,
                  "directory": 24 + 24 * 10, "regions": 11}]
        with unittest.mock.patch.object(regions, "snapshots", return_value=shots):
            found = regions.per_terabyte(self.lab, region)
        count = lab.TIB // region
        self.assertEqual(found["cards"], 4096 * count)
        self.assertEqual(found["table"], 64 * count, "of the capacity, used or not")
        self.assertEqual(found["sets"], 500 * count)
        self.assertEqual(found["directory"], 8 * 128 * count, "an entry for 4096 regions, for each region")

    def test_space_kept_is_compared_with_what_lives(self):
        one = {"region": 2 * lab.MIB, "group": lab.MIB, "groups": 8, "keptGroups": 2, "bytesPerGroup": lab.MIB,
               "regionsBefore": 4, "regionsAfter": 3, "regions": [[10, 5], [10, 0], [10, 10]], "major": 0.5}
        self.assertEqual(cells(regions.shared_table([one])),
                         ["2 MB", "1 MB", "4", "25 %", "2", "6", "3.00", "75 %", "0.50"])


class TransferTest(unittest.TestCase):
    def test_throughput_is_compared_with_fio_of_as_many_jobs(self):
        found = [{"shape": "nodes", "workers": workers, "bytes": 10**9, "objects": 4 * 10**6, "pause": 4.0,
                  "transfer": 2.0, "copy": 1.0, "phases": dict.fromkeys(transfer.PHASES.values(), 0.5),
                  "balance": {"Copy": (2, 1, 2, 3)}}
                 for workers in (1, 2)]
        writes = [{"writer": name, "workers": workers, "rate": 500.0 * workers * (1 if "fsync" in name else 2)}
                  for name in transfer.WRITERS for workers in (1, 2)]
        rates = transfer.rate_table(found, writes)
        self.assertEqual(cells(rates)[1:], ["1", "500", "1000", "0.50", "1.00"])
        self.assertEqual(cells(rates, 1)[1:], ["2", "500", "1000", "0.25", "0.50"])
        self.assertEqual(cells(transfer.phase_table(found))[-2:], ["500", "4000"], "what no phase explains; the pause")
        self.assertEqual(cells(transfer.balance_table(found))[1:], ["2", "–", "1.50"])


class FioTest(unittest.TestCase):
    def test_rates_come_from_bytes_and_time(self):
        answer = 'note\n{"jobs": [{"write": {"io_bytes": 2000000, "runtime": 4}}]}'
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(fio, "output", return_value=answer) as called:
            self.assertEqual(fio.write(Path(folder, "f"), 4 << 20, 2, ["--end_fsync=1"]), 500)
        command = called.call_args[0][0]
        self.assertIn("--offset_increment=2097152", command)
        self.assertIn("--end_fsync=1", command)

    def test_an_answer_that_is_no_json_is_a_failure(self):
        with unittest.mock.patch.object(fio, "output", return_value="fio: failed"), self.assertRaises(Failure):
            fio.run([])


class PagingTest(unittest.TestCase):
    def test_times_to_safepoints_are_those_of_the_log(self):
        text = ('[2.345s] Safepoint "SafepointALot", Time since last: 100048239 ns, Reaching safepoint: 1500000 ns, '
                'At safepoint: 9032 ns, Total: 1509032 ns\n[2.400s] something else\n')
        self.assertEqual(h2_paging.times_to_safepoints(text), [(2.345, 0.0015)])

    def test_a_pass_tells_how_long_all_threads_took_to_stop(self):
        one = {"pattern": "scan", "variant": "v", "scannedBytes": 10 ** 6, "scanSeconds": 1, "randomReads": 0, "seconds": 1,
               "cpuSeconds": 1, "majorFaults": 0, "deviceBytes": 0, "toSafepoint": [0.001, 0.002, 0.009]}
        self.assertEqual(cells(h2_paging.result_table([one]))[-2:], ["2.00", "9.00"])


class LivenessTest(unittest.TestCase):
    def test_what_is_needed_of_a_chain_is_what_the_kept_one_reaches(self):
        report = {"groups": 10, "keptGroups": 1}
        needed = [liveness.needed(report, "chain", keep) for keep in ("oldest", "middle", "newest")]
        self.assertEqual(needed, [1, 6, 10])

    def test_variants_are_those_that_the_jvm_knows(self):
        for known, names in (("H2UnionFind", ["dependency list", "union-find"]), ("none", ["dependency list"])):
            jvm = unittest.mock.Mock(has_flag=lambda option, known=known: known in option)
            self.assertEqual([name for name, _ in liveness.variants(jvm)], names)


class CardsTest(unittest.TestCase):
    def test_the_cost_of_a_written_card_is_what_clean_cards_do_not_cost(self):
        found = [{"bytes": lab.GIB, "written": written, "pause": pause, "scanNanos": 10**6}
                 for written, pause in ((0.0, 0.001), (0.001, 0.002), (0.01, 0.001 + 20971.52 * 100e-9))]
        row = cells(cards.result_table({"terrace": found, "stock": []}))
        self.assertEqual(row[:6], ["1 GB", "1.0", "2.0", "3.1", "1.00", "100"])


class GoalTest(unittest.TestCase):
    def test_times_are_those_of_all_rounds(self):
        found = [{"goal": 200, "wall": wall, "cpu": 9.0, "moved": 3 * lab.MIB, "minor": [0.01, 0.02], "major": major,
                  "moving": [0.1] * 98 + [0.2, 0.3]} for wall, major in ((2.0, [0.5]), (4.0, [0.25, 0.75]))]
        row = cells(goal.result_table(found))
        self.assertEqual(row[:4], ["200 ms", "3", "9", "3"])
        self.assertEqual(row[4:8], ["2", "500", "750", "750"])
        self.assertEqual(row[8:], ["100", "100", "200", "300", "20"])


class HotTest(unittest.TestCase):
    def test_what_moves_after_the_hot_part_is_fast_is_counted_apart(self):
        def second(fast, to_fast, nanos):
            return {"reads": 2e6, "hotBytes": 100, "fastHotBytes": fast, "toFastBytes": to_fast * lab.MIB, "toSlowBytes": 0,
                    "sampleNanos": nanos}
        seconds = [second(0, 0, 0), second(95, 3, 10**7), second(100, 4, 2 * 10**7), second(20, 4, 3 * 10**7), second(40, 6, 3 * 10**7),
                   second(50, 7, 3 * 10**7)]
        found = hot.result_table({"monitor": seconds}, 3)
        self.assertEqual(cells(found), ["monitor", "1", "2", "100", "3", "1", "0.67", "2.00"])
        self.assertEqual(cells(found, 1), ["monitor", "2", "–", "50", "3", "0", "0.33", "2.00"])


class HotValuesTest(unittest.TestCase):
    def one(self, fast, wrong=0, failure=None):
        second = {"reads": 900, "writes": 100, "quick": 810, "readP99": 50, "looks": 10, "fast": fast, "inH1": 1, "window": 2 * lab.MIB}
        return {"kind": "map", "mix": "c", "side": "window", "failure": failure, "deviceRead": 3 * lab.MIB, "cpu": 7.0,
                "report": {"wrong": wrong, "seconds": [dict(second, fast=0), dict(second, readP99=20), second]}}

    def test_the_last_third_counts(self):
        found = hotvalues.result_table([self.one(8), self.one(6)], "map", "c")
        self.assertEqual(cells(found), ["window", "70 (60–80)", "90", "1.0", "50", "10", "2", "3", "7"])

    def test_a_wrong_value_and_a_failure_are_reported(self):
        hotvalues.judge([self.one(8)])
        for one, text in ((self.one(8, wrong=2), "2 values were wrong"), (self.one(8, failure="killed"), "killed")):
            with self.assertRaisesRegex(Failure, f"ConcurrentHashMap, mix c, window: {text}"):
                hotvalues.judge([one])


class ServiceTest(unittest.TestCase):
    def test_the_heap_leaves_half_of_the_memory(self):
        self.assertEqual([service.heap(mb * lab.MIB) // lab.MIB for mb in (500, 801, 1300)], [250, 400, 512])

    def test_rates_are_listed_by_memory(self):
        def one(memory, side, rate):
            return {"memory": memory, "side": side, "rate": rate, "filled": 9.5, "longest": 0.25, "read": 3 * lab.GIB, "wrong": 0, "cpu": 40}
        found = [one(lab.GIB, "terrace", 40_000.0), one(lab.GIB, "rocksdb", 20_000.0), one(lab.GIB, "terrace", 50_000.0),
                 one(lab.GIB, "rocksdb", 30_000.0), one(800 * lab.MIB, "terrace", 9.0), one(800 * lab.MIB, "rocksdb", 8.0)]
        self.assertEqual(cells(service.rate_table(found)), ["1g", "45000 (40000–50000)", "25000 (20000–30000)"])
        self.assertEqual(cells(service.rate_table(found), 1), ["800m", "9", "8"])
        self.assertEqual(cells(service.detail_table(found), 1), ["1g, RocksDB", "9.5", "0.25", "3072", "40"])

    def test_a_failed_run_has_no_rate(self):
        killed = {"memory": lab.GIB, "side": "rocksdb", "failure": "killed"}
        self.assertEqual(cells(service.rate_table([killed])), ["1g", "failed"])
        self.assertEqual(service.rate([killed, {"rate": 7.0}]), "7")

    def test_the_block_cache_leaves_room_for_the_process(self):
        self.assertEqual([service.block_cache(mb * lab.MIB) // lab.MIB for mb in (250, 500, 3000)], [62, 300, 2800])


CACHE_LOG = """\
[1.000s][info][gc          ] GC(0) Pause Young (Allocation Failure) 60M->20M(250M) 900.000ms
[9.000s][info][gc,h2       ] H2: 100M used, 185 of 192 regions free
[9.000s][info][gc          ] GC(1) Pause Full (Ergonomics) 200M->90M(250M) 800.000ms
[21.000s][info][gc          ] GC(2) Pause Young (Allocation Failure) 60M->20M(250M) 5.000ms
[22.000s][info][gc          ] GC(3) Pause Young (Allocation Failure) 60M->20M(250M) 7.000ms
[25.000s][info][gc,h2       ] Transfer: 9 objects, 2048K to 1 runs of regions, select 1.0ms, assign 1.0ms, copy 1.0ms, commit 1.0ms
[25.000s][info][gc,h2       ] H2: 300M used, 170 of 192 regions free
[25.000s][info][gc          ] GC(4) Pause Full (Ergonomics) 200M->90M(250M) 250.000ms
[45.000s][info][gc,h2       ] Evacuated 57 regions into 4, 57344K of objects; 66 others refer to them; copy 400.0ms, update 300.0ms
[45.000s][info][gc,h2       ] H2: 200M used, 180 of 192 regions free
[45.000s][info][gc          ] GC(5) Pause Full (Ergonomics) 200M->90M(250M) 1500.000ms
"""


class CacheTest(unittest.TestCase):
    """Tests runs of 40 seconds, from 20 to 60 seconds after the JVM's start."""

    def report(self, **changed):
        return {"windowSeconds": 10, "operations": [9_000_000, 10_000_000, 11_000_000, 10_000_000], "hits": [9_000_000] * 4,
                "replacements": [900_000] * 4, "wrong": 0, "from": 20.0, "to": 60.0,
                "h2": {"deepMarkings": 1, "failedTransfers": 0}, **changed}

    def measured(self, report, failure=None, side="terrace", cap=None):
        measurement = unittest.mock.Mock(cpu=75.0, anonymous_peak=300 * lab.MIB, device_written=lab.GIB)
        attempt = unittest.mock.Mock(return_value=lab.Run(report, gclog.parse(CACHE_LOG.splitlines()), {}, {}, measurement, failure))
        jvm = unittest.mock.Mock(arguments=unittest.mock.Mock(minutes=2, memory=cap), attempt=attempt)
        return cache.measure_side(jvm, "caffeine", side), attempt.call_args

    def test_stock_has_neither_h2_nor_a_cap(self):
        _, terrace = self.measured(self.report(), cap=lab.GIB)
        _, stock = self.measured(self.report(), side="stock", cap=lab.GIB)
        self.assertEqual((terrace.kwargs["cap"], stock.kwargs["cap"]), (lab.GIB, None))
        self.assertEqual([[option for option in call.args[1] if "H2" in option] for call in (terrace, stock)], [["-XX:H2Size=3g"], []])
        self.assertIn("-Xmx256m", terrace.args[1])
        self.assertIn("-Xmx1536m", stock.args[1])
        self.assertEqual(terrace.args[4:], stock.args[4:], "what the program does")

    def test_rates_are_those_of_the_windows(self):
        one, _ = self.measured(self.report(), cap=lab.GIB)
        row = cells(cache.rate_table([one]))
        self.assertEqual(row[0], "Caffeine, Terrace, -Xmx256m, H2 3g, 1g of memory")
        self.assertEqual(row[1:6], ["40.0", "900", "1000", "900", "1100"])
        self.assertEqual(row[7:], ["90.0", "3.6", "75", "300"])

    def test_a_trend_is_told_from_noise(self):
        change, noise = cache.trend([100, 90, 80])
        self.assertAlmostEqual(change, -100 / 3)
        self.assertAlmostEqual(noise, 0, places=4)
        change, noise = cache.trend([100, 110, 100, 110, 100])
        self.assertEqual(round(change, 9), 0)
        self.assertGreater(noise, 5)
        self.assertIsNone(cache.trend([100, 90]), "a line through two points fits always")

    def test_collections_are_those_while_operations_were_counted(self):
        one, _ = self.measured(self.report())
        self.assertEqual(cells(cache.collection_table([one]))[1:], ["2", "7", "0.0", "2", "1500", "1.8"])

    def test_space_is_that_of_the_last_major_collection(self):
        one, _ = self.measured(self.report())
        self.assertEqual(cells(cache.space_table([one]))[1:], ["300", "300", "200", "200", "300", "2", "1", "57", "56", "0", "1024"])

    def test_stock_has_no_space_in_h2(self):
        one, _ = self.measured(self.report(), side="stock")
        self.assertEqual(len(cache.space_table([one]).splitlines()), 2)

    def test_windows_are_minutes_if_there_are_enough(self):
        self.assertEqual([cache.window(60 * minutes) for minutes in (2, 9, 10, 30)], [10, 10, 60, 60])

    def test_a_run_that_failed_is_a_row_of_dashes(self):
        good, _ = self.measured(self.report())
        bad, _ = self.measured(None, "exit status 3")
        for made in (cache.rate_table, cache.collection_table, cache.space_table):
            row = cells(made([good, bad]), 1)
            self.assertEqual(row[1:], ["failed", *["–"] * (len(row) - 2)])
        self.assertEqual(list(cache.series([good, bad])), ["Caffeine, Terrace"])
        self.assertEqual(cells(cache.rate_table([bad]))[1], "failed", "without any other")

    def test_failed_programs_and_wrong_values_fail_the_benchmark(self):
        good, _ = self.measured(self.report())
        died, _ = self.measured(None, "cache failed (exit status 3)")
        wrong, _ = self.measured(self.report(wrong=7), "cache failed (exit status 1)", side="stock")
        cache.judge([good])
        with self.assertRaisesRegex(Failure, r"Caffeine, Terrace: cache failed \(exit status 3\)\nCaffeine, stock: 7 values were wrong"):
            cache.judge([good, died, wrong])

    def test_stock_may_fail(self):
        died, _ = self.measured(None, "cache failed (exit status 3)", side="stock")
        with unittest.mock.patch.object(cache, "notice") as notice:
            cache.judge([died])
        notice.assert_called_once_with("Caffeine, stock: cache failed (exit status 3)")


class AttemptTest(unittest.TestCase):
    def attempt(self, script, **how):
        with tempfile.TemporaryDirectory() as folder:
            made = lab.Lab.__new__(lab.Lab)
            made.out = Path(folder)
            made.command = lambda *words, **options: ["sh", "-c", script]
            return made.attempt("name", [], "program", settled=False, **how), made

    def test_a_program_that_fails_is_told_with_the_end_of_its_log(self):
        found, _ = self.attempt("echo '{\"wrong\": 7}'; echo reason >&2; exit 1")
        self.assertEqual(found.report, {"wrong": 7})
        self.assertRegex(found.failure, r"(?s)^program failed \(exit status 1\).*name\.log:.*reason")

    def test_a_program_that_reports_nothing_has_failed(self):
        found, _ = self.attempt("echo done")
        self.assertRegex(found.failure, r"(?s)exit status 0.*done")

    def test_a_program_that_hangs_is_ended(self):
        found, _ = self.attempt("sleep 60", timeout=0.2)
        self.assertIn("ended after 0.2 s", found.failure)

    def test_run_refuses_a_failure(self):
        made = lab.Lab.__new__(lab.Lab)
        made.attempt = lambda *words, **how: lab.Run(None, gclog.GcLog(), {}, {}, None, "it failed")
        with self.assertRaisesRegex(Failure, "it failed"):
            made.run("name", [], "program")
