# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the table of start times."""
import unittest
import unittest.mock

from bench.driver import startup


class StartupTest(unittest.TestCase):
    def test_each_is_compared_with_stock_under_the_same_collector(self):
        table = startup.table({"stock": [0.1, 0.2, 0.3], "Terrace": [0.2, 0.21, 0.19],
                                     "stock, ParallelGC": [0.1], "Terrace, ParallelGC": [0.11]})
        self.assertEqual([line.split()[-1] for line in table.splitlines()[1:]],
                         ["150.0–250.0", "1.000", "100.0–100.0", "1.100"])

    def test_rounds_begin_with_another_one_each_time(self):
        started = []
        with unittest.mock.patch.object(startup, "once", lambda command: started.append(command[0]) or 0.1):
            times = startup.measure({"a": ["a"], "b": ["b"]}, "folder", 2)
        self.assertEqual("".join(started), "abbaab")
        self.assertEqual({name: len(values) for name, values in times.items()}, {"a": 2, "b": 2})
