# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs the tests that the current changes require, in stages. The last line of the output is `N passed, N failed`.

For each stage, test/nightly.txt names the commit for which `terrace nightly` passed last. A stage or module runs if a
path that it depends on differs from that commit, or if there is no such commit. Other stages and modules are listed as not
run and do not count as passed. Some tests have too many cases for every change, such as failing calls, stress options and
crashes. A seed that is derived from the commit selects a sample of them. docs/internals/testing.md describes the stages.
`terrace test persist` is a separate suite.
"""
import argparse
import math
import sys
import time
import traceback

from ..common import maven, paths, prerequisites
from ..common.term import Failure, OutOfTime, clock, deadline, notice, positive, tail
from . import persist_crashes, selection
from .results import Result
from .stages import LOGS, STAGES, log

# CI ends a run after 90 minutes and loses its output.
DEADLINE_MINUTES = 80
# After this time, stages that can wait are left to `terrace nightly`. On a slow machine without a compiler cache,
# building the two VMs took 50 minutes.
SHORT_MINUTES = 55


def register(add):
    parser = add(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="run all stages and modules, regardless of the changes")
    parser.add_argument("--only", metavar="STAGE", action="append", help="run only this stage, on all modules (may be repeated)")
    parser.add_argument("--list", action="store_true", help="list the stages and mark those that would not run")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random selections (default: derived from the commit)")
    parser.add_argument("--deadline", type=positive, metavar="MIN", default=DEADLINE_MINUTES,
                        help=f"limit for the whole run; the stage that is running then is stopped and fails (default {DEADLINE_MINUTES})")
    parser.set_defaults(run=run)
    persist_crashes.add(parser.add_subparsers(dest="suite", metavar="SUITE"))


def run(arguments):
    started = time.monotonic()
    if arguments.only:
        unknown = set(arguments.only) - {stage.name for stage in STAGES}
        if unknown:
            raise Failure(f"--only: there is no stage {', '.join(sorted(unknown))}; ./terrace test --list prints all stages")
    plan = selection.plan(STAGES, everything=arguments.all or bool(arguments.only), seed=arguments.seed)
    if arguments.only:
        plan.stages = [stage for stage in plan.stages if stage.name in arguments.only]
    if arguments.list:
        for stage in STAGES:
            print(f"{stage.name:9} {stage.text}{' (not now)' if stage.name in plan.left_out else ''}")
        return 0
    prerequisites.require(prerequisites.BUILD + prerequisites.TESTS, "the tests")
    if not arguments.only:
        notice(plan.why)
        if plan.left_out:
            notice(f"not run: {', '.join(plan.left_out)} (--all runs them)")
    notice(f"seed {plan.seed}")
    short = started + 60 * min(SHORT_MINUTES, arguments.deadline) if not (arguments.all or arguments.only) else math.inf
    outcomes = run_stages(plan, started + 60 * arguments.deadline, short=short)
    print_end(plan, outcomes)
    return print_sum(outcomes)


def run_stages(plan, end, done=lambda name, result, seconds: None, short=math.inf):
    """Runs stages until the time `end`, and returns {stage: (result, seconds)}.

    The stage that is interrupted at `end` has failed, and later stages do not run. Stages that can wait do not begin after `short`.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes = {}
    for index, stage in enumerate(plan.stages):
        started = time.monotonic()
        if stage.can_wait and started > short:
            plan.left_out[stage.name] = "time is short, ./terrace nightly runs it"
            continue
        print(f"== {stage.name}: {stage.text}", flush=True)
        late = []
        try:
            with deadline(end - started):
                result = run_stage(stage, plan)
        except OutOfTime:
            print(f"  FAIL deadline: {stage.name} was ended after {clock(time.monotonic() - started)}. The end of its log:\n"
                  f"{tail(log(stage.name), 10)}")
            result = Result(failed=1)
            late = plan.stages[index + 1:]
            plan.left_out.update({stage.name: "the deadline" for stage in late})
        seconds = time.monotonic() - started
        outcomes[stage.name] = result, seconds
        print(line(stage.name, result, seconds), flush=True)
        done(stage.name, result, seconds)
        if late:
            break
    return outcomes


def run_stage(stage, plan):
    try:
        return stage.run(plan, log(stage.name))
    except Failure as failure:
        print(f"{failure}", flush=True)
    except Exception:
        traceback.print_exc(file=sys.stdout)
    return Result(failed=1)


def line(name, result, seconds):
    return (f"   {name:9} {result.passed:5} passed {result.failed:4} failed  {clock(seconds)}"
            + (f"  {paths.relative(log(name))}" if result.failed else ""))


def print_end(plan, outcomes):
    for name, (result, _) in outcomes.items():
        if result.slowest():
            print(f"\nslowest of {name}:")
            print("\n".join(f"   {clock(seconds):>10}  {test}" for test, seconds in result.slowest()))
    print()
    for name, (result, seconds) in outcomes.items():
        print(line(name, result, seconds))
        for failure in result.failures:
            print(f"     FAIL {failure}")
    for name, why in plan.left_out.items():
        print(f"   {name:9} not run: {why}")
    if "java" in outcomes:
        modules = sorted(maven.modules().keys() - maven.dependencies(plan.modules))
        if modules:
            print(f"   modules   not run: {', '.join(modules)}: no path that differs needs them")


def print_sum(outcomes):
    """Prints the last line. Returns the exit status, which is a failure if no test ran."""
    total = Result()
    for result, _ in outcomes.values():
        total.add(result)
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed or not total.passed else 0
