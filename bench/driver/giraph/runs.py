# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs a Giraph program once on one JVM in a control group of its own, and records costs and output."""
import contextlib
import tempfile

from terrace.common import gclog, memory_cap, paths
from terrace.common.term import notice, step, tail
from ..measure import benchmarks, measure
from ..measure.failures import failure
from ..measure.setting import BESIDE_HEAP
from ..measure.tables import decimal
from .plan import PARTITIONS, SIDES, THREADS, options, vm

MIB = 1 << 20


class GiraphRuns:
    """Starts programs one at a time. Logs are stored in a folder."""

    def __init__(self, homes, h2, timeout, logs, capped):
        self.homes, self.h2, self.timeout, self.logs, self.capped = homes, h2, timeout, logs, capped

    def run(self, name, title, side, setting, heap, program, words):
        """Runs a program with an -Xmx of `heap` MB. The result's `seconds` end when the last value is written."""
        out, log, gc_log = (self.logs / f"{name}.{kind}" for kind in ("out", "log", "gc.log"))
        gc_log.unlink(missing_ok=True)
        with step(title) as current, tempfile.TemporaryDirectory(prefix="giraph-", dir=self.logs) as scratch, \
                self.cap(heap) as cap:
            flags = [f"-Xmx{heap}m", *vm(side, self.h2), f"-Xlog:gc*:file={gc_log}:uptime,level,tags",
                     f"-XX:ErrorFile={self.logs / name}.hs_err.log", f"-Djava.io.tmpdir={scratch}"]
            command = list(map(str, benchmarks.GIRAPH.command(
                self.homes[SIDES[side].jdk], flags, program, *words, "--partitions", PARTITIONS, "--threads", THREADS,
                "--dir", scratch, *options(side, setting))))
            measured = vars(measure.run(command, out, log, cap, timeout=self.timeout, watch=lambda elapsed: current.update("")))
            del measured["memory"]
            result = {"command": command, "log": str(log), "gc_log": str(gc_log), **measured,
                      "report": benchmarks.result(out.read_text(errors="replace")),
                      "gc": gclog.parse_file(gc_log).summary() if gc_log.exists() else None}
            result["failure"] = failure(result, self.timeout, log, out)
            current.done("FAILED" if result["failure"] else f"{decimal(result['report']['seconds'])} s")
        if result["failure"]:
            notice(f"{title}: {result['failure']}. The end of {paths.relative(log)}:\n\n{tail(log, 8)}\n")
        return result

    def cap(self, heap):
        return memory_cap.memory_cap(heap * MIB + BESIDE_HEAP) if self.capped else contextlib.nullcontext()
