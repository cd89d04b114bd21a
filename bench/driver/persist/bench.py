# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench persist`, which compares the persistent heap with java.util, other stores, and C.

Each part is a list of runs in alternating order, and each run has its own JVM. A run is stored as soon as it has ended.
"""
import os
import shutil
import subprocess
import time
from pathlib import Path

from terrace.common import libraries, machine, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import benchmarks
from ..measure.series import chosen, load, store
from ..measure.setting import add_out, add_report, add_selection
from . import bank, report, runs, ycsb, ycsb_report

OUT = paths.BUILD / "bench/persist"
PARTS = {"collections": runs.collections, "commits": runs.commits, "blocks": runs.blocks, "recovery": runs.recovery,
         "space": runs.space, "bank": bank.runs, "ycsb": ycsb.ycsb}
QUICK_ROUNDS, FULL_ROUNDS = 2, 5


def add(commands):
    text = """Measures the persistent heap. Compares its collections with java.util, its commits with RocksDB, LMDB and plain
        writes to the device, and its copies of blocks with C. Also measures the time to the first request after a kill, the
        space of records, a bank over HTTP that is killed and restarted (also on Infinispan), and YCSB on several stores.
        Prints tables, and writes them as Markdown with plots."""
    persist = commands.add_parser("persist", help="the persistent heap, compared with java.util, other stores, and C", description=text)
    add_selection(persist, "--only", "P[,P]", "parts", PARTS)
    persist.add_argument("--quick", action="store_true", help="use shorter runs and fewer objects")
    persist.add_argument("--rounds", type=int, metavar="N",
                         help=f"rounds of each part; each round runs every measurement once (default {FULL_ROUNDS}; quick "
                              f"{QUICK_ROUNDS})")
    persist.add_argument("--jdk", type=Path, metavar="HOME",
                         help="folder of the JDK (default: JAVA_HOME, or the JDK of the java in the PATH)")
    persist.add_argument("--dir", type=Path, metavar="DIR", help="folder for the data, on the measured device (default: --out)")
    add_report(persist)
    add_out(persist, OUT, "results and tables")
    ycsb.add(persist)
    persist.set_defaults(run=run)


def run(arguments):
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    started = time.monotonic()
    parts = chosen("--only", arguments.only, PARTS)
    rounds = (QUICK_ROUNDS if arguments.quick else FULL_ROUNDS) if arguments.rounds is None else arguments.rounds
    if rounds < 1:
        raise Failure("--rounds: at least 1")
    asked = ycsb.plan(arguments)
    out = arguments.out.absolute()
    data = (arguments.dir or out).absolute() / "data"
    writable("--out", out)
    writable("--dir", data)
    libraries.offer("matplotlib")
    libraries.offer("scipy")
    home = java_home(arguments.jdk, os.environ)
    benchmarks.PERSIST.build(home)
    lab = runs.Lab(home, data, out, arguments.quick, rounds, asked)
    if arguments.list:
        print("\n".join(ycsb.listing(PARTS, ycsb.offered(lab))))
        return
    if "ycsb" in parts:
        list(ycsb.combinations(asked, ycsb.offered(lab)))  # reports wrong names before hours of other parts
    results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "quick": arguments.quick, "facts": machine.facts(data),
               "java": machine.java_version(home)[1], "load": {}, "runs": []}
    try:
        for part in parts:
            before = os.getloadavg()[0]
            notice(part)
            for found in PARTS[part](lab):
                results["runs"].append({"part": part, **found})
                store(results, out)
            results["load"][part] = [before, os.getloadavg()[0]]
            store(results, out)
    finally:
        shutil.rmtree(data, ignore_errors=True)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}")


def java_home(given, environment):
    """Returns a JDK with a compiler."""
    home = given or environment.get("JAVA_HOME")
    if not home:
        java = shutil.which("javac", path=environment.get("PATH"))
        if not java:
            raise Failure("no JDK was found in JAVA_HOME or in the PATH: name one with --jdk")
        home = Path(java).resolve().parents[1]
    home = Path(home).absolute()
    if not (home / "bin/javac").exists():
        raise Failure(f"{home} is not the folder of a JDK: name a JDK with --jdk")
    version = subprocess.run([str(home / "bin/javac"), "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    major = version.stdout.split()[-1].split(".")[0]
    if not major.isdigit() or int(major) < 17:
        raise Failure(f"{home} is JDK {major}; 17 or newer is needed: name one with --jdk")
    return home


def show(results, folder):
    tables = report.tables(results)
    with_plots = libraries.offer("matplotlib")
    for figure in ycsb_report.figures(results["runs"], folder) if with_plots else []:
        notice(f"wrote {paths.relative(figure.absolute())}")
    print(f"\n{report.text(tables)}\n")
    path = folder / "tables.md"
    path.write_text(report.page(results, tables))
    for written in [path, *(bank.plots(results["runs"], folder) if with_plots else [])]:
        notice(f"wrote {paths.relative(written.absolute())}")
