# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs the crash tests of the persistent heap, with more effort than `mvn test`.

The tests simulate a crash of the machine at each moment of many programs, on disks and in persistent memory, and open
every state that the crash can leave. They kill programs with SIGKILL, and check a thousand ways to store references. They
also omit each write, write-back, sync and call in turn, and check that this defect is detected. --bank-kills kills the
server of a bank during transfers and compares its accounts with the acknowledged transfers. --nightly includes this, tests
all sequences of up to three operations, and kills more programs. The last lines give the numbers of opened crash states,
kills and violations. The tests run on JAVA_HOME or on the java of the PATH, which must be JDK 17 or newer.
"""
import argparse
import re
import time

from ..common import maven, paths
from ..common.term import Failure, Step, clock, notice, read
from . import suites

LOG = paths.BUILD / "test/persist.log"
SUITES_LOG = paths.BUILD / "test/persist-suites.log"
BANK_LOG = paths.BUILD / "test/persist-bank.log"
SUITE = ("CrashTest", "TwoThreadsCrashTest", "CreationCrashTest", "KillTest", "MutationTest", "ByHandMutationTest",
         "SequencesCrashTest", "BackupCrashTest", "BackupStressTest", "LinesCrashTest", "ReachabilityTest", "WaysKillTest")
EFFORT = {"states": 10000, "statesOnLines": 500, "sequences": 40, "kills": 51, "ways": 1000, "waysKilled": 1000}
NIGHTLY = {**EFFORT, "states": 20000, "statesOnLines": 1000, "length": 3, "share": "1/1", "kills": 251,
           "ways": 2000, "waysKilled": 2000}
BANK_TEST = "BankKillTest#noMoneyIsMadeOrLostInAHeap"
BANK_KILLS = 200
# All sequences of three operations take hours.
LIMIT_SECONDS = 24 * 3600


def add(suites):
    parser = suites.add_parser("persist", help="crash tests of the persistent heap", description=__doc__,
                               formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nightly", action="store_true",
                        help="1,224 kills, and all sequences of up to three operations; takes hours")
    parser.add_argument("--share", type=share, metavar="K/N",
                        help="test only every N-th sequence, beginning with the K-th (default with --nightly: 1/1; otherwise 1/25 of "
                             "the sequences of up to two operations); a failed sequence prints the share that replays it")
    parser.add_argument("--bank-kills", type=kills, metavar="N",
                        help=f"number of kills of the bank's server (default {BANK_KILLS} with --nightly and without --share, otherwise 0)")
    parser.add_argument("--suites", action="store_true",
                        help="instead, run the collection tests of Guava, Commons, the JDK and JSR 166 on the persistent collections")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random choices; a failure prints its seed")
    parser.set_defaults(run=run)


def share(text):
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"'{text}' is not K/N with K from 1 to N")
    return text


def kills(text):
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of kills")
    return int(text)


def run(arguments):
    if arguments.suites:
        result = suites.run(None, SUITES_LOG)
        print(f"{result.passed} passed, {result.failed} failed")
        return 1 if result.failed or not result.passed else 0
    started = time.monotonic()
    found = suite("persist, nightly" if arguments.nightly else "persist", command(arguments), LOG)
    if bank_kills(arguments):
        bank = suite("persist, bank", bank_command(arguments), BANK_LOG)
        found.update({name: found[name] + bank[name] for name in ("kills", "tests", "violations")})
    if found["sequences"]:
        notice(f"{found['sequences']} sequences of operations")
    notice(f"{found['states']:,} crash states, {found['kills']:,} kills, {found['violations']} violations, "
           f"{found['tests']} tests ({clock(time.monotonic() - started)})")
    return 1 if found["violations"] or not found["states"] or not found["kills"] else 0


def bank_kills(arguments):
    if arguments.bank_kills is not None:
        return arguments.bank_kills
    return BANK_KILLS if arguments.nightly and not arguments.share else 0


def suite(name, command, log):
    """Runs tests and returns their counts. Failed tests are printed, but do not raise a Failure."""
    live = Step(name)
    problem = None
    log.unlink(missing_ok=True)
    try:
        maven.run(command, log, "mvn test", watch=lambda: live.update(progress(read(log)), every=60), limit=LIMIT_SECONDS)
    except Failure as failure:
        problem = failure
    found = counts(read(log))
    if problem and not found["violations"]:
        raise problem
    for violation in violations(read(log)):
        print(f"  FAIL {violation}")
    if found["violations"]:
        print(f"  the whole log: {paths.relative(log)}")
    return found


def command(arguments):
    effort = dict(NIGHTLY if arguments.nightly else EFFORT)
    if arguments.share:
        effort.update(length=NIGHTLY["length"], share=arguments.share)
    if arguments.seed is not None:
        effort["seed"] = arguments.seed
    return ["-pl", "persist/core", "test", f"-Dtest={','.join(SUITE)}", "-DforkCount=1C", f"-Dsurefire.timeout={LIMIT_SECONDS}",
            *(f"-Dpersist.{name}={value}" for name, value in effort.items())]


def bank_command(arguments):
    """The bank's tests run alone, and need Infinispan's module to be compiled."""
    seed = [] if arguments.seed is None else [f"-Dbank.seed={arguments.seed}"]
    return ["-pl", "bench/programs/persist", "-am", "test", f"-Dtest={BANK_TEST}", "-Dsurefire.failIfNoSpecifiedTests=false",
            f"-Dbank.kills={bank_kills(arguments)}", f"-Dsurefire.timeout={LIMIT_SECONDS}", *seed]


def counts(text):
    """Returns the sums of the counts that the tests printed. A failed test is a violation."""
    summary = re.findall(r"^\[\w+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: \d+\s*$", text, re.M)
    tests, failures, errors = map(int, summary[-1]) if summary else (0, 0, 0)
    sequences = re.search(r"^sequences: (\d+ of \d+)$", text, re.M)
    return {"states": sum(map(int, re.findall(r"^crash states opened, .*: (\d+)$", text, re.M))),
            "kills": sum(map(int, re.findall(r"^programs killed, .*: (\d+)$", text, re.M))),
            "sequences": sequences[1] if sequences else "", "tests": tests, "violations": failures + errors}


def violations(text):
    """Returns the lines of the summary for failed tests."""
    return re.findall(r"^\[ERROR\]   (\w+\..*)$", text, re.M)


def progress(text):
    found = counts(text)
    so_far = re.findall(r"^killed so far, bank: (\d+)$", text, re.M)
    if so_far:
        return f"{so_far[-1]} kills"
    return f"{found['states']:,} crash states, {found['kills']:,} kills"
