# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace demo --cluster N`, which runs the demo's programs on a cluster that loses one of its N executors.

Each program runs four times: on stock and on Terrace, without interference and with one executor killed while the
program works on its cached data. All four runs must compute the same, and the cluster must be complete again at the
end.
"""
import json
import os
import re
import shutil
import signal
import tempfile
import time
import urllib.request
from pathlib import Path

from terrace.common import gclog, paths
from terrace.common.term import Failure, notice, step, tail
from ..measure import agreement, benchmarks
from ..measure.tables import decimal, megabytes
from ..spark.cluster import Cluster, HOST, Processes
from . import summary

# Names of results that are sums over the bits of floating-point numbers.
BIT_CHECKSUMS = {"digest"}

DRIVER_HEAP = "-Xmx512m"
TIMEOUT = {True: 240, False: 1200}
POLL_SECONDS = 0.5

# Number of additional executors that a run may start before it counts as failed.
SPARE_EXECUTORS = 5

PROGRAMS = {
    True: {"pagerank": ["--iterations", "8", "--partitions", "24", "--conf", "spark.memory.fraction=0.02",
                        "--conf", "spark.terrace.transferFraction=0.4"],
           "logreg": ["--rows", "500000", "--columns", "100", "--iterations", "15", "--partitions", "48"]},
    False: {"pagerank": ["--iterations", "10", "--partitions", "96"],
            "logreg": ["--rows", "1500000", "--columns", "100", "--iterations", "25", "--partitions", "144"]},
}


class Setting:
    """Common settings of all runs."""

    def __init__(self, quick, executors, heap, homes, graph, folder):
        self.quick, self.executors, self.heap, self.homes = quick, executors, heap, homes
        self.graph, self.folder = graph, folder


def run(setting, programs):
    shutil.rmtree(setting.folder, ignore_errors=True)
    setting.folder.mkdir(parents=True)
    runs = []
    for program in programs:
        for side in summary.SIDES:
            for loss in (False, True):
                runs.append(run_once(setting, program, side, loss))
                (setting.folder / "results.json").write_text(json.dumps(runs))
    verdicts = {program: compare([run for run in runs if run["program"] == program]) for program in programs}
    print(f"\n{table(runs, verdicts)}\n")
    for program in programs:
        print(f"{executors_table(program, runs)}\n")
    notice(f"logs of all runs: {paths.relative(setting.folder)}")
    troubles = judge(runs, setting.executors)
    troubles += [f"{summary.NAMES[program]}: {line}" for program in programs for line in verdicts[program][1]]
    if troubles:
        raise Failure("the demo failed:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


# -- One run ----------------------------------------------------------------------------------------------------------

def command(setting, program, side, url, scratch):
    jars = [benchmarks.SPARK.target, paths.JAVA / "spark/target", paths.JAVA / "api/target"]
    executor = ["-XX:+UseParallelGC", "-Xlog:gc*:file=gc.log:uptime,level,tags"]
    plugin = []
    if side == "terrace":
        # A relative path, because each worker creates the working folder of its executors.
        executor += ["-XX:AllocateH2At=.", "-XX:H2Size=2g"]
        plugin = ["--conf", f"spark.plugins={benchmarks.PLUGIN}"]
    settings = {
        "spark.jars": ",".join(str(jar) for folder in jars for jar in folder.glob("terrace-*[0-9].jar")),
        "spark.executor.memory": f"{setting.heap >> 20}m",
        "spark.executor.cores": 1,
        "spark.executor.extraJavaOptions": " ".join(executor),
        "spark.ui.enabled": "true",
        "spark.ui.port": 0,
    }
    spark = ["--master", url, "--local-dir", scratch, *setting_arguments(settings), *plugin,
             *PROGRAMS[setting.quick][program]]
    if program == "pagerank":
        spark.append(setting.graph["path"])
    return benchmarks.SPARK.command(setting.homes[side], [DRIVER_HEAP], program, *spark)


def setting_arguments(settings):
    return [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]


def run_once(setting, program, side, loss):
    name = f"{program}-{side}-{'loss' if loss else 'whole'}"
    folder = setting.folder / name
    folder.mkdir()
    title = f"{summary.NAMES[program]}, {summary.NAMES[side]}{', one executor lost' if loss else ''}"
    with step(title) as current, tempfile.TemporaryDirectory(prefix="spark-", dir=setting.folder) as scratch:
        scratch = Path(scratch)
        with Cluster(setting.homes[side], folder, scratch, setting.executors, setting.heap >> 20) as cluster:
            observed = drive(setting, program, side, loss, cluster, current)
        result = {"program": program, "side": side, "loss": loss, "folder": str(folder), **observed,
                  "gc": collections(cluster.executor_folders())}
        if result["failure"]:
            current.done("FAILED")
            log = folder / "driver.log"
            notice(f"{title}: {result['failure']}. The end of {paths.relative(log)}:\n\n{tail(log, 15)}\n")
        else:
            cached = result["report"]["cached"]
            lost = f", executor {result['lost']} killed after {result['lost_at']:.0f} s" if result["lost_at"] else ""
            current.done(f"{cached['inMemory']} of {cached['partitions']} partitions in memory{lost}")
    return result


def drive(setting, program, side, loss, cluster, current):
    """Runs the program on the cluster, observes its executors, and kills one of them if `loss`."""
    out, log = cluster.folder / "driver.out", cluster.folder / "driver.log"
    watch = Watch(side == "terrace")
    failure = lost = lost_at = None
    started = time.monotonic()
    with Processes() as processes:
        driver = processes.start(command(setting, program, side, cluster.url, cluster.scratch), out, log,
                                 env=dict(os.environ, SPARK_LOCAL_IP=HOST))
        while driver.poll() is None and not failure:
            time.sleep(POLL_SECONDS)
            elapsed = time.monotonic() - started
            current.update("")
            cluster.check()
            progress = log.read_text(errors="replace")
            watch.look(progress)
            if loss and lost is None and "load took" in progress:
                lost = watch.victim()
                if lost is not None:
                    kill_executor(cluster, lost)
                    lost_at = elapsed
            failure = hopeless(cluster, setting, elapsed)
        wall = time.monotonic() - started
    report = benchmarks.result(out.read_text(errors="replace"))
    if not failure and driver.returncode != 0:
        failure = f"the driver ended with status {driver.returncode}"
    elif not failure and not report:
        failure = "no result was printed"
    return {"wall": wall, "report": report, "lost": lost, "lost_at": lost_at, "executors": watch.executors,
            "h2": watch.h2, "failure": failure}


def hopeless(cluster, setting, elapsed):
    """Returns why a running program cannot succeed any more, or None."""
    limit = TIMEOUT[setting.quick]
    if elapsed > limit:
        return f"not done after {limit} s"
    started = len(cluster.executor_folders())
    if started > setting.executors + SPARE_EXECUTORS:
        return f"executors keep ending: {started} were started; their output is in {paths.relative(cluster.folder)}"
    return None


def kill_executor(cluster, number):
    pid = cluster.executor_pid(number)
    if pid is None:
        raise Failure(f"executor {number} has no process in {paths.relative(cluster.folder)}")
    os.kill(pid, signal.SIGKILL)


class Watch:
    """The last state of the executors and their second heaps in the driver's user interface."""

    def __init__(self, on_terrace):
        self.on_terrace = on_terrace
        self.executors, self.h2 = [], []

    def look(self, progress):
        found = re.search(r": (app-\S+) is at (http://\S+)", progress)
        if not found:
            return
        application, url = found.groups()
        try:
            self.executors = [executor for executor in get(f"{url}/api/v1/applications/{application}/allexecutors")
                              if executor["id"] != "driver"]
            self.h2 = get(f"{url}/secondheap/json") if self.on_terrace else []
        except (OSError, ValueError):
            pass  # the program is starting or has ended, so the last state remains

    def active(self):
        return [executor for executor in self.executors if executor["isActive"]]

    def victim(self):
        """Returns the executor with the most cached partitions, or None if there are none. On Terrace, only partitions in
        its second heap count."""
        in_h2 = {executor["executorId"]: executor["blocksInH2"] for executor in self.h2}
        cached = {executor["id"]: in_h2.get(executor["id"], 0) if self.on_terrace else executor["rddBlocks"]
                  for executor in self.active()}
        most = max(cached, key=cached.get, default=None)
        return int(most) if most is not None and cached[most] else None


