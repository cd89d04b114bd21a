# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that patches survive apply and refresh byte for byte, and that edits go into the intended patch."""
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.building import check, hooks
from terrace.common import paths
from terrace.common.term import Failure

BASE = "".join(f"line {number}\n" for number in range(40))


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name, value in (("UPSTREAM", root), ("SRC", root / "src"), ("HOOKS", root / "hooks"),
                            ("SERIES", root / "hooks/series")):
            patch = mock.patch.object(paths, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        (root / "src").mkdir()
        (root / "hooks").mkdir()
        (root / "version").write_text("17.0.1\n")
        self.file("a.cpp", BASE)
        self.file("b.cpp", BASE)
        self.git("init", "-q")
        self.git("config", "user.name", "Terrace")
        self.git("config", "user.email", "terrace@terrace.invalid")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "base")
        self.git("tag", "upstream")
        hooks.reset()

    def file(self, name, text):
        (paths.SRC / name).write_text(text)

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=paths.SRC, check=True, capture_output=True, text=True).stdout

    def edit(self, name, after, line):
        text = (paths.SRC / name).read_text()
        self.file(name, text.replace(f"{after}\n", f"{after}\n{line}\n"))

    def patches(self):
        return {file.name: file.read_text() for file in paths.HOOKS.glob("*.patch")}

    def two(self):
        self.edit("a.cpp", "line 3", "  TERRACE_ONLY(one();)")
        hooks.fold("gc-one", "One is called\n\nNo seam sees it.")
        self.edit("a.cpp", "line 30", "  TERRACE_ONLY(two();)")
        self.edit("b.cpp", "line 5", "  TERRACE_ONLY(two();)")
        hooks.fold("gc-two", "Two is called. This subject is longer than what a line of a mail header takes, so that it folds")
        hooks.refresh()

    def test_refresh_writes_the_series_and_repeats_itself(self):
        self.two()
        self.assertEqual(hooks.series(), ["gc-one.patch", "gc-two.patch"])
        self.assertEqual(hooks.refresh(), [])
        text = self.patches()["gc-one.patch"]
        self.assertTrue(text.startswith("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"))
        self.assertIn("Subject: One is called\n\nNo seam sees it.\n\n---\ndiff --git a/a.cpp b/a.cpp\n---", text)
        self.assertNotIn("Terrace-Patch", text)
        self.assertNotIn("index ", text)

    def test_apply_then_refresh_is_byte_identical(self):
        self.two()
        before = self.patches()
        self.git("reset", "-q", "--hard", "upstream")
        hooks.reset()
        self.assertEqual(hooks.refresh(), [])
        self.assertEqual(self.patches(), before)
        self.assertTrue(check.round_trip())
        self.assertEqual(check.not_pristine_without_additions(), [])

    def test_an_edit_folds_into_an_earlier_patch(self):
        self.two()
        self.edit("a.cpp", "line 10", "  TERRACE_ONLY(more();)")
        hooks.fold("gc-one")
        self.assertEqual(hooks.dirty(), [])
        self.assertEqual(hooks.refresh(), ["gc-one.patch", "gc-two.patch"])
        self.assertIn("more()", self.patches()["gc-one.patch"])
        self.assertNotIn("more()", self.patches()["gc-two.patch"])

    def test_an_edit_of_another_patchs_line_is_refused(self):
        self.two()
        text = (paths.SRC / "a.cpp").read_text().replace("TERRACE_ONLY(two();)", "TERRACE_ONLY(three();)")
        self.file("a.cpp", text)
        with self.assertRaisesRegex(Failure, "overlap"):
            hooks.fold("gc-one")
        self.assertEqual((paths.SRC / "a.cpp").read_text(), text)

    def test_reapplying_touches_only_files_whose_content_changes(self):
        self.two()
        times = {name: (paths.SRC / name).stat().st_mtime_ns for name in ("a.cpp", "b.cpp")}
        patch = paths.HOOKS / "gc-one.patch"
        patch.write_text(patch.read_text().replace("one()", "uno()"))
        hooks.apply()
        self.assertIn("uno()", (paths.SRC / "a.cpp").read_text())
        self.assertEqual((paths.SRC / "b.cpp").stat().st_mtime_ns, times["b.cpp"])

    def test_unrefreshed_work_is_never_thrown_away(self):
        self.two()
        self.edit("b.cpp", "line 20", "mine")
        patch = paths.HOOKS / "gc-one.patch"
        patch.write_text(patch.read_text().replace("one()", "uno()"))
        with self.assertRaisesRegex(Failure, "uncommitted edits"):
            hooks.apply()
        self.assertIn("mine", (paths.SRC / "b.cpp").read_text())

    def test_refresh_with_uncommitted_edits_names_the_remedy(self):
        self.edit("b.cpp", "line 20", "mine")
        with self.assertRaisesRegex(Failure, "dev commit"):
            hooks.refresh()

    def test_a_patch_that_does_not_apply_is_named(self):
        self.two()
        patch = paths.HOOKS / "gc-one.patch"
        patch.write_text(patch.read_text().replace(" line 3\n", " line three\n"))
        with self.assertRaisesRegex(Failure, "gc-one.patch does not apply to 17.0.1"):
            hooks.apply()

    def test_a_commit_without_a_name_gets_one_from_its_subject(self):
        self.edit("a.cpp", "line 3", "x")
        self.git("commit", "-q", "-a", "-m", "GC: a Short subject")
        hooks.refresh()
        self.assertEqual(hooks.series(), ["gc-a-short-subject.patch"])


class PolicyTest(unittest.TestCase):
    def test_forbidden_places(self):
        for file in ("src/hotspot/cpu/x86/x.cpp", "src/hotspot/share/c1/c1_IR.cpp", "src/hotspot/share/opto/node.cpp",
                     "src/hotspot/share/gc/shared/barrierSet.cpp", "src/hotspot/share/interpreter/linkResolver.cpp",
                     "src/hotspot/share/gc/shared/cardTableBarrierSet.inline.hpp",
                     "src/hotspot/share/gc/shared/c2/barrierSetC2.cpp", "src/hotspot/os_cpu/linux_x86/a.cpp"):
            self.assertTrue(check.forbidden(file), file)
        for file in ("src/hotspot/share/gc/parallel/psScavenge.cpp", "src/hotspot/share/gc/shared/cardTable.cpp",
                     "src/hotspot/share/runtime/thread.cpp"):
            self.assertFalse(check.forbidden(file), file)

    def patch(self, *lines):
        return ("From: T <t@t>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: s\n\nwhy\n\n---\n"
                "diff --git a/f.cpp b/f.cpp\n--- a/f.cpp\n+++ b/f.cpp\n@@ -1,2 +1,3 @@\n line\n" + "".join(lines))

    def test_counts(self):
        text = self.patch("+  TERRACE_ONLY(a();)\n", "+  b();\n", "-  c();\n")
        self.assertEqual(check.parse(text), (["f.cpp"], 1, 2, 1))

    def test_lines_that_stay_without_terrace(self):
        self.assertEqual(check.unguarded_lines(self.patch("+  TERRACE_ONLY(a();)\n", "+#include \"gc/terrace/x.hpp\"\n",
                                                          "+#if INCLUDE_TERRACE\n", "+  a();\n", "+#endif\n")), [])
        self.assertEqual(check.unguarded_lines(self.patch("+  a();\n")), ["a();"])
        self.assertEqual(check.unguarded_lines(self.patch("+  TERRACE_ONLY(a(1,\n", "+    2);)\n", "+  b();\n")), ["b();"])
