# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the containers of `terrace bench gc --container`, as a program in them sees its processors."""
import ast
import contextlib
import io
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.gc import runs as gc_runs
from bench.driver.gc.plan import Setting, Side
from bench.driver.measure import measure, processor_cap
from terrace.common.term import Failure

GROUPS = "groups = open('/proc/self/cgroup').read()\n"
# The program waits for the loop's message, so that both run at the same time.
WITHIN = """import os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
""" + GROUPS + """
print([sorted(os.sched_getaffinity(0)), groups])
"""
LOOP = """import os, time
parent = os.getppid()
open({told!r} + "-", "w").write(str(sorted(os.sched_getaffinity(0))))
os.rename({told!r} + "-", {told!r})
while os.getppid() == parent:
    time.sleep(0.1)
"""
CHANGES = """import os, time
seen = [sorted(os.sched_getaffinity(0))]
while len(seen) < 3:
    now = sorted(os.sched_getaffinity(0))
    if now != seen[-1]:
        seen.append(now)
    time.sleep(0.01)
print(seen)
"""
BUSY = GROUPS + "import time\nwhile time.process_time() < 0.3:\n    pass\nprint([groups])\n"
SIDE = Side("some", Path("home"))


def skip_without(name):
    try:
        processor_cap.require(name)
    except Failure as failure:
        raise unittest.SkipTest(str(failure)) from None


class ContainerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = Path(folder.name)
        self.all = sorted(os.sched_getaffinity(0))
        patch = mock.patch.object(gc_runs, "QUICK_SECONDS", 15)
        patch.start()
        self.addCleanup(patch.stop)

    def runs(self, *program):
        """Returns runs that start the program instead of a JVM."""
        patch = mock.patch.object(gc_runs, "command", lambda *of: [sys.executable, "-c", *program])
        patch.start()
        self.addCleanup(patch.stop)
        return gc_runs.GcRuns(True, self.logs, None)

    def said(self, name):
        return ast.literal_eval((self.logs / f"{name}.out").read_text())

    def test_two_vms_on_one_processor_and_a_loop_outside(self):
        skip_without("one-cpu")
        told = self.logs / "told"
        with mock.patch.object(gc_runs, "LOOP", LOOP.format(told=str(told))), contextlib.redirect_stdout(io.StringIO()):
            self.runs(WITHIN, str(told)).run("vm", "title", Setting("parallel", 0, 2.0, 0, 1, True, "one-cpu"), SIDE, "xalan")
        (one, of_one), (other, of_other) = self.said("vm-0"), self.said("vm-1")
        self.assertEqual((one, other), (self.all[-1:], self.all[-1:]))
        self.assertNotEqual(of_one, of_other, "they share a group")
        self.assertEqual(ast.literal_eval(told.read_text()), self.all)

    def test_processors_change_while_the_program_runs(self):
        skip_without("changing-cpuset")
        with mock.patch.object(processor_cap, "CHANGE_SECONDS", 0.5):
            self.runs(CHANGES).one("vm", Setting("parallel", 0, 2.0, 0, 0, False, "changing-cpuset"), SIDE, "xalan",
                                   threading.Event())
        seen = self.said("vm")
        self.assertIn(seen, ([self.all, self.all[-1:], self.all], [self.all[-1:], self.all, self.all[-1:]]))

    def test_half_a_processor(self):
        skip_without("half-cpu")
        with processor_cap.container("half-cpu") as group:
            measure.run([sys.executable, "-c", BUSY], self.logs / "vm.out", self.logs / "vm.log", group, timeout=60)
            counts = dict(line.split() for line in (group.folder / "cpu.stat").read_text().splitlines())
        self.assertIn(group.folder.name, self.said("vm")[0])
        # The kernel counts periods only if there is a quota. Other load decides whether the quota is exhausted.
        self.assertGreater(int(counts["nr_periods"]), 0)
        self.assertFalse(group.folder.exists())


if __name__ == "__main__":
    unittest.main()
