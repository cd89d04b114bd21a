# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""A benchmark with swap that is killed: the next one removes its programs, its control group and its swap file. Needs root, and takes
80 MB for a moment."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bench.driver.measure import swapping
from bench.driver.measure.swapping import MIB
from terrace.common import paths

SWAP, LIMIT, USED = 64 * MIB, 32 * MIB, 48 * MIB
PATIENCE = 120

# This program stands for a benchmark. The one in its group is a session of its own, as measure.run has it.
BENCH = f"""
import subprocess, sys, time
from pathlib import Path
from unittest import mock
from bench.driver.measure import swapping

folder = Path(sys.argv[1])
PROGRAM = "data = bytearray(b'1' * {USED}); print('uses it', flush=True); import time; time.sleep({PATIENCE})"
with mock.patch.object(swapping.machine, "meminfo", return_value={{"SwapFree": 0}}), swapping.journal(folder, folder / "journal"), \\
        swapping.swap(folder, {SWAP}) as file, swapping.swapping_cap({LIMIT}) as cap:
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, preexec_fn=cap.enter, start_new_session=True)
    program.stdout.readline()
    print(file, cap.folder, program.pid, sep="\\n", flush=True)
    time.sleep({PATIENCE})
"""


@unittest.skipIf(os.geteuid() != 0 or swapping.obstacle(), "no swap file or no control group can be made here")
class KilledBenchTest(unittest.TestCase):
    def setUp(self):
        paths.BUILD.mkdir(exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="swapping-")     # a disk: memory cannot hold a swap file
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.addCleanup(swapping.clean_up, self.folder / "journal")

    def start(self):
        bench = subprocess.Popen([sys.executable, "-c", BENCH, str(self.folder)], stdout=subprocess.PIPE, text=True, cwd=paths.ROOT,
                                 env=dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, (paths.ROOT, paths.ROOT / "tools")))))
        self.addCleanup(bench.stdout.close)
        self.addCleanup(bench.wait)
        self.addCleanup(bench.kill)
        file, group, program = (bench.stdout.readline().strip() for _ in range(3))
        return bench, Path(file), Path(group), int(program)

    def test_the_next_one_removes_what_a_killed_one_has_left(self):
        bench, file, group, program = self.start()
        self.assertTrue(swapping.is_in_use(file))
        with self.assertRaisesRegex(swapping.Failure, "another bench with swap runs"):
            swapping.clean_up(self.folder / "journal")
        bench.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, bench.pid, os.WEXITED | os.WNOWAIT)    # it stays a zombie, as where nobody waits for it
        self.assertTrue(swapping.is_in_use(file) and file.exists() and group.exists() and Path(f"/proc/{program}").exists())
        with swapping.journal(self.folder, self.folder / "journal"):
            self.assertFalse(swapping.is_in_use(file))
            self.assertFalse(file.exists())
            self.assertFalse(group.exists())
            self.assertIsNone(swapping.started(program))
        self.assertFalse((self.folder / "journal").exists())


if __name__ == "__main__":
    unittest.main()
