# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the rooms of the second heap: which folder includes which, where ParallelGC is named, how large a folder is."""
import collections
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from terrace.common import paths

H2 = "vm/hotspot/share/gc/terrace/h2"
# From the bottom to the top. A room includes only itself and what stands before it.
ROOMS = ("base", "space", "paging", "liveness", "transfer", "collector/parallel", "report")
PARALLEL = "collector/parallel"
# Files outside of collector/parallel that name classes of ParallelGC, until there is an interface to the collector.
NAME_PARALLEL = {
    "liveness/h2CardPages.cpp", "liveness/h2Cards.cpp", "liveness/h2Eligibility.cpp", "liveness/h2Evacuation.cpp",
    "liveness/h2Synchronizers.cpp", "liveness/h2WorkerCounts.cpp", "liveness/marking/h2DeepMarking.cpp",
    "liveness/marking/h2MarksVerifier.cpp", "paging/h2UnusedHeap.cpp",
    "report/h2Report.cpp", "report/h2Verifier.cpp", "space/h2Heap.cpp", "transfer/h2Forwarding.inline.hpp",
    "transfer/h2Frequency.cpp", "transfer/h2Pretenuring.cpp", "transfer/h2Quiet.cpp", "transfer/h2Restless.cpp",
    "transfer/h2Transfer.cpp", "transfer/h2Unhinted.cpp", "transfer/selection/h2SelectUnhintedTask.cpp"}
# What H2 may include of the tiers.
TIERS = {"tierMap.hpp", "tierMonitor.hpp", "tierNode.hpp", "tierPlacer.hpp"}
MOST_SOURCES = 30
LARGE_FOLDERS = {"vm/hotspot/share/gc/terrace/far", "vm/test/hotspot/jtreg/gc/terrace/h2"}


def sources(root):
    return sorted(path for path in (root / H2).rglob("*") if path.suffix in (".cpp", ".hpp"))


def folder(name):
    return name.rpartition("/")[0]


def room(name):
    return next((room for room in ROOMS if name.startswith(f"{room}/")), folder(name))


def includes(root, pattern):
    """Returns {(file, what it includes)}, where the pattern has what is included as its group. Files are relative to h2/."""
    return {(str(path.relative_to(root / H2)), found)
            for path in sources(root) for found in re.findall(rf'^#include "{pattern}"', path.read_text(), re.M)}


def upward(root):
    return {(file, included) for file, included in includes(root, r"gc/terrace/h2/([^\"]+)")
            if ROOMS.index(room(file)) < ROOMS.index(room(included))}


def platform_upward(root):
    """Returns the upward includes of files for a system or processor, which belong to the room of the header with their name."""
    rooms = {path.name.partition(".")[0]: room(str(path.relative_to(root / H2))) for path in sources(root)}
    files = {path: rooms.get(path.name.partition("_")[0]) for path in (root / "vm/hotspot").glob("os*/**/gc/terrace/h2*_*.cpp")}
    return {(path.name, included) for path, own in files.items() if own
            for included in re.findall(r'^#include "gc/terrace/h2/([^"]+)"', path.read_text(), re.M)
            if ROOMS.index(own) < ROOMS.index(room(included))}


def unit(path):
    return re.sub(r"_(linux|x86)", "", path.rpartition("/")[2].partition(".")[0])


def cycles(root):
    """Returns the sets of units that reach each other by their includes. A unit is a header with its other files."""
    files = [*sources(root), *(root / "vm/hotspot").glob("os*/**/gc/terrace/h2*")]
    units = {unit(path.name) for path in files}
    reached = {name: set() for name in units}
    for path in files:
        reached[unit(path.name)] |= {unit(found) for found in re.findall(r'^#include "gc/terrace/([^"]+)"', path.read_text(), re.M)} & units
    for middle in units:
        for name in units:
            if middle in reached[name]:
                reached[name] |= reached[middle]
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in units if name in reached[name]}
    return {group for group in groups if len(group) > 1}


