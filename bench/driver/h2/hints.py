# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 hints`: hints, thresholds, and both, for a program that grows beyond H1."""
from terrace.common import memory_cap
from terrace.common.term import notice, step
from .lab import GIB, Lab, MIB, add_options, add_repeats, median, size, spread, table

HEAP = 512 * MIB
# Columns of the table with their unit and number of decimals.
COLUMNS = {"minor_count": (1, 0), "minor_seconds": (1, 2), "major_count": (1, 0), "major_seconds": (1, 2),
           "transfer_seconds": (1, 2), "moved": (MIB, 0), "read": (MIB, 0), "written": (MIB, 0)}
HINT = ["--tag", "--move"]
TAGS = ["--tag"]
ONLY_HINT = "-XX:H2HighThreshold=100"
# Name, side, options of the JVM, and options of the program.
CASES = (
    ("stock", "stock", [], []),
    ("no tags", "terrace", [], []),
    ("no tags, -H2MoveUnhinted", "terrace", ["-XX:-H2MoveUnhinted"], []),
    ("hint only", "terrace", [ONLY_HINT], HINT),
    ("thresholds only, 85/50", "terrace", [], TAGS),
    ("both, 85/50", "terrace", [], HINT),
    ("thresholds only, low 0", "terrace", ["-XX:H2LowThreshold=0"], TAGS),
    ("thresholds only, low = high", "terrace", ["-XX:H2LowThreshold=85"], TAGS),
    ("both, low 0", "terrace", ["-XX:H2LowThreshold=0"], HINT),
    ("both, low = high", "terrace", ["-XX:H2LowThreshold=85"], HINT),
)


def add(commands):
    parser = commands.add_parser(
        "hints", help="hints, thresholds, both, and neither, with and without a low threshold",
        description="A program creates 96 partitions of 16 MB with -Xmx512m, and replaces rows of the newest eight. In 'hint', it "
                    "tags each new partition, and advises the VM to move each complete one. In 'thresholds only', it gives no hint.")
    parser.add_argument("--memory", type=size, default=900 * MIB, metavar="BYTES",
                        help="memory limit, including the page cache (default 900m; no limit if control groups are unavailable)")
    add_repeats(parser, 2)
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    lab.need_space(8 * GIB)
    reason = memory_cap.unavailable()
    if reason:
        notice(f"no memory cap ({reason}): device traffic says little")
    found = []
    with step("hints and thresholds") as current:
        for turn in range(arguments.repeats):
            for case in CASES:
                current.update(f"round {turn + 1} of {arguments.repeats}: {case[0]}")
                found.append(measure_case(lab, *case, None if reason else arguments.memory))
        current.done()
    lab.finish(found, result_table(found))


def measure_case(lab, name, side, options, hints, cap):
    h2 = ["-XX:H2Size=8g"] if side == "terrace" else []
    number = [case[0] for case in CASES].index(name)
    run = lab.run(f"hints-{number}", [f"-Xmx{HEAP // MIB}m", *h2, *options], "grow", *hints, side=side, cap=cap)
    return {"case": name, "out_of_memory": run.report["outOfMemory"], "partitions": run.report["partitions"],
            "sum": run.report["sum"], "wall": run.measurement.wall, "cpu": run.measurement.cpu,
            "moved": run.report["movedBytes"], "read": run.measurement.device_read,
            "written": run.measurement.device_written, **run.log.summary()}


def result_table(found):
    rows = []
    for name in dict.fromkeys(one["case"] for one in found):
        runs = [one for one in found if one["case"] == name]
        one = runs[0]
        middle = {key: median(one[key] for one in runs) for key in COLUMNS}
        rows.append([name, f"out of memory at {one['partitions']}" if one["out_of_memory"] else "done",
                     spread([one["wall"] for one in runs], 1),
                     *[f"{middle[key] / unit:.{digits}f}" for key, (unit, digits) in COLUMNS.items()]])
    return table(["", "end", "wall, s", "minor GCs", "s", "major GCs", "s", "of that moving", "moved, MB",
                  "device read, MB", "written, MB"], rows)
