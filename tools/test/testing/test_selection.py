# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests which stages and modules a change needs."""
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import maven, paths
from terrace.testing import selection
from terrace.testing.nightly import PARTS
from terrace.testing.stages import STAGES

NAMES = [stage.name for stage in STAGES]


def passed(commit, names=NAMES):
    """Returns a record in which these parts have passed."""
    return {name: selection.Passed(commit, 1, 1, "1.0 s") for name in names}


class ChosenTest(unittest.TestCase):
    def chosen(self, *changes):
        """Returns (stages, modules, VMs) of a plan for these paths."""
        with (mock.patch.object(selection, "record", lambda: passed("0" * 40)), mock.patch.object(selection, "known", lambda _: True),
              mock.patch.object(selection, "changed", lambda _: changes)):
            plan = selection.plan(STAGES, seed=1)
        names = [stage.name for stage in plan.stages]
        self.assertEqual(sorted([*names, *plan.left_out]), sorted(NAMES))
        return names, plan.modules, plan.variants()

    def test_the_vm_needs_all_that_runs_on_it(self):
        for path in ("vm/hotspot/share/gc/terrace/h2/space/h2Heap.cpp", "vm/hooks/series", "vm/make/custom-spec.gmk.in",
                     "vm/jdk/bin/jhsdb", "UPSTREAM"):
            names, modules, variants = self.chosen(path)
            self.assertEqual(names, NAMES, path)
            # UPSTREAM selects the JDK, and thus its tests of collections.
            self.assertEqual(modules, {"java/api", "java/spark", "java/giraph", "java/both-heaps", "bench/programs/giraph",
                                       *(["persist/suites"] if path == "UPSTREAM" else [])}, path)
            self.assertEqual(variants, ["release", "fastdebug"])

    def test_the_stage_build_alone_builds_both_vms(self):
        alone = [stage for stage in STAGES if stage.name == "build"]
        self.assertEqual(selection.Plan(alone, set(), 1).variants(), ["release", "fastdebug"])
        self.assertEqual(selection.Plan([], set(), 1).variants(), [])

    def test_persistent_objects_need_no_vm_of_ours(self):
        names, modules, variants = self.chosen("persist/infinispan/src/main/java/org/terrace/infinispan/CacheHeap.java")
        self.assertEqual(names, ["self", "check", "compile", "java"])
        self.assertEqual(modules, {"persist/infinispan", "persist/infinispan-newest", "bench/programs/persist"})
        self.assertEqual(variants, [])

    def test_dependents_of_a_module_are_tested_with_it(self):
        names, modules, variants = self.chosen("persist/core/pom.xml")
        self.assertEqual(modules, {"persist/core", "persist/suites", "java/both-heaps", "bench/programs/persist", "persist/infinispan",
                                   "persist/infinispan-newest", "persist/transform", "persist/maven-plugin"})
        # The release VM is needed because both-heaps has a test on a second heap.
        self.assertEqual((names, variants), (["self", "check", "compile", "build", "java"], ["release"]))

    def test_what_a_stage_uses_of_a_module(self):
        names, modules, _ = self.chosen("java/spark/src/main/java/org/terrace/spark/TerracePlugin.java")
        self.assertEqual(names, ["self", "check", "compile", "build", "java", "demo"])
        self.assertEqual(modules, {"java/spark", "java/spark-newest", "java/spark-scala-2.12", "java/place", "bench/programs/spark"})
        self.assertIn("jtreg", self.chosen("java/api/src/main/java/org/terrace/SecondHeap.java")[0])
        self.assertIn("live", self.chosen("bench/programs/gc/pom.xml")[0])

    def test_commands_need_no_stage_of_the_vm(self):
        for path in ("tools/terrace/doctor/rules.py", "tools/terrace/cli/guide.py", "examples/cache/Cache.java", "Dockerfile"):
            self.assertEqual(self.chosen(path)[0], ["self", "check", "build", "live"], path)
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

    def test_unknown_files_need_all_stages(self):
        for path in ("tools/terrace/common/term.py", "tools/terrace/testing/jtreg.py", "tools/terrace/building/vm.py", ".ci/run", "terrace",
                     "something/new", "java/no-such-module/pom.xml", "newfile"):
            names, modules, _ = self.chosen("docs/use/persist.md", path)
            self.assertEqual((names, modules), (NAMES, set(maven.modules())), path)

    def test_every_stage_is_one_that_some_rule_may_name(self):
        for _, names, _ in selection.RULES:
            self.assertLessEqual(names or set(), {part.name for part in PARTS})

    def test_parts_of_a_night(self):
        names = [part.name for part in PARTS]
        for path, some, others in (
                ("vm/hotspot/share/gc/terrace/h2/space/h2Heap.cpp", {"release", "stress", "kills", "modes", "jcstress"}, {"crashes", "bank"}),
                ("vm/test/jcstress/pom.xml", {"jcstress"}, {"stress", "jtreg", "crashes"}),
                ("vm/test/hotspot/jtreg/gc/terrace/h2/stress/H2Stress.java", {"jtreg", "release", "stress", "kills", "modes"}, {"crashes"}),
                ("persist/core/pom.xml", {"java", "suites", "crashes", "bank"}, {"stress", "jtreg"}),
                ("persist/infinispan/pom.xml", {"java", "bank"}, {"suites", "crashes"}),
                ("persist/suites/pom.xml", {"java", "suites"}, {"crashes", "bank"}),
                ("tools/terrace/testing/suites.py", {"java", "suites"}, {"crashes", "bank"}),
                ("UPSTREAM", {"jtreg", "suites"}, {"crashes", "bank"}),
                ("README.md", {"pages"}, {"demo", "jtreg"}), ("docs/start/spark.md", {"pages"}, {"demo", "jtreg"}),
                ("docs/use/spark.md", set(), {"pages"}),
                ("persist/maven-plugin/pom.xml", {"java"}, {"crashes", "bank"}),
                ("tools/terrace/common/term.py", set(names), set())):
            stages, _ = selection.chosen([path], names)
            self.assertLessEqual(some - {"build", "self", "check"}, stages, path)
            self.assertFalse(others & stages, path)


