# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the permitted dependencies between parts of the repository, and that a violation is detected."""
import ast
import graphlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from terrace.cli import main as cli
from terrace.common import paths

MEASURING = {"bench", "demo", "report"}
OF_BENCH = re.compile(r"org[./]terrace[./]bench\b|\bterrace-(bench|harness)\b|\bbench/(programs|driver|test|pom)\b")
# Names in sources, poms and options that belong to java/ or the virtual machine.
OF_JAVA_OR_VM = re.compile(r"org[./]terrace[./]([A-Z]|(spark|notes|agent|bench)\b)"
                           r"|<artifactId>terrace-(?!parent\b|persist\b|infinispan\b)|\b(java/(api|spark)|hotspot/share)\b"
                           r"|\bgc/terrace\b|-XX:\S*H2|\bterrace\.(jdk|h2)\b")


def mentions(root, folders, pattern):
    """Returns [path:line] of the matching text."""
    found = []
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*")):
        if path.is_file() and not {"target", "__pycache__"} & set(path.relative_to(root).parts):
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{path.relative_to(root)}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    return found


def product_on_bench(root):
    return mentions(root, ("vm", "java", "persist"), OF_BENCH)


def h2_on_hooks(root):
    return mentions(root, ["vm/hotspot/share/gc/terrace/h2"], re.compile(r"\bterraceHooks\b|\bTerraceHooks\b"))


def persist_on_vm(root):
    return [place for place in mentions(root, ["persist"], OF_JAVA_OR_VM) if not place.startswith("persist/README.md")]


def modules(root):
    """Returns {name: (path, name of its package)} of the Python modules of tools/ and bench/."""
    found = {}
    for base, top in ((root / "tools", "terrace"), (root, "bench/driver")):
        for path in (base / top).rglob("*.py"):
            package = ".".join(path.relative_to(base).parent.parts)
            found[package if path.stem == "__init__" else f"{package}.{path.stem}"] = path, package
    return found


def imports(root):
    """Returns {module: modules that it imports, at the top or in a function}."""
    known, found = modules(root), {}
    for name, (path, package) in known.items():
        found[name] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found[name].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                found[name].update(full if full in known else base
                                   for full in (f"{base}.{alias.name}" for alias in node.names))
    return found


def tools_on_driver(root):
    """Returns the modules of tools/ that import the driver."""
    return sorted(name for name, used in imports(root).items()
                  if name.startswith("terrace") and any(other.partition(".")[0] == "bench" for other in used))


def cycle(root):
    """Returns packages that import each other in a cycle, or []."""
    known, graph = modules(root), {}
    for name, used in imports(root).items():
        package = known[name][1]
        graph.setdefault(package, set()).update(known[other][1] for other in used if other in known and known[other][1] != package)
    try:
        graphlib.TopologicalSorter(graph).prepare()
        return []
    except graphlib.CycleError as error:
        return error.args[1]


class WallsTest(unittest.TestCase):
    def test_the_product_does_not_know_bench(self):
        self.assertEqual(product_on_bench(paths.ROOT), [])

    def test_the_second_heap_does_not_know_who_calls_it(self):
        self.assertEqual(h2_on_hooks(paths.ROOT), [])

    def test_persist_knows_neither_java_nor_the_vm(self):
        self.assertEqual(persist_on_vm(paths.ROOT), [])

    def test_no_module_of_the_tools_imports_the_driver(self):
        self.assertEqual(tools_on_driver(paths.ROOT), [])

    def test_the_commands_that_measure_are_the_drivers(self):
        self.assertEqual({command.name for command in cli.COMMANDS if command.module.startswith("bench.")}, MEASURING)

    def test_only_they_load_the_driver(self):
        for command in cli.COMMANDS:
            with self.subTest(command.name):
                self.assertEqual(loads_driver([command.name]), command.name in MEASURING)
        self.assertFalse(loads_driver(["-h"]))

    def test_no_packages_import_each_other(self):
        self.assertEqual(cycle(paths.ROOT), [])


