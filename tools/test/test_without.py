# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests which differences between hooked and upstream files are reported after the preprocessor."""
import unittest

from terrace.building import without


class ComparedTest(unittest.TestCase):
    def test_an_added_statement_is_named(self):
        found = without.compared("f.cpp", "int a; void f() { g(); a++; }", "int a; void f() { a++; }")
        self.assertEqual(found, "f.cpp: more: 'g()'")

    def test_changed_and_duplicated_statements_are_named(self):
        self.assertEqual(without.compared("f.cpp", "a(1);", "a(2);"), "f.cpp: more: 'a(1)' less: 'a(2)'")
        self.assertEqual(without.compared("f.cpp", "a(); a();", "a();"), "f.cpp: more: 'a()'")

    def test_the_order_of_declarations_does_not_matter(self):
        self.assertEqual(without.compared("f.hpp", "int b;\n\nint  a;", "int a; int b;"), "")

    def test_the_log_tag_and_class_live_workers_are_ignored(self):
        ours = "enum { _gc, _h2, _heap }; class LiveWorkers : public A { void f() { g(); } int a; }; int b;"
        self.assertEqual(without.compared("f", without.without_class(without.TAGS.sub("", ours)), "enum { _gc, _heap }; int b;"), "")


if __name__ == "__main__":
    unittest.main()
