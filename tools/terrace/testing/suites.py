# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs third-party test suites for collections on the persistent collections: `terrace test persist --suites`, and a part of nightly.

The suites of Guava and Commons come from Maven Central. The JDK's own tests and the TCK of JSR 166 are in the source of
the VM. They are adapted and compiled when they run. `mvn test` runs a part of all suites.
"""
import re
import time

from ..building import build
from ..common import maven, paths
from ..common.term import Failure, Step, notice, read
from . import results
from .results import Result

MODULE = "persist/suites"
CLASSES = ("GuavaTest", "CommonsTest", "JdkTest", "Jsr166Test")
LIMIT_SECONDS = 3600


def source():
    """Returns the option with the path of the JDK's source. Tests that need it are skipped without it."""
    return [f"-Dpersist.upstream={paths.SRC}"] if (paths.SRC / "test/jdk/java/util").is_dir() else []


def run(plan, file):
    """Runs the suites as a stage. If the source is not available, the stage is skipped and does not count as passed."""
    try:
        build.prepare_locked()
    except Failure as failure:
        notice(f"suites: skipped, because the JDK's source, which contains two of them, is not available:\n{failure}")
        return Result()
    live = Step("suites")
    problem, started = None, time.time()
    file.unlink(missing_ok=True)
    try:
        maven.run(["-pl", MODULE, "-am", "test", f"-Dtest={','.join(CLASSES)}", "-Dsurefire.failIfNoSpecifiedTests=false", *source(),
                   "-Dpersist.thorough=true", f"-Dsurefire.timeout={LIMIT_SECONDS}"], file, "mvn test",
                  watch=lambda: live.update(f"{sum(passed(read(file)).values()):,} tests", every=60), limit=LIMIT_SECONDS)
    except Failure as failure:
        problem = failure
    found = passed(read(file))
    cases = results.surefire([MODULE], started)
    failures = [results.said(name, failure) for name, _, failure in cases if failure not in (None, "skipped")]
    if problem and not failures:
        raise problem
    for failure in failures:
        print(f"  FAIL {failure}")
    return Result(sum(found.values()), len(failures), {name: seconds for name, seconds, _ in cases}, failures)


def passed(text):
    """Returns {suite: number of passed tests}, without suites that have a failed test."""
    return {name: int(number) for name, number in re.findall(r"^tests of suites, (.*): (\d+)$", text, re.M)}
