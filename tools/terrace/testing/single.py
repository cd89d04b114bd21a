# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace dev test`, which runs single tests."""
from ..building import build
from ..common.term import Step, lock, tail
from . import jtreg, results
from .results import Result
from .stages import LOGS, log, run_gtest


def register_dev(commands):
    text = "run single tests, given as paths below test/hotspot/jtreg (Terrace's or upstream's) or as gtest:FILTER"
    parser = commands.add_parser("test", help=text, description=text)
    parser.add_argument("tests", nargs="+", metavar="TEST")
    parser.add_argument("--release", action="store_true", help="use the release VM instead of the fastdebug VM")
    parser.add_argument("--vmoptions", default="", help="options for the tested VM, separated by spaces")
    parser.set_defaults(run=run)


def run(arguments):
    with lock(LOGS / "dev.lock", "another `dev test` of this checkout is running; waiting for it"):
        return run_tests(arguments)


def run_tests(arguments):
    total = Result()
    name = "release" if arguments.release else "fastdebug"
    build.build(name)
    home, runner = build.home(name), build.home("stock")
    for test in arguments.tests:
        if test.startswith("gtest:"):
            result = run_gtest(log("dev-gtest"), test[len("gtest:"):])
            print(tail(log("dev-gtest"), 12))
        else:
            ours = test.startswith(":terrace") or (jtreg.OUR_TESTS / test).exists()
            suite = jtreg.OUR_TESTS if ours else jtreg.UPSTREAM_TESTS
            work = LOGS / "dev"
            found = jtreg.run(suite, [test], home, work, log("dev"), vmoptions=arguments.vmoptions.split(),
                              options=[] if ours else jtreg.UPSTREAM_OPTIONS, runner=runner, step=Step(test))
            result = results.of_jtreg(found, work)
            if not found or jtreg.bad(found):
                print(tail(log("dev"), 40))
        total.add(result)
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed else 0
