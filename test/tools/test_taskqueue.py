"""Reading what a VM logs of stealing."""
import unittest

from terrace import taskqueue

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


class TaskQueueTest(unittest.TestCase):
    def test_sums_over_collections(self):
        sums = taskqueue.totals(LOG.splitlines())
        self.assertEqual((sums["qpush"], sums["qattempt"], sums["qsteal"]), (160, 40, 15))
        self.assertEqual((taskqueue.attempts(sums), taskqueue.failed(sums)), (40, 25))

    def test_lengths_are_not_added(self):
        self.assertEqual(taskqueue.totals(LOG.splitlines())["omax"], 7)

    def test_only_a_part_of_the_run(self):
        self.assertEqual(taskqueue.totals(LOG.splitlines(), start=1.5)["qattempt"], 5)

    def test_most_vms_log_nothing_of_it(self):
        sums = taskqueue.totals(["[1.000s][info][gc] GC(0) Pause Young (Allocation Failure) 1M->0M(2M) 1.0ms"])
        self.assertEqual((sums, taskqueue.failed(sums)), ({}, 0))
