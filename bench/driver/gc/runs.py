# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs a program of `terrace bench gc` once, or two copies at once, alone or beside busy loops, and records costs and output."""
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from terrace.common import gclog, memory_cap, paths
from terrace.common.term import notice, step, tail
from ..measure import benchmarks, measure, processor_cap, taskqueue
from ..measure.failures import failure
from ..measure.tables import decimal
from .plan import command

QUICK_SECONDS, FULL_SECONDS = 120, 600
# A loop ends with its parent, even if the parent is killed.
LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(10 ** 6):\n        pass\n"


class Stopped(Exception):
    """The user has interrupted the bench."""


class GcRuns:
    """Starts programs. Logs are stored in a folder."""

    def __init__(self, quick, logs, graph, task_stats=False):
        self.quick, self.logs, self.graph, self.task_stats = quick, logs, graph, task_stats

    def run(self, name, title, setting, side, program):
        """Returns a list with a result for each VM, which are one or two."""
        stop = threading.Event()
        with step(title) as current, busy_loops(setting.loops):
            with ThreadPoolExecutor(2) as pool:
                runs = [pool.submit(self.one, f"{name}-{copy}", setting, side, program, stop)
                        for copy in range(2 if setting.two else 1)]
                try:
                    results = [run.result() for run in runs]
                finally:
                    stop.set()
            failed = [result for result in results if result["failure"]]
            current.done("FAILED" if failed else ", ".join(map(outcome, results)))
        for result in failed:
            notice(f"{title}: {result['failure']}. The end of {paths.relative(result['log'])}:\n\n"
                   f"{tail(result['log'], 15)}\n")
        return results

    def one(self, name, setting, side, program, stop):
        def watch(elapsed):
            if stop.is_set():
                raise Stopped
            if setting.container:
                container.watch(elapsed)
        slower = processor_cap.KINDS[setting.container].slower if setting.container else 1
        timeout = (QUICK_SECONDS if self.quick else FULL_SECONDS) * (1 + setting.loops) * (1 + setting.two) * slower
        out, log, gc_log = (self.logs / f"{name}.{kind}" for kind in ("out", "log", "gc.log"))
        gc_log.unlink(missing_ok=True)
        cap = setting.cap(program, self.quick)
        with (tempfile.TemporaryDirectory(prefix="gc-", dir=self.logs) as scratch,
              memory_cap.memory_cap(cap) if cap else processor_cap.container(setting.container) as container):
            words = list(map(str, command(program, self.quick, side.home, self.vm(name, setting, side, program, scratch),
                                          Path(scratch), self.graph, setting.mutators)))
            environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1")
            measured = vars(measure.run(words, out, log, container, env=environment, timeout=timeout, watch=watch))
        del measured["memory"]
        result = {"command": words, "log": str(log), "gc_log": str(gc_log), **measured, **printed(out, gc_log)}
        return {**result, "failure": failure(result, timeout, log, out)}

    def vm(self, name, setting, side, program, scratch):
        what = f"gc*,{taskqueue.LOG}" if self.task_stats else "gc*"
        return [*setting.vm(program, self.quick, side), *side.flags,
                f"-Xlog:{what}:file={self.logs / name}.gc.log:uptime,level,tags",
                f"-XX:ErrorFile={self.logs / name}.hs_err.log", f"-Djava.io.tmpdir={scratch}"]


def printed(out, gc_log):
    """Returns the report of the program, and the work of the collector during the measurement."""
    report = benchmarks.result(out.read_text(errors="replace"))
    if not report or not gc_log.exists():
        return {"report": report, "gc": None, "tasks": {}}
    lines = gc_log.read_text(errors="replace").splitlines()
    return {"report": report, "gc": gclog.parse(lines).between(report["from"], report["to"]),
            "tasks": taskqueue.totals(lines, report["from"], report["to"])}


def outcome(result):
    return (f"{decimal(sum(result['report']['seconds']))} s, {result['gc']['collections']} collections of "
            f"{decimal(result['gc']['seconds'])} s")


@contextlib.contextmanager
def busy_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()
