# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 hot`: whether fast memory follows the part that a program reads, and the cost of finding that part."""
from terrace.common.term import notice, step
from ..measure.curves import lines
from .lab import GIB, Lab, MIB, add_options, count, size, table, words

HEAP = GIB
# Fraction of the hot part that must be in fast memory.
REACHED = 0.9
POLICIES = ("monitor", "hints")


def add(commands):
    parser = commands.add_parser(
        "hot", help="the time until fast memory holds a new hot part, and the cost of sampling",
        description="A program fills the second heap and reads a part of it at random, and after a while another part. With "
                    "H2TierPolicy=monitor, measures the time until the hot part is in fast memory, the amount of data that "
                    "moves between the tiers before and after, and the CPU time of sampling. A run with H2TierPolicy=hints and "
                    "without hints takes no samples, and shows the cost of sampling for the program.")
    parser.add_argument("--size", type=size, default=10 * GIB, metavar="BYTES", help="size of the data (default 10g)")
    parser.add_argument("--hot", type=size, default=GIB, metavar="BYTES", help="size of the hot part (default 1g)")
    parser.add_argument("--fast", type=size, default=2 * GIB, metavar="BYTES", help="H2FastSize (default 2g)")
    parser.add_argument("--stay", type=count, default=60, metavar="S", help="seconds until another part becomes hot (default 60)")
    parser.add_argument("--sets", type=count, default=4, metavar="N", help="number of hot parts, one after the other (default 4)")
    parser.add_argument("--svg", metavar="FILE", help="also plot")
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    lab.need_space(arguments.size * 3 // 2)
    found = {}
    with step("hot part") as current:
        for policy in POLICIES:
            current.update(policy)
            found[policy] = measure_policy(lab, policy)
        current.done()
    if arguments.svg:
        lines(arguments.svg, "seconds", "of the hot part, fast, %",
              {policy: [(number, 100 * share(second)) for number, second in enumerate(seconds)]
               for policy, seconds in found.items()})
    lab.finish(found, result_table(found, arguments.stay))
    notice(f"'fast' is {REACHED:.0%} of the hot part; 'after that' counts from then until the next part is hot")


def measure_policy(lab, policy):
    arguments = lab.arguments
    options = [f"-Xmx{words(HEAP)}", f"-XX:H2Size={words(-(-arguments.size * 5 // 4 // GIB) * GIB)}",
               f"-XX:H2FastSize={words(arguments.fast)}", f"-XX:H2TierPolicy={policy}"]
    return lab.run(f"hot-{policy}", options, "hot", "--size", arguments.size, "--hot", arguments.hot, "--stay", arguments.stay,
                   "--sets", arguments.sets, timeout=600 + arguments.stay * arguments.sets).report["seconds"]


def share(second):
    """Returns the fraction of the hot part that is in fast memory."""
    return second["fastHotBytes"] / max(1, second["hotBytes"])


def result_table(found, stay):
    rows = []
    for policy, seconds in found.items():
        for start in range(0, len(seconds), stay):
            rows.append([policy, str(start // stay + 1), *part(seconds, start, stay)])
    return table(["policy", "part", "fast after, s", "at the end, %", "changed places until then, MB", "after that, MB",
                  "sampling, % of a processor", "rows read, M/s"], rows)


def part(seconds, start, stay):
    """Returns the cells for the seconds in which one part was hot."""
    those = seconds[start:start + stay]
    # The program takes its first sample at the end of the first second.
    before = seconds[start - 1] if start else those[0]
    reached = next((number for number, second in enumerate(those) if share(second) >= REACHED), None)
    at = those[reached] if reached is not None else those[-1]
    sampled = (those[-1]["sampleNanos"] - before["sampleNanos"]) / 1e9 / len(those)
    return ["–" if reached is None else str(reached + 1), f"{100 * share(those[-1]):.0f}", f"{(moved(at) - moved(before)) / MIB:.0f}",
            f"{(moved(those[-1]) - moved(at)) / MIB:.0f}", "–" if sampled <= 0 else f"{100 * sampled:.2f}",
            f"{sum(second['reads'] for second in those) / len(those) / 1e6:.2f}"]


def moved(second):
    return max(0, second["toFastBytes"]) + max(0, second["toSlowBytes"])
