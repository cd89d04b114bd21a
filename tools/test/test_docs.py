# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""That the pages for people say what is there: links, and folders."""
import re
import tempfile
import unittest
from pathlib import Path

from terrace.common import paths
from terrace.common.term import output

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")
ARCHITECTURE = paths.ROOT / "docs/internals/architecture.md"


def pages():
    return [paths.ROOT / name for name in output(["git", "-C", paths.ROOT, "ls-files", "-co", "--exclude-standard", "*.md"]).split()]


def dead_links(page):
    """Targets of a page's links that are no files here."""
    text = re.sub(r"^(```.*?^```|    .*?$)", "", page.read_text(), flags=re.M | re.S)
    targets = [target for target in LINK.findall(text) if not ELSEWHERE.match(target)]
    return [target for target in targets if not (page.parent / target.partition("#")[0]).exists()]


class LinksTest(unittest.TestCase):
    def test_links_lead_somewhere(self):
        self.assertEqual({str(page): dead for page in pages() if (dead := dead_links(page))}, {})

    def test_dead_ones_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("[this](page.md), [a part](page.md#part), [here](#part), [a site](https://example.org/x)\n"
                            "[gone](gone.md), [split\nname](gone/too.md#part)\n\n    code[0](x)\n\n```\ncode[1](y)\n```\n")
            self.assertEqual(dead_links(page), ["gone.md", "gone/too.md#part"])


class FoldersTest(unittest.TestCase):
    def test_the_table_has_each_folder(self):
        table = ARCHITECTURE.read_text().partition("| folder |")[2].partition("\n\n")[0]
        listed = [name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)/`", row.split("|")[1])]
        self.assertEqual([name for name in listed if not (paths.ROOT / name).is_dir()], [])
        tracked = {name.partition("/")[0] for name in output(["git", "-C", paths.ROOT, "ls-files"]).split() if "/" in name}
        self.assertEqual(tracked - {".ci"} - {name.partition("/")[0] for name in listed}, set())


if __name__ == "__main__":
    unittest.main()
