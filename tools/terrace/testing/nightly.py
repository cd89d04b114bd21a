# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace nightly`: everything at full effort, in parts. A part that has passed for a commit is not run again for it.

What has passed is in build/nightly/state.json, so that an interrupted night, or one that --hours ended, goes on where it stopped.
When all parts have passed, test/nightly.txt says so; commit it, and `terrace test` runs what differs from that commit.
"""
import argparse
import json
import sys
import time
from dataclasses import dataclass

from ..common import maven, paths, prerequisites
from ..common.term import Failure, clock, logged, notice, positive
from . import persist_crashes, runner, selection
from .results import Result
from .stages import LONG_GRACE, STAGES, Stage

STATE = paths.BUILD / "nightly/state.json"
# Of the sequences of three operations, each night another share; all of them take about a day.
SHARES = 40
STRESS_MINUTES = 33     # three for each way
PART_LIMIT = 4 * 3600


def command(*arguments):
    """A stage that is another command of ./terrace."""
    def run(plan, file):
        words = [word.format(seed=plan.seed, share=f"{plan.seed % SHARES + 1}/{SHARES}") for word in arguments]
        logged([sys.executable, paths.ROOT / "terrace", *words], file, cwd=paths.ROOT, what="terrace " + " ".join(words),
               limit=PART_LIMIT, grace=LONG_GRACE)
        return Result(1)
    return run


PARTS = (
    *STAGES,
    Stage("stress", command("stress", "--minutes", str(STRESS_MINUTES), "--seed", "{seed}"), "random programs, each set of options",
          on=("release",)),
    Stage("kills", command("stress", "--kills", "200", "--seed", "{seed}"), "virtual machines killed while H2 is in use", on=("release",)),
    Stage("jcstress", command("stress", "--jcstress", "quick"), "the memory model on objects in H2", on=("release",)),
    Stage("modes", command("dev", "modes"), "behaviour tests in every way the VM runs code", on=("release",)),
    Stage("crashes", command("test", "persist", "--nightly", "--share", "{share}", "--seed", "{seed}"),
          "crashes and kills of the persistent heap"),
    Stage("bank", command("test", "persist", "--bank-kills", str(persist_crashes.BANK_KILLS), "--seed", "{seed}"),
          "a bank's server killed while clients transfer, and crashes with more effort than in the stage java"),
)


@dataclass
class State:
    """What has passed for a commit."""
    commit: str
    seed: int
    passed: dict        # part to [tests, seconds]

    @classmethod
    def load(cls):
        return cls(**json.loads(STATE.read_text())) if STATE.is_file() else None

    def store(self):
        STATE.parent.mkdir(parents=True, exist_ok=True)
        partial = STATE.with_suffix(".part")
        partial.write_text(json.dumps(vars(self), indent=1))
        partial.rename(STATE)


def register(add):
    parser = add(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, metavar="N", help="of what is chosen at random (default: from the commit)")
    parser.add_argument("--hours", type=positive, metavar="N",
                        help="after so many hours the part that runs is ended, and runs again the next time (default: no end)")
    parser.add_argument("--list", action="store_true", help="list the parts, and those that have passed")
    parser.set_defaults(run=run)


def run(arguments):
    if arguments.list:
        state = State.load()
        done = state.passed if state and state.commit == selection.git("rev-parse", "HEAD") else {}
        for part in PARTS:
            print(f"{part.name:10} {part.text}{' (passed)' if part.name in done else ''}")
        return 0
    state = resumed(arguments.seed)
    prerequisites.require(prerequisites.BUILD + prerequisites.TESTS, "the tests")
    notice(f"commit {state.commit[:12]}, seed {state.seed}" + (f"; passed already: {', '.join(state.passed)}" if state.passed else ""))
    plan = selection.Plan([part for part in PARTS if part.name not in state.passed], set(maven.modules()), state.seed, full=True)

    def passed(name, result, seconds):
        if result.passed and not result.failed:
            state.passed[name] = [result.passed, round(seconds)]
            state.store()

    end = time.monotonic() + 3600 * arguments.hours if arguments.hours else float("inf")
    outcomes = runner.run_stages(plan, end, passed)
    runner.print_end(plan, outcomes)
    if all(part.name in state.passed for part in PARTS):
        record(state)
        notice(f"all parts have passed: {paths.relative(selection.RECORD)} says so, commit it")
    return runner.print_sum(outcomes)


def resumed(seed):
    """The state of this commit; a new one where there is none, or another seed is asked for."""
    if selection.changed("HEAD"):
        raise Failure("the working tree differs from its commit, and what passes now would be recorded for that: commit first")
    commit = selection.git("rev-parse", "HEAD")
    state = State.load()
    if state and state.commit == commit and seed in (None, state.seed):
        return state
    if state and state.passed:
        notice(f"what had passed for {state.commit[:12]} with seed {state.seed} does not count: {', '.join(state.passed)}")
    return State(commit, selection.seed_of_commit() if seed is None else seed, {})


def record(state):
    parts = "".join(f"{name:10} {tests:6} passed  {clock(seconds)}\n" for name, (tests, seconds) in state.passed.items())
    selection.RECORD.write_text(f"# Written by ./terrace nightly: all its parts passed for this commit.\ncommit {state.commit}\n"
                                f"seed {state.seed}\n\n{parts}")
