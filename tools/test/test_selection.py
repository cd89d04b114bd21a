# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Which stages and modules a change needs."""
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import maven, paths
from terrace.testing import selection
from terrace.testing.stages import STAGES

NAMES = [stage.name for stage in STAGES]


class ChosenTest(unittest.TestCase):
    def chosen(self, *changes):
        """(stages, modules) of a plan for these paths."""
        with (mock.patch.object(selection, "base", lambda: ("0" * 40, "")), mock.patch.object(selection, "changed", lambda _: changes)):
            plan = selection.plan(STAGES, seed=1)
        names = [stage.name for stage in plan.stages]
        self.assertEqual(sorted([*names, *plan.left_out]), sorted(NAMES))
        return names, plan.modules, plan.variants()

    def test_the_vm_needs_all_that_runs_on_it(self):
        for path in ("vm/hotspot/share/gc/terrace/h2/h2Heap.cpp", "vm/hooks/series", "vm/make/custom-spec.gmk.in",
                     "vm/jdk/bin/jhsdb", "UPSTREAM"):
            names, modules, variants = self.chosen(path)
            self.assertEqual(names, NAMES, path)
            self.assertEqual(modules, {"java/api", "java/spark", "java/giraph", "java/both-heaps"}, path)
            self.assertEqual(variants, ["release", "fastdebug"])

    def test_persistent_objects_need_no_vm_of_ours(self):
        names, modules, variants = self.chosen("persist/infinispan/src/main/java/org/terrace/infinispan/CacheHeap.java")
        self.assertEqual(names, ["self", "check", "compile", "java"])
        self.assertEqual(modules, {"persist/infinispan", "persist/infinispan-newest", "bench/programs/persist"})
        self.assertEqual(variants, [])

    def test_what_depends_on_a_module_is_tested_with_it(self):
        names, modules, variants = self.chosen("persist/core/pom.xml")
        self.assertEqual(modules, {"persist/core", "java/both-heaps", "bench/programs/persist", "persist/infinispan",
                                   "persist/infinispan-newest", "persist/transform", "persist/maven-plugin"})
        # Because both-heaps has a test on a second heap.
        self.assertEqual((names, variants), (["self", "check", "compile", "build", "java"], ["release"]))

    def test_what_a_stage_uses_of_a_module(self):
        names, modules, _ = self.chosen("java/spark/src/main/java/org/terrace/spark/TerracePlugin.java")
        self.assertEqual(names, ["self", "check", "compile", "build", "java", "demo"])
        self.assertEqual(modules, {"java/spark", "java/spark-newest", "bench/programs/spark"})
        self.assertIn("jtreg", self.chosen("java/api/src/main/java/org/terrace/SecondHeap.java")[0])
        self.assertIn("live", self.chosen("bench/programs/gc/pom.xml")[0])

    def test_commands_need_no_stage_of_the_vm(self):
        self.assertEqual(self.chosen("tools/terrace/doctor/rules.py")[0], ["self", "check", "build", "live"])
        self.assertEqual(self.chosen("bench/driver/demo/report.py")[0], ["self", "check", "build", "live", "demo"])

    def test_tests_need_their_stage(self):
        for path, stage in (("vm/test/hotspot/gtest/gc/terrace/test_h2RegionSet.cpp", "gtest"),
                            ("vm/test/hotspot/jtreg/TEST.groups", "jtreg"),
                            ("vm/test/upstream-ci.txt", "upstream"), ("tools/test/live_doctor.py", "live"),
                            ("tools/test/Https.java", "smoke")):
            self.assertEqual(self.chosen(path)[0], ["self", "check", "build", stage], path)
        self.assertEqual(self.chosen("tools/test/test_term.py", "bench/test/test_demo.py")[0], ["self", "check"])

    def test_words_need_almost_nothing(self):
        self.assertEqual(self.chosen("docs/use/persist.md", "README.md", "persist/README.md", "test/nightly.txt"),
                         (["self", "check"], set(), []))
        self.assertEqual(self.chosen(), (["self", "check"], set(), []))

    def test_whatever_is_not_known_needs_everything(self):
        for path in ("tools/terrace/common/term.py", "tools/terrace/testing/jtreg.py", "tools/terrace/building/vm.py", ".ci/run", "terrace",
                     "something/new", "java/no-such-module/pom.xml", "newfile"):
            names, modules, _ = self.chosen("docs/use/persist.md", path)
            self.assertEqual((names, modules), (NAMES, set(maven.modules())), path)

    def test_every_stage_is_one_that_some_rule_may_name(self):
        for _, names, _ in selection.RULES:
            self.assertLessEqual(names or set(), set(NAMES))
        self.assertLessEqual(set(selection.USERS) | selection.ALWAYS, set(NAMES))


class BaseTest(unittest.TestCase):
    """In a repository of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, value in (("ROOT", self.root), ("TEST", self.root / "test")):
            patch = mock.patch.object(paths, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(selection, "RECORD", self.root / "test/nightly.txt")
        patch.start()
        self.addCleanup(patch.stop)
        self.git("init", "-q")
        (self.root / "test").mkdir()
        (self.root / "a").write_text("a")
        (self.root / "b").write_text("b")
        self.first = self.commit()

    def git(self, *arguments):
        return subprocess.run(["git", "-C", str(self.root), "-c", "user.name=n", "-c", "user.email=e@e", *arguments], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "m")
        return self.git("rev-parse", "HEAD")

    def record(self, text):
        (self.root / "test/nightly.txt").write_text(text)

    def test_without_a_record_everything_runs(self):
        for text, why in ((None, "there is no "), ("nonsense\n", "names no commit"), (f"commit {'1' * 40}\n", "does not have commit 1111")):
            if text:
                self.record(text)
            plan = selection.plan(STAGES)
            self.assertEqual([stage.name for stage in plan.stages], NAMES)
            self.assertIn(why, plan.why)
            self.assertEqual(plan.left_out, {})

    def test_all_that_differs_counts(self):
        self.record(f"nightly of some day\ncommit {self.first}\n")
        self.assertEqual(selection.base(), (self.first, ""))
        (self.root / "a").rename(self.root / "moved")
        self.commit()
        (self.root / "b").write_text("edited")
        (self.root / "new").write_text("not known to git")
        self.assertEqual(selection.changed(self.first), ["a", "b", "moved", "new", "test/nightly.txt"])

    def test_a_change_that_was_taken_back_is_none(self):
        (self.root / "a").write_text("edited")
        self.commit()
        (self.root / "a").write_text("a")
        self.assertEqual(selection.changed(self.first), [])

    def test_the_seed_is_the_commit_s(self):
        self.assertEqual(selection.seed_of_commit(), int(self.first[:8], 16) % 1_000_000)
        self.assertEqual(selection.plan(STAGES, seed=5).seed, 5)


if __name__ == "__main__":
    unittest.main()
