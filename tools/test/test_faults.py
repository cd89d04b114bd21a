# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the assignment of page faults to groups of threads, by thread names and lines of /proc."""
import os
import unittest

from terrace.common import faults


class FaultsTest(unittest.TestCase):
    STAT = "12 (G1 Conc#0) S 1 1 1 0 -1 4194368 500 0 {} 0 3 4 0 0 20 0 9 0 88 99"

    def test_a_line_of_proc(self):
        self.assertEqual(faults.parse(self.STAT.format(77)), ("G1 Conc#0", 77))
        self.assertEqual(faults.parse("12 (a) (b) R 1 1 1 0 -1 0 5 0 6 0 3"), ("a) (b", 6))

    def test_threads_by_their_names(self):
        for name, group in (("G1 Conc#12", "concurrent"), ("G1 Main Marker", "concurrent"), ("Shenandoah GC T", "concurrent"),
                            ("Shenandoah Cont", "concurrent"), ("GC Thread#3", "pauses"),
                            ("VM Thread", "pauses"), ("G1 Refine#0", "refinement"), ("main", "program"), ("Thread-1", "program")):
            self.assertEqual(faults.group_of(name), group, name)

    def test_faults_of_ended_threads_stay_counted(self):
        counted = faults.Faults()
        counted.by_thread["no such thread"] = ("program", 5)
        self.assertGreaterEqual(counted.sample(os.getpid())["program"], 5)


if __name__ == "__main__":
    unittest.main()