def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def collections(folders):
    """Returns the sums over all executors, from the logs that exist."""
    sums = {"minor_seconds": 0.0, "major_seconds": 0.0, "moved_bytes": 0}
    for folder in folders.values():
        if (folder / "gc.log").exists():
            one = gclog.parse_file(folder / "gc.log").summary()
            sums = {name: total + one[name] for name, total in sums.items()}
    return sums


# -- Results --------------------------------------------------------------------------------------------------------

def compare(runs):
    """Returns the number of digits on which all results agree, and the differences."""
    results = [(title(run), dict(agreement.flatten(run["report"]["result"]))) for run in runs if run["report"]]
    if not results:
        return 0, ["no run has a result"]
    reference = results[0][1]
    digits, differences = agreement.ALL_DIGITS, []
    for name, result in results[1:]:
        for key in reference.keys() | result.keys():
            a, b = reference.get(key), result.get(key)
            if key in BIT_CHECKSUMS:
                continue
            same = agreement.digits(a, b)
            if same < agreement.REORDERED_DIGITS:
                differences.append(f"{name}: {key} is {b!r} instead of {a!r}")
            digits = min(digits, same)
    return digits, differences


def judge(runs, executors):
    """Returns the problems, one line each."""
    troubles = []
    for run in runs:
        where = f"{summary.NAMES[run['program']]}, {title(run)}"
        troubles += [f"{where}: {problem}; logs: {paths.relative(run['folder'])}" for problem in problems(run, executors)]
    return troubles


