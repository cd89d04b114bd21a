# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 transfer`: the speed at which a major collection moves objects to H2, by phase, compared with fio."""
import os

from terrace.common.term import notice, step
from . import fio
from .lab import GIB, Lab, MIB, add_options, add_repeats, median, size, spread, table, words

SHAPES = {"nodes": "nodes of 24 bytes", "boxed": "boxed numbers, strings", "arrays": "arrays of 1 KB",
          "large": "arrays of 8 MB"}
# Transfers of a JVM. The first one is not counted, see fio.write.
TRANSFERS = 4
PHASES = {"Marking Phase": "mark", "H2 Select": "select", "H2 Assign": "assign", "H2 Copy": "copy",
          "H2 Commit": "commit", "Adjust Roots": "adjust roots", "Compaction Phase": "compact"}
PAGE_CACHE, DEVICE = "fio psync", "fio psync, fsync"
WRITERS = {
    f"fio {engine}{name}": [f"--ioengine={engine}", *depth, *options]
    for name, options in (("", []), (", fsync", ["--end_fsync=1"]), (", direct", ["--direct=1"]))
    for engine, depth in (("psync", []), ("io_uring", ["--iodepth=8"]))
}


def add(commands):
    parser = commands.add_parser(
        "transfer", help="the throughput of a transfer by phase, compared with fio",
        description="Moves object graphs to the second heap, each in one major collection. Alternately, fio writes the same amount "
                    "to the same folder in blocks of 2 MB, with as many jobs as the collector has workers. 'transfer' is the "
                    "time from selection to commit, without marking. 'pause' is the whole pause. With fsync, fio waits until "
                    "the data is on the device, but a transfer does not. With direct, fio bypasses the page cache.")
    parser.add_argument("--size", type=size, default=GIB, metavar="BYTES", help="size of each graph (default 1g)")
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=list(SHAPES), metavar="NAMES",
                        help=f"kinds of graphs (default {','.join(SHAPES)})")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=threads(),
                        metavar="N,...", help=f"numbers of GC workers (default {','.join(map(str, threads()))})")
    add_repeats(parser, 2)
    add_options(parser, run)


def threads():
    """Returns 1 and the number of cores, and on large machines also numbers in between."""
    cores = len(os.sched_getaffinity(0))
    return sorted({1, cores, *(number for number in (4, 16) if number < cores)})


def run(arguments):
    lab = Lab(arguments)
    fio.require()
    lab.need_space(3 * arguments.size)
    transfers, writes = [], []
    with step("transfers and fio") as current:
        for turn in range(arguments.repeats):
            for workers in arguments.threads:
                for shape in arguments.shapes:
                    current.update(f"round {turn + 1} of {arguments.repeats}: {SHAPES[shape]}, {workers} workers")
                    transfers += measure_transfers(lab, shape, workers)
                for name, options in WRITERS.items():
                    os.sync()
                    rate = fio.write(lab.h2 / "fio", arguments.size, workers, options)
                    writes.append({"writer": name, "workers": workers, "rate": rate})
        current.done()
    lab.finish({"transfers": transfers, "fio": writes},
               phase_table(transfers), rate_table(transfers, writes), balance_table(transfers))
    for workers in arguments.threads:
        gain = fio_rate(writes, workers, "fio io_uring") / fio_rate(writes, workers, PAGE_CACHE)
        notice(f"io_uring writes {gain:.2f} times as fast as psync into the page cache, {workers} jobs")


def measure_transfers(lab, shape, workers):
    # The data fits into the old generation, so nothing is collected before the transfer.
    old = lab.arguments.size * 2 + 256 * MIB
    options = [f"-Xmx{(old + 512 * MIB) // MIB}m", "-Xmn512m", f"-XX:ParallelGCThreads={workers}",
               f"-XX:H2Size={words(max(4 * GIB, 3 * lab.arguments.size // GIB * GIB))}"]
    run = lab.run(f"transfer-{shape}-{workers}", options, "transfer", "--shape", shape, "--size", lab.arguments.size,
                  "--repeats", TRANSFERS)
    pauses = [pause for pause in run.log.pauses if pause.major and pause.cause == "Second Heap Transfer"]
    collections = [gc for gc, phases in sorted(run.phases.items()) if "H2 Commit" in phases]
    found = []
    for transfer, pause, gc in list(zip(run.log.transfers, pauses, collections))[1:]:
        found.append({"shape": shape, "workers": workers, "bytes": transfer.size, "objects": transfer.objects,
                      "pause": pause.seconds, "transfer": transfer.seconds, "copy": transfer.copy,
                      "phases": {name: run.phases[gc].get(phase, 0.0) / 1000 for phase, name in PHASES.items()},
                      "balance": run.workers.get(gc, {})})
    return found


def kinds(transfers):
    return dict.fromkeys((one["shape"], one["workers"]) for one in transfers)


def of(transfers, shape, workers):
    return [one for one in transfers if (one["shape"], one["workers"]) == (shape, workers)]


def phase_table(transfers):
    rows = []
    for shape, workers in kinds(transfers):
        runs = of(transfers, shape, workers)
        milliseconds = [median(one["phases"][name] for one in runs) * 1000 for name in PHASES.values()]
        pause = median(one["pause"] for one in runs) * 1000
        rows.append([SHAPES[shape], workers, f"{runs[0]['objects'] / 1e6:.2f}",
                     *[f"{value:.0f}" for value in (*milliseconds, pause - sum(milliseconds), pause)]])
    return table(["phases, ms", "workers", "objects, M", *PHASES.values(), "other", "pause"], rows)


def rate_table(transfers, writes):
    rows = []
    for shape, workers in kinds(transfers):
        runs = of(transfers, shape, workers)
        whole, copy = ([one["bytes"] / 1e6 / one[part] for one in runs] for part in ("transfer", "copy"))
        of_fio = [median(whole) / fio_rate(writes, workers, name) for name in (PAGE_CACHE, DEVICE)]
        rows.append([SHAPES[shape], workers, spread(whole), spread(copy), *[f"{ratio:.2f}" for ratio in of_fio]])
    for name in WRITERS:
        for workers in dict.fromkeys(one["workers"] for one in writes):
            rows.append([name, workers, spread([one["rate"] for one in writes
                                                if (one["writer"], one["workers"]) == (name, workers)]), "", "", ""])
    return table(["throughput, MB/s", "workers", "transfer", "copy phase", "of fio", "of fio with fsync"], rows)


def fio_rate(writes, workers, name):
    return median(one["rate"] for one in writes if (one["writer"], one["workers"]) == (name, workers))


def imbalance(runs, phase):
    """Returns the maximum over the mean of the workers' work, for each run."""
    counts = [one["balance"][phase] for one in runs if phase in one["balance"]]
    return [most / mean for _, _, mean, most in counts if mean]


def balance_table(transfers):
    rows = []
    for shape, workers in kinds(transfers):
        if workers == 1:
            continue
        runs = of(transfers, shape, workers)
        rows.append([SHAPES[shape], workers, *[spread(imbalance(runs, phase), 2) for phase in ("Select", "Copy")]])
    return table(["most work of a worker / mean", "workers", "select", "copy"], rows)
