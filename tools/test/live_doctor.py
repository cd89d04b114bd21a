# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the findings of `terrace doctor` for running programs, most of which have a problem on purpose."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from terrace.building import build
from terrace.cli import main as cli
from terrace.common import memory_cap, paths

HERE = Path(__file__).parent
# Warnings would appear between the lines of the program.
OPTIONS = ("-XX:AllocateH2At=.", "-Xlog:disable", "-Xlog:gc*,gc+h2:file=gc.log:uptime,level,tags")

# Seconds that suffice for the doctor, and for writing the 690 MB of the largest program to a disk with 5 MB/s.
PATIENCE = 600
ATTEMPTS = 10


class DoctorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = build.home("release")
        cls.classes = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.classes.cleanup)
        api = sorted((paths.ROOT / "java/api/src/main/java/org/terrace").glob("*.java"))
        subprocess.run([str(cls.home / "bin/javac"), "-d", cls.classes.name, *map(str, api), str(HERE / "Patient.java")],
                       check=True)

    @contextlib.contextmanager
    def patient(self, *arguments, options, cap=None):
        """Starts Patient in a folder of its own under the checkout, because H2 needs a disk."""
        with tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="doctor-") as folder:
            errors = Path(folder) / "errors"
            with open(errors, "wb") as stderr:
                process = subprocess.Popen(
                    [str(self.home / "bin/java"), *OPTIONS, *options, "-cp", self.classes.name, "Patient",
                     *arguments],
                    cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True, preexec_fn=cap.enter if cap else None)
            giving_up = threading.Timer(PATIENCE, process.kill)
            giving_up.start()
            try:
                self.assertEqual(process.stdout.readline(), "ready\n",
                                 f"{arguments} did not get going. Its errors:\n{errors.read_text()}")
                yield process.pid, Path(folder)
            finally:
                giving_up.cancel()
                process.kill()
                process.wait()
                process.stdout.close()

    def doctor(self, *arguments):
        """Returns (names of the findings, complete output)."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = cli.main(["doctor", "--json", *map(str, arguments)])
        found = {finding["name"]: finding for finding in json.loads(out.getvalue())["findings"]}
        self.assertEqual(status, 2 if found else 0)
        return found, out.getvalue()

    def test_h1_too_small(self):
        with self.patient("crowded", "77", options=["-Xmx128m", "-XX:H2Size=256m", "-XX:-H2MoveUnhinted"]) as (pid, folder):
            found, text = self.doctor(pid, "--seconds", 6)
            self.assertEqual(list(found), ["h1-small"], text)
            self.assertIn("Raise -Xmx from 128 MB", found["h1-small"]["remedy"])
            self.assertIn("tag", found["h1-small"]["remedy"])
            found, text = self.doctor(folder / "gc.log")
            self.assertEqual(list(found), ["h1-small"], text)

    @unittest.skipIf(memory_cap.unavailable(), "no cap on memory can be had")
    def test_thrashing(self):
        with memory_cap.memory_cap(400 << 20) as cap:
            with self.patient("thrashing", "640", options=["-Xmx64m", "-XX:H2Size=1g"], cap=cap) as (pid, _):
                # On a busy machine, the program's threads wait for processors, and so for few pages.
                for _ in range(ATTEMPTS):
                    found, text = self.doctor(pid, "--seconds", 6)
                    if "thrashing" in found:
                        break
                # In its first seconds, the VM does not yet know that the label is read at random.
                self.assertEqual(set(found) - {"reads-ahead"}, {"thrashing"}, text)
                self.assertIn("Give the container more memory (now 400 MB", found["thrashing"]["remedy"])
                self.assertRegex(found["thrashing"]["evidence"], r"of H2 for [\d.]+ s, summed over threads: (100|9\d) % label 1")

    def test_h2_refers_to_h1(self):
        with self.patient("referring", "256", options=["-Xmx512m", "-XX:H2Size=1g"]) as (pid, _):
            found, text = self.doctor(pid, "--seconds", 4)
            self.assertEqual(list(found), ["refers-to-h1"], text)

    def test_what_moves_is_replaced(self):
        with self.patient("replacing", "100", options=["-Xmx64m", "-XX:H2Size=2g"]) as (pid, folder):
            # Only a marking through H2 distinguishes replacement from loading.
            found, text = self.doctor(pid, "--seconds", 4, "--objects")
            self.assertIn("many-transfers", found, text)
            self.assertRegex(found["many-transfers"]["evidence"], r"\d+ of them moved something to H2, \d+ MB each")
            found, text = self.doctor(folder / "gc.log")
            self.assertTrue({"many-transfers", "loading"} & set(found), text)

    def test_hints_that_pin(self):
        with self.patient("pinned", "16", options=["-Xmx192m", "-XX:H2Size=256m", "-XX:H2RegionSize=16m"]) as (pid, _):
            # Without --objects, the known garbage depends on the time of the last marking through H2.
            found, text = self.doctor(pid, "--seconds", 6, "--objects")
            self.assertIn("pinned", found, text)
            self.assertIn("label", found["pinned"]["remedy"])
            self.assertIn("-XX:H2RegionSize=4m", found["pinned"]["remedy"])
            self.assertNotIn("h2-full", found, text)

    def test_arrays_that_do_not_fill_regions(self):
        with self.patient("half-filled", "50", options=["-Xmx128m", "-XX:H2Size=128m", "-XX:H2RegionSize=2m"]) as (pid, _):
            found, text = self.doctor(pid, "--seconds", 2)
            self.assertEqual(list(found), ["region-ends"], text)
            self.assertRegex(found["region-ends"]["evidence"], r"5\d of 64 regions of 2.0 MB; 4\d MB at the ends of regions are unused")
            self.assertIn("-XX:H2RegionSize=8m", found["region-ends"]["remedy"])

    def test_nothing_to_find(self):
        with self.patient("healthy", "256", options=["-Xmx128m", "-XX:H2Size=1g"]) as (pid, _):
            found, text = self.doctor(pid, "--seconds", 3, "--objects")
            self.assertEqual(list(found), [], text)

    def test_no_process_and_no_log(self):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(cli.main(["doctor", "/no/such/file"]), 1)
            self.assertEqual(cli.main(["doctor", str(os.getpid())]), 1)
        self.assertIn("neither the ID of a process nor a file", err.getvalue())
        self.assertIn("is not a Java process", err.getvalue())


if __name__ == "__main__":
    unittest.main()
