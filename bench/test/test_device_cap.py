# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests which disk is limited, the files of the control group, and its removal."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.measure import device_cap
from terrace.common import control_group
from terrace.common.term import Failure


class DeviceCapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        number = os.stat(self.folder).st_dev
        self.entry = self.folder / f"{os.major(number)}:{os.minor(number)}"

    def test_a_partition_is_bounded_with_its_disk(self):
        partition = self.folder / "disk/part"
        partition.mkdir(parents=True)
        (self.folder / "disk/dev").write_text("8:0\n")
        (partition / "dev").write_text("8:1\n")
        self.entry.symlink_to(partition)
        self.assertEqual(device_cap.disk_of(self.folder, self.folder), "8:1")
        (partition / "partition").write_text("1\n")
        self.assertEqual(device_cap.disk_of(self.folder, self.folder), "8:0")

    def test_a_folder_on_no_disk(self):
        with self.assertRaisesRegex(Failure, "not on a block device"):
            device_cap.disk_of(self.folder, self.folder)

    def test_within_it_the_process_is_in_the_group(self):
        groups = []
        with (mock.patch.object(control_group, "candidates", lambda controller: [(self.folder, 1)]),
              mock.patch.object(device_cap, "disk_of", lambda folder: "8:0")):
            with self.assertRaises(KeyboardInterrupt), device_cap.device_cap(self.folder, 100 << 20):
                groups = [path for path in self.folder.iterdir() if path.is_dir()]
                self.assertEqual((groups[0] / "blkio.throttle.read_bps_device").read_text(), "8:0 104857600")
                self.assertEqual((groups[0] / "cgroup.procs").read_text(), "0")
                for file in groups[0].iterdir():      # unlike real files of a group, these prevent its removal
                    file.unlink()
                raise KeyboardInterrupt
        self.assertEqual((self.folder / "cgroup.procs").read_text(), "0")
        self.assertFalse(groups[0].exists())

    def test_no_cap_needs_no_group(self):
        with mock.patch.object(control_group, "candidates", lambda controller: []):
            with device_cap.device_cap(self.folder, None):
                pass
            with self.assertRaisesRegex(Failure, "no control group of version 1"), device_cap.device_cap(self.folder, 1):
                pass
