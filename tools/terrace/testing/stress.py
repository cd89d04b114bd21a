# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs random programs on the second heap and compares them with a shadow model, one set of options after the other.

Each round runs the stress program (vm/test/hotspot/jtreg/gc/terrace/h2/stress) with another seed. Meanwhile, diagnostic
commands walk, count and collect the same heap. The command stops at the first round that fails, and prints how to replay
it. `--kills` instead kills virtual machines while H2 is in use, and checks that no file remains, and that no process holds one.
`--jcstress` instead runs tests of the Java memory model on objects in H2.
"""
import argparse
import itertools
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ..building import build
from ..common import paths
from ..common.term import Failure, Step, clock, kill_group, logged, notice, positive, tail
from . import jcstress, jtreg, kills

OUT = paths.BUILD / "stress"
MAIN = "gc.terrace.h2.stress.H2Stress"
DIAGNOSTIC = "-XX:+UnlockDiagnosticVMOptions"
VERIFY = "-XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC"
# The time a round's program may run past its own end before it is considered stuck.
GRACE_SECONDS = 600


@dataclass
class Way:
    """A named set of options. {random} is replaced by a number that depends on the round."""
    name: str
    vm: str
    program: str = "--require-h2"
    commands: tuple = ()          # of jcmd, issued in turn while the program runs
    h2: bool = True
    choices: tuple = ()           # groups of options; a round takes one option of about every third group

    def options(self, seed):
        chance = random.Random(seed)
        number = chance.randrange(1, 40)
        chosen = [chance.choice(group) for group in self.choices if chance.random() < 1 / 3]
        return " ".join([self.vm, *chosen]).format(random=number).split()


# Options that may be combined. Most defects of such combinations concern two options that no test sets together.
CHOICES = (
    ("-XX:ObjectAlignmentInBytes=16", "-XX:ObjectAlignmentInBytes=32", "-XX:ObjectAlignmentInBytes=256"),
    ("-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"),
    ("-XX:H2RegionSize=8m", "-XX:H2RegionSize=16m"),
    ("-XX:ParallelGCThreads=1", "-XX:ParallelGCThreads=4", "-XX:ParallelGCThreads=8"),
    ("-XX:H2HighThreshold=1 -XX:H2LowThreshold=0", "-XX:H2HighThreshold=10 -XX:H2LowThreshold=5"),
    ("-XX:-H2MoveUnhinted",),
    ("-XX:H2Torture=50 -XX:H2TortureSeed={random}",),
    ("-XX:H2TransferPartSize=512k", "-XX:H2TransferMillis=1"),
    ("-XX:H2DeepMarkingInterval=2", "-XX:H2DeepMarkingInterval=3 -XX:+UnlockExperimentalVMOptions -XX:+H2MarkAhead"),
    ("-XX:+H2UnionFind", "-XX:-H2Evacuate"),
    ("-XX:+H2RandomAccess", "-XX:-H2HugePages"),
    tuple(f"-XX:H2FastSize=32m -XX:H2TierPolicy={policy} -XX:H2SampleInterval=10 -XX:H2SampleBudget=20"
          for policy in ("hints", "monitor", "both", "writes", "interleave", "slow")),
    ("-XX:+GCAdaptiveStealing -XX:+GCStableWorkers -XX:GCThreadBinding=dynamic",),
    ("-XX:-UseTLAB", "-XX:-UseAdaptiveSizePolicy", "-XX:NewSize=100m", "-XX:+UseNUMA", "-XX:-ScavengeBeforeFullGC"),
    ("-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"),
)


WAYS = (
    Way("verified", f"-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m {VERIFY}"),
    Way("torture", "-Xmx192m -XX:H2Size=2g -XX:ParallelGCThreads=4 -XX:+VerifyH2 -XX:H2Torture=50 "
                   "-XX:H2TortureSeed={random}"),
    Way("walks", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2",
        commands=("GC.class_histogram", "Terrace.h2 -objects", "GC.heap_dump -overwrite dump.hprof", "GC.run",
                  "Terrace.h2", "GC.heap_info", "GC.class_histogram -all")),
    Way("union-find", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2 -XX:+H2UnionFind"),
    Way("wide references", "-Xmx256m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:-UseCompressedOops -XX:TieredStopAtLevel=1 "
                           "-XX:ParallelGCThreads=1 -XX:+VerifyH2"),
    Way("deep marking", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2 -XX:H2DeepMarkingInterval=2"),
    Way("ahead", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4 -XX:+VerifyH2 -XX:H2DeepMarkingInterval=2 "
                 "-XX:+UnlockExperimentalVMOptions -XX:+H2MarkAhead"),
    Way("pressure", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2 -XX:H2HighThreshold=1 -XX:H2LowThreshold=0 "
                    "-XX:-H2MoveUnhinted"),
    Way("unhinted", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2 -XX:H2HighThreshold=1 "
                    "-XX:H2LowThreshold=0"),
    Way("parts", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4 -XX:+VerifyH2 -XX:H2TransferPartSize=512k "
                 "-XX:H2HighThreshold=10 -XX:H2LowThreshold=5"),
    Way("failing writes", "-Xmx192m -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=8 -XX:+VerifyH2 "
                          "-XX:H2FailTransferAt={random}", program=""),
    Way("full", "-Xmx192m -XX:H2Size=16m -XX:H2RegionSize=2m -XX:+VerifyH2", program=""),
    Way("interpreter", "-Xmx128m -XX:H2Size=1g -XX:H2RegionSize=2m -Xint -XX:+VerifyH2",
        program="--objects=4000 --threads=2 --big-nodes=1 --require-h2"),
    Way("tiers", "-Xmx192m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2 -XX:H2FastSize=32m -XX:H2TierPolicy=both "
                 "-XX:H2SampleInterval=10 -XX:H2SampleBudget=20 -XX:H2MigrationRate=1g"),
    Way("far", "-Xmx192m -XX:+UseG1GC -XX:G1HeapRegionSize=1m -XX:ConcGCThreads=2 -XX:+UseFarMemory -XX:FarMemoryTorture=3 "
               "-XX:FarMemoryTortureSeed={random} -XX:+VerifyFarMemory -XX:InitiatingHeapOccupancyPercent=15",
        # System.gc() is a full collection here, because marking from summaries may keep garbage, which the program reports as an error.
        program="--objects=60000 --gc-per-mille=20",
        commands=("Terrace.far", "GC.class_histogram", "GC.heap_dump -overwrite dump.hprof", "GC.run"), h2=False),
    Way("far Shenandoah", "-Xmx512m -XX:+UseShenandoahGC -XX:ConcGCThreads=2 -XX:+UseFarMemory -XX:FarMemoryTorture=3 "
                          "-XX:+FarMemorySummaries -XX:FarMemoryTortureSeed={random} -XX:+VerifyFarMemory -XX:+UnlockExperimentalVMOptions "
                          "-XX:ShenandoahGuaranteedGCInterval=200 -XX:-ExplicitGCInvokesConcurrent",
        program="--objects=200000 --gc-per-mille=2", commands=("Terrace.far", "GC.class_histogram", "GC.run"), h2=False),
    Way("plain", "-Xmx192m -XX:H2Size=4g", program="--objects=60000 --require-h2"),
    Way("combined", "-Xmx256m -XX:H2Size=2g -XX:H2RegionSize=2m -XX:+VerifyH2", choices=CHOICES),
)


def register(add):
    parser = add(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=positive, metavar="N", help="total duration (default 10; with --kills, until all kills are done)")
    parser.add_argument("--round", type=positive, default=60, metavar="SECONDS", help="duration of a round (default 60)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first round; each further round adds one")
    parser.add_argument("--way", action="append", choices=[way.name for way in WAYS], metavar="W",
                        help=f"use only this set of options (may be repeated): {', '.join(way.name for way in WAYS)}")
    parser.add_argument("--kills", type=int, metavar="N", help="instead, kill N virtual machines while H2 is in use")
    parser.add_argument("--jcstress", nargs="?", const="quick", choices=jcstress.MODES, metavar="MODE",
                        help=f"instead, run jcstress in this mode: {', '.join(jcstress.MODES)} (default quick)")
    parser.add_argument("--debug", action="store_true", help="use the fastdebug VM instead of the release VM")
    parser.add_argument("--h2", type=Path, metavar="DIR", help="folder for the second heap (default build/stress/h2)")
    parser.set_defaults(run=run)


def run(arguments):
    name = "fastdebug" if arguments.debug else "release"
    build.build(name)
    h2 = (arguments.h2 or OUT / "h2").absolute()
    try:
        h2.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=h2).close()
    except OSError as problem:
        raise Failure(f"cannot write to {h2} ({problem.strerror}): name another folder with --h2") from None
    if arguments.jcstress:
        out = OUT / "jcstress"
        out.mkdir(parents=True, exist_ok=True)
        return jcstress.run(build.home(name), h2, out, arguments.jcstress)
    ways = [way for way in WAYS if not arguments.way or way.name in arguments.way]
    # Two stress runs may be active at a time.
    OUT.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=OUT))
    program = Program(build.home(name), compiled(folder / "classes"), h2, folder)
    if arguments.kills is not None:
        kills.kill_many(program, arguments.kills, arguments.seed)
    else:
        run_rounds(program, ways, arguments)
    shutil.rmtree(folder)       # files of a failed run are kept


def compiled(classes):
    """Compiles the stress program, and returns the folder of its classes."""
    path = f"{paths.JAVA / 'api/src/main/java'}{os.pathsep}{jtreg.OUR_TESTS}"
    main = jtreg.OUR_TESTS / f"{MAIN.replace('.', '/')}.java"
    logged([build.home("stock") / "bin/javac", "-nowarn", "-d", classes, "-sourcepath", path, main], "stress-javac.log",
           what="compiling the stress program")
    return classes


class Program:
    """The command lines that start the stress program."""

    def __init__(self, home, classes, h2, folder):
        self.home, self.classes, self.h2, self.folder = home, classes, h2, folder

    def command(self, options, *arguments, h2=True, at=None):
        h2_options = [f"-XX:AllocateH2At={at or self.h2}"] if h2 else []
        return [str(part) for part in (self.home / "bin/java", *h2_options, DIAGNOSTIC, *options, "-cp", self.classes, MAIN, *arguments)]

    def start(self, folder, log, command):
        with open(log, "wb") as out:
            return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                    start_new_session=True)


def run_rounds(program, ways, arguments):
    seed = arguments.seed if arguments.seed is not None else int(time.time()) % 1_000_000
    end = time.monotonic() + 60 * (arguments.minutes or 10)
    started = time.monotonic()
    rounds = 0
    for way in itertools.cycle(ways):
        seconds = min(arguments.round, end - time.monotonic())
        if seconds < 20 and rounds:
            break
        run_round(program, way, seed, max(5, int(seconds)))
        seed += 1
        rounds += 1
    notice(f"{rounds} rounds in {clock(time.monotonic() - started)}, no mismatch")


def run_round(program, way, seed, seconds):
    folder = program.folder / "round"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "out.log"
    command = program.command(way.options(seed), *way.program.split(), f"--seed={seed}", f"--seconds={seconds}", h2=way.h2)
    live = Step(f"{way.name}, seed {seed}")
    process = program.start(folder, log, command)
    try:
        asked = ask_until_ended(program, process, way.commands, folder, seconds + GRACE_SECONDS)
    finally:
        if process.poll() is None:
            kill_group(process)
    if process.returncode != 0:
        replay = " ".join(command)
        raise Failure(f"{way.name}, seed {seed}: exit status {process.returncode}. The end of the log:\n{tail(log)}\n\n"
                      f"The whole log, and what the VM left: {paths.relative(folder)}\nReplay with:\n  {replay}")
    last = [line for line in log.read_text(errors="replace").splitlines() if "operations" in line][-1]
    if re.search(r"\b0 operations", last):
        raise Failure(f"{way.name}, seed {seed}: nothing was tested ({last}); its log: {paths.relative(log)}")
    live.done(last + (f"; {asked} commands" if asked else ""))


def ask_until_ended(program, process, commands, folder, limit):
    """Issues commands until the process ends. Returns how many were answered."""
    asked = 0
    end = time.monotonic() + limit
    turn = itertools.cycle(commands)
    while process.poll() is None:
        if time.monotonic() > end:
            raise Failure(f"the program does not terminate; its log: {paths.relative(folder / 'out.log')}")
        if not commands:
            time.sleep(0.2)
            continue
        time.sleep(1)
        question = [str(program.home / "bin/jcmd"), str(process.pid), *next(turn).split()]
        try:
            answer = subprocess.run(question, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
                                    timeout=GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"the program does not answer {' '.join(question[2:])}; its log: {paths.relative(folder / 'out.log')}"
                          ) from None
        asked += answer.returncode == 0
    return asked
