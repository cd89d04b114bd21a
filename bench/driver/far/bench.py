# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench far`, which runs programs with a partly swapped heap, on the distribution's JVM and with far memory."""
import subprocess
import time
from pathlib import Path

from terrace.common import machine, paths
from terrace.common.options import writable
from terrace.common.term import Failure, clock, notice
from ..measure import benchmarks, swapping
from ..measure.series import chosen, load, store, turn
from ..measure.setting import add_homes, add_out, add_report, add_selection, find_homes
from . import report
from .plan import (
    ALL, COLLECTORS, FULL_REPEATS, LOCALS, MIB, PROGRAMS, QUICK_LOCALS, QUICK_PROGRAMS, QUICK_REPEATS, SIDES, cap, swap_size, title, wide)
from .runs import FarRuns

OUT = paths.BUILD / "bench/far"


def add(commands):
    text = """Runs programs alternately on the distribution's JVM and on Terrace with far memory, under G1 or Shenandoah. Under G1,
        far memory runs with and without summaries of pages. A control group limits the memory to a percentage of the heap,
        plus some memory for the VM. The remainder of the heap is in a swap file, which the benchmark creates and removes.
        Prints throughput and latencies inside and outside of concurrent cycles, and the threads that waited for pages. Writes
        the tables as Markdown. Needs root and some GB of free memory and disk, and leaves 4 GB of both free. A failed run of
        stock is recorded as a result. If a run of Terrace fails, or if results differ, the remaining runs follow and the exit
        status is 1."""
    far = commands.add_parser("far", help="programs on a heap that is partly swapped out, with and without far memory",
                              description=text)
    far.add_argument("--list", action="store_true", help="print the programs and the sides, and run nothing")
    far.add_argument("--quick", action="store_true", help="use small heaps, 25 %% in memory, one round, and three of the programs; takes less than ten minutes")
    add_selection(far, "--only", "P[,P]", "programs", PROGRAMS)
    add_selection(far, "--side", "S[,S]", "sides", SIDES)
    far.add_argument("--gc", metavar="G", choices=COLLECTORS, default="g1",
                     help=f"collector of all sides: {', '.join(COLLECTORS)} (default g1)")
    far.add_argument("--local", metavar="N[,N]", help="percentage of the heap in memory (default "
                     f"{', '.join(map(str, LOCALS))}; quick {', '.join(map(str, QUICK_LOCALS))})")
    far.add_argument("--repeats", type=int, metavar="N", help=f"number of rounds (default {FULL_REPEATS}; quick {QUICK_REPEATS})")
    far.add_argument("--mutators", type=int, metavar="N",
                     help="threads of the key-value program (default 2); with fewer threads than processors, marking has a processor "
                          "of its own")
    add_report(far)
    add_homes(far)
    add_out(far, OUT, "results, logs and the swap file")
    far.set_defaults(run=run)


def run(arguments):
    if arguments.list:
        return print_list(arguments.quick, arguments.gc)
    if arguments.report:
        return show(load(arguments.report), arguments.report)
    started = time.monotonic()
    programs = chosen("--only", arguments.only, QUICK_PROGRAMS if arguments.quick and not arguments.only else PROGRAMS)
    sides = chosen("--side", arguments.side, COLLECTORS[arguments.gc].sides)
    locals_ = parse_locals(arguments.local) if arguments.local else QUICK_LOCALS if arguments.quick else LOCALS
    repeats = (QUICK_REPEATS if arguments.quick else FULL_REPEATS) if arguments.repeats is None else arguments.repeats
    if repeats < 1:
        raise Failure("--repeats: at least 1")
    if arguments.mutators is not None and arguments.mutators < 1:
        raise Failure("--mutators: at least 1")
    out = arguments.out.absolute()
    writable("--out", out / "runs")
    reason = swapping.obstacle()
    if reason:
        raise Failure(f"memory cannot be made short here: {reason}. Run it as root, in a container where /sys/fs/cgroup is writable "
                      "(docker run --privileged). Far memory itself works wherever the system swaps; ./terrace test exercises it "
                      "without swap")
    sides = possible_sides(sides, arguments.gc)
    # A page that was swapped out and read in again keeps its slot in the swap file.
    size = swap_size(programs, arguments.quick)
    swapping.check_room(max(cap_of(program, arguments.quick, locals_) for program in programs), size, out)
    homes = find_homes(arguments)
    check_collector(homes, arguments.gc)
    build(programs, homes["stock"])
    facts = {**machine.facts(out), "Swap": f"{size // MIB} MB, cold pages go there "
             + ("also without need (DAMON)" if swapping.pages_out_by_itself() else "when memory is short")}
    if arguments.mutators:
        facts["Threads of the key-value program"] = arguments.mutators
    results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "quick": arguments.quick, "collector": arguments.gc, "facts": facts,
               "runs": []}
    runs = FarRuns(homes, out / "runs", arguments.gc, arguments.quick, arguments.mutators or 0)
    with swapping.journal(out), swapping.swap(out, size) as file:
        notice(f"swap: {size // MIB} MB, {paths.relative(file) if file else 'of the machine'}")
        for program in programs:
            for local in locals_:
                rounds(results, out, runs, program, sides, local, repeats)
    show(results, out)
    notice(f"it took {clock(time.monotonic() - started)}; logs of all runs: {paths.relative(out / 'runs')}")
    troubles = judge(results)
    if troubles:
        raise Failure("problems:\n" + "\n".join(f"  {trouble}" for trouble in troubles))


