# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 hot-values`: a map with hot values between cold ones, under each way to choose what is fast."""
from dataclasses import dataclass

from terrace.common import memory_cap
from terrace.common.term import Failure, notice, step
from ..measure.device_cap import device_cap
from ..measure.series import chosen, turn
from ..measure.setting import add_selection
from .lab import GIB, Lab, MIB, add_options, add_repeats, count, size, spread, table, words

HEAP = 320 * MIB
KINDS = {"map": "ConcurrentHashMap", "caffeine": "Caffeine", "infinispan": "Infinispan"}
MIXES = {"a": "half reads, half updates", "b": "95 % reads, 5 % updates", "c": "reads only",
         "d": "95 % reads of what is new, 5 % inserts", "f": "half reads, half reads and updates of the same value"}


@dataclass(frozen=True)
class Side:
    meaning: str
    flag: str              # H2TierPolicy
    place: str             # tier of the values
    window: bool = False
    all_fast: bool = False


SIDES = {
    "fast": Side("no memory limit, and all values are fast", "hints", "fast", all_fast=True),
    "slow": Side("no value is fast", "slow", "slow"),
    "lru": Side("the system decides which pages stay in memory", "lru", "auto"),
    "monitor": Side("fast regions are those that the program accesses most", "monitor", "auto"),
    "window": Side("a HotWindow is fast, and the values are slow", "hints", "slow", window=True),
    "window+monitor": Side("a HotWindow is fast at first, then what the program accesses most", "both", "slow", window=True),
}


def add(commands):
    parser = commands.add_parser(
        "hot-values", help="hot values of a map, gathered in fast memory by a HotWindow or not",
        description="Two threads read and write the values of a map by Zipf's law (0.99) with hashed keys, so hot values lie in all "
                    "regions. Reports the share of reads of fast regions, or of H1, and the operations a second, in the last third of "
                    "the time. Except with all values fast, memory including the page cache is limited to the heap, H2FastSize and "
                    "--beside. The exit status is 1 if a value was wrong.")
    add_selection(parser, "--kind", "K[,K]", "maps", KINDS)
    add_selection(parser, "--mix", "M[,M]", "mixes of operations of YCSB", MIXES)
    add_selection(parser, "--side", "S[,S]", "sides", SIDES)
    parser.add_argument("--size", type=size, default=1280 * MIB, metavar="BYTES", help="size of the values (default 1280m)")
    parser.add_argument("--fast", type=size, default=128 * MIB, metavar="BYTES", help="H2FastSize (default 128m)")
    parser.add_argument("--beside", type=size, default=128 * MIB, metavar="BYTES",
                        help="memory in addition to the heap and H2FastSize (default 128m)")
    parser.add_argument("--device", type=size, metavar="BYTES", help="limit reads from the disk of H2 to this amount per second")
    parser.add_argument("--seconds", type=count, default=60, metavar="N", help="duration of each run (default 60)")
    add_repeats(parser, 1)
    add_options(parser, run)


def run(arguments):
    kinds, mixes, sides = (chosen(f"--{name}", getattr(arguments, name), known)
                           for name, known in (("kind", KINDS), ("mix", MIXES), ("side", SIDES)))
    memory_cap.require("slow memory is only slow with a memory limit")
    lab = Lab(arguments)
    lab.need_space(2 * arguments.size + GIB)
    found = []
    with step("hot values") as current, device_cap(lab.h2, arguments.device):
        for repeat in range(arguments.repeats):
            for kind, mix in [(kind, mix) for kind in kinds for mix in mixes]:
                for side in turn(sides, repeat):
                    current.update(f"{KINDS[kind]}, {mix}, {side}, round {repeat + 1} of {arguments.repeats}")
                    found.append(measure_side(lab, kind, mix, side))
        current.done()
    lab.finish(found, *(result_table(found, kind, mix) for kind in kinds for mix in mixes))
    judge(found)


def measure_side(lab, kind, mix, name):
    arguments, side = lab.arguments, SIDES[name]
    capacity = -(-arguments.size * 2 // GIB) * GIB
    options = [f"-Xmx{words(HEAP)}", f"-Xms{words(HEAP)}", "-XX:+AlwaysPreTouch", f"-XX:H2Size={words(capacity)}",
               f"-XX:H2FastSize={words(capacity if side.all_fast else arguments.fast)}", f"-XX:H2TierPolicy={side.flag}",
               "-XX:+H2RandomAccess"]
    program = ["hot-values", "--kind", kind, "--mix", mix, "--size", arguments.size, "--place", side.place,
               "--seconds", arguments.seconds, "--window", arguments.fast if side.window else 0]
    cap = None if side.all_fast else HEAP + arguments.fast + arguments.beside
    run = lab.attempt(f"hot-values-{kind}-{mix}-{name}", options, *program, cap=cap, timeout=arguments.seconds + 300)
    return {"kind": kind, "mix": mix, "side": name, "failure": run.failure, "report": run.report,
            "deviceRead": run.measurement.device_read, "cpu": run.measurement.cpu}


def last(one):
    """Returns the seconds of the last third of a run."""
    seconds = one["report"]["seconds"]
    return seconds[-max(1, len(seconds) // 3):]


def total(one, name):
    return sum(second[name] for second in last(one))


def rate(one):
    return (total(one, "reads") + total(one, "writes")) / len(last(one)) / 1000


def fast_share(one):
    """Returns the percentage of reads that found their value in a fast region or in H1."""
    return 100 * total(one, "fast") / max(1, total(one, "looks"))


def quick_share(one):
    return 100 * total(one, "quick") / max(1, total(one, "reads"))


def p99(one):
    return max(second["readP99"] for second in last(one))


def result_table(found, kind, mix):
    those = [one for one in found if (one["kind"], one["mix"]) == (kind, mix) and one["report"]]
    rows = []
    for side in SIDES:
        runs = [one for one in those if one["side"] == side]
        if runs:
            rows.append([side, spread(map(fast_share, runs)), spread(map(quick_share, runs)), spread(map(rate, runs), 1),
                         spread(map(p99, runs)), spread([total(one, "inH1") * 100 / max(1, total(one, "looks")) for one in runs]),
                         spread([last(one)[-1]["window"] / MIB for one in runs]), spread([one["deviceRead"] / MIB for one in runs]),
                         spread([one["cpu"] for one in runs])])
    return table([f"{KINDS[kind]}, {MIXES[mix]}", "fast share, %", "within 20 µs, %", "operations, 1000/s", "99 % of reads, µs",
                  "in H1, %", "window, MB", "device read, MB", "CPU, s"], rows)


def judge(found):
    problems = []
    for one in found:
        name = f"{KINDS[one['kind']]}, mix {one['mix']}, {one['side']}"
        if one["report"] and one["report"]["wrong"]:
            problems.append(f"{name}: {one['report']['wrong']} values were wrong")
        elif one["failure"]:
            problems.append(f"{name}: {one['failure']}")
    if problems:
        raise Failure("\n".join(problems))
    notice("a read within 20 µs did not wait for the device")
