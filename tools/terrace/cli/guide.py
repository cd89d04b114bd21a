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
        "a line for each step with its time, and at the end where the JDK is and how to set JAVA_HOME",
        "17 minutes the first time, 2 to 5 minutes with the objects in ccache, a second if nothing changed",
        "./terrace build && export JAVA_HOME=$PWD/build/jdk PATH=$PWD/build/jdk/bin:$PATH"),
    "run": Guide(
        "the output of the Java program",
        "the time of the program",
        "./terrace run -XX:AllocateH2At=/tmp -Xlog:gc+h2 -jar app.jar"),
    "dist": Guide(
        "the packages with their sizes, and the glibc and the CPU that they need",
        "10 seconds for the archive, a minute for the Debian package, plus the time of a build if the JDK is not built",
        "./terrace dist --tar --out /tmp/dist"),
    "test": Guide(
        "the stages as they run, the failures, and as the last line `N passed, N failed`",
        "34 to 45 minutes for all stages, less for a change that needs few of them",
        "./terrace test --only self"),
    "test persist": Guide(
        "crash states, kills and violations, each with its number",
        "10 minutes, hours with --nightly",
        "./terrace test persist --seed 7"),
    "nightly": Guide(
        "the parts as they run, and as the last line `N passed, N failed`; records in test/nightly.txt which parts passed",
        "six hours for all parts; --hours ends it earlier and the next call continues there",
        "./terrace nightly --hours 2"),
    "stress": Guide(
        "a line for each round, and the seed with which a failed round is repeated",
        "10 minutes, or the time of --minutes",
        "./terrace stress --minutes 3 --way plain"),
    "flags": Guide(
        "each flag with its default, its range and its meaning; exit status 1 if no name matches",
        "less than a second",
        "./terrace flags H2Size"),
    "demo": Guide(
        "a table and a verdict for each of two programs; writes build/demo/report.html",
        "4 minutes with --quick, 12 minutes without, plus the time of a build if the JDK is not built",
        "./terrace demo --quick"),
    "report": Guide(
        "the table of the last demo, and where the page is",
        "some seconds",
        "./terrace report --out build/demo"),
    "bench": Guide(
        "tables as Markdown; most measurements write them below build/bench, too",
        "from a minute (startup) to a day (spark, gc): see the help of each measurement",
        "./terrace bench startup"),
    "bench startup": Guide(
        "the time of hello world on each JVM, with medians and ratios",
        "a minute",
        "./terrace bench startup --runs 10"),
    "bench h2": Guide(
        "tables of each experiment",
        "one to four minutes each; cache takes two hours, hot eight minutes, goal writes 60 GB",
        "./terrace bench h2 transfer"),
    "bench h2 transfer": Guide(
        "throughput by phase and by number of GC threads, with fio for comparison",
        "up to four minutes", "./terrace bench h2 transfer --size 256m"),
    "bench h2 goal": Guide(
        "pauses with each goal and without", "half an hour: it writes 20 GB three times",
        "./terrace bench h2 goal --bytes 2g --heap 1g"),
    "bench h2 regions": Guide(
        "memory for the tables of H2, and the space that half-dead regions keep, by region size",
        "up to four minutes", "./terrace bench h2 regions --regions 4m,16m"),
    "bench h2 hints": Guide(
        "times and pauses with a hint, with thresholds, with both and with neither",
        "up to four minutes", "./terrace bench h2 hints --repeats 1"),
    "bench h2 cards": Guide(
        "the time of minor collections for each size of H2", "up to four minutes", "./terrace bench h2 cards --steps 1g,2g"),
    "bench h2 paging": Guide(
        "rows read a second in each pattern, and how long it takes to reach a safepoint",
        "up to four minutes", "./terrace bench h2 paging --repeats 1"),
    "bench h2 liveness": Guide(
        "regions that stay in use, for each way to find live regions", "up to four minutes",
        "./terrace bench h2 liveness --groups 60"),
    "bench h2 hot": Guide(
        "how soon the hot part is in memory, and the processor time of sampling", "eight minutes",
        "./terrace bench h2 hot --size 2g --hot 256m --fast 512m"),
    "bench h2 cache": Guide(
        "operations a second of each cache on each JVM", "two hours, eleven minutes with --quick",
        "./terrace bench h2 cache --quick"),
    "bench h2 service": Guide(
        "operations a second, the longest pause and what was read from the device, for each amount of memory", "four minutes",
        "./terrace bench h2 service --memory 1300m"),
    "bench spark": Guide(
        "medians, ranges and ratios of ten programs; writes tables and plots below build/bench/spark",
        "hours; a run takes some 20 s with --quick", "./terrace bench spark --quick --only pagerank"),
    "bench giraph": Guide(
        "medians and ratios of five programs; writes tables below build/bench/giraph",
        "hours, half an hour with --quick", "./terrace bench giraph --quick"),
    "bench tiers": Guide(
        "times under each policy, and the plan that place made; writes tables below build/bench/tiers",
        "hours, ten minutes with --quick", "./terrace bench tiers --quick"),
    "bench far": Guide(
        "throughput and latencies in and out of concurrent cycles; writes tables below build/bench/far",
        "hours, ten minutes with --quick; needs root and swap space", "./terrace bench far --quick --only keyvalue"),
    "bench gc": Guide(
        "times, pauses and ratios with bounds; writes tables and plots below build/bench/gc",
        "hours; a run takes some seconds with --quick", "./terrace bench gc --quick --pairs 2"),
    "bench persist": Guide(
        "tables of each part; writes them with plots below build/bench/persist",
        "hours, less with --quick", "./terrace bench persist --quick --only collections"),
    "doctor": Guide(
        "a summary of the observations, each finding with its evidence and its remedy, and the number of findings",
        "10 seconds for a process (--seconds), less than a second for a log",
        "./terrace doctor 4711 --seconds 30"),
    "completion": Guide(
        "a script for the shell, which completes commands and options",
        "a second",
        "source <(./terrace completion bash)    # in ~/.bashrc; zsh: in ~/.zshrc, after compinit"),
    "dev": Guide(
        "a line for each step", "seconds, except for build and the tests", "./terrace dev status"),
    "dev fetch": Guide(
        "the version that is in build/upstream/src", "a minute the first time: it downloads 180 MB", "./terrace dev fetch"),
    "dev apply": Guide(
        "whether build/upstream/src equals vm/hooks/", "some seconds", "./terrace dev apply"),
    "dev build": Guide(
        "a line for each step with its time, and where the JDK is",
        "5 to 17 minutes the first time, a minute after a change", "./terrace dev build --debug"),
    "dev status": Guide(
        "the commits in build/upstream/src, and the changes that vm/hooks/ lacks", "a second", "./terrace dev status"),
    "dev commit": Guide(
        "the commits after it", "some seconds", './terrace dev commit parallel-move-to-h2'),
    "dev refresh": Guide(
        "the patches that it wrote", "some seconds", "./terrace dev refresh"),
    "dev check": Guide(
        "a line for each rule, and as the last line `N passed, N failed`", "some seconds, minutes with --compile",
        "./terrace dev check"),
    "dev test": Guide(
        "the end of the log if a test failed, and as the last line `N passed, N failed`",
        "half a minute to ten minutes, plus the time of a build if the JDK is not built", "./terrace dev test gc/terrace/h2/TestHints.java"),
    "dev modes": Guide(
        "a table of tests and modes, and as the last line `N passed, N failed`", "70 minutes for the default group",
        "./terrace dev modes --mode C1 gc/terrace/h2/TestHints.java"),
    "dev upstream-compare": Guide(
        "the tests whose results differ", "hours for a group; an interrupted comparison continues",
        "./terrace dev upstream-compare --sample 50"),
    "dev pages": Guide(
        "a line for each block of commands, and the differences from the page; the clone stays in build/test/pages",
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