def naming_parallel(root):
    return {file for file, _ in includes(root, r"(gc/parallel/[^\"]+)") if room(file) != PARALLEL}


def large_folders(files):
    counts = collections.Counter(folder(file) for file in files if file.endswith((".cpp", ".hpp", ".c", ".h", ".java")))
    return {name for name, count in counts.items() if count > MOST_SOURCES}


class RoomsTest(unittest.TestCase):
    def test_each_file_is_in_a_room(self):
        self.assertEqual({room(str(path.relative_to(paths.ROOT / H2))) for path in sources(paths.ROOT)}, set(ROOMS))

    def test_a_room_includes_no_higher_one(self):
        self.assertEqual(upward(paths.ROOT), set())

    def test_a_platform_part_includes_no_higher_room(self):
        self.assertEqual(platform_upward(paths.ROOT), set())

    def test_no_units_include_each_other(self):
        self.assertEqual(cycles(paths.ROOT), set())

    def test_the_tiers_have_few_doors(self):
        self.assertEqual({included for _, included in includes(paths.ROOT, r"gc/terrace/tiers/([^\"]+)")} - TIERS, set())

    def test_only_the_room_of_parallel_names_it(self):
        self.assertEqual(naming_parallel(paths.ROOT), NAME_PARALLEL)

    def test_no_folder_of_the_vm_is_large(self):
        files = subprocess.run(["git", "-C", str(paths.ROOT), "ls-files", "vm"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(large_folders(files.split()), LARGE_FOLDERS)


class PlantedTest(unittest.TestCase):
    """Tests the rules with a copy of the rooms and one added violation."""

    def setUp(self):
        copy = tempfile.TemporaryDirectory()
        self.addCleanup(copy.cleanup)
        self.root = Path(copy.name)
        shutil.copytree(paths.ROOT / H2, self.root / H2)

    def plant(self, file, included):
        with open(self.root / H2 / file, "a") as out:
            out.write(f'#include "{included}"\n')

    def test_a_higher_room(self):
        self.plant("liveness/h2Owners.cpp", "gc/terrace/h2/report/h2Usage.hpp")
        self.plant("report/h2Usage.cpp", "gc/terrace/h2/base/h2Calls.hpp")
        self.assertEqual(upward(self.root), {("liveness/h2Owners.cpp", "report/h2Usage.hpp")})

    def test_a_higher_room_in_a_platform_part(self):
        file = self.root / "vm/hotspot/os/linux/gc/terrace/h2Calls_linux.cpp"
        file.parent.mkdir(parents=True)
        file.write_text('#include "gc/terrace/h2/base/h2Calls.hpp"\n#include "gc/terrace/h2/space/h2Heap.hpp"\n')
        self.assertEqual(platform_upward(self.root), {("h2Calls_linux.cpp", "space/h2Heap.hpp")})

    def test_a_cycle(self):
        self.plant("report/h2Usage.hpp", "gc/terrace/h2/report/h2Report.hpp")
        self.plant("report/h2Report.cpp", "gc/terrace/h2/report/h2Snapshot.hpp")
        self.plant("report/h2Snapshot.cpp", "gc/terrace/h2/report/h2Usage.hpp")
        self.assertEqual(cycles(self.root), {frozenset({"h2Usage", "h2Report", "h2Snapshot"})})

    def test_parallel_elsewhere(self):
        self.plant("space/h2Region.hpp", "gc/parallel/psOldGen.hpp")
        self.plant("collector/parallel/h2Overhead.cpp", "gc/parallel/psScavenge.hpp")
        self.assertEqual(naming_parallel(self.root) - NAME_PARALLEL, {"space/h2Region.hpp"})

    def test_a_large_folder(self):
        files = [f"vm/hotspot/a/h2X{i}.cpp" for i in range(MOST_SOURCES)]
        self.assertEqual(large_folders(files), set())
        self.assertEqual(large_folders([*files, "vm/hotspot/a/h2X.hpp", "vm/hotspot/b/h2Y.hpp"]), {"vm/hotspot/a"})


if __name__ == "__main__":
    unittest.main()
