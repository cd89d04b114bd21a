# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the rooms of the VM: what includes what, where classes of ParallelGC and G1 are named, how large a folder is, where state is."""
import collections
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from terrace.common import paths

H2 = "vm/hotspot/share/gc/terrace/h2"
# From the bottom to the top. A room includes only itself and the rooms before it.
ROOMS = ("base", "collector", "space", "paging", "liveness", "transfer", "collector/parallel", "report")
PARALLEL = "collector/parallel"
# The names of ParallelGC's classes, in code or in a comment.
OF_PARALLEL = re.compile(r"\b(PS[A-Z][a-z]\w+|Parallel(Scavenge|Compact)\w+|Par(Compaction|Mark)\w+|Mutable(NUMA)?Space|gc/parallel/\S+)")
# The headers of the tiers that H2 may include.
TIERS = {"tierMap.hpp", "tierMonitor.hpp", "tierPlacer.hpp"}
# The files that know which kind of storage is behind H2. Others ask H2Storage for a property.
KNOW_NODES = {"h2Storage_linux.cpp", "tierNode.hpp", "tierNode_linux.cpp", "tierPages.cpp"}
FAR = "vm/hotspot/share/gc/terrace/far"
# The names of G1's classes, and the folder of the code that uses them.
OF_G1 = re.compile(r"\b(G1[A-Z]\w+|HeapRegion\w*|gc/g1/\S+|far/g1/\S+)")
MOST_SOURCES = 30
PERSIST = "persist/core/src/main/java/org/terrace/persist"
# Heaps name the durable classes of this package, public and internal ones, so they cannot move. The others use their internal methods.
LARGE_FOLDERS = {f"{PERSIST}/types"}
# The number of mutable statics of the second heap, which may only sink. State is in objects. A class has one static, which is
# its object of H2 or a pointer to it. Objects save code that runs for each slot a load of the pointer.
MOST_STATICS = 42
# The units with more than one static, and why.
SEVERAL_STATICS = {
    "h2Calls": "the rules are an array that its object gets, and counts in",
    "h2CardPages": "a function returns its text",
    "h2File": "functions warn once",
}
STATIC = re.compile(r"^[ ]*static (struct \{|[^(){}=;/]+(?=[=;[]))", re.M)


def sources(root):
    return sorted(path for path in (root / H2).rglob("*") if path.suffix in (".cpp", ".hpp"))


def folder(name):
    return name.rpartition("/")[0]


def room(name):
    """The part of a collector in a class of the interface is in the room of the interface: h1Marks_parallel.cpp."""
    if re.search(r"_parallel\.", name):
        return "collector"
    return max((room for room in ROOMS if name.startswith(f"{room}/")), key=len, default=folder(name))


def includes(root, pattern):
    """Returns {(file, header)} of the includes that match the pattern, whose group is the header. Files are relative to h2/."""
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
    return re.sub(r"_(linux|x86|parallel)", "", path.rpartition("/")[2].partition(".")[0])


def cycles(root):
    """Returns the sets of units that reach each other by their includes. A unit is a header with its other files."""
    files = list((root / "vm/hotspot").glob("**/gc/terrace/**/*.[ch]pp"))
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
    files = [str(path.relative_to(root / H2)) for path in sources(root)]
    return {file for file in files if folder(file) != PARALLEL and OF_PARALLEL.search((root / H2 / file).read_text())}


def forwards(root):
    """Returns who includes headers of collector/parallel, except files there. One header forwards to one."""
    return {(file, included) for file, included in includes(root, rf"gc/terrace/h2/({PARALLEL}/[^\"]+)")
            if folder(file) != PARALLEL and included != f"{PARALLEL}/{unit(file)}_parallel.inline.hpp"}


def is_mutable(declaration):
    """The declaration is that of a static without its value: const char* name."""
    declaration = declaration.partition("[")[0]
    if "*" in declaration:
        return re.search(r"\*\s*const\b[^*]*$", declaration) is None
    return re.search(r"\bconst(expr)?\b", declaration) is None


def mutable_statics(root):
    """Returns the units that the static variables belong to, in classes, files and functions, and platform parts."""
    files = [*sources(root), *(root / "vm/hotspot").glob("os*/**/gc/terrace/h2*")]
    return collections.Counter(unit(path.name) for path in files for found in STATIC.findall(path.read_text()) if is_mutable(found))


def naming_g1(root):
    """Returns the files that other collectors could use, but that name G1. Files for a system have the name of their header."""
    shared = list((root / FAR).glob("*.[ch]pp"))
    units = {path.stem for path in shared}
    systems = [path for path in (root / "vm/hotspot").glob("os*/**/gc/terrace/far*_*.cpp") if unit(path.name) in units]
    return {path.name for path in (*shared, *systems) if OF_G1.search(path.read_text())}


def naming_nodes(root):
    files = (root / "vm/hotspot").glob("**/gc/terrace/**/*.[ch]pp")
    return {path.name for path in files if re.search(r"\btierNode\.hpp|\bTierNode::", path.read_text())}