def problems(run, executors):
    if run["failure"]:
        return [run["failure"]]
    found = []
    if run["loss"] and run["lost"] is None:
        found.append("it ended before an executor could be killed")
    active = sum(executor["isActive"] for executor in run["executors"])
    if active != executors:
        found.append(f"{active} of {executors} executors were there at the end")
    if run["side"] == "terrace":
        cached = run["report"]["cached"]
        if cached["inMemory"] < max(1, cached["partitions"]):
            found.append(f"only {cached['inMemory']} of {cached['partitions']} partitions stayed in memory")
        if run["report"]["spilled"]["cachedBytes"]:
            found.append(f"{megabytes(run['report']['spilled']['cachedBytes'])} MB of cached data were serialized")
        if not blocks_in_h2(run):
            found.append("nothing moved to the second heap")
    return found


def blocks_in_h2(run):
    return sum(executor["blocksInH2"] for executor in run["h2"] if executor["state"] == "active")


def title(run):
    return f"{summary.NAMES[run['side']]}{', one lost' if run['loss'] else ''}"


def table(runs, verdicts):
    """Returns a table with a row for each run."""
    lines = [("", "wall, s", "killed after, s", "executors started", "partitions in memory", "in H2", "serialized, MB",
              "collections, s", "result equal")]
    for program, (digits, differences) in verdicts.items():
        lines.append((summary.NAMES[program],) + ("",) * (len(lines[0]) - 1))
        for run in (run for run in runs if run["program"] == program):
            lines.append(line(run, summary.verdict({"digits": digits, "differences": differences})))
    return aligned(lines)


def line(run, verdict):
    if run["failure"]:
        return (f"  {title(run)}", "failed") + ("",) * 7
    cached, gc = run["report"]["cached"], run["gc"]
    return (f"  {title(run)}", decimal(run["wall"]), decimal(run["lost_at"]) if run["lost_at"] else "",
            str(len(run["executors"])), f"{cached['inMemory']} of {cached['partitions']}", str(blocks_in_h2(run)),
            megabytes(run["report"]["spilled"]["cachedBytes"]),
            decimal(gc["minor_seconds"] + gc["major_seconds"]), verdict)


def executors_table(program, runs):
    """Returns the table of the executors of the program's run on Terrace that lost one. The values are the last ones of
    the page "Second heap"."""
    lines = [(f"{summary.NAMES[program]}, Terrace, one lost", "state", "partitions in H2", "size, MB", "H2 used, MB",
              "transfers", "their time, ms", "moved, MB")]
    for run in runs:
        if (run["program"], run["side"], run["loss"]) == (program, "terrace", True):
            for executor in run["h2"]:
                lines.append((f"  executor {executor['executorId']}", executor["state"], str(executor["blocksInH2"]),
                              megabytes(executor["bytesInH2"]), megabytes(executor["h2Used"]),
                              str(executor["transfers"]), str(executor["transferMillis"]),
                              megabytes(executor["movedBytes"])))
    return aligned(lines)


def aligned(lines):
    widths = [max(len(cells[column]) for cells in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join([cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in
                                                              zip(cells[1:], widths[1:])]).rstrip() for cells in lines)