class BaseTest(unittest.TestCase):
    """Tests plans in a repository of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for target, name, value in ((paths, "ROOT", self.root), (paths, "TEST", self.root / "test"), (maven, "modules", dict),
                                    (selection, "RECORD", self.root / "test/nightly.txt")):
            patch = mock.patch.object(target, name, value)
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

    def plan(self, **options):
        plan = selection.plan(STAGES, **options)
        return [stage.name for stage in plan.stages], plan

    def test_without_a_record_everything_runs(self):
        for entries in ({}, passed("1" * 40)):
            selection.write_record(entries)
            names, plan = self.plan()
            self.assertEqual((names, plan.left_out), (NAMES, {}))
            self.assertIn("no commit of this clone for compile, without, smoke", plan.why)

    def test_a_record_is_read_as_it_was_written(self):
        entries = {"java": selection.Passed("a" * 40, 12, 345, "12:05 min"), "demo": selection.Passed("b" * 40, 123456, 1, "9.0 s")}
        selection.write_record(entries)
        self.assertEqual(selection.record(), entries)
        self.assertEqual(list((self.root / "test").glob("*.part")), [])

    def test_each_stage_has_a_base_of_its_own(self):
        (self.root / "vm/test/hotspot/gtest").mkdir(parents=True)
        (self.root / "vm/test/hotspot/gtest/a.cpp").write_text("a")
        second = self.commit()
        selection.write_record({**passed(self.first, ["gtest", "jtreg"]), **passed(second, ["compile", "java", "live"]),
                                **passed("1" * 40, ["demo"])})
        names, plan = self.plan()
        # The plan has gtest because of the change, the stages without a known commit, and the VMs that they need.
        self.assertEqual(names, ["self", "check", "build", "without", "smoke", "gtest", "upstream", "demo"])
        self.assertIn(f"2 paths differ from {self.first[:12]}, for which gtest, jtreg passed", plan.why)
        self.assertIn("no commit of this clone for without, smoke, upstream, demo", plan.why)

    def test_all_that_differs_counts(self):
        (self.root / "a").rename(self.root / "moved")
        self.commit()
        (self.root / "b").write_text("edited")
        (self.root / "new").write_text("not known to git")
        self.assertEqual(selection.changed(self.first), ["a", "b", "moved", "new"])

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
