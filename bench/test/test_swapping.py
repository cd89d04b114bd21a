# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the reduction of a memory limit, rejected settings, and the cleanup, also after a kill."""
import errno
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.measure import swapping
from bench.driver.measure.swapping import GIB, MIB, STEP, SwappingCap
from terrace.common.term import Failure


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, **files):
        for name, text in files.items():
            (self.folder / name.replace("__", ".")).write_text(str(text))


class CapTest(Folder):
    def test_the_limit_comes_down_by_steps_from_what_is_in_use(self):
        self.write(memory__usage_in_bytes=300 * MIB)
        cap = SwappingCap(self.folder, 1)
        cap.limit(GIB)
        seen = []
        while not cap.narrow(200 * MIB):
            seen.append(int(cap.limit_file.read_text()))
        self.assertEqual(seen, [300 * MIB - STEP])
        self.assertEqual(int(cap.limit_file.read_text()), 200 * MIB)

    def test_what_cannot_be_written_out_yet_is_tried_again(self):
        self.write(memory__usage_in_bytes=100 * MIB)
        cap = SwappingCap(self.folder, 1)
        cap.limit(GIB)
        with mock.patch.object(SwappingCap, "limit", side_effect=OSError(errno.EBUSY, "busy")):
            self.assertFalse(cap.narrow(90 * MIB))
        self.assertTrue(cap.narrow(90 * MIB))

    def test_another_error_is_none_that_passes(self):
        self.write(memory__usage_in_bytes=100 * MIB)
        cap = SwappingCap(self.folder, 1)
        cap.limit(GIB)
        with mock.patch.object(SwappingCap, "limit", side_effect=OSError(errno.EIO, "broken")), self.assertRaises(OSError):
            cap.narrow(90 * MIB)

    def test_version_2_waits_until_the_pages_have_gone(self):
        self.write(memory__current=100 * MIB)
        cap = SwappingCap(self.folder, 2)
        cap.limit(GIB)
        self.assertFalse(cap.narrow(80 * MIB))
        self.assertEqual((self.folder / "memory.high").read_text(), str(80 * MIB))
        self.assertEqual((self.folder / "memory.max").read_text(), str(GIB))
        self.write(memory__current=79 * MIB)
        self.assertTrue(cap.narrow(80 * MIB))
        self.assertEqual((self.folder / "memory.max").read_text(), str(80 * MIB))
        self.assertEqual((self.folder / "memory.high").read_text(), "max")

    def test_kills_and_swap_ins(self):
        self.write(memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", memory__events="oom 1\noom_kill 3\n",
                   memory__stat="pgpgin 5\npswpin 77\n")
        self.assertEqual(SwappingCap(self.folder, 1).oom_kills(), 2)
        self.assertEqual(SwappingCap(self.folder, 2).oom_kills(), 3)
        self.assertEqual(SwappingCap(self.folder, 2).swap_ins(), 77)


