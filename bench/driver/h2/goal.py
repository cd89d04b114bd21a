# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 goal`: pauses of a program that moves much data to H2, with and without pause goals."""
from terrace.common import gclog
from terrace.common.term import notice, step
from .lab import GIB, Lab, MIB, add_options, add_repeats, median, size, table, words

# With the headers of its rows, a partition fills one region, because a label uses whole regions.
PARTITION = 15 * MIB
# Values of H2TransferMillis. 0 is no goal.
GOALS = (0, 1000, 200)
TIMEOUT = 1200


def add(commands):
    parser = commands.add_parser(
        "goal", help="pauses during large transfers, with and without pause goals",
        description="A program creates tagged partitions of 15 MB, keeps all of them, and replaces rows of the newest eight. "
                    "When the heap is full, the thresholds trigger transfers. Runs the program without a pause goal, and with "
                    f"-XX:H2TransferMillis={' and '.join(str(goal) for goal in GOALS if goal)}.")
    parser.add_argument("--bytes", type=size, default=20 * GIB, metavar="BYTES", help="total size of all partitions (default 20g)")
    parser.add_argument("--heap", type=size, default=8 * GIB, metavar="BYTES", help="-Xmx (default 8g)")
    add_repeats(parser, 1)
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    h2_size = -(-arguments.bytes * 5 // 4 // GIB) * GIB
    lab.need_space(h2_size)
    found = []
    with step("pauses by goal") as current:
        for turn in range(arguments.repeats):
            for goal in GOALS:
                current.update(f"round {turn + 1} of {arguments.repeats}: {name_of(goal)}")
                found.append(measure_goal(lab, goal, h2_size))
        current.done()
    lab.finish(found, result_table(found))
    notice("a pause is that of a whole major collection; 'moving' is the part of it that the goal is for")


def name_of(goal):
    return f"{goal} ms" if goal else "no goal"


def measure_goal(lab, goal, h2_size):
    heap = words(lab.arguments.heap)
    options = [f"-Xmx{heap}", f"-Xms{heap}", f"-XX:H2Size={words(h2_size)}", f"-XX:H2TransferMillis={goal}"]
    run = lab.run(f"goal-{goal}", options, "grow", "--tag", "--partitions", lab.arguments.bytes // PARTITION,
                  "--size", PARTITION, timeout=TIMEOUT)
    return {"goal": goal, "wall": run.measurement.wall, "cpu": run.measurement.cpu, "moved": run.report["movedBytes"],
            "sum": run.report["sum"], "out_of_memory": run.report["outOfMemory"],
            "minor": [pause.seconds for pause in run.log.pauses if not pause.major],
            "major": [pause.seconds for pause in run.log.pauses if pause.major],
            "moving": [transfer.seconds for transfer in run.log.transfers]}


def result_table(found):
    rows = []
    for goal in GOALS:
        runs = [one for one in found if one["goal"] == goal]
        if runs:
            rows.append([name_of(goal), *(number(runs, "wall"), number(runs, "cpu"), number(runs, "moved", MIB)),
                         *(cell for kind in ("major", "moving") for cell in times(runs, kind)),
                         f"{milliseconds(max(every(runs, 'minor'), default=0))}"])
    return table(["goal", "wall, s", "CPU, s", "moved, MB", "major GCs", "p50, ms", "p99", "most", "moving", "p50, ms",
                  "p99", "most", "minor GC, most, ms"], rows)


def number(runs, name, unit=1):
    return f"{median(one[name] for one in runs) / unit:.0f}"


def every(runs, kind):
    return [seconds for one in runs for seconds in one[kind]]


def times(runs, kind):
    """Returns the median of the numbers in each run, and the median, 99th percentile and maximum over all runs."""
    values = every(runs, kind)
    return [f"{median(len(one[kind]) for one in runs):.0f}",
            *(milliseconds(gclog.percentile(values, share)) for share in (0.5, 0.99, 1))]


def milliseconds(seconds):
    return f"{seconds * 1000:.0f}"
