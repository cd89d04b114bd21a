"""One run of a demo's program on one of the two JVMs, in its own control group."""
import csv
import os
import tempfile
from pathlib import Path

from . import benchmarks, gclog, measure, memory_cap, paths, summary
from .term import notice, step, tail

MIB = 1 << 20
GC_LOG = "-Xlog:gc*:file={}:uptime,level,tags"


class Bench:
    """Starts the programs, one at a time, each in its own control group."""

    def __init__(self, plan, heap, cap, graph, homes, h2, logs):
        self.plan, self.heap, self.cap, self.graph = plan, heap, cap, graph
        self.homes, self.h2, self.logs = homes, h2, logs

    def command(self, program, side, name, scratch):
        vm = [f"-Xmx{self.heap // MIB}m", "-XX:+UseParallelGC", GC_LOG.format(self.logs / f"{name}.gc.log"),
              f"-XX:ErrorFile={self.logs / name}.hs_err.log", f"-Djava.io.tmpdir={scratch}"]
        spark = ["--local-dir", scratch, *self.plan.programs[program]]
        if side == "terrace":
            vm.append(f"-XX:AllocateH2At={self.h2}")
            spark += ["--conf", f"spark.plugins={benchmarks.PLUGIN}"]
        # Spark writes its metrics once, at the end: where the plugin says what is in H2.
        spark += ["--conf", "spark.metrics.conf.*.sink.csv.class=org.apache.spark.metrics.sink.CsvSink",
                  "--conf", "spark.metrics.conf.*.sink.csv.period=1", "--conf", "spark.metrics.conf.*.sink.csv.unit=days",
                  "--conf", f"spark.metrics.conf.*.sink.csv.directory={scratch / 'metrics'}"]
        if program == "pagerank":
            spark.append(self.graph["path"])
        return list(map(str, benchmarks.command(self.homes[side], vm, program, *spark)))

    def run(self, program, side, repeat, which):
        name = f"{program}-{side}-{repeat}"
        measure.forget_cached(self.graph["path"])
        out, log = self.logs / f"{name}.out", self.logs / f"{name}.log"
        environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1")
        title = f"{summary.NAMES[program]}, {summary.NAMES[side]}, {which}"
        with step(title) as current, tempfile.TemporaryDirectory(prefix="spark-", dir=self.logs) as scratch:
            scratch = Path(scratch)
            (scratch / "metrics").mkdir()
            command = self.command(program, side, name, scratch)

            def measured(cap):
                return measure.run(command, out, log, cap, env=environment, timeout=self.plan.timeout,
                                   watch=lambda elapsed: current.update(""))
            if self.cap:
                with memory_cap.memory_cap(self.cap) as cap:
                    measurement = measured(cap)
            else:
                measurement = measured(None)
            result = {"program": program, "side": side, "repeat": repeat, "command": command, "log": str(log),
                      "gc_log": str(self.logs / f"{name}.gc.log"), "failure": None, **vars(measurement)}
            result["report"] = benchmarks.result(out.read_text(errors="replace"))
            result["gc"] = gclog.parse_file(result["gc_log"]).summary() if Path(result["gc_log"]).exists() else None
            result["h2_blocks"] = moved_blocks(scratch / "metrics")
            result["failure"] = self.failure(result, log, out)
            if result["failure"]:
                current.done("FAILED")
                notice(f"{title}: {result['failure']}. The end of {paths.relative(log)}:\n\n{tail(log, 15)}\n")
            else:
                cached = result["report"]["cached"]
                current.done(f"{cached['inMemory']} of {cached['partitions']} partitions in memory, "
                             f"{summary.decimal(result['gc']['minor_seconds'] + result['gc']['major_seconds'])} s "
                             "of collection")
        return result

    def failure(self, result, log, out):
        """What went wrong with a run, or None."""
        if result["timed_out"]:
            return f"ended after {self.plan.timeout} s"
        if result["status"] != 0:
            # The VM writes its last words to standard output.
            with open(log, "a") as file:
                file.write(out.read_text(errors="replace"))
            killed = result["status"] == -9
            return (f"killed by signal {-result['status']}" if result["status"] < 0 else
                    f"exit status {result['status']}") + (" (the memory cap may be too small)" if killed else "")
        if not result["report"]:
            return "no result was printed"
        if not result["gc"]:
            return "no garbage collection log was written"
        return None


def moved_blocks(folder):
    """What the plugin reported when Spark stopped: the number of partitions in H2; 0 without the plugin.

    Spark reports several times as it stops; only the first time all is still there.
    """
    files = sorted(folder.glob("*.h2.blocks.csv"))
    if not files:
        return 0
    with open(files[-1], newline="") as file:
        lines = list(csv.DictReader(file))
    return int(float(lines[0]["value"])) if lines else 0
