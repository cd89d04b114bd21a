# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 cache`: a cache that is larger than the heap, whose values are replaced constantly for half an hour."""
import statistics

from terrace.common import libraries, memory_cap
from terrace.common.term import Failure, notice, step
from ..measure.curves import lines
from ..measure.series import chosen
from ..measure.setting import add_selection
from .lab import Lab, MIB, TIMEOUT, add_options, count, size, table, words

KINDS = {"caffeine": "Caffeine", "lru": "LinkedHashMap"}
SIDES = ("terrace", "stock")
HEAP = 256 * MIB
DATA = 4 * HEAP
CAPACITY = 3 * DATA
# By default the old generation has two thirds of the heap, which are too small for the data.
STOCK_HEAP = 3 * DATA // 2
STOCK_YOUNG = STOCK_HEAP // 6
MINUTES, QUICK_MINUTES = 30, 2
WARMUP = 30


def add(commands):
    parser = commands.add_parser(
        "cache", help="a cache that is larger than the heap, with continuous replacement of values",
        description="Two threads read a full cache of 1 GB, with keys distributed by Zipf's law. They replace one in ten of the found "
                    f"values, and load the missing ones. Runs on Terrace with -Xmx{words(HEAP)} and H2, then on stock with a heap that "
                    "holds the cache. The exit status is 1 if a run on Terrace fails or if a value is wrong.")
    parser.add_argument("--minutes", type=count, default=MINUTES, metavar="N",
                        help=f"duration of each of the four runs (default {MINUTES})")
    parser.add_argument("--quick", action="store_const", const=QUICK_MINUTES, dest="minutes", help=f"the same as --minutes {QUICK_MINUTES}")
    add_selection(parser, "--kind", "K[,K]", "caches", KINDS)
    parser.add_argument("--memory", type=size, metavar="BYTES",
                        help="memory limit of Terrace, including the page cache, for example "
                             f"{words(HEAP + DATA // 2)} (default: no limit)")
    parser.add_argument("--svg", metavar="FILE", help="also plot operations over time")
    add_options(parser, run)


def run(arguments):
    kinds = chosen("--kind", arguments.kind, KINDS)
    if arguments.memory:
        memory_cap.require("--memory needs a memory limit")
    # A missing library must be reported before hours of work.
    libraries.offer("scipy")
    lab = Lab(arguments)
    lab.need_space(CAPACITY)
    found = []
    with step("caches") as current:
        for kind in kinds:
            for side in SIDES:
                current.update(f"{KINDS[kind]}, {side}, {arguments.minutes} minutes")
                found.append(measure_side(lab, kind, side))
        current.done()
    if arguments.svg:
        lines(arguments.svg, "minutes", "operations, 1000/s", series(found))
    lab.finish(found, rate_table(found), collection_table(found), space_table(found))
    judge(found)


