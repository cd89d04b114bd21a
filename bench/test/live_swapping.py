# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that need swap and root. They use 300 MB of memory and 400 MB of the disk for a moment.

After the kill of a benchmark, the next one must remove its programs, its control group and its swap file. A program's
young generation must not grow when memory becomes short.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bench.driver.measure import swapping
from bench.driver.measure.swapping import MIB
from terrace.building import build
from terrace.common import paths

SWAP, LIMIT, USED = 64 * MIB, 32 * MIB, 48 * MIB
PATIENCE = 120

# This program represents a benchmark. The program in its group is a session of its own, as in measure.run.
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
        scratch = tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="swapping-")     # a disk, because memory cannot hold a swap file
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
        with self.assertRaisesRegex(swapping.Failure, "another benchmark with swap is running"):
            swapping.clean_up(self.folder / "journal")
        bench.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, bench.pid, os.WEXITED | os.WNOWAIT)    # it remains a zombie, as if nobody waited for it
        self.assertTrue(swapping.is_in_use(file) and file.exists() and group.exists() and Path(f"/proc/{program}").exists())
        with swapping.journal(self.folder, self.folder / "journal"):
            self.assertFalse(swapping.is_in_use(file))
            self.assertFalse(file.exists())
            self.assertFalse(group.exists())
            self.assertIsNone(swapping.started(program))
        self.assertFalse((self.folder / "journal").exists())


# The program produces 20 MB of garbage per second, because the VM checks once per second whether it swaps.
GARBAGE = """
public class Garbage {
    static volatile byte[] garbage;

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 500; i++) {
            for (int j = 0; j < 20; j++) {
                garbage = new byte[50_000];
            }
            Thread.sleep(i < 100 ? 1 : 50);
        }
    }
}
"""


@unittest.skipIf(os.geteuid() != 0 or swapping.obstacle(), "no swap file or no control group can be made here")
class YoungGenerationTest(unittest.TestCase):
    def test_eden_does_not_grow_on_where_there_is_no_room(self):
        paths.BUILD.mkdir(exist_ok=True)
        home = build.home("release")
        with (tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="swapping-") as folder, swapping.journal(Path(folder)),
              swapping.swap(Path(folder), 400 * MIB), swapping.swapping_cap(200 * MIB) as cap):
            source = Path(folder) / "Garbage.java"
            source.write_text(GARBAGE)
            subprocess.run([home / "bin/javac", "-d", folder, source], check=True, timeout=PATIENCE)
            # The pause goal is so long that G1 uses 60 % of the heap for the young generation.
            ran = subprocess.run([home / "bin/java", "-XX:+UseG1GC", "-XX:+UseFarMemory", "-Xms512m", "-Xmx512m", "-XX:G1HeapRegionSize=1m",
                                  "-XX:MaxGCPauseMillis=10000", "-Xlog:gc+heap=info,gc+far=debug", "-cp", folder, "Garbage"],
                                 stdout=subprocess.PIPE, text=True, preexec_fn=cap.enter, timeout=PATIENCE)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertRegex(ran.stdout, r"memory for \d+ of 512 regions", ran.stdout)
        edens = [int(eden) for eden in re.findall(r"Eden regions: (\d+)->", ran.stdout)]
        self.assertLess(max(edens), 220, ran.stdout)
        self.assertGreater(len(edens), 2, ran.stdout)


if __name__ == "__main__":
    unittest.main()
