# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs Terrace's behaviour tests with the interpreter, C1 and C2, each with and without compressed references.

The options of a test override those of a mode.
"""
import argparse

from ..building import build
from ..common import paths
from ..common.term import Failure, Step, tail
from . import jtreg, results

MODES = {"interpreter": "-Xint", "C1": "-XX:TieredStopAtLevel=1", "C2": "-XX:-TieredCompilation"}
REFERENCES = {"compressed": "-XX:+UseCompressedOops", "wide": "-XX:-UseCompressedOops"}
GROUP = ":terrace_h2_transfer"


def register_dev(commands):
    text = "run behaviour tests with the interpreter, C1 and C2, with and without compressed references"
    parser = commands.add_parser("modes", help=text, description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=[GROUP], metavar="TEST",
                        help=f"a group of Terrace's tests (:name), or paths below test/hotspot/jtreg (default {GROUP})")
    parser.add_argument("--mode", action="append", choices=MODES, help="run only this mode (may be repeated)")
    parser.add_argument("--debug", action="store_true", help="use the fastdebug VM instead of the release VM")
    parser.set_defaults(run=run)


def run(arguments):
    name = "fastdebug" if arguments.debug else "release"
    build.build(name)
    found = {}
    for mode in arguments.mode or MODES:
        for references, oops in REFERENCES.items():
            column = f"{mode}, {references}"
            work = paths.BUILD / f"test/modes/{mode}-{references}"
            log = paths.BUILD / f"test/modes-{mode}-{references}.log"
            step = Step(column)
            found[column] = jtreg.run(jtreg.OUR_TESTS, arguments.tests, build.home(name), work, log, step=step,
                                      vmoptions=[MODES[mode], oops], runner=build.home("stock"))
            if not found[column]:
                raise Failure(f"jtreg ran no test. The end of the log:\n{tail(log)}")
            step.done(f"{len(found[column])} tests, {len(jtreg.bad(found[column]))} not passed")
            results.of_jtreg(found[column], work)
    print("\n".join(table(found)))
    failed = sum(len(jtreg.bad(states)) for states in found.values())
    print(f"{sum(map(len, found.values())) - failed} passed, {failed} failed")
    return 1 if failed else 0


def table(found):
    """Yields a Markdown table with a row for each test and a column for each mode."""
    columns = list(found)
    yield f"| test | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for test in sorted({test for states in found.values() for test in states}):
        name = test.rpartition("/")[2].removesuffix(".java")
        yield f"| {name} | {' | '.join(found[column].get(test, '–').lower() for column in columns)} |"
