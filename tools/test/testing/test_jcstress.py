# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the reading of jcstress's output by `terrace stress --jcstress`."""
import unittest

from terrace.testing import jcstress


class JcstressTest(unittest.TestCase):
    def test_outcome(self):
        self.assertEqual(jcstress.outcome("RUN COMPLETE.\n"), (0, 0))
        self.assertEqual(jcstress.outcome("Results: 8 planned; 3 passed, 0 failed, 0 soft errs, 0 hard errs\n"
                                          "Results: 8 planned; 6 passed, 1 failed, 2 soft errs, 3 hard errs\n"), (6, 6))


if __name__ == "__main__":
    unittest.main()
