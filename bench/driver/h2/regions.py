# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 regions`: the memory that metadata needs and the space that is wasted, by region size."""
import re
import subprocess

from terrace.common.term import Failure, output, step, tail
from ..measure import nmt
from ..measure.curves import cumulative
from .lab import GIB, KIB, Lab, MIB, TIB, add_options, median, size, sizes, table, words

REGIONS = [2 * MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB]
GROUPS = [512 * KIB, 8 * MIB, 64 * MIB]
# TeraHeap (ASPLOS '23), table 5: MB of metadata in DRAM per TB of H2, by MB of the region, without cards.
PAPER = {1: 417, 2: 209, 4: 104, 8: 52, 16: 26, 32: 13, 64: 7, 128: 3, 256: 2}
# Data in H2 when the tables are measured, and the capacity of H2.
STEPS = [128 * MIB, 640 * MIB]
CAPACITY = 24 * GIB
# Number of regions per entry in a region's directory of dependencies (h2RegionSet.hpp).
DIRECTORY_REGIONS = 4096
OWN_LABEL_GROUPS = 24


def add(commands):
    parser = commands.add_parser(
        "regions", help="metadata per TB of H2, and the space of partly dead regions, for regions of 2 to 256 MB",
        description="Makes two measurements for each region size. The first determines the memory of H2's tables from the JVM's "
                    "native memory report and the resident pages of their address ranges. It measures two amounts of data, and "
                    "extrapolates to 1 TB. The second moves groups of objects, drops most of them, and determines the number "
                    "of freed regions and the dead objects in the other regions.")
    parser.add_argument("--regions", type=sizes, default=REGIONS, metavar="BYTES,...",
                        help="region sizes (default 2m,4m,16m,64m,256m)")
    parser.add_argument("--groups", type=sizes, default=GROUPS, metavar="BYTES,...",
                        help="group sizes (default 512k,8m,64m)")
    parser.add_argument("--total", type=size, default=512 * MIB, metavar="BYTES", help="total size of all groups (default 512m)")
    parser.add_argument("--keep", type=float, default=0.25, metavar="F",
                        help="fraction of the groups to keep, selected at random (default 0.25)")
    parser.add_argument("--svg", metavar="FILE", help="also plot the share of live objects per region")
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    lab.need_space(CAPACITY)
    memory, space, own = {}, [], []
    with step("memory of the tables") as current:
        for region in arguments.regions:
            current.update(f"regions of {words(region)}")
            memory[region] = per_terabyte(lab, region)
        current.done()
    with step("groups") as current:
        for region in arguments.regions:
            for group in arguments.groups:
                current.update(f"groups of {words(group)} in regions of {words(region)}")
                number = max(8, arguments.total // group)
                space.append(groups(lab, region, group, number, "--shared-label", "--fraction", arguments.keep))
                own.append(groups(lab, region, group, OWN_LABEL_GROUPS, "--fraction", arguments.keep))
        current.done()
    if arguments.svg:
        cumulative(arguments.svg, space)
    lab.finish({"memory": memory, "space": space, "own": own},
               memory_table(memory), shared_table(space), own_table(own))


def per_terabyte(lab, region):
    """Returns the bytes in DRAM of each table for 1 TB of H2."""
    first, last = snapshots(lab, region)
    opened = last["regions"] - first["regions"]
    found = {name: (last[name] - first[name]) * TIB / (opened * region) for name in ("cards", "starts", "sets")}
    found["table"] = last["table"] * TIB / CAPACITY
    # The directory of each region in use has a length that depends on the capacity.
    length, at_terabyte = (-(-capacity // region // DIRECTORY_REGIONS) for capacity in (CAPACITY, TIB))
    found["directory"] = (last["directory"] - first["directory"]) * TIB / (opened * region) * at_terabyte / length
    return found


def snapshots(lab, region):
    name = f"regions-memory-{words(region)}"
    steps = [max(step, 4 * region * (index + 1)) for index, step in enumerate(STEPS)]
    command = lab.command(name, ["-Xmx768m", "-XX:NativeMemoryTracking=detail", f"-XX:H2RegionSize={words(region)}",
                                 f"-XX:H2Size={words(CAPACITY)}"],
                          "fill", "--steps", ",".join(map(words, steps)))
    log = lab.out / f"{name}.log"
    found = []
    with open(log, "w") as stderr, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                    stderr=stderr, text=True) as process:
        for _ in steps:
            line = process.stdout.readline()
            match = re.search(r'"regions":(\d+)', line)
            if not match:
                process.kill()
                raise Failure(f"filling H2 failed: {line}\n{tail(log)}")
            found.append(dict(snapshot(lab, process.pid), regions=int(match[1])))
            process.stdin.write("\n")
            process.stdin.flush()
    return found


def snapshot(lab, pid):
    """Returns the bytes in DRAM of H2's tables by name."""
    text = output([lab.homes["terrace"] / "bin/jcmd", pid, "VM.native_memory", "detail", "scale=b"])
    ranges, mallocs = nmt.parse(text)
    found = dict.fromkeys(("cards", "starts", "table", "sets", "directory"), 0)
    for one in ranges:
        if any("H2Heap::open" in frame for frame in one.frames):
            name = "starts" if any("H2StartTable" in frame for frame in one.reserved_by) else "cards"
            found[name] += nmt.resident(pid, one.start, one.end)
    for one in mallocs:
        # In the stacks of NMT's own records, the frames of NMT come first.
        if any("MemoryRegion" in frame or "VirtualMemoryTracker" in frame for frame in one.frames):
            continue
        if any("H2RegionSet::initialize" in frame for frame in one.frames):
            found["directory"] += one.size
        elif any("H2Heap::initialize" in frame for frame in one.frames):
            found["table"] += one.size
        elif any("H2" in frame and "H2Tags" not in frame for frame in one.frames):
            found["sets"] += one.size  # memory that does not grow with the regions in use cancels out
    if not found["cards"] or not found["table"]:
        raise Failure("the native memory report names no table of H2: the functions that allocate the tables were renamed, "
                      "so adapt bench/driver/h2/regions.py")
    return found


def groups(lab, region, group, number, *arguments):
    label = "shared" if "--shared-label" in arguments else "own"
    space = number * group if label == "shared" else number * -(-group // region) * region
    need = max(4 * GIB, space * 5 // 4 + 8 * region)
    batch = max(group, 128 * MIB)
    run = lab.run(f"regions-{label}-{words(region)}-{words(group)}",
                  [f"-Xmx{(batch * 3 // 2 + 384 * MIB) // MIB}m", "-Xmn256m", f"-XX:H2RegionSize={words(region)}",
                   f"-XX:H2Size={words(-(-need // GIB) * GIB)}"],
                  "groups", "--count", number, "--size", group, *arguments, settled=False)
    return dict(run.report, region=region, group=group, wall=run.measurement.wall,
                major=run.log.seconds(True), transfer=sum(one.seconds for one in run.log.transfers))


def memory_table(memory):
    rows = []
    for region, found in memory.items():
        sets = found["sets"] + found["directory"]
        beside = found["table"] + sets
        rows.append([f"{region // MIB} MB", mb(found["table"]), mb(sets), mb(beside),
                     PAPER.get(region // MIB, ""), mb(found["cards"]), mb(found["starts"]),
                     mb(beside + found["cards"] + found["starts"])])
    return table(["MB of DRAM per TB of H2, regions of", "table of regions", "lists of regions in use", "sum",
                  "paper, table 5", "cards", "object starts", "all"], rows)


def mb(size):
    return f"{size / MIB:.1f}" if size < 100 * MIB else f"{size / MIB:.0f}"


def shared_table(space):
    rows = []
    for one in space:
        live = one["keptGroups"] * one["bytesPerGroup"]
        kept = one["regionsAfter"] * one["region"]
        shares = [alive / objects for objects, alive in one["regions"] if alive]
        rows.append([f"{one['region'] // MIB} MB", f"{one['group'] / MIB:g} MB", one["regionsBefore"],
                     f"{(1 - one['regionsAfter'] / one['regionsBefore']) * 100:.0f} %",
                     f"{live / MIB:.0f}", f"{kept / MIB:.0f}", f"{kept / live:.2f}", f"{median(shares) * 100:.0f} %",
                     f"{one['major']:.2f}"])
    return table(["one label for all groups; regions of", "groups of", "regions", "freed", "live, MB", "kept, MB",
                  "kept / live", "live in a kept region, median", "major GC, s"], rows)


def own_table(own):
    rows = []
    for one in own:
        total = one["groups"] * one["bytesPerGroup"]
        rows.append([f"{one['region'] // MIB} MB", f"{one['group'] / MIB:g} MB",
                     f"{one['regionsBefore'] * one['region'] / total:.2f}",
                     f"{one['regionsAfter'] * one['region'] / (one['keptGroups'] * one['bytesPerGroup']):.2f}",
                     f"{(1 - one['regionsAfter'] / one['regionsBefore']) * 100:.0f} %", f"{one['major']:.2f}"])
    return table(["a label for each group; regions of", "groups of", "space / data", "after dropping", "freed",
                  "major GC, s"], rows)
