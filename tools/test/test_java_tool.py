# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that a Java program receives the arguments of its command unchanged."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.cli import main
from terrace.common import java_tool, maven
from terrace.common.term import Failure


class JavaToolTest(unittest.TestCase):
    def test_options_may_come_first(self):
        for words in (["place", "--explain", "links", "app.jar"], ["place", "-h"], ["place", "app.jar", "--all"], ["place"],
                      ["heap", "fsck", "--help", "a file"], ["heap", "--help"]):
            with self.subTest(words=words):
                self.assertEqual(main.parser(words).parse_args(words).arguments, words[1:])


class JavaHomeTest(unittest.TestCase):
    """Tests that each user of JAVA_HOME rejects a folder without a JDK by name, before Maven runs."""

    def test_a_wrong_one_is_named(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, JAVA_HOME=folder):
            for what, run in {"java": lambda: java_tool.java(os.environ),
                              "Maven": lambda: maven.run(["package"], Path(folder, "log"), "building")}.items():
                with self.subTest(what), self.assertRaisesRegex(Failure, f"^JAVA_HOME={folder} has no bin/java: set it to .* or unset it$"):
                    run()
            self.assertEqual(os.listdir(folder), [])

    def test_a_right_one_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bin").mkdir()
            Path(folder, "bin/java").touch()
            self.assertEqual(java_tool.java({"JAVA_HOME": folder}), Path(folder, "bin/java"))


if __name__ == "__main__":
    unittest.main()
