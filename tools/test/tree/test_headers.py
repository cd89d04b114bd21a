# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests that each source states its licence, and that lines of Java are not too long."""
import tempfile
import unittest
from pathlib import Path

from terrace.common import paths
from terrace.common.term import output

FOLDERS = ("java", "persist", "bench", "tools")
LONGEST_LINE = 140
LICENCE = "SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0"
HEADERS = {**dict.fromkeys((".java", ".c"), f"// {LICENCE}"),
           **dict.fromkeys((".py", ".properties", ".args", ".yaml"), f"# {LICENCE}"),
           **dict.fromkeys((".xml", ".xsd", ".xsl"), f"<!-- {LICENCE} -->")}


def without_header(files):
    """Returns [(file, the missing header)]. The header is the first line, or the second one after an XML declaration or #!."""
    lacking = []
    for file in files:
        header = HEADERS.get(file.suffix)
        if header and header not in file.read_text().splitlines()[:2]:
            lacking.append((str(file), header))
    return lacking


def sources(*folders):
    names = output(["git", "-C", paths.ROOT, "ls-files", "-co", "--exclude-standard", *folders]).splitlines()
    return [paths.ROOT / name for name in names if (paths.ROOT / name).is_file()]


def long_lines(files):
    """Returns [file:line] of Java lines that are longer than `.editorconfig` allows."""
    return [f"{file}:{number}" for file in files if file.suffix == ".java"
            for number, line in enumerate(file.read_text().splitlines(), 1) if len(line) > LONGEST_LINE]


class LinesTest(unittest.TestCase):
    def test_no_line_is_too_long(self):
        self.assertIn(f"max_line_length = {LONGEST_LINE}\n", (paths.ROOT / ".editorconfig").read_text())
        self.assertEqual(long_lines(sources(*FOLDERS, "vm")), [])

    def test_a_long_one_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "Long.java"
            file.write_text(LONGEST_LINE * "x" + "\n" + (LONGEST_LINE + 1) * "x" + "\n")
            self.assertEqual(long_lines([file]), [f"{file}:2"])


class HeadersTest(unittest.TestCase):
    def test_every_source_has_one(self):
        files = sources(*FOLDERS)
        self.assertGreater(len(files), 500)
        self.assertEqual(without_header(files), [])

    def test_a_source_without_one_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = {"Good.java": f"// {LICENCE}\n\nclass Good {{}}\n", "Bad.java": "class Bad {}\n", "good.py": f"# {LICENCE}\n",
                     "bad.py": f'"""{LICENCE}"""\n', "good.xml": f"<?xml version='1.0'?>\n<!-- {LICENCE} -->\n<x/>\n",
                     "bad.xml": "<?xml version='1.0'?>\n<x/>\n", "page.md": "# Page\n", "empty.py": ""}
            for name, text in texts.items():
                (Path(folder) / name).write_text(text)
            self.assertEqual([Path(file).name for file, _ in without_header(sorted(Path(folder).iterdir()))],
                             ["Bad.java", "bad.py", "bad.xml", "empty.py"])


if __name__ == "__main__":
    unittest.main()
