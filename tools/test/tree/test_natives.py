# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests when the JNI libraries of tests are built."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths
from terrace.testing import jtreg


class NativeLibrariesTest(unittest.TestCase):
    folders = ("gc",)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.suite = Path(folder.name) / "test/hotspot/jtreg"
        self.source = self.suite / "gc/some/libThing.c"
        self.source.parent.mkdir(parents=True)
        self.source.write_text("int thing;\n")
        build = mock.patch.object(paths, "BUILD", Path(folder.name) / "build")
        build.start()
        self.addCleanup(build.stop)

    def compiled(self):
        """Returns the sources that a call compiles."""
        def gcc(command, *_, **__):
            command[-1].touch()
            self.compilers.append(command[0])
            seen.append(next(Path(part) for part in command if str(part).endswith((".c", ".cpp"))))
        seen = []
        self.compilers = []
        with mock.patch.object(jtreg, "logged", gcc):
            self.target = jtreg.native_programs(self.suite, "jdk", self.folders)
        return seen

    def test_once(self):
        self.assertEqual(self.compiled(), [self.source])
        self.assertTrue((self.target / "libThing.so").exists())
        self.assertEqual(self.compiled(), [])

    def test_again_after_a_change(self):
        self.compiled()
        later = (self.target / "libThing.so").stat().st_mtime + 10
        os.utime(self.source, (later, later))
        self.assertEqual(self.compiled(), [self.source])

    def test_programs_and_other_folders(self):
        program = self.suite / "runtime/exething.c"
        other = self.suite / "runtime/libOther.cpp"
        for file in (program, other):
            file.parent.mkdir(exist_ok=True)
            file.write_text("")
        self.folders = ("runtime",)
        self.assertEqual(sorted(self.compiled()), [program, other])
        self.assertTrue((self.target / "thing").exists())
        self.assertTrue((self.target / "libOther.so").exists())

    def test_libraries_in_cpp_find_the_runtime_of_their_language(self):
        self.source = self.source.rename(self.source.with_suffix(".cpp"))
        self.compiled()
        self.assertEqual(self.compilers, ["g++"])

    def test_ours_are_found(self):
        self.suite = jtreg.OUR_TESTS
        self.assertIn("libTestJni.c", [source.name for source in self.compiled()])
