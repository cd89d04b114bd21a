# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the tiers on a device that writes slowly. Pages of regions that became slow leave memory once they are written,
however long that takes. Needs root."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from bench.driver.measure import device_cap
from terrace.building import build
from terrace.common import paths
from terrace.common.control_group import NoControlGroup
from terrace.common.term import Failure

# The 30 MB of a structure take 3 s, and the first repeated check comes after one second.
WRITTEN_PER_SECOND = 10 << 20
PATIENCE = 300
TESTS = paths.ROOT / "vm/test/hotspot/jtreg"


class SlowDeviceTest(unittest.TestCase):
    def test_what_becomes_slow_leaves_memory_when_it_is_written(self):
        paths.BUILD.mkdir(exist_ok=True)
        home = build.home("release")
        with tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="slow-device-") as folder:
            try:
                group = device_cap.create(lambda group: group.write(
                    "blkio.throttle.write_bps_device", f"{device_cap.disk_of(folder)} {WRITTEN_PER_SECOND}"))
            except (NoControlGroup, Failure) as reason:
                self.skipTest(str(reason))
            self.addCleanup(group.remove)
            sources = os.pathsep.join(map(str, (TESTS, paths.ROOT / "java/api/src/main/java", paths.SRC / "test/lib")))
            subprocess.run([home / "bin/javac", "-nowarn", "-d", folder, "-sourcepath", sources,
                            TESTS / "gc/terrace/tiers/TestMonitor.java"], check=True, timeout=PATIENCE)
            ran = subprocess.run([home / "bin/java", "-Xmx256m", f"-XX:AllocateH2At={folder}", "-XX:H2Size=512m", "-XX:H2FastSize=32m",
                                  "-XX:H2TierPolicy=monitor", "-XX:H2SampleInterval=200",
                                  "-XX:+UnlockDiagnosticVMOptions", "-XX:H2ResidentLimit=1g", "-Xlog:gc+h2=debug", "-cp", folder,
                                  "gc.terrace.tiers.TestMonitor", "monitor"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=group.enter, timeout=PATIENCE)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        if "not all of it" not in ran.stdout:
            self.skipTest("the system wrote the pages by itself, before they became slow")


if __name__ == "__main__":
    unittest.main()