class RefusalTest(Folder):
    def test_memory_that_the_machine_needs_is_not_taken(self):
        with mock.patch.object(swapping.machine, "meminfo", return_value={"MemAvailable": 5 * GIB}):
            with self.assertRaisesRegex(Failure, "a run needs 2048 MB of memory, and 4096 MB must stay free.* only 5120 MB"):
                swapping.check_room(2 * GIB, 0, self.folder)
            swapping.check_room(GIB // 2, 0, self.folder)

    def test_disk_that_the_machine_needs_is_not_taken(self):
        usage = mock.Mock(free=5 * GIB)
        with mock.patch.object(swapping.machine, "meminfo", return_value={"MemAvailable": 64 * GIB}), \
                mock.patch.object(swapping.shutil, "disk_usage", return_value=usage):
            with self.assertRaisesRegex(Failure, "the swap file needs 2048 MB"):
                swapping.check_room(GIB, 2 * GIB, self.folder)

    def test_the_obstacle_is_told(self):
        with mock.patch.object(swapping.memory_cap, "create", side_effect=swapping.NoControlGroup("not here")):
            self.assertEqual(swapping.obstacle(), "no control group can be made: not here")
        with mock.patch.object(swapping.memory_cap, "create"), mock.patch.object(swapping.os, "geteuid", return_value=1000), \
                mock.patch.object(swapping.machine, "meminfo", return_value={"SwapTotal": 0}):
            self.assertIn("only root", swapping.obstacle())

    def test_a_kernel_that_pages_out_by_itself_is_noted(self):
        scheme = self.folder / "0/contexts/0/schemes/0"
        scheme.mkdir(parents=True)
        self.assertFalse(swapping.pages_out_by_itself(self.folder))
        (scheme / "action").write_text("pageout\n")
        (self.folder / "0/state").write_text("off\n")
        self.assertFalse(swapping.pages_out_by_itself(self.folder))
        (self.folder / "0/state").write_text("on\n")
        self.assertTrue(swapping.pages_out_by_itself(self.folder))

    def test_a_tool_that_is_missing_is_named(self):
        with mock.patch.object(swapping.shutil, "which", return_value=None), self.assertRaisesRegex(Failure, "'mkswap' is not"):
            swapping.tool("mkswap")


class SwapTest(Folder):
    def calls(self, body=lambda: None, fail=None):
        made = []

        def output(command):
            made.append(Path(command[0]).name)
            if made[-1] == fail:
                raise Failure("refused")
        with mock.patch.object(swapping, "output", output), mock.patch.object(swapping, "tool", lambda name: name), \
                mock.patch.object(swapping, "is_in_use", lambda file: "swapon" in made and fail != "swapon"), \
                mock.patch.object(swapping.machine, "meminfo", return_value={"SwapFree": 0}):
            try:
                with swapping.swap(self.folder, MIB) as file:
                    self.assertEqual(file.stat().st_size, MIB)
                    body()
            finally:
                self.made, self.left = made, list(self.folder.iterdir())

    def test_the_file_goes_away_when_all_has_run(self):
        self.calls()
        self.assertEqual((self.made, self.left), (["mkswap", "swapon", "swapoff"], []))

    def test_and_when_something_fails_or_ends_it(self):
        for exception in (RuntimeError, KeyboardInterrupt, SystemExit):
            with self.assertRaises(exception):
                self.calls(mock.Mock(side_effect=exception))
            self.assertEqual((self.made, self.left), (["mkswap", "swapon", "swapoff"], []))

    def test_and_when_the_system_does_not_take_it(self):
        with self.assertRaisesRegex(Failure, "no swap: refused. A swap file must lie on"):
            self.calls(fail="swapon")
        self.assertEqual((self.made, self.left), (["mkswap", "swapon"], []))

    def test_swap_that_there_is_is_used(self):
        with mock.patch.object(swapping.machine, "meminfo", return_value={"SwapFree": GIB}), swapping.swap(self.folder, MIB) as file:
            self.assertIsNone(file)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_which_files_are_in_use(self):
        self.write(swaps="Filename Type Size Used Priority\n/a\\040b/swap-1 file 4 0 -2\n")
        self.assertTrue(swapping.is_in_use(Path("/a b/swap-1"), self.folder / "swaps"))
        self.assertFalse(swapping.is_in_use(Path("/a b/swap-2"), self.folder / "swaps"))


class KilledTest(Folder):
    """Tests the cleanup after a killed bench, which left a journal, a program in a group, and swap."""

    def journal(self, pid, started):
        self.write(journal=json.dumps({"pid": pid, "started": started, "folder": str(self.folder)}))
        return self.folder / "journal"

    def test_a_bench_that_runs_is_left_alone(self):
        with self.assertRaisesRegex(Failure, f"another benchmark with swap is running .process {os.getpid()}."):
            swapping.clean_up(self.journal(os.getpid(), swapping.started(os.getpid())))

    def test_what_a_dead_one_left_goes_away(self):
        pid = os.getpid()              # of another process, which began at another time
        groups = self.folder / "groups"
        for name in (f"terrace-{pid}-x", "terrace-1-y", "other"):
            (groups / name).mkdir(parents=True)
        with subprocess.Popen(["sleep", "100"]) as left, \
                mock.patch.object(SwappingCap, "processes", lambda cap: [left.pid] if left.poll() is None else []), \
                mock.patch.object(swapping.memory_cap, "candidates", lambda: [(groups, 1)]):
            (self.folder / f"swap-{pid}").touch()
            self.assertTrue(swapping.clean_up(self.journal(pid, 1)))
            self.assertEqual(left.wait(), -9)
        self.assertEqual(sorted(path.name for path in groups.iterdir()), ["other", "terrace-1-y"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["groups"])

    def test_without_a_journal_there_is_nothing_to_do(self):
        self.assertFalse(swapping.clean_up(self.folder / "journal"))

    def test_a_journal_that_cannot_be_read_is_named(self):
        self.write(journal="{")
        with self.assertRaisesRegex(Failure, "swapon --show"):
            swapping.clean_up(self.folder / "journal")

    def test_the_journal_is_there_while_the_bench_runs(self):
        file = self.folder / "journal"
        with swapping.journal(self.folder, file):
            self.assertEqual(json.loads(file.read_text())["pid"], os.getpid())
        self.assertFalse(file.exists())


if __name__ == "__main__":
    unittest.main()
