# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests which options the rounds of `terrace stress` have."""
import unittest

from terrace.testing import stress


class StressTest(unittest.TestCase):
    def test_a_seed_repeats_its_options_and_all_options_occur(self):
        way = next(way for way in stress.WAYS if way.choices)
        self.assertEqual(way.options(7), way.options(7))
        rounds = [" ".join(way.options(seed)) for seed in range(400)]
        for group in stress.CHOICES:
            for options in group:
                flag = options.split()[0].split("{")[0]
                self.assertTrue(any(flag in line for line in rounds), options)
        self.assertGreater(len(set(rounds)), 350)
        self.assertFalse(any("{" in line for line in rounds))


if __name__ == "__main__":
    unittest.main()
