# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the reading of a VM's statistics on work stealing."""
import unittest

from bench.driver.measure import taskqueue

LOG = """\
[1.000s][trace][gc,task,stats] GC(0) == GC Tasks Stats, GC   1
[1.000s][trace][gc,task,stats] GC(0) thr      qpush       qpop     qpop-s   qattempt     qsteal      opush       omax
[1.000s][trace][gc,task,stats] GC(0) --- ---------- ---------- ---------- ---------- ---------- ---------- ----------
[1.000s][trace][gc,task,stats] GC(0)   0        100         90          1         20         10          3          2
[1.000s][trace][gc,task,stats] GC(0)   1         50         55          1         15          5          0          0
[1.000s][trace][gc,task,stats] GC(0) tot        150        145          2         35         15          3          7
[1.000s][trace][gc,task,stats] GC(0)     ----partial array----     arrays      array
[1.000s][trace][gc,task,stats] GC(0) thr       push      steal    chunked     chunks
[1.000s][trace][gc,task,stats] GC(0)   0          0          0          0          0
[2,000s][trace][gc,task,stats] GC(1) thr      qpush       qpop     qpop-s   qattempt     qsteal      opush       omax
[2,000s][trace][gc,task,stats] GC(1) tot         10         10          0          5          0          1          4
[2.000s][info ][gc           ] GC(1) tot         99         99         99         99         99         99         99
"""


OF_TASKS = """\
[1.000s][debug][gc,task,stats] GC(0) GC Thread, ParallelGC, rest: 9 workers, steal attempts 310, failed 258, queue reads 700, termination offers 24, 4.120ms, processors 2, migrations 3, waited 7.500ms, subtasks 1 0 2
[2.000s][debug][gc,task,stats] GC(1) GC Thread, MarkFromRootsTask: 2 workers, steal attempts 10, failed 8, termination offers 2, 1.000ms, processors 1, migrations 0, waited 0.500ms, subtasks 1 0
"""


class TaskQueueTest(unittest.TestCase):
    def test_sums_over_collections(self):
        sums = taskqueue.totals(LOG.splitlines())
        self.assertEqual((sums["qpush"], sums["qattempt"], sums["qsteal"]), (160, 40, 15))
        self.assertEqual((sums["attempts"], sums["failed"]), (40, 25))

    def test_lengths_are_not_added(self):
        self.assertEqual(taskqueue.totals(LOG.splitlines())["omax"], 7)

    def test_only_a_part_of_the_run(self):
        self.assertEqual(taskqueue.totals(LOG.splitlines(), start=1.5)["qattempt"], 5)
        self.assertEqual(taskqueue.totals(OF_TASKS.splitlines(), start=1.5)["failed"], 8)

    def test_tasks_count_where_a_vm_tells_of_both(self):
        sums = taskqueue.totals((LOG + OF_TASKS).splitlines())
        self.assertEqual((sums["attempts"], sums["failed"], sums["offers"]), (320, 266, 26))
        self.assertEqual(sums["reads"], 700)
        self.assertAlmostEqual(sums["termination"], 0.00512)
        self.assertAlmostEqual(sums["waited"], 0.008)
        self.assertEqual((sums["migrations"], sums["subtasks"], sums["most_subtasks"]), (3, 4, 3))

    def test_most_vms_log_nothing_of_it(self):
        self.assertEqual(taskqueue.totals(["[1.000s][info][gc] GC(0) Pause Young (Allocation Failure) 1M->0M(2M) 1.0ms"]), {})
