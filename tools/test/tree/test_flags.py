# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the documentation that is generated from flag declarations."""
import unittest

from terrace.building import flags

HEADER = r'''
#define GC_TERRACE_FLAGS(develop, product, range, \
                         constraint)                        \
  product(ccstr, H2At, NULL,                                \
          "A directory, \"quoted\", with (parentheses), "   \
          "and a comma.")                                   \
                                                            \
  product(size_t, H2RegionSize, 16 * M,                     \
          "Bytes.")                                         \
          range(2 * M, 256 * M)                             \
                                                            \
  product(bool, VerifyH2, false, DIAGNOSTIC,                \
          "Verify | all.")                                  \
                                                            \
  product(bool, H2New, false, EXPERIMENTAL,                 \
          "New.")                                           \
                                                            \
  product(uintx, H2Torture, 0, DIAGNOSTIC,                  \
          "One in so many.")                                \
          range(0, max_juint)
'''


class FlagsTest(unittest.TestCase):
    def setUp(self):
        self.flags = flags.parse(HEADER)

    def test_all_are_found_in_order(self):
        self.assertEqual([flag.name for flag in self.flags], ["H2At", "H2RegionSize", "VerifyH2", "H2New", "H2Torture"])
        self.assertEqual([flag.diagnostic for flag in self.flags], [False, False, True, False, True])
        self.assertEqual([flag.experimental for flag in self.flags], [False, False, False, True, False])

    def test_text_is_joined(self):
        self.assertEqual(self.flags[0].text, 'A directory, "quoted", with (parentheses), and a comma.')

    def test_how_to_type_them(self):
        self.assertEqual([flag.use for flag in self.flags],
                         ["-XX:H2At=<string>", "-XX:H2RegionSize=<number>", "-XX:+VerifyH2", "-XX:+H2New", "-XX:H2Torture=<number>"])

    def test_defaults_and_ranges(self):
        self.assertEqual(self.flags[0].facts, "not set by default")
        self.assertEqual(self.flags[1].facts, "default 16m, 2m to 256m")
        self.assertIn("experimental: needs -XX:+UnlockExperimentalVMOptions", self.flags[3].facts)
        self.assertIn("0 to 4294967295", self.flags[4].facts)

    def test_the_page_escapes_tables(self):
        self.assertIn("Verify \\| all.", flags.markdown(self.flags))

    def test_the_declared_flags_can_be_read(self):
        declared = flags.declared()
        self.assertTrue(all(flag.text.endswith(".") for flag in declared), "every help text is a sentence")
