# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 paging`: reads an H2 larger than memory in order, at random, and both, and compares it with fio."""
import os
import re

from terrace.common import gclog, memory_cap
from terrace.common.term import read, step
from . import fio
from .lab import GIB, Lab, MIB, add_options, add_repeats, median, size, spread, table

# Name, options of the JVM, and options of the program. Variants with a flag that the JVM does not know are skipped.
VARIANTS = (
    ("found out", ["-XX:+H2HugePages"], []),
    ("huge pages", ["-XX:+H2HugePages", "-XX:-H2RandomAccess"], []),
    ("huge pages, prefetch", ["-XX:+H2HugePages", "-XX:-H2RandomAccess"], ["--prefetch"]),
    ("huge pages, prefetch, dismiss", ["-XX:+H2HugePages", "-XX:-H2RandomAccess"], ["--prefetch", "--dismiss"]),
    ("small pages", ["-XX:-H2HugePages", "-XX:-H2RandomAccess"], []),
    ("random access", ["-XX:+H2RandomAccess"], []),
    ("random access, prefetch", ["-XX:+H2RandomAccess"], ["--prefetch"]),
)
PATTERNS = {"scan": "in order", "random": "at random", "mixed": "one of each"}
HEAP = 320 * MIB
READERS = 2
PASSES = 4  # the first pass finds the pages that stay in memory, and the second one keeps them
FIO_SECONDS = 4
# Stops all threads ten times per second, to measure the time to the safepoint while they wait for pages.
SAFEPOINTS = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+SafepointALot", "-XX:GuaranteedSafepointInterval=100"]
SAFEPOINT = re.compile(r"^\[([\d.,]+)s\] Safepoint .*Reaching safepoint: +(\d+) ns", re.M)
DEVICE = (("fio psync, in order, 2 MB", "psync", "read"), ("fio mmap, in order, 2 MB", "mmap", "read"),
          ("fio psync, at random, 4 KB", "psync", "randread"), ("fio mmap, at random, 4 KB", "mmap", "randread"))


def add(commands):
    parser = commands.add_parser(
        "paging", help="reads of an H2 that is larger than memory",
        description="Two threads read rows of 1 KB with limited memory. Both read all rows in order, or single rows at random, or "
                    "one thread reads in order and one at random. Also measures the time to stop the threads for a safepoint. "
                    "For comparison, fio reads a file of the same size, with as much page cache as the JVM's heap leaves free.")
    parser.add_argument("--size", type=size, default=1536 * MIB, metavar="BYTES", help="size of the data (default 1536m)")
    parser.add_argument("--memory", type=size, default=GIB, metavar="BYTES",
                        help="memory limit, including the page cache (default 1g)")
    add_repeats(parser, 2)
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    memory_cap.require("this measurement needs a memory limit")
    fio.require()
    lab.need_space(3 * arguments.size)
    passes, device = [], []
    with step("paging") as current:
        for turn in range(arguments.repeats):
            for name, options, advice in VARIANTS:
                if all(lab.has_flag(option) for option in options):
                    current.update(f"round {turn + 1} of {arguments.repeats}: {name}")
                    passes += measure_variant(lab, name, options, advice)
            current.update(f"round {turn + 1} of {arguments.repeats}: fio")
            device += measure_device(lab)
        current.done()
    lab.finish({"passes": passes, "fio": device}, result_table(passes), device_table(device))


def measure_variant(lab, name, options, advice):
    name_of_run = f"paging-{name.replace(', ', '-').replace(' ', '-')}"
    safepoints = lab.out / f"{name_of_run}.safepoints.log"
    run = lab.run(name_of_run, [f"-Xmx{HEAP // MIB}m", "-XX:H2Size=8g", *options, *SAFEPOINTS,
                                f"-Xlog:safepoint:file={safepoints}:uptime:filecount=0"], "passes",
                  "--size", lab.arguments.size, "--pattern", ",".join(PATTERNS), "--threads", READERS, "--passes", PASSES,
                  *advice, cap=lab.arguments.memory)
    reached = times_to_safepoints(read(safepoints))
    # The first pass of a pattern is omitted, because it finds the pages of the previous pattern.
    return [dict(one, variant=name, toSafepoint=[seconds for at, seconds in reached if one["from"] <= at <= one["to"]])
            for one, before in zip(run.report["passes"], [None, *run.report["passes"]])
            if before and before["pattern"] == one["pattern"]]


def times_to_safepoints(text):
    """Returns [(uptime in seconds, seconds to stop all threads)]."""
    return [(gclog.number(at), int(nanos) / 1e9) for at, nanos in SAFEPOINT.findall(text)]


def measure_device(lab):
    path = lab.h2 / "fio"
    found = []
    fio.allocate(path, lab.arguments.size)
    try:
        with open(path, "r+b") as file:
            for _ in range(lab.arguments.size // MIB):
                file.write(os.urandom(64) * (MIB // 64))
            os.fsync(file.fileno())
        for name, engine, pattern in DEVICE:
            with memory_cap.memory_cap(lab.arguments.memory - HEAP) as cap:
                rate, reads = fio.read(path, lab.arguments.size, READERS, engine, pattern, FIO_SECONDS, cap)
            found.append({"name": name, "rate": rate, "reads": reads})
    finally:
        path.unlink()
    return found


def result_table(passes):
    rows = []
    for pattern, meaning in PATTERNS.items():
        for variant in dict.fromkeys(one["variant"] for one in passes):
            runs = [one for one in passes if (one["pattern"], one["variant"]) == (pattern, variant)]
            scan = [one["scannedBytes"] / 1e6 / one["scanSeconds"] for one in runs if one["scannedBytes"]]
            reads = [one["randomReads"] / one["seconds"] for one in runs if one["randomReads"]]
            reached = [1000 * seconds for one in runs for seconds in one["toSafepoint"]]
            rows.append([f"{meaning}, {variant}", spread(scan), spread(reads),
                         f"{median(one['seconds'] for one in runs):.2f}",
                         f"{median(one['cpuSeconds'] for one in runs):.2f}",
                         f"{median(one['majorFaults'] for one in runs):.0f}",
                         f"{median(one['deviceBytes'] for one in runs) / MIB:.0f}",
                         f"{median(reached):.2f}", f"{max(reached, default=0):.2f}"])
    return table(["a pass", "in order, MB/s", "rows at random, 1/s", "s", "CPU, s", "major faults", "device, MB",
                  "to a safepoint, ms", "most"], rows)


def device_table(device):
    rows = [[name, spread([one["rate"] for one in device if one["name"] == name]),
             spread([one["reads"] for one in device if one["name"] == name])] for name, *_ in DEVICE]
    return table([f"the device, {READERS} jobs", "MB/s", "reads, 1/s"], rows)