def measure_side(lab, kind, side):
    seconds, cap = lab.arguments.minutes * 60, lab.arguments.memory if side == "terrace" else None
    options = ([f"-Xmx{words(HEAP)}", f"-XX:H2Size={words(CAPACITY)}"] if side == "terrace"
               else [f"-Xmx{words(STOCK_HEAP)}", f"-Xmn{words(STOCK_YOUNG)}"])
    program = ["cache", "--kind", kind, "--megabytes", DATA // MIB, "--seconds", seconds, "--window", window(seconds), "--warmup", WARMUP]
    run = lab.attempt(f"cache-{kind}-{side}", ["-XX:+ExitOnOutOfMemoryError", *options], *program, side=side, cap=cap,
                      timeout=seconds + WARMUP + TIMEOUT)
    found = {"kind": kind, "side": side, "cap": cap, "failure": run.failure, "report": run.report}
    if run.report:
        found.update(minor=collections(run, False), major=collections(run, True), h2=space(run), moved=run.log.moved(),
                     emptied=sum(regions for _, regions, _ in run.log.evacuated), evacuated=sum(size for *_, size in run.log.evacuated),
                     cpu=run.measurement.cpu, anonymous=run.measurement.anonymous_peak, written=run.measurement.device_written)
    return found


def window(seconds):
    return 60 if seconds >= 600 else 10


def collections(run, major):
    """Returns the collections that began while operations were counted."""
    times = [pause.seconds for pause in run.log.pauses
             if pause.major == major and run.report["from"] <= pause.start <= run.report["to"]]
    return {"count": len(times), "longest": max(times, default=0.0), "seconds": sum(times)}


def space(run):
    """Returns the bytes in H2 after the last major collection in each quarter, and the maximum."""
    start, end = run.report["from"], run.report["to"]
    used = [[size for at, size in run.log.h2 if at <= start + (end - start) * quarter / 4] for quarter in range(1, 5)]
    return {"quarters": [sizes[-1] if sizes else 0 for sizes in used], "peak": max((size for _, size in run.log.h2), default=0)}


def rates(one):
    """Returns the operations per second in each window."""
    return [operations / one["report"]["windowSeconds"] for operations in one["report"]["operations"]]


def trend(values):
    """Returns (change over the run, two standard errors of it) of a least-squares line, in percent of the mean."""
    if len(values) < 3 or not libraries.offer("scipy"):
        return None
    from scipy import stats
    line = stats.linregress(range(len(values)), values)
    percent = 100 * len(values) / statistics.fmean(values)
    return line.slope * percent, 2 * line.stderr * percent


def title(one):
    return f"{KINDS[one['kind']]}, {'Terrace' if one['side'] == 'terrace' else 'stock'}"


def had(one):
    """Returns a row title with the memory sizes of a run."""
    if one["side"] == "stock":
        return f"{title(one)}, -Xmx{words(STOCK_HEAP)} -Xmn{words(STOCK_YOUNG)}"
    cap = f", {words(one['cap'])} of memory" if one["cap"] else ""
    return f"{title(one)}, -Xmx{words(HEAP)}, H2 {words(CAPACITY)}{cap}"


def series(found):
    named = {}
    for one in found:
        if one["report"]:
            minutes = one["report"]["windowSeconds"] / 60
            named[title(one)] = [((index + 1) * minutes, rate / 1000) for index, rate in enumerate(rates(one))]
    return named


def listing(header, found, name, cells):
    """Returns a table with a row for each run. A run without a report has dashes."""
    dashes = ["failed", *["–"] * (len(header) - 2)]
    return table(header, [[name(one), *(cells(one) if one["report"] else dashes)] for one in found])


def rate_table(found):
    def cells(one):
        every, report = rates(one), one["report"]
        quarter = max(1, len(every) // 4)
        line = trend(every)
        hits = sum(report["hits"])
        return [f"{sum(report['operations']) / 1e6:.1f}", thousands(statistics.fmean(every[:quarter])),
                thousands(statistics.fmean(every[-quarter:])), thousands(min(every)), thousands(max(every)),
                f"{line[0]:+.1f} ± {line[1]:.1f}" if line else "–", f"{100 * hits / sum(report['operations']):.1f}",
                f"{sum(report['replacements']) / 1e6:.1f}", f"{one['cpu']:.0f}", f"{one['anonymous'] / MIB:.0f}"]
    lengths = {one["report"]["windowSeconds"] for one in found if one["report"]}
    part = f"{min(lengths, default=60)} s"
    header = ["operations, 1000/s", "all, M", "first quarter", "last quarter", f"least {part}", f"most {part}", "trend, %", "hits, %",
              "replaced, M", "CPU, s", "anonymous memory, MB"]
    return listing(header, found, had, cells)


def thousands(value):
    return f"{value / 1000:.0f}"


def collection_table(found):
    def cells(one):
        return [cell for kind in ("minor", "major") for cell in
                (one[kind]["count"], f"{one[kind]['longest'] * 1000:.0f}", f"{one[kind]['seconds']:.1f}")]
    return listing(["collections", "minor", "longest, ms", "sum, s", "major", "longest, ms", "sum, s"], found, title, cells)


def space_table(found):
    def cells(one):
        h2 = one["report"]["h2"]
        return [*[mb(used) for used in one["h2"]["quarters"]], mb(one["h2"]["peak"]), mb(one["moved"]), h2["deepMarkings"], one["emptied"],
                mb(one["evacuated"]), h2["failedTransfers"], mb(one["written"])]
    header = ["H2, MB", "used at 1/4", "1/2", "3/4", "end", "most", "moved", "markings through H2", "regions evacuated", "evacuated",
              "transfers abandoned", "device written"]
    return listing(header, [one for one in found if one["side"] == "terrace"], title, cells)


def mb(value):
    return f"{value / MIB:.0f}"


def judge(found):
    problems = []
    for one in found:
        if one["report"] and one["report"]["wrong"]:
            problems.append(f"{title(one)}: {one['report']['wrong']} values were wrong")
        elif one["failure"] and one["side"] == "terrace":
            problems.append(f"{title(one)}: {one['failure']}")
        elif one["failure"]:
            notice(f"{title(one)}: {one['failure']}")
    if problems:
        raise Failure("\n".join(problems))
