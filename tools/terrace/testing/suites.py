# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace test persist --suites`, and a part of nightly: suites that others wrote for collections run on the persistent ones.

Those of Guava and Commons come from Maven Central. The JDK's own tests and JSR166's TCK are in the source that the VM is built from,
and are adapted and compiled when they run. `mvn test` runs a part of all this.
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
    """The option that tells tests where the JDK's source is. Without it those that need it are skipped."""
    return [f"-Dpersist.upstream={paths.SRC}"] if (paths.SRC / "test/jdk/java/util").is_dir() else []


def run(plan, file):
    """As a stage. Where the source cannot be had, it is skipped, and has not passed."""
    try:
        build.prepare_locked()
    except Failure as failure:
        notice(f"suites: skipped, as the JDK's source, which has two of them, cannot be had:\n{failure}")
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
    """{suite: how many of its tests passed}; a suite of which one failed is not in it."""
    return {name: int(number) for name, number in re.findall(r"^tests of suites, (.*): (\d+)$", text, re.M)}
