# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Help texts of the commands in addition to their options: the output, the duration, and an example.

Durations were measured on two cores. The Java programs `heap` and `place` have their own help (java_tool.py).
"""
import argparse
import re
import textwrap
from dataclasses import dataclass

WIDTH = 100


@dataclass(frozen=True)
class Guide:
    prints: str
    takes: str
    example: str


GUIDES = {
    "build": Guide(
        "each step with its duration, and at the end the path of the JDK and the setting of JAVA_HOME",
        "17 minutes the first time, 2 to 5 minutes with a full compiler cache, a second if nothing changed",
        "./terrace build && export JAVA_HOME=$PWD/build/jdk PATH=$PWD/build/jdk/bin:$PATH"),
    "run": Guide(
        "the output of the Java program",
        "as long as the program runs",
        "./terrace run -XX:AllocateH2At=/tmp -Xlog:gc+h2 -jar app.jar"),
    "dist": Guide(
        "the packages with their sizes, and the glibc version and the CPU that they require",
        "10 seconds for the archive, a minute for the Debian package, and the duration of a build if the JDK is missing",
        "./terrace dist --tar --out /tmp/dist"),
    "test": Guide(
        "the progress of each stage, the failures, and `N passed, N failed` as the last line",
        "34 to 45 minutes for all stages, less if the change affects only some of them",
        "./terrace test --only self"),
    "test persist": Guide(
        "each violation, and the numbers of crash states, kills and violations",
        "10 minutes, hours with --nightly",
        "./terrace test persist --seed 7"),
    "nightly": Guide(
        "the progress of each part, and `N passed, N failed` as the last line; records passed parts in test/nightly.txt",
        "six hours for all parts; with --hours it ends earlier, and the next call runs the remaining parts",
        "./terrace nightly --hours 2"),
    "stress": Guide(
        "a line for each round, and the command that repeats a failed round",
        "10 minutes, or as long as --minutes says",
        "./terrace stress --minutes 3 --way plain"),
    "flags": Guide(
        "each flag with its default, its range and its meaning; exit status 1 if no name matches",
        "less than a second",
        "./terrace flags H2Size"),
    "demo": Guide(
        "a table and a verdict for each of two programs; writes build/demo/report.html",
        "4 minutes with --quick, 12 minutes without, and the duration of a build if the JDK is missing",
        "./terrace demo --quick"),
    "report": Guide(
        "the table of the last demo, and the path of the page",
        "some seconds",
        "./terrace report --out build/demo"),
    "bench": Guide(
        "tables in Markdown; most measurements also write them to a folder in build/bench",
        "from a minute (startup) to a day (spark, gc): see the help of each measurement",
        "./terrace bench startup"),
    "bench startup": Guide(
        "the median start time of each JVM, and ratios",
        "a minute",
        "./terrace bench startup --runs 10"),
    "bench h2": Guide(
        "the tables of the experiment",
        "one to four minutes each, except cache (two hours), hot (eight minutes), service (20 minutes) and goal (half an hour)",
        "./terrace bench h2 transfer"),
    "bench h2 transfer": Guide(
        "throughput by phase and by number of GC threads, and the throughput of fio for comparison",
        "up to four minutes", "./terrace bench h2 transfer --size 256m"),
    "bench h2 goal": Guide(
        "the pauses with each goal and without a goal", "half an hour; writes 20 GB three times",
        "./terrace bench h2 goal --bytes 2g --heap 1g"),
    "bench h2 regions": Guide(
        "the memory of the tables of H2, and the space of partly dead regions, by region size",
        "up to four minutes", "./terrace bench h2 regions --regions 4m,16m"),
    "bench h2 hints": Guide(
        "times and pauses with hints, with thresholds, with both, and with neither",
        "up to four minutes", "./terrace bench h2 hints --repeats 1"),
    "bench h2 cards": Guide(
        "the duration of minor collections for each size of H2", "up to four minutes", "./terrace bench h2 cards --steps 1g,2g"),
    "bench h2 paging": Guide(
        "rows read per second with each access pattern, and the time to reach a safepoint",
        "up to four minutes", "./terrace bench h2 paging --repeats 1"),
    "bench h2 liveness": Guide(
        "the regions that stay in use, for each method of finding live regions", "up to four minutes",
        "./terrace bench h2 liveness --groups 60"),
    "bench h2 hot": Guide(
        "the time until the hot part is in fast memory, and the CPU time of sampling", "eight minutes",
        "./terrace bench h2 hot --size 2g --hot 256m --fast 512m"),
    "bench h2 hot-values": Guide(
        "the share of reads from fast memory, operations per second and the 99th percentile, for each way to choose what is fast",
        "more than an hour, seven minutes for one mix",
        "./terrace bench h2 hot-values --kind map --mix c"),
    "bench h2 cache": Guide(
        "operations per second of each cache on each JVM", "two hours, eleven minutes with --quick",
        "./terrace bench h2 cache --quick"),
    "bench h2 service": Guide(
        "operations per second, the longest pause and the amount read from the device, for each memory limit and side", "15 to 25 minutes",
        "./terrace bench h2 service --memory 1300m"),
    "bench spark": Guide(
        "medians, ranges and ratios of eleven programs; writes tables and plots to build/bench/spark",
        "hours; with --quick, each run takes about 20 s", "./terrace bench spark --quick --only pagerank"),
    "bench giraph": Guide(
        "medians and ratios of five programs; writes tables to build/bench/giraph",
        "hours, half an hour with --quick", "./terrace bench giraph --quick"),
    "bench tiers": Guide(
        "times with each policy, and the plan of `./terrace place`; writes tables to build/bench/tiers",
        "hours, ten minutes with --quick", "./terrace bench tiers --quick"),
    "bench far": Guide(
        "throughput and latencies inside and outside of concurrent cycles; writes tables to build/bench/far",
        "hours, ten minutes with --quick; needs root and swap space", "./terrace bench far --quick --only keyvalue"),
    "bench gc": Guide(
        "times, pauses and ratios with confidence bounds; writes tables and plots to build/bench/gc",
        "hours; with --quick, each run takes some seconds", "./terrace bench gc --quick --pairs 2"),
    "bench persist": Guide(
        "the tables of each part; writes tables and plots to build/bench/persist",
        "hours, less with --quick", "./terrace bench persist --quick --only collections"),
    "doctor": Guide(
        "a summary of the observations, each finding with its evidence and its remedy, and the number of findings",
        "10 seconds for a process (see --seconds), less than a second for a log",
        "./terrace doctor 4711 --seconds 30"),
    "completion": Guide(
        "a shell script that completes commands and options",
        "a second",
        "source <(./terrace completion bash)    # in ~/.bashrc; zsh: in ~/.zshrc, after compinit"),
    "dev": Guide(
        "a line for each step", "seconds, except for builds and tests", "./terrace dev status"),
    "dev fetch": Guide(
        "the version of the source in build/upstream/src", "a minute the first time; downloads 180 MB", "./terrace dev fetch"),
    "dev apply": Guide(
        "whether build/upstream/src equals vm/hooks/", "some seconds", "./terrace dev apply"),
    "dev build": Guide(
        "each step with its duration, and the path of the JDK",
        "5 to 17 minutes the first time, a minute after a change", "./terrace dev build --debug"),
    "dev status": Guide(
        "the commits in build/upstream/src, and the changes that are not yet in vm/hooks/", "a second", "./terrace dev status"),
    "dev commit": Guide(
        "the resulting commits in build/upstream/src", "some seconds", './terrace dev commit parallel-move-to-h2'),
    "dev refresh": Guide(
        "the names of the written patches", "some seconds", "./terrace dev refresh"),
    "dev check": Guide(
        "a line for each rule, and `N passed, N failed` as the last line", "some seconds, minutes with --compile",
        "./terrace dev check"),
    "dev test": Guide(
        "the end of the log if a test failed, and `N passed, N failed` as the last line",
        "half a minute to ten minutes, and the duration of a build if the JDK is missing",
        "./terrace dev test gc/terrace/h2/transfer/TestHints.java"),
    "dev modes": Guide(
        "a table of tests and modes, and `N passed, N failed` as the last line", "70 minutes for the default group",
        "./terrace dev modes --mode C1 gc/terrace/h2/transfer/TestHints.java"),
    "dev upstream-compare": Guide(
        "the tests whose results differ", "hours for a group; an interrupted comparison can be continued",
        "./terrace dev upstream-compare --sample 50"),
    "dev pages": Guide(
        "a line for each block of commands, and each difference from the page; the logs are in build/test/pages",
        "30 minutes, 12 with --build",
        "./terrace dev pages --build build --only spark"),
}


class Formatter(argparse.HelpFormatter):
    """Fills paragraphs, which are separated by empty lines. A line that begins with two spaces is kept as it is."""

    def __init__(self, prog):
        super().__init__(prog, width=WIDTH)

    def _fill_text(self, text, width, indent):
        return "\n\n".join(part if part.startswith("  ") else textwrap.fill(re.sub(r"\s+", " ", part.strip()), width)
                           for part in re.split(r"\n\s*\n", text))


def lines(guide):
    """Formats a guide as a paragraph that Formatter keeps."""
    return "\n".join(textwrap.fill(text, WIDTH, initial_indent=f"  {name:9}", subsequent_indent=" " * 11,
                                   break_on_hyphens=False, break_long_words=False)
                     for name, text in (("prints", guide.prints), ("takes", guide.takes), ("example", guide.example)))


def attach(parser, path=()):
    """Adds the guides to a parser and to the parsers of its commands."""
    parser.formatter_class = Formatter
    guide = GUIDES.get(" ".join(path))
    if guide:
        parser.epilog = "\n\n".join(filter(None, (parser.epilog, lines(guide).replace("%", "%%"))))
    for name, inner in commands(parser).items():
        attach(inner, (*path, name))


def commands(parser):
    """Returns {name: parser} of the commands of a parser."""
    return {name: inner for action in parser._actions if isinstance(action, argparse._SubParsersAction)
            for name, inner in action.choices.items()}
