# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 cards`: the cost of H2 for minor collections, with clean cards and with dirty cards."""
from terrace.common.term import notice, step
from ..measure.curves import lines
from .lab import GIB, Lab, MIB, add_options, count, median, sizes, table, words

WRITTEN = [0.0, 0.001, 0.01]
CARD = 512


def add(commands):
    parser = commands.add_parser(
        "cards", help="the duration of minor collections by the size of H2",
        description="Fills the second heap with small objects in steps. At each step, measures minor collections after the program "
                    "wrote references between old objects to 0 %, 0.1 % and 1 % of all cards, selected at random. Stock has the "
                    "same objects in its old generation, as far as memory allows.")
    parser.add_argument("--steps", type=sizes, default=[GIB, 2 * GIB, 4 * GIB, 8 * GIB], metavar="BYTES,...",
                        help="sizes of the objects in H2 (default 1g,2g,4g,8g)")
    parser.add_argument("--stock-steps", type=sizes, default=[GIB, 2 * GIB, 4 * GIB], metavar="BYTES,...",
                        help="sizes of the objects in the heap of stock (default 1g,2g,4g)")
    parser.add_argument("--collections", type=count, default=5, metavar="N", help="number of measured collections of each kind (default 5)")
    parser.add_argument("--svg", metavar="FILE", help="also plot")
    add_options(parser, run)


def run(arguments):
    lab = Lab(arguments)
    lab.need_space(max(arguments.steps) * 3 // 2)
    found = {}
    with step("minor collections") as current:
        for side, steps in (("terrace", arguments.steps), ("stock", arguments.stock_steps)):
            current.update(side)
            found[side] = measure_side(lab, side, steps)
        current.done()
    if arguments.svg:
        lines(arguments.svg, "GB of objects outside the young generation", "minor collection, ms", series(found))
    lab.finish(found, result_table(found))
    slope(found["terrace"])


def measure_side(lab, side, steps):
    heap = 1536 * MIB if side == "terrace" else max(steps) * 5 // 4 + 512 * MIB
    options = [f"-Xmx{heap // MIB}m", f"-Xms{heap // MIB}m", "-Xmn128m", "-XX:-UseAdaptiveSizePolicy"]
    if side == "terrace":
        options.append(f"-XX:H2Size={words(-(-max(steps) * 5 // 4 // GIB) * GIB)}")
    run = lab.run(f"cards-{side}", options, "cards", "--steps", ",".join(map(words, steps)), "--written",
                  ",".join(map(str, WRITTEN)), "--repeats", lab.arguments.collections)
    pauses = [pause for pause in run.log.pauses if not pause.major]
    return [dict(one, pause=pauses[one["minorCollection"] - 1].seconds) for one in run.report["collections"]]


def milliseconds(collections, bytes_, written):
    return median(one["pause"] for one in collections if (one["bytes"], one["written"]) == (bytes_, written)) * 1000


def series(found):
    named = {}
    for side, collections in found.items():
        for written in WRITTEN:
            points = [(size / GIB, milliseconds(collections, size, written))
                      for size in dict.fromkeys(one["bytes"] for one in collections)]
            named[f"{'Terrace' if side == 'terrace' else 'stock'}, {written * 100:g} % written"] = points
    return named


def result_table(found):
    rows = []
    stock = {one["bytes"] for one in found["stock"]}
    for size in dict.fromkeys(one["bytes"] for one in found["terrace"]):
        ms = [milliseconds(found["terrace"], size, written) for written in WRITTEN]
        cards = WRITTEN[-1] * size / CARD
        scan = median(one["scanNanos"] for one in found["terrace"]
                      if (one["bytes"], one["written"]) == (size, 0.0)) / 1e6
        theirs = [f"{milliseconds(found['stock'], size, written):.1f}" if size in stock else "–" for written in WRITTEN]
        rows.append([f"{size / GIB:g} GB", *[f"{value:.1f}" for value in ms], f"{scan:.2f}",
                     f"{(ms[-1] - ms[0]) * 1e6 / cards:.0f}", *theirs])
    percent = [f"{written * 100:g} % written" for written in WRITTEN]
    return table(["pause, ms; objects", *percent, "of that H2, all workers, 0 %", "ns per written card",
                  *[f"stock, {text}" for text in percent]], rows)


def slope(collections):
    sizes_ = sorted({one["bytes"] for one in collections})
    if len(sizes_) > 1:
        low, high = (milliseconds(collections, size, 0.0) for size in (sizes_[0], sizes_[-1]))
        notice(f"a GB of H2 without written cards costs a minor collection "
               f"{(high - low) / (sizes_[-1] - sizes_[0]) * GIB:.2f} ms")
