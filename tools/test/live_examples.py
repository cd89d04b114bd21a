# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the examples that need only the JDK."""
import os
import subprocess
import unittest

from terrace.building import build
from terrace.common import maven, paths

SECONDS = 180


class CacheTest(unittest.TestCase):
    def test_a_cache_of_four_times_the_heap(self):
        home = build.home("release", make=False)
        maven.run(["-pl", "java/api", "-DskipTests", "package"], "example-cache.log", "building the API")
        result = subprocess.run([paths.ROOT / "examples/cache/run.sh"], text=True, capture_output=True, timeout=SECONDS,
                                env=dict(os.environ, JAVA_HOME=str(home)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"2000000 of 2000000 values are right, -Xmx is \d\d MB, H2 has 2\d\d MB")


if __name__ == "__main__":
    unittest.main()