def print_list(quick, collector):
    for name, program in PROGRAMS.items():
        print(f"{name:10} {program.title}: -Xmx{program.size(quick).heap}m")
    print()
    for side in COLLECTORS[collector].sides:
        print(f"{side:10} {title(side, collector)}")


def parse_locals(text):
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        values = [0]
    if not all(1 <= value <= ALL for value in values):
        raise Failure(f"--local: '{text}' is not a percentage, or some with commas between")
    return values


def possible_sides(sides, collector):
    """Without kernel support for the detection of written pages there are no summaries, so two of the sides would be equal."""
    if swapping.has_pagemap_scan() or not any(has_summaries(side, collector) for side in sides):
        return sides
    notice("this kernel has no PAGEMAP_SCAN (Linux 6.7): there are no summaries of pages here. Far memory still leaves absent pages "
           "alone, and reads /proc/self/pagemap for that")
    wanted = {*sides, "deferred" if collector == "g1" else "far"}
    return [side for side in COLLECTORS[collector].sides if side in wanted and not has_summaries(side, collector)]


def has_summaries(side, collector):
    return side == "summaries" or (side == "far" and collector == "g1")


def check_collector(homes, collector):
    """Some distributions build no Shenandoah."""
    flag = COLLECTORS[collector].flag
    for side, home in homes.items():
        if subprocess.run([home / "bin/java", flag, "-version"], capture_output=True, timeout=60).returncode != 0:
            raise Failure(f"--{side}: {home} refuses {flag}; name a JDK home that has this collector")


def cap_of(program, quick, locals_):
    caps = [cap(program, quick, local) for local in locals_]
    return max([*caps, wide(program, quick)] if PROGRAMS[program].meets else caps)


def build(programs, home):
    if any(PROGRAMS[program].spark for program in programs):
        benchmarks.SPARK.build(home)
    if not all(PROGRAMS[program].spark for program in programs):
        benchmarks.GC.build(home)


def rounds(results, out, runs, program, sides, local, repeats):
    for number in range(repeats):
        for side in turn(sides, number):
            mark = {"program": program, "side": side, "local": local, "repeat": number + 1}
            heading = f"{program}, {local} % local, {title(side, results['collector'])}, {number + 1} of {repeats}"
            name = f"{program}-{local}-{side}-{number + 1}"
            results["runs"].append({**mark, **runs.run(name, heading, program, side, SIDES[side].jdk, local)})
            store(results, out)


def judge(results):
    return [f"{run['program']}, {run['local']} % local, {SIDES[run['side']].title}: {run['failure']}; log: {paths.relative(run['log'])}"
            for run in results["runs"] if run["failure"] and run["side"] != "stock"] + report.differences(results)


def show(results, folder):
    print(f"\n{report.text(results)}\n")
    for note in report.notes(results):
        notice(note)
    notice(f"wrote {paths.relative(report.write(results, folder).absolute())}")
