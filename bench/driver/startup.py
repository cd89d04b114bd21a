# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench startup`, which measures the start of the JVM with class data sharing and with a second heap."""
import statistics
import subprocess
import time

from terrace.building import build
from terrace.common import machine, paths
from terrace.common.term import Failure, logged, notice, step

HELLO = """public class Hello {
    public static void main(String[] arguments) {
        System.out.println("Hello, world");
    }
}
"""


def add(commands):
    text = ("Starts hello world many times, alternately on the distribution's JVM, on Terrace without a second heap, and on "
            "Terrace with a second heap. Checks that all of them use class data sharing.")
    startup = commands.add_parser("startup", help="the start time of hello world on both JVMs", description=text)
    startup.add_argument("--runs", type=int, default=40, metavar="N", help="number of starts of each JVM (default 40)")
    startup.set_defaults(run=run)


def run(arguments):
    if arguments.runs < 1:
        raise Failure("--runs: at least 1")
    build.build()
    stock, terrace = build.home("stock"), build.home("release")
    folder = paths.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Hello.java").write_text(HELLO)
    logged([stock / "bin/javac", folder / "Hello.java"], "bench-hello.log", what="compiling hello world")

    # The second heap needs ParallelGC, so it is compared with ParallelGC. Otherwise the JVM selects the collector.
    parallel = ["-XX:+UseParallelGC"]
    contestants = {
        "stock": [stock / "bin/java"],
        "Terrace": [terrace / "bin/java"],
        "stock, ParallelGC": [stock / "bin/java", *parallel],
        "Terrace, ParallelGC": [terrace / "bin/java", *parallel],
        "Terrace, ParallelGC, AllocateH2At": [terrace / "bin/java", *parallel, f"-XX:AllocateH2At={folder}"],
    }
    contestants = {name: list(map(str, command)) for name, command in contestants.items()}
    without = [name for name, command in contestants.items() if not shares_classes(command)]
    times = measure(contestants, folder, arguments.runs)
    print(f"\n{table(times)}\n")
    for name, value in machine.facts(folder).items():
        notice(f"{name}: {value}")
    if without:
        raise Failure(f"class data sharing is not in use: {', '.join(without)}")
    notice("class data sharing is in use in all of them")


def shares_classes(command):
    result = subprocess.run([*command, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Failure(f"{' '.join(command)} -version failed:\n{result.stdout}")
    return "sharing)" in result.stdout


def measure(contestants, folder, runs):
    """Returns the seconds of every start. Each round starts all contestants once, in rotated order."""
    times = {name: [] for name in contestants}
    names = list(contestants)
    with step("hello world") as current:
        for turn in range(runs + 1):
            current.update(f"round {turn} of {runs}")
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                seconds = once([*contestants[name], "-cp", str(folder), "Hello"])
                if turn:  # the first round fills caches
                    times[name].append(seconds)
        current.done()
    return times


def once(command):
    started = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.perf_counter() - started
    if result.returncode != 0 or result.stdout != "Hello, world\n":
        raise Failure(f"{' '.join(command)} failed:\n{result.stdout}")
    return seconds


def table(times):
    """Returns a table of the median, the middle half, and the ratio to stock with the same collector."""
    width = max(map(len, times))
    lines = [f"{'':{width}}  {'median, ms':>10}  {'middle half':>13}  ratio"]
    for name, values in times.items():
        low, middle, high = quartiles(values)
        base = "stock, ParallelGC" if "ParallelGC" in name else "stock"
        ratio = "" if name == base else f"{middle / statistics.median(times[base]):.3f}"
        spread = f"{low * 1000:.1f}–{high * 1000:.1f}"
        lines.append(f"{name:{width}}  {middle * 1000:10.1f}  {spread:>13}  {ratio}".rstrip())
    return "\n".join(lines)


def quartiles(values):
    return tuple(statistics.quantiles(values, n=4, method="inclusive")) if len(values) > 1 else (values[0],) * 3
