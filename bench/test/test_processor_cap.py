# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the files that the containers of `terrace bench gc --container` write in their control groups."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.driver.measure import processor_cap
from bench.driver.measure.processor_cap import CHANGE_SECONDS, KINDS
from terrace.common import control_group
from terrace.common.term import Failure


class ProcessorCapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "cpuset.mems").write_text("0-1\n")
        self.has_processors(0, 2, 3)

    def has_processors(self, *numbers):
        patch = mock.patch.object(processor_cap.os, "sched_getaffinity", lambda pid: set(numbers))
        patch.start()
        self.addCleanup(patch.stop)

    def create(self, name, version):
        """Returns (group, {name of a file: its content})."""
        with mock.patch.object(control_group, "candidates", lambda controller: [(self.folder, version)]):
            group = processor_cap.create(name)
        return group, {file.name: file.read_text() for file in group.folder.iterdir() if file.name != "cgroup.procs"}

    def test_one_cpu(self):
        self.assertEqual(self.create("one-cpu", 1)[1], {"cpuset.mems": "0-1\n", "cpuset.cpus": "3"})
        self.assertEqual(self.create("one-cpu", 2)[1], {"cpuset.cpus": "3"})

    def test_half_cpu(self):
        self.assertEqual(self.create("half-cpu", 1)[1], {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"})
        self.assertEqual(self.create("half-cpu", 2)[1], {"cpu.max": "50000 100000"})

    def test_changing_cpuset(self):
        group, files = self.create("changing-cpuset", 1)
        self.assertEqual(files, {"cpuset.mems": "0-1\n", "cpuset.cpus": "0,2,3"})
        for turns, expected in ((0.5, "0,2,3"), (1.1, "3"), (1.9, "3"), (2.1, "0,2,3"), (3.5, "3")):
            group.watch(turns * CHANGE_SECONDS)
            self.assertEqual((group.folder / "cpuset.cpus").read_text(), expected, turns)

    def test_one_processor_cannot_change(self):
        self.has_processors(1)
        with self.assertRaisesRegex(Failure, "--container changing-cpuset: this kind needs at least two processors"):
            processor_cap.require("changing-cpuset")
        self.create("one-cpu", 2)

    def test_a_refusal_names_controller_and_remedy(self):
        for name, kind in KINDS.items():
            with mock.patch.object(control_group, "candidates", lambda controller: [(self.folder / "absent", 1)]):
                with self.assertRaisesRegex(Failure, f"--container {name}: .*'{kind.controller}'.*absent: No such file.*as root"):
                    processor_cap.require(name)

    def test_the_group_goes_when_the_run_fails(self):
        group = mock.Mock()
        with mock.patch.object(processor_cap, "create", lambda name: group):
            with self.assertRaises(KeyboardInterrupt), processor_cap.container("one-cpu"):
                raise KeyboardInterrupt
        group.remove.assert_called_once_with()
