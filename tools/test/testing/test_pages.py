# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests `terrace dev pages`, and that it can run README and the getting-started pages."""
import contextlib
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common import paths
from terrace.common.term import Failure
from terrace.testing import pages
from terrace.testing.results import Cases

PAGE = """# A page

```sh
word=first
echo "$word 12 s"; echo noise; echo second
```
```output
first … s
second
```

```sh skip
exit 1
```

```sh root
echo only root
```

```sh status=3
echo "still $word"
(exit 3)
```
```output
still first
```
"""


def run(text, root=True):
    """Runs a page in a folder of its own. Returns (result, output)."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        found = pages.blocks(text)
        log = subprocess.run(["bash", "-c", pages.script(found, root)], cwd=folder, text=True, stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL, timeout=60).stdout
        cases = Cases(Path(folder, "log"))
        pages.judge("page.md", found, log, cases, root)
        return cases.result(), out.getvalue()


class RunTest(unittest.TestCase):
    def test_blocks_run_in_one_shell_and_print_what_the_page_says(self):
        result, printed = run(PAGE)
        self.assertEqual((result.passed, result.failed), (3, 0), printed)
        self.assertIn("skipped (marked so): page.md:13 exit 1", printed)

    def test_commands_that_need_root_are_skipped_for_other_users(self):
        result, printed = run(PAGE, root=False)
        self.assertEqual((result.passed, result.failed), (2, 0), printed)
        self.assertIn("skipped (needs root)", printed)

    def test_a_command_that_fails_ends_its_page(self):
        result, printed = run("```sh\necho one\nfalse\necho two\n```\n\n```sh\necho three\n```\n")
        self.assertEqual((result.passed, result.failed), (0, 2))
        self.assertRegex(printed, r"(?s)page.md:2 echo one: failed.*page.md:8 echo three: was not reached")
        self.assertNotIn("two\n", printed.partition("was not reached")[0].partition("printed:")[2])

    def test_another_status_than_the_page_says_is_a_failure(self):
        result, _ = run("```sh status=137\ntrue\n```\n")
        self.assertEqual((result.passed, result.failed), (0, 1))

    def test_other_output_than_the_page_says_is_a_failure(self):
        for said in ("other", "two\none", "one\ntwo\nthree"):
            result, printed = run(f"```sh\necho one; echo two\n```\n```output\n{said}\n```\n")
            self.assertEqual((result.passed, result.failed), (0, 1), said)
            self.assertIn("did not print", printed)

    def test_broken_pages_are_refused(self):
        with self.assertRaisesRegex(Failure, "line 2: the fence is not closed"):
            pages.blocks("```sh\necho\n")
        with self.assertRaisesRegex(Failure, "without commands"):
            pages.blocks("```output\nx\n```\n")


class CloneTest(unittest.TestCase):
    def test_a_folder_without_a_build_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pages, "FOLDER", Path(folder, "pages")):
            Path(folder, "jdk").mkdir()
            with self.assertRaisesRegex(Failure, "--build: .* has no upstream, release, jdk.stamp"):
                pages.clone(Path(folder))

    def test_the_environment_is_that_of_a_user_without_java(self):
        with mock.patch.dict(os.environ, JAVA_HOME="/x", CLASSPATH="y", HOME="/home/z"):
            found = pages.environment(PYTHONPATH="p")
        self.assertEqual((found.get("JAVA_HOME"), found.get("CLASSPATH"), found["HOME"], found["PYTHONPATH"]), (None, None, "/home/z", "p"))


class PagesTest(unittest.TestCase):
    """Tests the current pages."""

    def each(self):
        for page in pages.pages():
            with self.subTest(page=paths.relative(page)):
                yield page, page.read_text()

    def test_readme_is_short(self):
        self.assertLess(len((paths.ROOT / "README.md").read_text().splitlines()), 120)

    def test_each_page_has_commands_and_marks_that_are_known(self):
        for page, text in self.each():
            found = pages.blocks(text)
            if page.parent.name == "start" and page.name not in ("README.md", "limits.md"):
                self.assertTrue([block for block in found if block.is_command])
            for block in found:
                if block.is_command:
                    for word in block.words:
                        self.assertRegex(word, r"^(skip|root|status=\d+)$")

    def test_commands_are_in_fences(self):
        """An indented block would not run."""
        for _, text in self.each():
            outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
            self.assertNotRegex(outside, re.compile(r"^    \S", re.M))

    def test_listings_are_the_files_that_they_name(self):
        listed = set()
        for _, text in self.each():
            for block in pages.blocks(text):
                if not block.is_command and block.words:
                    [name] = block.words
                    listed.add(name)
                    # The listing omits the licence.
                    file = re.sub(r"\A(//|#) SPDX.*\n\n?", "", (paths.ROOT / name).read_text())
                    self.assertEqual(block.text, file, name)
        self.assertGreaterEqual(len(listed), 4)


if __name__ == "__main__":
    unittest.main()
