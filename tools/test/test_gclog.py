# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the reading of the VM's GC log."""
import unittest

from terrace.common import gclog

LOG = """\
[0.005s][info][gc,h2] H2: /fast/disk, with comma, 30208M in 1888 regions of 16M, compressed oops on
[0.005s][info][gc,init] Heap Max Capacity: 512M
[0.974s][info][gc,start    ] GC(1) Pause Full (Metadata GC Threshold)
[1.003s][info][gc          ] GC(1) Pause Full (Metadata GC Threshold) 18M->17M(362M) 28.500ms
[1.003s][info][gc,cpu      ] GC(1) User=0.04s Sys=0.01s Real=0.03s
[2.000s][info][gc          ] GC(2) Pause Young (Allocation Failure) 100M->20M(362M) 10.000ms
[2.000s][info][gc,cpu      ] GC(2) User=0.02s Sys=0.00s Real=0.01s
[5.077s][info][gc,h2       ] Transfer: 101969 objects, 2212K to 1 runs of regions, select 6.4ms, assign 0.9ms, copy 3.3ms, commit 1.0ms
[5.104s][info][gc,h2       ] H2: 2M used, 1887 of 1888 regions free
[5.104s][info][gc,heap     ] GC(12) ParOldGen: 25000K(300000K)->24000K(300000K)
[5.104s][info][gc          ] GC(12) Pause Full (Second Heap Transfer) 29M->26M(408M) 100.000ms
[6.000s][info][gc,h2       ] Freed 3 regions, 48M
[6.500s][info][gc,h2       ] Evacuated 57 regions into 4, 57344K of objects; 66 others refer to them; copy 400.0ms, update 300.0ms
[7.000s][warning][gc,h2    ] H2 transfer abandoned: no room
a line of something else
"""


class GcLogTest(unittest.TestCase):
    def setUp(self):
        self.log = gclog.parse(LOG.splitlines(keepends=True))

    def test_counts_pauses_once(self):
        self.assertEqual((self.log.count(major=False), self.log.count(major=True)), (1, 2))
        self.assertAlmostEqual(self.log.seconds(major=True), 0.1285)
        self.assertAlmostEqual(self.log.summary()["longest_pause"], 0.1)

    def test_a_pause_ends_when_it_is_logged(self):
        last = self.log.pauses[-1]
        self.assertAlmostEqual(last.start, 5.004)
        self.assertEqual((last.cause, last.before, last.after, last.committed),
                         ("Second Heap Transfer", 29 << 20, 26 << 20, 408 << 20))

    def test_what_moved(self):
        self.assertEqual(self.log.moved(), 2212 << 10)
        self.assertEqual(self.log.transfers[0].objects, 101969)
        self.assertAlmostEqual(self.log.transfers[0].seconds, 0.0116)

    def test_second_heap_over_time(self):
        self.assertEqual(self.log.h2_capacity, 30208 << 20)
        self.assertEqual(self.log.h2, [(0.005, 0), (5.104, 2 << 20)])
        self.assertEqual(self.log.freed, 48 << 20)
        self.assertEqual(self.log.evacuated, [(6.5, 57, 56 << 20)])
        self.assertEqual(self.log.abandoned, [(7.0, "no room")])

    def test_allocated_is_what_pauses_find_more_than_the_one_before_left(self):
        self.assertEqual(self.log.allocated(), (18 + (100 - 17) + (29 - 20)) << 20)
        self.assertEqual(self.log.summary()["allocated_bytes"], 110 << 20)
        self.assertEqual(gclog.parse([]).summary()["allocated_bytes"], 0)

    def test_processor_time_and_heap(self):
        self.assertAlmostEqual(self.log.cpu, 0.07)
        self.assertEqual(self.log.max_heap, 512 << 20)
        self.assertEqual(self.log.old, [(5.104, 24000 << 10)])

    def test_decimal_commas(self):
        log = gclog.parse(["[2,000s][info][gc          ] GC(2) Pause Young (Allocation Failure) 1G->20M(2G) 10,500ms"])
        self.assertEqual((log.pauses[0].before, log.pauses[0].seconds), (1 << 30, 0.0105))

    def test_an_empty_log(self):
        self.assertEqual(gclog.parse([]).summary()["longest_pause"], 0.0)

    def test_pauses_of_collections_beside_the_program(self):
        summary = gclog.parse([
            "[0.5s][info][gc          ] GC(3) Pause Young (Concurrent Start) (G1 Evacuation Pause) 9M->5M(24M) 3.000ms",
            "[0.6s][info][gc          ] GC(4) Pause Remark 24M->24M(62M) 2.000ms",
            "[0.6s][info][gc,start    ] GC(5) Pause Young (Normal) (G1 Evacuation Pause)",
            "[0.7s][info][gc,phases   ] GC(0) Y: Pause Mark Start (Major) 0.013ms"]).summary()
        self.assertEqual((summary["minor_count"], summary["major_count"], summary["short_count"]), (1, 0, 2))
        self.assertAlmostEqual(summary["short_seconds"], 0.002013)
        self.assertAlmostEqual(summary["longest_pause"], 0.003)

    def test_a_part_of_the_run(self):
        part = self.log.between(1.0, 5.05)
        self.assertEqual((part["collections"], part["pauses"]), (2, 2))
        self.assertAlmostEqual(part["seconds"], 0.11)
        self.assertAlmostEqual(part["p50"], 0.01)
        self.assertAlmostEqual(part["max"], 0.1)
        self.assertEqual(self.log.between(8, 9)["max"], 0.0)

    def test_work_beside_the_program(self):
        part = gclog.parse([
            "[0.4s][info][gc,start    ] GC(4) Concurrent Mark Cycle",
            "[0.5s][info][gc,marking  ] GC(4) Concurrent Mark From Roots 8.000ms",
            "[0.6s][info][gc          ] GC(4) Pause Remark 24M->24M(62M) 2.000ms",
            "[0.7s][info][gc          ] GC(4) Concurrent Mark Cycle 20.000ms",
            "[0.8s][info][gc          ] GC(5) Pause Init Mark (unload classes) 1.000ms",
            "[0.9s][info][gc          ] GC(5) Concurrent marking (unload classes) 30,000ms",
            "[1.0s][info][gc          ] GC(6) Pause Degenerated GC (Mark) 9M->5M(24M) 4.000ms"]).between(0, 1)
        self.assertAlmostEqual(part["beside_seconds"], 0.05)
        self.assertAlmostEqual(part["seconds"], 0.007)
        self.assertEqual((part["collections"], part["pauses"]), (3, 3))

    def test_percentiles_are_values_that_occurred(self):
        values = list(range(1, 101))
        self.assertEqual([gclog.percentile(values, share) for share in (0, 0.5, 0.99, 1)], [1, 50, 99, 100])
        self.assertEqual(gclog.percentile([], 0.5), 0.0)
