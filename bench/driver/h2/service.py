# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench h2 service`: single reads and writes of a map that is larger than the heap, with less and less memory."""
from terrace.common import memory_cap
from terrace.common.term import Failure, step
from .lab import GIB, Lab, MIB, TIMEOUT, add_options, add_repeats, count, size, sizes, spread, table, words

VALUES = 1500 * MIB
HEAP = 512 * MIB
MEMORY = "500m,800m,1000m,1300m,3000m"
SECONDS = 30


def add(commands):
    parser = commands.add_parser(
        "service", help="single reads and writes of a map that is larger than the heap, by the memory limit",
        description="Two threads read random values of a ConcurrentHashMap and replace one in twenty. The program gives no hint. -Xmx "
                    f"is {words(HEAP)}, or half of the memory limit if that is less. The limit includes the page cache. The reported "
                    "rate is that of the second half of the run. The exit status is 1 if a value is wrong.")
    parser.add_argument("--memory", type=sizes, default=sizes(MEMORY), metavar="BYTES[,BYTES]",
                        help=f"memory limits (default {MEMORY})")
    parser.add_argument("--values", type=size, default=VALUES, metavar="BYTES",
                        help=f"total size of the values (default {words(VALUES)})")
    parser.add_argument("--seconds", type=count, default=SECONDS, metavar="N", help=f"duration of each run (default {SECONDS})")
    parser.add_argument("--options", default="", metavar="OPTIONS",
                        help="additional JVM options, separated by spaces, for example -XX:+H2RandomAccess")
    add_repeats(parser, 1)
    add_options(parser, run)


def run(arguments):
    memory_cap.require("this measurement needs a memory limit")
    lab = Lab(arguments)
    lab.need_space(2 * arguments.values)
    found = {memory: [] for memory in arguments.memory}
    with step("service") as current:
        for repeat in range(arguments.repeats):
            for memory in arguments.memory:
                current.update(f"{words(memory)} of memory, run {repeat + 1} of {arguments.repeats}")
                found[memory].append(measure_cap(lab, memory))
        current.done()
    lab.finish(found, result_table(found))
    if any(one["wrong"] for runs in found.values() for one in runs):
        raise Failure("values were wrong")


def heap(memory):
    return min(HEAP, memory // 2 // MIB * MIB)


def measure_cap(lab, memory):
    arguments = lab.arguments
    options = [f"-Xmx{words(heap(memory))}", f"-XX:H2Size={words(-(-3 * arguments.values // GIB) * GIB)}", *arguments.options.split()]
    one = lab.run(f"service-{words(memory)}", options, "service", "--megabytes", arguments.values // MIB, "--seconds", arguments.seconds,
                  cap=memory, timeout=arguments.seconds + TIMEOUT)
    pauses = [pause.seconds for pause in one.log.pauses]
    return {"rate": one.report["operationsPerSecond"], "filled": one.report["filledSeconds"], "wrong": one.report["wrong"],
            "longest": max(pauses, default=0.0), "read": one.measurement.device_read}


def result_table(found):
    rows = [[words(memory), words(heap(memory)), spread(one["rate"] for one in runs), spread((one["filled"] for one in runs), 1),
             spread((one["longest"] for one in runs), 2), spread(one["read"] / MIB for one in runs)] for memory, runs in found.items()]
    return table(["memory", "-Xmx", "operations/s", "filled after, s", "longest pause, s", "device read, MB"], rows)
