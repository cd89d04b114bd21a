# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs a Spark program once on one JVM in a control group of its own, and records costs and output."""
import csv
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from terrace.common import gclog, memory_cap, paths
from terrace.common.term import notice, step, tail
from ..measure import benchmarks, measure
from ..measure.failures import failure
from ..measure.tables import decimal

MIB = 1 << 20
GC_LOG = "-Xlog:gc*:file={}:uptime,level,tags"


@dataclass(frozen=True)
class Machine:
    """A JVM with its options, and the options of Spark on it."""
    home: Path
    vm: tuple
    spark: tuple = ()
    dependencies: Path = benchmarks.SPARK.dependencies


def terrace(home, h2):
    """Returns the machine that keeps Spark's cache in a second heap in the folder `h2`."""
    return Machine(home, ("-XX:+UseParallelGC", f"-XX:AllocateH2At={h2}"),
                   ("--conf", f"spark.plugins={benchmarks.PLUGIN}"))


class SparkRuns:
    """Starts programs one at a time."""

    def __init__(self, heap, cap, timeout, logs):
        self.heap, self.cap, self.timeout, self.logs = heap, cap, timeout, logs

    def run(self, name, title, machine, program, words, inputs=()):
        """Runs `program` with `words`. `name` is for logs, `title` for the line of progress, and `inputs` are files that
        the program reads."""
        for file in inputs:
            measure.forget_cached(file)
        out, log, gc_log = (self.logs / f"{name}.{kind}" for kind in ("out", "log", "gc.log"))
        with step(title) as current, tempfile.TemporaryDirectory(prefix="spark-", dir=self.logs) as scratch:
            scratch = Path(scratch)
            (scratch / "metrics").mkdir()
            command = self.command(name, machine, program, words, scratch)
            measurement = self.measured(command, out, log, current)
            result = {"command": command, "log": str(log), "gc_log": str(gc_log), "failure": None, **vars(measurement)}
            result["report"] = benchmarks.result(out.read_text(errors="replace"))
            result["gc"] = gclog.parse_file(gc_log).summary() if gc_log.exists() else None
            result["h2_blocks"] = moved_blocks(scratch / "metrics")
            result["failure"] = failure(result, self.timeout, log, out)
            current.done("FAILED" if result["failure"] else outcome(result))
        if result["failure"]:
            notice(f"{title}: {result['failure']}. The end of {paths.relative(log)}:\n\n{tail(log, 15)}\n")
        return result

    def command(self, name, machine, program, words, scratch):
        vm = [f"-Xmx{self.heap // MIB}m", *machine.vm, GC_LOG.format(self.logs / f"{name}.gc.log"),
              f"-XX:ErrorFile={self.logs / name}.hs_err.log", f"-Djava.io.tmpdir={scratch}"]
        # Spark writes its metrics once, at the end. They include the plugin's number of blocks in H2.
        metrics = ["--conf", "spark.metrics.conf.*.sink.csv.class=org.apache.spark.metrics.sink.CsvSink",
                   "--conf", "spark.metrics.conf.*.sink.csv.period=1",
                   "--conf", "spark.metrics.conf.*.sink.csv.unit=days",
                   "--conf", f"spark.metrics.conf.*.sink.csv.directory={scratch / 'metrics'}"]
        return list(map(str, benchmarks.SPARK.command(machine.home, vm, program, "--local-dir", scratch, *machine.spark,
                                                *metrics, *words, dependencies=machine.dependencies)))

    def measured(self, command, out, log, current):
        environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1")

        def measured(cap):
            return measure.run(command, out, log, cap, env=environment, timeout=self.timeout,
                               watch=lambda elapsed: current.update(""))
        if not self.cap:
            return measured(None)
        with memory_cap.memory_cap(self.cap) as cap:
            return measured(cap)


def outcome(result):
    cached, gc = result["report"]["cached"], result["gc"]
    return (f"{cached['inMemory']} of {cached['partitions']} partitions in memory, "
            f"{decimal(gc['minor_seconds'] + gc['major_seconds'] + gc['short_seconds'])} s of collection")


def moved_blocks(folder):
    """Returns the number of partitions in H2 that the plugin reported when Spark stopped, or 0 without the plugin.

    Spark reports several times while it stops, and only the first report is complete.
    """
    files = sorted(folder.glob("*.h2.blocks.csv"))
    if not files:
        return 0
    with open(files[-1], newline="") as file:
        lines = list(csv.DictReader(file))
    return int(float(lines[0]["value"])) if lines else 0