def large_folders(files):
    counts = collections.Counter(folder(file) for file in files if file.endswith((".cpp", ".hpp", ".c", ".h", ".java", ".py")))
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
        self.assertEqual(naming_parallel(paths.ROOT), set())

    def test_only_a_forwarding_header_includes_the_part_of_parallel(self):
        self.assertEqual(forwards(paths.ROOT), set())

    def test_statics_only_sink(self):
        self.assertEqual(sum(mutable_statics(paths.ROOT).values()), MOST_STATICS, "lower MOST_STATICS if there are fewer")

    def test_a_class_has_one_static(self):
        self.assertEqual({name for name, count in mutable_statics(paths.ROOT).items() if count > 1}, set(SEVERAL_STATICS))

    def test_only_one_room_of_far_memory_names_g1(self):
        self.assertEqual(naming_g1(paths.ROOT), set())

    def test_only_the_storage_and_moves_of_pages_know_nodes(self):
        self.assertEqual(naming_nodes(paths.ROOT) - KNOW_NODES, set())

    def test_no_folder_is_large(self):
        files = subprocess.run(["git", "-C", str(paths.ROOT), "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(large_folders(files.split()), LARGE_FOLDERS)


class PlantedTest(unittest.TestCase):
    """Tests the rules with a copy of the rooms and one added violation."""

    def setUp(self):
        copy = tempfile.TemporaryDirectory()
        self.addCleanup(copy.cleanup)
        self.root = Path(copy.name)
        for folder in (H2, FAR):
            shutil.copytree(paths.ROOT / folder, self.root / folder)

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

    def test_a_file_that_asks_for_the_kind_of_storage(self):
        with open(self.root / H2 / "paging/h2Pager.cpp", "a") as out:
            out.write("static bool b = TierNode::is_used();\n")
        self.assertEqual(naming_nodes(self.root) - KNOW_NODES, {"h2Pager.cpp"})

    def test_a_cycle(self):
        self.plant("report/h2Usage.hpp", "gc/terrace/h2/report/h2Report.hpp")
        self.plant("report/h2Report.cpp", "gc/terrace/h2/report/h2Snapshot.hpp")
        self.plant("report/h2Snapshot.cpp", "gc/terrace/h2/report/h2Usage.hpp")
        self.assertEqual(cycles(self.root), {frozenset({"h2Usage", "h2Report", "h2Snapshot"})})

    def test_a_cycle_of_far_memory(self):
        with open(self.root / FAR / "farSummaries.cpp", "a") as out:
            out.write('#include "gc/terrace/far/g1/farMarking.hpp"\n')
        self.assertIn({"farMarking", "farSummaries"}, [group & {"farMarking", "farSummaries"} for group in cycles(self.root)])

    def test_g1_elsewhere(self):
        for file, line in (("farPages.hpp", "class HeapRegion;"), ("farWrites.cpp", '#include "gc/g1/g1CardTable.hpp"'),
                           ("farPolicy.hpp", '#include "gc/terrace/far/g1/farYoung.hpp"')):
            with open(self.root / FAR / file, "a") as out:
                out.write(f"{line}\n")
        self.assertEqual(naming_g1(self.root), {"farPages.hpp", "farWrites.cpp", "farPolicy.hpp"})

    def test_parallel_elsewhere(self):
        self.plant("space/h2Region.hpp", "gc/parallel/psOldGen.hpp")
        self.plant("collector/h1Marks.inline.hpp", "gc/parallel/parMarkBitMap.inline.hpp")
        self.plant("collector/parallel/h2Overhead.cpp", "gc/parallel/psScavenge.hpp")
        self.assertEqual(naming_parallel(self.root), {"space/h2Region.hpp", "collector/h1Marks.inline.hpp"})

    def test_a_class_of_parallel_without_a_header(self):
        with open(self.root / H2 / "liveness/h2Cards.hpp", "a") as out:
            out.write("class PSPromotionManager;\n")
        self.assertEqual(naming_parallel(self.root), {"liveness/h2Cards.hpp"})

    def test_the_part_of_parallel_without_the_interface(self):
        self.plant("liveness/h2Cards.cpp", "gc/terrace/h2/collector/parallel/h1Marks_parallel.inline.hpp")
        self.plant("collector/h1Heap.inline.hpp", "gc/terrace/h2/collector/parallel/h1Marks_parallel.inline.hpp")
        self.assertEqual({file for file, _ in forwards(self.root)}, {"liveness/h2Cards.cpp", "collector/h1Heap.inline.hpp"})

    def test_an_interface_that_knows_h2(self):
        self.plant("collector/parallel/h1Marks_parallel.cpp", "gc/terrace/h2/space/h2Heap.hpp")
        self.plant("collector/parallel/h2Overhead.cpp", "gc/terrace/h2/space/h2Heap.hpp")
        self.assertEqual(upward(self.root), {("collector/parallel/h1Marks_parallel.cpp", "space/h2Heap.hpp")})

    def test_statics(self):
        before = mutable_statics(self.root)
        with open(self.root / H2 / "liveness/h2Owners.hpp", "a") as out:
            out.write("  static const char* _last_error;\n  static volatile uint _count;\n  static Entry _entries[Capacity];\n"
                      "  static const char* const Text;\n  static const int Length = 6;\n  static constexpr Mode Random = 1;\n"
                      "  static bool is_empty() { return _count == 0; }\n  static H2Owners& of_h2();\n")
        with open(self.root / H2 / "liveness/h2Owners.cpp", "a") as out:
            out.write("static struct {\n  int fd;\n} slots[Count];\nstatic jlong last = 0;\nstatic const char zeros[64 * K];\n"
                      "static void look(int count) {\n  static bool has_warned = false;\n}\n")
        self.assertEqual(mutable_statics(self.root) - before, {"h2Owners": 6})

    def test_a_large_folder(self):
        files = [f"vm/hotspot/a/h2X{i}.cpp" for i in range(MOST_SOURCES)]
        self.assertEqual(large_folders(files), set())
        self.assertEqual(large_folders([*files, "vm/hotspot/a/h2X.hpp", "vm/hotspot/b/h2Y.hpp"]), {"vm/hotspot/a"})


if __name__ == "__main__":
    unittest.main()
