# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests where a control group is created, and that a failed attempt leaves nothing behind."""
import tempfile
import unittest
from pathlib import Path

from terrace.common import control_group
from terrace.common.control_group import ControlGroup, NoControlGroup


class Group(ControlGroup):
    controller = "cpu"

    def limit(self):
        pass


class NobodyEnters(Group):
    def write(self, name, text):
        raise OSError(95, "Operation not supported")


class CandidatesTest(unittest.TestCase):
    def test_candidates_follow_the_mount_of_each_controller(self):
        with tempfile.TemporaryDirectory() as folder:
            mounts, own = Path(folder) / "mounts", Path(folder) / "own"
            mounts.write_text("30 23 0:26 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                              "29 23 0:25 / /cg/unified rw - cgroup2 cgroup2 rw,nsdelegate\n")
            own.write_text("4:cpu,cpuacct:/me\n0::/we\n")
            found = {name: list(control_group.candidates(name, mounts, own)) for name in ("cpu", "cpuset")}
        self.assertEqual(found, {"cpu": [(Path("/cg/cpu,cpuacct/me"), 1), (Path("/cg/cpu,cpuacct"), 1)],
                                 "cpuset": [(Path("/cg/unified/we"), 2), (Path("/cg/unified"), 2)]})


class CreateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.shares = self.folder / "cgroup.subtree_control"

    def of_version_2(self, has, shares):
        (self.folder / "cgroup.controllers").write_text(has)
        self.shares.write_text(shares)

    def create(self, kind):
        return control_group.create(kind, [(self.folder, 2)], kind.limit)

    def test_the_controller_is_enabled_in_the_parent(self):
        self.of_version_2("cpuset cpu memory\n", "memory\n")
        group = self.create(Group)
        self.assertEqual(self.shares.read_text(), "+cpu")
        self.assertGreater(int((group.folder / "cgroup.procs").read_text()), 0)

    def test_a_parent_with_the_controller_enabled_is_not_changed(self):
        self.of_version_2("cpuset cpu memory\n", "cpu memory\n")
        self.create(Group)
        self.assertEqual(self.shares.read_text(), "cpu memory\n")

    def test_a_parent_without_the_controller_is_refused(self):
        self.of_version_2("cpuset memory\n", "memory\n")
        with self.assertRaisesRegex(NoControlGroup, f"{self.folder}: cpu is not among its cgroup.controllers"):
            self.create(Group)
        self.assertEqual(self.shares.read_text(), "memory\n")

    def test_a_group_that_no_process_can_enter_is_removed(self):
        self.of_version_2("cpu\n", "\n")
        with self.assertRaisesRegex(NoControlGroup, "Operation not supported"):
            self.create(NobodyEnters)
        self.assertEqual(self.shares.read_text(), "-cpu")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_dir()], [])

    def test_a_controller_that_is_not_mounted_is_an_error(self):
        with self.assertRaisesRegex(NoControlGroup, "no cpu controller is mounted"):
            control_group.create(Group, [], Group.limit)
