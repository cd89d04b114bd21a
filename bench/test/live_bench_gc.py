# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs `terrace bench gc` with one small program on two JVMs of the same home."""
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from terrace.building import build
from terrace.cli import main as cli
from terrace.common import paths


class BenchGcTest(unittest.TestCase):
    def test_xalan_against_itself(self):
        home = build.home("stock")
        paths.BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=paths.BUILD, prefix="bench-gc-") as folder:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = cli.main(["bench", "gc", "--quick", "--only", "xalan", "--pairs", "1", "--out", folder,
                                   "--side", f"one={home}", "--side", f"other={home},-XX:MaxTenuringThreshold=1",
                                   "--gc-threads", "3"])
            self.assertFalse(status, out.getvalue())
            runs = json.loads((Path(folder) / "results.json").read_text())["runs"]
            self.assertEqual([run["side"] for run in runs], ["one", "other"])
            self.assertIn("-XX:MaxTenuringThreshold=1", runs[1]["command"])
            for run in runs:
                self.assertGreater(run["gc"]["collections"], 0)
                self.assertGreater(run["report"]["latencies"]["document"]["count"], 0)
            self.assertIn("3 GC threads: other over one", (Path(folder) / "tables.md").read_text())
