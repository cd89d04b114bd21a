# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The runs of `terrace bench persist`. Each part yields its measurements run by run."""
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from terrace.common.term import Failure, Step, kill_group, output, tail
from ..measure import benchmarks
from ..measure.series import turn
from .ycsb import Plan

COLLECTIONS = ("hash", "tree", "skip-list", "list", "deque")
STORES = ("TERRACE", "ROCKSDB", "LMDB", "DEVICE")
LEVELS = {"SYNC": STORES, "PROCESS": ("TERRACE", "ROCKSDB", "LMDB")}
THREADS = (1, 16)
TIMEOUT = 600
KILL_AFTER = 2.0      # seconds of requests


@dataclass
class Lab:
    """The JDK, folders, and amount of work of all runs."""
    home: Path
    data: Path
    out: Path
    quick: bool
    rounds: int
    ycsb: Plan = field(default_factory=Plan)

    def folder(self):
        """Returns an empty folder."""
        folder = self.data / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def java(self, what, *arguments, options=("-Xmx1g",)):
        """Runs a program. Returns its line of JSON."""
        text, log = self.call(what, benchmarks.PERSIST.command(self.home, options, *arguments))
        found = benchmarks.result(text)
        if found is None:
            raise Failure(f"{what} printed no result:\n{tail(log)}")
        return found

    def call(self, what, command):
        log = self.out / "last.log"
        with open(log, "wb") as err:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err,
                                       start_new_session=True)
            try:
                text, _ = process.communicate(timeout=TIMEOUT)
            except BaseException:
                kill_group(process)
                raise
        if process.returncode != 0:
            raise Failure(f"{what} failed (exit status {process.returncode}):\n{tail(log)}")
        return text.decode(errors="replace"), log


def collections(lab):
    """Runs JMH once for each kind of collection, with a fork for each subject and call."""
    file = lab.out / "jmh.json"
    # On a busy machine the JIT compilers need several seconds.
    seconds = ["-wi", "5", "-w", "1s", "-i", "3", "-r", "500ms"] if lab.quick else ["-wi", "5", "-w", "2s", "-i", "5", "-r", "1s"]
    for kind in COLLECTIONS:
        live = Step(f"JMH, {kind}")
        live.update("12 forks")
        lab.call("JMH", [*benchmarks.PERSIST.java(lab.home), "-cp", benchmarks.PERSIST.class_path(), "org.openjdk.jmh.Main",
                         "CollectionsBenchmark", "-p", f"type={kind}", "-f", "1", *seconds, "-rf", "json", "-rff", file, "-jvmArgs", f"-Xmx1g -Dbench.dir={lab.folder()}"])
        yield from jmh_runs(json.loads(file.read_text()))
        live.done()


def jmh_runs(found):
    for one in found:
        yield {"call": one["benchmark"].rpartition(".")[2], **one["params"],
               "nanos": [value for fork in one["primaryMetric"]["rawData"] for value in fork]}


def commits(lab):
    """Runs each store once in every round, at both levels, with one thread and with many."""
    seconds = ["--seconds", "1", "--warmup", "1"] if lab.quick else ["--seconds", "4", "--warmup", "2"]
    for number in range(lab.rounds):
        for level, stores in LEVELS.items():
            for threads in THREADS:
                for name in turn(list(stores), number):
                    what = f"{name.lower()}, {level}, {threads} threads"
                    live = Step(what)
                    found = lab.java(what, "commits", "--store", name, "--level", level, "--threads", threads, "--dir",
                                     lab.folder(), *seconds)
                    live.done(f"{found['perSecond']:,.0f} commits/s, {found['p50']:.1f} µs")
                    yield {"store": name, "level": level, "threads": threads, "round": number + 1, **found}


def blocks(lab):
    """Runs C and Java alternately."""
    program = compiled_c(lab)
    size = ("64", "4") if lab.quick else ("256", "8")
    for number in range(lab.rounds):
        for side in turn(["C", "persistent"], number):
            live = Step(f"blocks, {side}")
            folder = lab.folder()
            if side == "C":
                found = json.loads(lab.call("blocks", [program, folder / "blocks", *size])[0])
            else:
                found = lab.java("blocks", "blocks", "--dir", folder, "--mebibytes", size[0], "--passes", size[1])
            live.done(", ".join(f"{pattern} {nanos:.0f} ns" for pattern, nanos in found.items()))
            yield {"side": side, "round": number + 1, "nanos": found}


def compiled_c(lab):
    source = benchmarks.PERSIST.folder / "src/main/resources/org/terrace/bench/persist/blocks.c"
    program = lab.out / "blocks"
    output(["gcc", "-O2", "-o", program, source])
    return program


def recovery(lab):
    """Opens heaps in new JVMs, after a kill and after a regular close."""
    for number in range(lab.rounds):
        for collect in turn(["true", "false"], number):
            live = Step(f"recovery, {'with' if collect == 'true' else 'without'} collection")
            folder = lab.folder()
            kill_while_it_works(lab, folder)
            killed, closed = (lab.java("recovery", "recovery", "--dir", folder, "--collect", collect, options=("-Xmx2g",))
                              for _ in range(2))
            live.done(f"first request after {killed['firstRequest']:.2f} s, of a closed heap {closed['firstRequest']:.2f} s")
            yield {"opening": "killed, with collection" if collect == "true" else "killed, without", "round": number + 1, **killed}
            yield {"opening": "closed", "round": number + 1, **closed}


def kill_while_it_works(lab, folder):
    command = benchmarks.PERSIST.command(lab.home, ("-Xmx2g",), "recovery", "--fill", "--dir", folder, "--objects",
                                         100_000 if lab.quick else 10_000_000)
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, start_new_session=True)
    try:
        if process.stdout.readline() != b"ready\n":
            raise Failure("the heap could not be filled")
        try:
            process.wait(KILL_AFTER)
            raise Failure("the program that was to be killed ended by itself")
        except subprocess.TimeoutExpired:
            pass
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def space(lab):
    yield lab.java("space", "space", "--dir", lab.folder(), "--records", 10_000 if lab.quick else 100_000)