def loads_driver(words):
    program = (f"import sys; sys.path[:0] = [{str(paths.ROOT / 'tools')!r}, {str(paths.ROOT)!r}]\n"
               f"from terrace.cli import main; main.parser({words!r})\n"
               "print(any(name.partition('.')[0] == 'bench' for name in sys.modules))")
    return subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True).stdout == "True\n"


class PlantedTest(unittest.TestCase):
    """Tests each rule with a copy of the affected files and one added violation."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def copy(self, *parts):
        for part in parts:
            shutil.copytree(paths.ROOT / part, self.root / part, ignore=shutil.ignore_patterns("target", "__pycache__"))

    def plant(self, file, line):
        with open(self.root / file, "a") as out:
            out.write(f"{line}\n")

    def test_hooks_in_the_second_heap(self):
        self.copy("vm/hotspot/share/gc/terrace/h2")
        self.plant("vm/hotspot/share/gc/terrace/h2/space/h2Range.hpp", '#include "gc/terrace/terraceHooks.hpp"')
        self.assertEqual(len(h2_on_hooks(self.root)), 1)

    def test_bench_in_the_product(self):
        self.copy("vm/hotspot/share/gc/terrace/threads", "java/api", "persist/maven-plugin")
        self.assertEqual(product_on_bench(self.root), [])
        for file, line in (("vm/hotspot/share/gc/terrace/threads/processors.hpp", "// as bench/programs/gc does"),
                           ("java/api/src/main/java/org/terrace/GCThreads.java", "import org.terrace.bench.harness.Work;"),
                           ("java/api/pom.xml", "<artifactId>terrace-harness</artifactId>"),
                           ("persist/maven-plugin/pom.xml", "<artifactId>terrace-bench-persist</artifactId>")):
            before = len(product_on_bench(self.root))
            self.plant(file, line)
            after = product_on_bench(self.root)
            self.assertEqual((len(after), [place for place in after if place.startswith(file)] != []), (before + 1, True), line)

    def test_java_or_the_vm_in_persist(self):
        self.copy("persist/maven-plugin", "persist/transform/src/main")
        self.assertEqual(persist_on_vm(self.root), [])
        java = "persist/transform/src/main/java/org/terrace/persist/transform/Agent.java"
        for file, line in ((java, "import org.terrace.SecondHeap;"), (java, "import static org.terrace.spark.Heap.used;"),
                           (java, 'String flag = "-XX:AllocateH2At=/tmp";'),
                           ("persist/maven-plugin/pom.xml", "<artifactId>terrace-api</artifactId>"),
                           ("persist/maven-plugin/pom.xml", "<argLine>-XX:+VerifyH2</argLine>"),
                           ("persist/maven-plugin/pom.xml", "<source>../../java/api/src/main/java</source>")):
            before = len(persist_on_vm(self.root))
            self.plant(file, line)
            self.assertEqual(len(persist_on_vm(self.root)), before + 1, line)

    def test_the_driver_in_the_tools(self):
        self.copy("tools", "bench/driver")
        self.plant("tools/terrace/doctor/rules.py", "from bench.driver.measure import tables")
        self.plant("tools/terrace/dist/elf.py", "def late():\n    import bench.driver.measure.benchmarks")
        self.assertEqual(tools_on_driver(self.root), ["terrace.dist.elf", "terrace.doctor.rules"])

    def test_packages_that_import_each_other(self):
        for file, line, circle in (
                ("tools/terrace/building/jdk.py", "from ..testing import jtreg", {"terrace.building", "terrace.testing"}),
                ("bench/driver/spark/runs.py", "def late():\n    from ..demo import summary",
                 {"bench.driver.spark", "bench.driver.demo"}),
                ("tools/terrace/common/term.py", "from .. import dist\nfrom ..dist.elf import needs",
                 {"terrace.common", "terrace.dist"})):
            with self.subTest(line):
                self.copy("tools", "bench/driver")
                self.plant(file, line)
                self.assertEqual(set(cycle(self.root)), circle)
                shutil.rmtree(self.root / "tools")
                shutil.rmtree(self.root / "bench")


if __name__ == "__main__":
    unittest.main()
