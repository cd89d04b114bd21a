# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests where a memory cap is created, and the behaviour where it is impossible."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import memory_cap
from terrace.common.memory_cap import MemoryCap, NoMemoryCap

V1 = "31 23 0:27 / /cg/memory rw,relatime - cgroup cgroup rw,memory\n30 23 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
V2 = "29 23 0:25 / /cg/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"


class CandidatesTest(unittest.TestCase):
    def candidates(self, mounts, own):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mounts").write_text(mounts)
            (Path(folder) / "own").write_text(own)
            return [(str(path), version) for path, version in
                    memory_cap.candidates(f"{folder}/mounts", f"{folder}/own")]

    def test_below_our_own_group_first(self):
        self.assertEqual(self.candidates(V1 + V2, "4:memory:/user/me\n1:cpu:/\n0::/\n"),
                         [("/cg/memory/user/me", 1), ("/cg/memory", 1)])

    def test_version_2(self):
        self.assertEqual(self.candidates(V2, "0::/system.slice/ci\n"),
                         [("/cg/unified/system.slice/ci", 2), ("/cg/unified", 2)])

    def test_at_the_top(self):
        self.assertEqual(self.candidates(V2, "0::/\n"), [("/cg/unified", 2)])

    def test_none(self):
        self.assertEqual(self.candidates("1 0 0:1 / / rw - ext4 /dev/root rw\n", "0::/\n"), [])


class CreateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def create(self, *candidates):
        with mock.patch.object(memory_cap, "candidates", lambda: candidates):
            return memory_cap.create()

    def test_the_first_that_works(self):
        cap = self.create((self.folder / "absent", 1), (self.folder, 2))
        self.assertEqual(cap.folder.parent, self.folder)
        self.assertEqual(cap.limit_file.read_text(), str(1 << 40))

    def test_a_group_without_limits_is_removed_again(self):
        with mock.patch.object(MemoryCap, "limit", side_effect=PermissionError(13, "Permission denied")):
            with self.assertRaisesRegex(NoMemoryCap, "Permission denied"):
                self.create((self.folder, 2))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_reasons_are_told(self):
        with self.assertRaisesRegex(NoMemoryCap, "a: No such file or directory; .*b: No such file"):
            self.create((self.folder / "a/a", 1), (self.folder / "b/b", 2))
        with self.assertRaisesRegex(NoMemoryCap, "no memory controller"):
            self.create()

    def test_the_group_goes_when_the_body_fails(self):
        made = mock.Mock()
        with mock.patch.object(memory_cap, "create", lambda kind: made):
            with self.assertRaises(KeyboardInterrupt):
                with memory_cap.memory_cap(1 << 30):
                    raise KeyboardInterrupt
        made.limit.assert_called_once_with(1 << 30)
        made.remove.assert_called_once_with()

    def test_files_of_both_versions(self):
        one, two = MemoryCap(self.folder, 1), MemoryCap(self.folder, 2)
        one.limit(5)
        two.limit(6)
        self.assertEqual({file.name: file.read_text() for file in self.folder.iterdir()},
                         {"memory.limit_in_bytes": "5", "memory.memsw.limit_in_bytes": "5",
                          "memory.max": "6", "memory.swap.max": "0"})

    def test_a_kernel_without_peak(self):
        self.assertIsNone(MemoryCap(self.folder, 2).peak())
