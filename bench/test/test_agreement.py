# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the comparison of results from two JVMs."""
import unittest

from bench.driver.measure import agreement


class DigitsTest(unittest.TestCase):
    def test_equal_is_all_digits(self):
        self.assertEqual(agreement.digits(0.1, 0.1), agreement.ALL_DIGITS)
        self.assertEqual(agreement.digits("a", "a"), agreement.ALL_DIGITS)

    def test_counts_significant_digits(self):
        self.assertEqual(agreement.digits(1.0, 1.001), 3)
        self.assertEqual(agreement.digits(1e9, 1.001e9), 3)
        self.assertEqual(agreement.digits(1.0, -1.0), 0)

    def test_other_things_are_equal_or_not(self):
        self.assertEqual(agreement.digits(1, 2), 0)
        self.assertEqual(agreement.digits(1.0, None), 0)
        self.assertEqual(agreement.digits(float("nan"), 1.0), 0)


class CompareTest(unittest.TestCase):
    def test_the_same_to_the_last_bit(self):
        same = {"rows": 5, "ranks": [[3, 0.25]], "digest": "ab"}
        self.assertEqual(agreement.compare([same, same], [same]), (17, []))

    def test_one_bit_counts_where_the_reference_repeats_itself(self):
        digits, differences = agreement.compare([{"x": 0.3}, {"x": 0.3}], [{"x": 0.1 + 0.2}])
        self.assertEqual(digits, 17)
        self.assertEqual(len(differences), 1)

    def test_the_reference_sets_the_yardstick(self):
        digits, differences = agreement.compare([{"x": 1.0}, {"x": 1.0001}], [{"x": 1.00005}])
        self.assertEqual((digits, differences), (4, []))
        self.assertEqual(len(agreement.compare([{"x": 1.0}, {"x": 1.0001}], [{"x": 1.01}])[1]), 1)

    def test_counts_must_be_exact(self):
        self.assertEqual(len(agreement.compare([{"rows": 5}, {"rows": 5}], [{"rows": 6}])[1]), 1)

    def test_a_checksum_that_the_reference_does_not_repeat_says_nothing(self):
        self.assertEqual(agreement.compare([{"digest": "a"}, {"digest": "b"}], [{"digest": "c"}])[1], [])

    def test_a_missing_value_is_a_difference(self):
        self.assertEqual(agreement.compare([{"rows": 5, "x": 1.0}], [{"rows": 5}])[1], ["x is missing"])

    def test_every_run_is_compared(self):
        self.assertEqual(len(agreement.compare([{"rows": 5}], [{"rows": 5}, {"rows": 4}, {"rows": 3}])[1]), 2)
