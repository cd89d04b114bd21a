# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Commands whose arguments a Java program parses get them as they were written."""
import unittest

from terrace.cli import main


class JavaToolTest(unittest.TestCase):
    def test_options_may_come_first(self):
        for words in (["place", "--explain", "links", "app.jar"], ["place", "-h"], ["place", "app.jar", "--all"], ["place"],
                      ["heap", "fsck", "--help", "a file"], ["heap", "--help"]):
            with self.subTest(words=words):
                self.assertEqual(main.parser(words).parse_args(words).arguments, words[1:])


if __name__ == "__main__":
    unittest.main()
