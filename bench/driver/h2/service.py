# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench h2 service`: single reads and writes of values that are larger than the heap, with less and less memory."""
import contextlib
import tempfile

from terrace.common import memory_cap
from terrace.common.term import Failure, notice, step
from ..measure import swapping
from ..measure.series import chosen
from ..measure.setting import add_selection
from .lab import GIB, Lab, MIB, TIMEOUT, add_options, add_repeats, count, size, sizes, spread, table, words

SIDES = {"terrace": "Terrace", "stock": "stock with swap", "rocksdb": "RocksDB"}
VALUES = 1500 * MIB
HEAP = 512 * MIB
# Of stock. Its young generation is small, because the program allocates little beside the values.
YOUNG = 128 * MIB
# Of RocksDB: the Java heap, and all memory that is not its block cache.
SMALL_HEAP, BESIDE_CACHE = 64 * MIB, 200 * MIB
# RocksDB allocates blocks of its cache with malloc. With the default number of arenas, glibc keeps more than twice the cache.
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
MEMORY = "500m,800m,1000m,1300m,3000m"
SECONDS = 30


def add(commands):
    parser = commands.add_parser(
        "service", help="single reads and writes of a map that is larger than the heap, by the memory limit",
        description="Two threads read random values of a ConcurrentHashMap and replace one in twenty. The program gives no hint. -Xmx "
                    f"is {words(HEAP)}, or half of the memory limit if that is less. The limit includes the page cache. The side stock "
                    "has a heap for all values, which the system swaps to a file that this command creates and removes. The side rocksdb "
                    "stores the values in RocksDB, with a block cache of the memory. The reported rate is that of the second half of "
                    "the run. A side that the system kills at the limit has no rate. The exit status is 1 if a value is wrong, or if "
                    "Terrace fails.")
    parser.add_argument("--memory", type=sizes, default=sizes(MEMORY), metavar="BYTES[,BYTES]",
                        help=f"memory limits (default {MEMORY})")
    add_selection(parser, "--side", "S[,S]", "sides", SIDES)
    parser.add_argument("--values", type=size, default=VALUES, metavar="BYTES",
                        help=f"total size of the values (default {words(VALUES)})")
    parser.add_argument("--seconds", type=count, default=SECONDS, metavar="N", help=f"duration of each run (default {SECONDS})")
    parser.add_argument("--options", default="", metavar="OPTIONS",
                        help="additional JVM options of the side terrace, separated by spaces, for example -XX:+H2RandomAccess")
    add_repeats(parser, 1)
    add_options(parser, run)


def run(arguments):
    sides = chosen("--side", arguments.side, SIDES)
    memory_cap.require("this measurement needs a memory limit")
    if "stock" in sides and (reason := swapping.obstacle()):
        raise Failure(f"the side stock needs swap: {reason}. Choose other sides: --side terrace,rocksdb")
    lab = Lab(arguments)
    lab.need_space(2 * arguments.values)
    found = []
    with step("service") as current, enough_swap(lab, sides):
        for repeat in range(arguments.repeats):
            for memory in arguments.memory:
                for side in sides:
                    current.update(f"{words(memory)} of memory, {SIDES[side]}, run {repeat + 1} of {arguments.repeats}")
                    found.append(measure_side(lab, side, memory))
        current.done()
    lab.finish(found, rate_table(found), detail_table(found))
    if any(one.get("wrong") for one in found):
        raise Failure("values were wrong")


@contextlib.contextmanager
def enough_swap(lab, sides):
    """Provides swap for all of the heap of stock, if that is one of the sides."""
    if "stock" not in sides:
        yield
        return
    needed = stock_heap(lab.arguments.values) + GIB
    swapping.check_room(max(lab.arguments.memory), needed, lab.out)
    with swapping.journal(lab.out), swapping.swap(lab.out, needed) as file:
        notice(f"swap: {needed // MIB} MB, {file.name if file else 'of the machine'}")
        yield


def heap(memory):
    return min(HEAP, memory // 2 // MIB * MIB)


def stock_heap(values):
    """The values, and half as much for the map and for the space that ParallelGC keeps."""
    return values * 3 // 2 // MIB * MIB


def measure_side(lab, side, memory):
    values = lab.arguments.values
    program = ["service", "--megabytes", values // MIB, "--seconds", lab.arguments.seconds]
    how = {"cap": memory, "timeout": lab.arguments.seconds + TIMEOUT}
    name = f"service-{side}-{words(memory)}"
    if side == "terrace":
        options = [f"-Xmx{words(heap(memory))}", f"-XX:H2Size={words(-(-3 * values // GIB) * GIB)}", *lab.arguments.options.split()]
        one = lab.run(name, options, *program, **how)
    elif side == "stock":
        options = [f"-Xmx{words(stock_heap(values))}", f"-Xmn{words(YOUNG)}"]
        one = lab.attempt(name, options, *program, side="stock", swaps=True, **how)
    else:
        one = run_rocksdb(lab, name, memory, program, how)
    if one.failure:
        notice(f"{words(memory)} of memory, {SIDES[side]}: {one.failure.partition('. ')[0]}")
        return {"side": side, "memory": memory, "failure": one.failure}
    return {"side": side, "memory": memory, "rate": one.report["operationsPerSecond"], "filled": one.report["filledSeconds"],
            "wrong": one.report["wrong"], "longest": max((pause.seconds for pause in one.log.pauses), default=0.0),
            "read": one.measurement.device_read, "cpu": one.measurement.cpu}


def run_rocksdb(lab, name, memory, program, how):
    with tempfile.TemporaryDirectory(prefix="rocksdb-", dir=lab.h2) as folder:
        return lab.attempt(name, [f"-Xmx{words(SMALL_HEAP)}"], *program, "--rocksdb", folder, "--cache", block_cache(memory), side="stock",
                           environment=FEW_ARENAS, **how)


def block_cache(memory):
    return max(memory - BESIDE_CACHE, memory // 4)


def runs_by(found, *keys):
    """Returns {values of the keys: runs}, in the order of the first run."""
    grouped = {}
    for one in found:
        grouped.setdefault(tuple(one[key] for key in keys), []).append(one)
    return grouped


def rate_table(found):
    by_both = runs_by(found, "memory", "side")
    sides = [side for side, in runs_by(found, "side")]
    rows = [[words(memory), *[rate(by_both[memory, side]) for side in sides]]
            for memory, in runs_by(found, "memory")]
    return table(["memory", *[f"{SIDES[side]}, operations/s" for side in sides]], rows)


def rate(runs):
    """Returns the rate of the runs that ended, or that all failed."""
    return spread(one["rate"] for one in ended(runs)) if ended(runs) else "failed"


def ended(runs):
    return [one for one in runs if "failure" not in one]


def detail_table(found):
    rows = [[f"{words(memory)}, {SIDES[side]}", spread((one["filled"] for one in runs), 1), spread((one["longest"] for one in runs), 2),
             spread(one["read"] / MIB for one in runs), spread(one["cpu"] for one in runs)]
            for (memory, side), runs in runs_by(ended(found), "memory", "side").items()]
    return table(["memory", "filled after, s", "longest pause, s", "device read, MB", "CPU, s"], rows)
