# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs upstream's tests on Terrace and on a build of the unmodified source, and prints the tests whose results differ.

Both sides are built from the same source with the same compiler. If the same comparison was interrupted, it continues
where it stopped. --again starts over.
"""
import argparse
import hashlib
import json
import random
import shutil

from ..building import build, vm
from ..common import paths
from ..common.term import Failure, Step, tail
from . import jtreg

# {suite: (folder, jtreg's options, folders with JNI libraries)}
SUITES = {"hotspot": (jtreg.UPSTREAM_TESTS, jtreg.UPSTREAM_OPTIONS,
                      ("gc", "runtime", "serviceability", "testlibrary", "vmTestbase/gc", "vmTestbase/nsk/share/gc",
                       "vmTestbase/vm/share", "../../lib")),
          "jdk": (jtreg.UPSTREAM_JDK_TESTS, jtreg.UPSTREAM_JDK_OPTIONS, ())}
# Complete groups of upstream's tests take hours.
LIMIT_SECONDS = 24 * 3600
EXCLUSIONS = paths.TEST / "upstream-exclusions.txt"


def register_dev(commands):
    text = "compare the results of upstream's tests on Terrace and on an unmodified build"
    parser = commands.add_parser("upstream-compare", help=text, description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=[":hotspot_gc"], metavar="TEST",
                        help="groups (:name) or paths relative to the suite (default :hotspot_gc)")
    parser.add_argument("--suite", choices=SUITES, default="hotspot",
                        help="upstream's test/hotspot/jtreg or test/jdk (default hotspot)")
    parser.add_argument("--vmoptions", default="-XX:+UseParallelGC", help="options for both sides, separated by spaces")
    parser.add_argument("--terrace-vmoptions", default="", metavar="OPTIONS",
                        help="further options for Terrace only; @DIR@ is a directory on disk. For instance "
                             "'-XX:AllocateH2At=@DIR@ -XX:+UnlockDiagnosticVMOptions -XX:H2Torture=100'")
    parser.add_argument("--sample", type=int, metavar="N", help="run only N randomly selected tests")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the selection (default 1)")
    parser.add_argument("--failed-only", action="store_true",
                        help="run only tests that did not pass on Terrace on the unmodified build; takes half the time, and does "
                             "not find tests that pass only on Terrace")
    parser.add_argument("--debug", action="store_true", help="use fastdebug builds on both sides")
    parser.add_argument("--again", action="store_true", help="forget results of an earlier run")
    parser.set_defaults(run=run)


def run(arguments):
    ours, theirs = ("fastdebug", "pristine-debug") if arguments.debug else ("release", "pristine")
    storage = paths.BUILD / "test/storage"
    storage.mkdir(parents=True, exist_ok=True)
    options = arguments.vmoptions.split()
    further = [option.replace("@DIR@", str(storage)) for option in arguments.terrace_vmoptions.split()]
    asked = sample(ours, arguments, options) if arguments.sample else arguments.tests
    mine = one_side("Terrace", ours, arguments, asked, options + further)
    tests = jtreg.bad(mine) if arguments.failed_only else asked
    others = one_side("pristine", theirs, arguments, tests, options) if tests else {}
    return report(mine, others, arguments.failed_only)


def sample(name, arguments, options):
    """Returns a random sample of the tests that run with these options. The same seed gives the same sample."""
    suite, suite_options, _ = SUITES[arguments.suite]
    found = jtreg.listed(suite, arguments.tests, build.build(name), paths.BUILD / "test/sample", suite_options, options)
    chosen = random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
    print(f"  {len(chosen)} of {len(found)} tests, seed {arguments.seed}")
    return sorted(chosen)


def one_side(side, name, arguments, tests, options):
    home = build.build(name)
    variant = vm.VARIANTS[name]
    key = hashlib.sha256(json.dumps([arguments.suite, tests, options, variant.name]).encode()).hexdigest()[:12]
    work = paths.BUILD / f"test/compare-{variant.name}-{key}"
    identity = f"{variant.libjvm.stat().st_size} {variant.libjvm.stat().st_mtime_ns}"
    stamp = work / "libjvm"
    finished = work / "finished.json"
    same = stamp.exists() and stamp.read_text() == identity
    if arguments.again or not same:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        stamp.write_text(identity)
    if finished.exists():
        print(f"  {side}: results of an earlier run ({paths.relative(finished)})")
        return json.loads(finished.read_text())
    live = Step(side)
    log = paths.BUILD / f"test/compare-{variant.name}.log"
    # Both sides run the test files of the hooked source, because no hook changes them.
    suite, suite_options, natives = SUITES[arguments.suite]
    found = jtreg.run(suite, tests, home, work, log, vmoptions=options, options=suite_options, resume=True,
                      runner=build.home("stock"), step=live, natives=natives, limit=LIMIT_SECONDS)
    if not found:
        raise Failure(f"jtreg ran no test. The end of the log:\n{tail(log)}")
    finished.write_text(json.dumps(found, indent=1))
    live.done(f"{len(found)} tests, {len(jtreg.bad(found))} not passed")
    return found


def differences(ours, theirs):
    """Returns [(test, our state, their state)] for differing results."""
    return [(test, ours.get(test, "not run"), theirs.get(test, "not run")) for test in sorted(ours.keys() | theirs.keys())
            if ours.get(test) != theirs.get(test)]


def exclusions():
    """Returns {test: reason} of tests whose results are known to differ for a good reason."""
    if not EXCLUSIONS.is_file():
        return {}
    found = {}
    for line in EXCLUSIONS.read_text().splitlines():
        test, _, reason = line.partition("#")
        if test.strip():
            found[test.strip()] = reason.strip()
    return found


def report(ours, theirs, failed_only=False):
    if failed_only:
        not_asked = [test for test, state in ours.items() if state == "Passed"]
        print(f"  {len(not_asked)} tests passed on Terrace; the others ran on the pristine build")
        ours = {test: state for test, state in ours.items() if state != "Passed"}
    excluded = exclusions()
    worse = 0
    for test, mine, other in differences(ours, theirs):
        known = excluded.get(test)
        if mine != "Passed" and known is None:
            worse += 1
        print(f"  {test}: Terrace {mine}, pristine {other}{f'  (expected: {known})' if known is not None else ''}")
    both = sorted(test for test in jtreg.bad(ours) if ours.get(test) == theirs.get(test))
    if both:
        print(f"  not passed on either side: {', '.join(both)}")
    same = len(ours.keys() & theirs.keys()) - len([test for test, *_ in differences(ours, theirs)
                                                   if test in ours and test in theirs])
    print(f"{same} tests with equal results, {len(differences(ours, theirs))} differ, {worse} worse without a reason")
    return 1 if worse else 0
