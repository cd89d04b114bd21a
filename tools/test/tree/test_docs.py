# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that the documentation matches the repository: links, folders, indexes, and numbers from the code."""
import inspect
import re
import tempfile
import unittest
from pathlib import Path

from terrace.common import paths
from terrace.common.term import output
from terrace.doctor import rules

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:vm|java|persist|bench|tools|docs|examples)/(?!\S*\btarget/)[\w./-]+)`")     # without the output of Maven
ELSEWHERE = re.compile(r"[a-z]+:")
ARCHITECTURE = paths.ROOT / "docs/internals/architecture.md"


def pages():
    return [paths.ROOT / name for name in output(["git", "-C", paths.ROOT, "ls-files", "-co", "--exclude-standard", "*.md"]).split()]


def dead_links(page):
    """Returns the targets of a page's links that do not exist in the repository."""
    text = re.sub(r"^(```.*?^```|    .*?$)", "", page.read_text(), flags=re.M | re.S)
    targets = [target for target in LINK.findall(text) if not ELSEWHERE.match(target)]
    return [target for target in targets if not (page.parent / target.partition("#")[0]).exists()]


def anchors(page):
    """Returns the anchors of a page's headings, as GitHub creates them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_anchors(page):
    targets = [target for target in LINK.findall(page.read_text()) if "#" in target and not ELSEWHERE.match(target)]
    parts = [(target, page.parent / target.partition("#")[0] if not target.startswith("#") else page) for target in targets]
    parts = [(target, other) for target, other in parts if other.suffix == ".md" and other.exists()]
    return [target for target, other in parts if target.partition("#")[2] not in anchors(other)]


class LinksTest(unittest.TestCase):
    def test_links_lead_to_headings(self):
        self.assertEqual({str(page): dead for page in pages() if (dead := dead_anchors(page))}, {})

    def test_links_lead_somewhere(self):
        self.assertEqual({str(page): dead for page in pages() if (dead := dead_links(page))}, {})

    def test_dead_ones_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("[this](page.md), [a part](page.md#part), [here](#part), [a site](https://example.org/x)\n"
                            "[gone](gone.md), [split\nname](gone/too.md#part)\n\n    code[0](x)\n\n```\ncode[1](y)\n```\n")
            self.assertEqual(dead_links(page), ["gone.md", "gone/too.md#part"])


def broken_tables(text):
    """Returns the first row of each table without a heading, and each row with another number of cells than the heading."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    broken = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        head, *rows = table.splitlines()
        if not rows or not re.fullmatch(r"[|: -]+", rows[0]):
            broken.append(head)
        else:
            broken += [row for row in rows if len(cells(row)) != len(cells(head))]
    return broken


def cells(row):
    return re.sub(r"`[^`]*`|\\\|", "", row).strip()[1:-1].split("|")


class TablesTest(unittest.TestCase):
    def test_each_table_has_a_heading(self):
        self.assertEqual({str(page): broken for page in pages() if (broken := broken_tables(page.read_text()))}, {})

    def test_broken_ones_are_seen(self):
        text = "| a | b |\n|---|--:|\n| `x|y` | \\| |\n| 3 |\n\n| 4 | 5 |\n| 6 | 7 |\n\n```\n| 8 |\n```\n"
        self.assertEqual(broken_tables(text), ["| 3 |", "| 4 | 5 |"])


def dead_paths(page):
    """Returns the files and folders that a page names as code and that do not exist."""
    return [path for path in PATH.findall(page.read_text()) if not (paths.ROOT / path).exists()]


class PathsTest(unittest.TestCase):
    def test_they_exist(self):
        self.assertEqual({str(page): dead for page in pages() if "decisions" not in page.parts and page.name != "CHANGELOG.md"
                          and (dead := dead_paths(page))}, {})

    def test_dead_ones_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("`tools/test/`, `vm/hooks/*.patch`, `tools/test/gone.py` and `docs/gone`\n")
            self.assertEqual(dead_paths(page), ["tools/test/gone.py", "docs/gone"])


class FoldersTest(unittest.TestCase):
    def test_the_table_has_each_folder(self):
        table = ARCHITECTURE.read_text().partition("| folder |")[2].partition("\n\n")[0]
        listed = [name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)/`", row.split("|")[1])]
        self.assertEqual([name for name in listed if not (paths.ROOT / name).is_dir()], [])
        tracked = {name.partition("/")[0] for name in output(["git", "-C", paths.ROOT, "ls-files"]).split() if "/" in name}
        self.assertEqual(tracked - {".ci"} - {name.partition("/")[0] for name in listed}, set())

    def test_the_tables_have_each_file_of_the_vm(self):
        page = ARCHITECTURE.read_text()
        files = [Path(name) for name in output(["git", "-C", paths.ROOT, "ls-files", "vm/hotspot"]).split()]
        names = {file.name.partition(".")[0] for file in files if file.suffix in (".cpp", ".hpp")}
        listed = {name.rpartition("/")[2] for row in page.splitlines() if row.startswith("| `") for name in re.findall(r"`([^`]+)`", row)}
        self.assertEqual(names - listed, set())
        ours = {name for name in listed if re.fullmatch(r"(h2|far|tier|terrace)([A-Z_]\w*)", name)}
        self.assertEqual(ours - names, set())

    def test_packages_of_persistent_objects(self):
        root = paths.ROOT / PERSIST
        names = {".".join(file.parent.relative_to(root).parts) or "org.terrace.persist" for file in root.rglob("*.java")}
        section = ARCHITECTURE.read_text().partition("## Persistent objects")[2].partition("\n## ")[0]
        self.assertEqual(set(re.findall(r"^(?:\| )?`([a-z.]+)` (?:\||has)", section, re.M)), names)


class LengthTest(unittest.TestCase):
    """Limits the length of pages that are read from beginning to end. Reference tables belong to docs/reference."""
    LIMITS = {"README.md": 120, "docs/use/*.md": 120, "docs/measurements/*.md": 100}

    def test_guides_and_measurements_are_short(self):
        for pattern, limit in self.LIMITS.items():
            lengths = {str(page): len(page.read_text().splitlines()) for page in paths.ROOT.glob(pattern)}
            self.assertTrue(lengths, pattern)
            self.assertEqual({page: length for page, length in lengths.items() if length > limit}, {})


class IndexTest(unittest.TestCase):
    def test_an_index_has_each_page(self):
        """An index is the README.md of the repository, of docs, or of the page's folder."""
        docs = paths.ROOT / "docs"
        indexes = {paths.ROOT / "README.md", *docs.rglob("README.md")}
        listed = {(index.parent / target.partition("#")[0]).resolve() for index in indexes for target in LINK.findall(index.read_text())}
        self.assertEqual([str(page) for page in pages() if docs in page.parents and page not in indexes and page not in listed], [])


class ReferenceTest(unittest.TestCase):
    """Compares tables of the reference with the code."""

    def listed(self, page, pattern):
        return set(re.findall(pattern, (paths.ROOT / "docs" / page).read_text(), re.M))

    def found(self, folder, pattern):
        return {name for file in (paths.ROOT / folder).rglob("*.java") for name in re.findall(pattern, file.read_text(), re.M)}

    def test_methods_of_the_second_heap(self):
        source = (paths.ROOT / "java/api/src/main/java/org/terrace/SecondHeap.java").read_text()
        methods = set(re.findall(r"^    public static [\w<>]+ (\w+)\(", source, re.M))
        self.assertEqual(self.listed("reference/java-api.md", r"^\| `(\w+)\("), methods)

    def test_settings_and_metrics_of_the_spark_plugin(self):
        page, folder = "reference/spark-settings.md", "java/spark/src/main"
        self.assertEqual(self.listed(page, r"^\| `(spark\.terrace\.\w+)`"), self.found(folder, r"spark\.terrace\.[a-zA-Z]+"))
        metrics = (paths.ROOT / "docs" / page).read_text().partition("| metric |")[2].partition("\n\n")[0]
        self.assertEqual(set(re.findall(r"`([a-z0-9.]+)`", metrics)), self.found(folder, r'registry\.register\("([^"]+)"'))

    def test_events(self):
        pattern = r'@Name\("(org\.terrace\.[^"]+)"'
        names = self.found("java/api/src/main", pattern) | self.found("persist/core/src/main", pattern)
        self.assertEqual(self.listed("reference/observability.md", r"^\| `(org\.terrace\.[\w.]+)` \|"), names)


H2, FAR, PERSIST = "vm/hotspot/share/gc/terrace/h2/", "vm/hotspot/share/gc/terrace/far/", "persist/core/src/main/java/org/terrace/persist/"
GLOBALS, SPARK = "vm/hotspot/share/gc/terrace/terrace_globals.hpp", "java/spark/src/main/java/org/terrace/spark/"

# Numbers of the code that pages state: (file, pattern of the number there, its format in a page, {page: pattern of the
# surrounding text}).
NUMBERS = (
    (H2 + "base/h2Targets.hpp", r"int Capacity = (\d+);", lambda n: n, {
        "docs/troubleshooting.md": r"up to (\d+)\s+in\s+a\s+region", "docs/internals/architecture.md": r"up to (\d+)\s+in\s+a\s+region",
        "tools/terrace/doctor/majors.py": r"up to (\d+)\s+in\s+a\s+region",
        "docs/start/limits.md": r"at most ([\d,]+) objects of the heap"}),
    (GLOBALS, r"H2RegionSize, (\d+) \* M", lambda n: n, {
        "README.md": r"regions of (\d+) MB", "docs/glossary.md": r"a part of H2, (\d+) MB by default",
        "docs/use/observing.md": r"A region of (\d+) MB"}),
    (GLOBALS, r"H2RegionSize, (\d+) \* M", lambda n: n // 2, {"docs/use/without-hints.md": r"half a region \((\d+) MB by default\)"}),
    (GLOBALS, r"H2SampleInterval, (\d+)", lambda n: n // 1000, {"docs/use/tiers.md": r"`H2SampleInterval` \((\d+) s\)"}),
    (GLOBALS, r"H2MigrationRate, (\d+) \* M", lambda n: n, {"docs/use/tiers.md": r"`H2MigrationRate` \((\d+) MB/s"}),
    (H2 + "paging/h2Pager.hpp", r"MaxPrefetchBytes = (\d+) \* M", lambda n: n, {
        "docs/reference/java-api.md": r"in the background, up to (\d+) MB"}),
    (H2 + "liveness/marking/h2DeepMarkingPolicy.hpp", r"MaxPatience = (\d+);", lambda n: n, {
        "docs/use/semantics.md": r"within (\d+) (?:calls of `System.gc\(\)`, or|collections)"}),
    (FAR + "farRequests.hpp", r"Least = (\d+);", lambda n: n, {"docs/internals/far-memory.md": r"in a cycle has (\d+) pages"}),
    (FAR + "farPages.hpp", r"ChunkPages = (\d+);", lambda n: n, {"docs/internals/far-memory.md": r"doubles up to (\d+) pages"}),
    (FAR + "farRefresher.cpp", r"IntervalMillis = (\d+);", lambda n: n, {"docs/use/far-memory.md": r"refreshes this map every (\d+) ms"}),
    (SPARK + "TierQuestions.java", r'COLD_AFTER, "(\d+)s"', lambda n: n, {
        "docs/reference/spark-settings.md": r"`spark.terrace.coldAfter` \| `(\d+)s`",
        "docs/use/tiers.md": r"`spark.terrace.coldAfter` \((\d+) s\)"}),
    (SPARK + "TerraceExecutorPlugin.java", r"LARGE_PORTION = (\d+)L << 20", lambda n: n, {
        "docs/reference/spark-settings.md": r"of Spark's memory, at most (\d+) MB"}),
    ("java/place/src/main/java/org/terrace/place/Walk.java", r"int CALLS = ([\d_]+);", lambda n: n, {
        "docs/use/place.md": r"at most ([\d,]+) calls per entry"}),
    (PERSIST + "HeapOptions.java", r"logSize = (\d+)L << 20", lambda n: n // 2, {
        "docs/use/persist.md": r"half of the log \((\d+) MB by default\)"}),
    (PERSIST + "HeapOptions.java", r"logSize = (\d+)L << 20", lambda n: n * 4, {
        "docs/use/persist-durability.md": r"four times the size of the log \((\d+) MB by default\)"}),
    (PERSIST + "heap/StackRoom.java", r"int BYTES = (\d+) << 10", lambda n: n, {"docs/use/persist.md": r"needs (\d+) KB of stack"}),
    (PERSIST + "heap/ObjectHeader.java", r"GENERATIONS = 1 << (\d+);", lambda n: (1 << n) - 1, {
        "docs/use/persist.md": r"recognized for the next ([\d,]+) objects"}),
    (PERSIST + "events/HeapEvents.java", r'@Threshold\("(\d+) ms"\)', lambda n: n, {
        "docs/use/persist-by-hand.md": r"(\d+) ms or longer"}),
)


def numbers(file, pattern):
    return {int(re.sub("[,_]", "", found)) for found in re.findall(pattern, (paths.ROOT / file).read_text())}


class NumbersTest(unittest.TestCase):
    def test_pages_have_the_numbers_of_the_code(self):
        for file, pattern, stated, pages_with_it in NUMBERS:
            known = numbers(file, pattern)
            self.assertEqual(len(known), 1, (file, pattern))
            for page, text in pages_with_it.items():
                with self.subTest(page=page, file=file):
                    self.assertEqual(numbers(page, text), {stated(number) for number in known}, text)

    def test_sizes_of_folders(self):
        """The folders grow, so a difference of a tenth is accepted."""
        found = re.findall(r"`([a-z/]+)/` \(([\d,]+) lines", ARCHITECTURE.read_text())
        self.assertEqual([folder for folder, _ in found], ["persist", "vm/hotspot"])
        for folder, stated in found:
            files = output(["git", "-C", paths.ROOT, "ls-files", f"{folder}/*.java", f"{folder}/*.[ch]pp", f"{folder}/*.[ch]"]).split()
            lines = sum(len((paths.ROOT / file).read_text().splitlines()) for file in files)
            self.assertAlmostEqual(int(stated.replace(",", "")) / lines, 1, delta=0.1, msg=f"{folder} has {lines} lines")


CALL = r"\b(?:log_warning\([^)]*\)|warning|refuse|fatal|vm_exit_during_initialization)\(\s*(?:(?:err_msg|FormatBuffer<[^>]*>)\()?"
STRING, FORMAT = r'"(?:[^"\\]|\\.)*"', r"[A-Z_]+FORMAT[A-Z_]*"
MESSAGE = re.compile(rf"{CALL}\s*({STRING}(?:\s*(?:{STRING}|{FORMAT}))*)")


def messages():
    """Yields the messages with which the VM refuses to start, warns, or exits, as pieces between the inserted values."""
    for file in sorted((paths.ROOT / "vm/hotspot").rglob("*.cpp")):
        for found in MESSAGE.finditer(file.read_text()):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(FORMAT, '"%d"', found[1])))
            yield [piece for piece in (piece.strip(" ;:,()") for piece in re.split(r"%(?:\.\*)?[a-z]", text)) if len(piece) > 8]


class TroubleshootingTest(unittest.TestCase):
    PAGE = paths.ROOT / "docs/troubleshooting.md"

    def test_it_has_each_finding_of_the_doctor(self):
        source = "".join(map(inspect.getsource, rules.RULES))
        table = self.PAGE.read_text().partition("## Findings of the doctor")[2].partition("\n## ")[0]
        self.assertEqual(re.findall(r"^\| `([^`]+)` \|", table, re.M), re.findall(r'return Finding\(\s*"([^"]+)"', source))

    def test_it_has_each_message_of_the_vm(self):
        page = self.PAGE.read_text()
        found = [pieces for pieces in messages() if pieces]
        self.assertGreater(len(found), 50)
        self.assertEqual([pieces for pieces in found if not any(piece[:20] in page for piece in pieces)], [])


if __name__ == "__main__":
    unittest.main()
