# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the doors of the VM: TerraceHooks forwards each call, and docs/internals/hooks.md tells which hook calls it and where it ends."""
import re
import unittest

from terrace.common import paths

FOLDER = paths.ROOT / "vm/hotspot/share/gc/terrace"
PAGE = paths.ROOT / "docs/internals/hooks.md"
GUARD = "is_h2_enabled()"
# The functions that are the guards themselves.
TESTS = {"is_h2_enabled", "is_in_h2_range"}
# Functions that hooks call in a guard or for an argument.
BESIDE = {"TerraceGang::is_enabled", "PSPromotionManager::gc_thread_promotion_manager"}
# A call of another class, or of its object: H2Heap::heap().is_in_used(p). The arguments are names, strings and values of other classes.
ARGUMENT = r'(?:[\w:]|"[^"]*"|\(\)|, )*'
FORWARD = rf"[A-Z]\w+::(?:(?:of_h2|heap)\(\)\.)?\w+\({ARGUMENT}\)"
# The forms of a body, without the types: a call, with a guard or without. Before a collection, H2 is also verified.
FORMS = [re.compile(form) for form in (
    rf"(return )?{FORWARD};",
    rf"return is_h2_enabled\(\) && ({FORWARD}|\w+\(\));",
    rf"return is_h2_enabled\(\) \? {FORWARD} : \w+;",
    rf"if \(is_h2_enabled\(\)\) {{ (H2Verifier::verify_before\({ARGUMENT}\); )?{FORWARD}; }}",
)]
DEFINITION = re.compile(r"^[\w*: ]+ TerraceHooks::(\w+)\([^;{]*\) {\n(.*?)^}", re.M | re.S)
INLINE = re.compile(r"^  static [\w*]+ +(\w+)\([^;{\n]*\) +{( [^\n]* |\n.*?^  )}$", re.M | re.S)


def bodies(header, source):
    """Returns [(function, its body in one line)]."""
    found = [*INLINE.findall(header), *DEFINITION.findall(source)]
    return [(name, " ".join(re.sub(r"//.*", "", body).split())) for name, body in found]


def not_forwards(header, source):
    return {name for name, body in bodies(header, source) if name not in TESTS and not any(form.fullmatch(body) for form in FORMS)}


def ends(header, source):
    """Returns {function: classes in which it ends}. A private function counts as part of its caller."""
    found = {name: set(re.findall(r"(?<![\w(])(?<!, )([A-Z]\w+)::", body)) for name, body in bodies(header, source)}
    found["has_freed_little"] = found.pop("has_freed_little_in_h2")
    return found


def declared(header):
    public = header.partition(" public:")[2]
    return set(re.findall(r"^  static [\w*]+ +(\w+)\(", public, re.M))


def rows(page, head):
    """Returns the cells of a table's rows, whose first cell is that of the row before if it is empty."""
    table = page.partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    for above, row in zip(cells, cells[1:]):
        row[0] = row[0] or above[0]
    return cells


def calls_of(patch):
    """Returns [(class, function)] for the calls of the added lines."""
    return [tuple(call.split("::")) for line in patch.splitlines() if line.startswith("+")
            for call in re.findall(r"\b[A-Z]\w+::\w+(?=\()", line) if call not in BESIDE]


class DoorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header, cls.source = (FOLDER / "terraceHooks.hpp").read_text(), (FOLDER / "terraceHooks.cpp").read_text()
        cls.page = PAGE.read_text()
        patches = {file.stem: file.read_text() for file in (paths.ROOT / "vm/hooks").glob("*.patch")}
        cls.calls = {name: calls_of(patch) for name, patch in patches.items()}

    def test_each_function_has_a_body(self):
        self.assertEqual({name for name, _ in bodies(self.header, self.source)} - {"has_freed_little_in_h2"}, declared(self.header))

    def test_a_function_only_forwards(self):
        self.assertEqual(not_forwards(self.header, self.source), set())

    def test_upstream_calls_each_function(self):
        called = {function for calls in self.calls.values() for of, function in calls if of == "TerraceHooks"}
        self.assertEqual(called | {"is_h2_enabled"}, declared(self.header))

    def test_the_page_tells_where_a_function_ends(self):
        known = {name: classes for name, classes in ends(self.header, self.source).items() if name not in TESTS}
        stated = {}
        for row in rows(self.page, "| ends in | functions |"):
            for name in re.findall(r"`(\w+)`", row[1]):
                stated.setdefault(name, set()).update(re.findall(r"`(\w+)`", row[0]))
        self.assertEqual(stated, known)

    def test_the_classes_are_in_the_room_that_the_page_tells(self):
        for row in rows(self.page, "| ends in | functions |"):
            for name in re.findall(r"`(\w+)`", row[0]):
                self.assertTrue((FOLDER / row[2].strip("`") / f"{name[0].lower()}{name[1:]}.hpp").is_file(), name)

    def test_the_page_has_each_call_of_a_hook(self):
        listed = {}
        for row in rows(self.page, "| patch | upstream function | calls | why |"):
            listed.setdefault(row[0].strip("`"), set()).update(re.findall(r"`(?:\w+::)?(\w+)`", " ".join(row[1:3])))
        self.assertEqual(set(self.calls), set(listed))
        missing = {patch: {function for _, function in calls} - listed[patch] for patch, calls in self.calls.items()}
        self.assertEqual({patch: names for patch, names in missing.items() if names}, {})


class PlantedTest(unittest.TestCase):
    """Tests the rule of forwards with bodies that violate it."""

    HEADER = "  static bool  is_for(int n)        { return H2Heap::heap().is_for(n); }\n"

    def planted(self, body):
        return not_forwards(self.HEADER, f"void TerraceHooks::planted(int n) {{\n{body}\n}}\n")

    def test_forwards(self):
        for body in ("H2Heap::heap().print_on(n);", "return H2Heap::size();", 'H2Verifier::verify("heap verification");',
                     "if (is_h2_enabled()) {\n    H2Start::split(n, H2Heap::size(), n);\n  }", "return is_h2_enabled() ? H2Heap::left(n) : n;"):
            self.assertEqual(self.planted(body), set(), body)

    def test_bodies(self):
        for body in ("const int m = n + 1;\n  H2Heap::heap().print_on(m);", "if (n != 0) {\n    H2Heap::free(n);\n  }",
                     "H2Heap::free(n);\n  H2Heap::free(n);", "return H2Heap::size() / 2;", "H2Heap::free(n + 1);",
                     "static bool b; return b;",
                     "if (is_h2_enabled()) {\n    H2Heap::free(n);\n    H2Cards::scan();\n  }"):
            self.assertEqual(self.planted(body), {"planted"}, body)


if __name__ == "__main__":
    unittest.main()
