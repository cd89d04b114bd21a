# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs all tests at full effort, in parts.

Whenever a part passes, its commit is recorded in test/nightly.txt. Commit this file. A part runs if a path that it depends
on differs from its recorded commit. So a run that was interrupted, or that --hours ended, can be continued, also on another
machine. `terrace test` skips stages that passed here and are unchanged since.
"""
import argparse
import sys
import time

from ..common import maven, paths, prerequisites
from ..common.term import Failure, clock, logged, notice, positive
from . import jtreg, node, persist_crashes, runner, selection, suites
from .results import Result
from .stages import JTREG_LIMIT, LONG_GRACE, STAGES, Stage, run_jtreg

# The sequences of three operations are divided into so many shares, and each night runs another one. All of them take about a day.
SHARES = 40
STRESS_MINUTES = 45     # three minutes for each way
PART_LIMIT = 4 * 3600


def command(*arguments):
    """Returns the function of a stage that runs another command of ./terrace."""
    def run(plan, file):
        words = [word.format(seed=plan.seed, share=f"{plan.seed % SHARES + 1}/{SHARES}") for word in arguments]
        logged([sys.executable, paths.ROOT / "terrace", *words], file, cwd=paths.ROOT, what="terrace " + " ".join(words),
               limit=PART_LIMIT, grace=LONG_GRACE)
        return Result(1)
    return run


def release(plan, file):
    return run_jtreg(plan, "release", jtreg.OUR_TESTS, [":terrace"], file, JTREG_LIMIT, on="release")


# Stages that run every time.
UNRECORDED = selection.ALWAYS | {"build"}
PARTS = (
    *STAGES,
    Stage("release", release, "behaviour tests, release", on=("release",)),
    Stage("stress", command("stress", "--minutes", str(STRESS_MINUTES), "--seed", "{seed}"), "random programs with each set of options",
          on=("release",)),
    Stage("kills", command("stress", "--kills", "200", "--seed", "{seed}"), "virtual machines killed while H2 is in use", on=("release",)),
    Stage("jcstress", command("stress", "--jcstress", "quick"), "the memory model on objects in H2", on=("release",)),
    Stage("modes", command("dev", "modes"), "behaviour tests with the interpreter and each compiler", on=("release",)),
    Stage("node", node.run, "H2 on a NUMA node, in a virtual machine with two nodes", on=("release",)),
    Stage("pages", command("dev", "pages"), "the commands of README and of the getting-started pages, in a fresh clone"),
    Stage("suites", suites.run, "third-party test suites for collections, on the persistent collections"),
    Stage("crashes", command("test", "persist", "--nightly", "--share", "{share}", "--seed", "{seed}"),
          "crashes and kills of the persistent heap"),
    Stage("bank", command("test", "persist", "--bank-kills", str(persist_crashes.BANK_KILLS), "--seed", "{seed}"),
          "kills of a bank's server during transfers, more than in the stage java"),
)


def register(add):
    parser = add(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random selections (default: derived from the commit)")
    parser.add_argument("--hours", type=positive, metavar="N",
                        help="stop after N hours; the part that is running then is repeated by the next call (default: no limit)")
    parser.add_argument("--only", metavar="PART", action="append", choices=[part.name for part in PARTS],
                        help="run only this part, even if it has passed (may be repeated)")
    parser.add_argument("--all", action="store_true", help="run all parts, even those that have passed and are unchanged")
    parser.add_argument("--list", action="store_true", help="list the parts, the commit for which each passed, and whether it would run")
    parser.set_defaults(run=run)


def run(arguments):
    plan = selection.plan(PARTS, everything=arguments.all or bool(arguments.only), seed=arguments.seed)
    plan.full, plan.modules = True, set(maven.modules())
    if arguments.only:
        plan.why = "parts selected by --only"
        plan.stages = [part for part in plan.stages if part.name in arguments.only]
    if arguments.list:
        print_list(plan)
        return 0
    if [path for path in selection.changed("HEAD") if path != str(selection.RECORD.relative_to(paths.ROOT))]:
        raise Failure("the working tree has uncommitted changes, but results are recorded for a commit: commit first")
    commit = selection.git("rev-parse", "HEAD", check=True)
    prerequisites.require(prerequisites.BUILD + prerequisites.TESTS, "the tests")
    notice(f"commit {commit[:12]}, seed {plan.seed}: {plan.why}")

    def passed(name, result, seconds):
        if result.passed and not result.failed and name not in UNRECORDED:
            selection.write_record({**selection.record(),
                                    name: selection.Passed(commit, plan.seed, result.passed, clock(seconds))})

    end = time.monotonic() + 3600 * arguments.hours if arguments.hours else float("inf")
    outcomes = runner.run_stages(plan, end, passed)
    runner.print_end(plan, outcomes)
    missing = [part.name for part in PARTS if part.name not in {*selection.record(), *UNRECORDED}]
    notice(f"{paths.relative(selection.RECORD)} records the passed parts: commit it"
           + (f". Never passed: {', '.join(missing)}" if missing else ""))
    return runner.print_sum(outcomes)


def print_list(plan):
    record = selection.record()
    for part in PARTS:
        last = f"passed for {record[part.name].commit[:12]} in {record[part.name].time}" if part.name in record else ""
        print(f"{part.name:10} {part.text:75} {'runs now' if part in plan.stages else '        '} {last}".rstrip())
