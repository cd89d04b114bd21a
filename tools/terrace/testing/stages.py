# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The stages of `terrace test` and `terrace nightly`, in the order in which they run.

A stage is a function of the plan (selection.Plan) and of the path of its log. It prints failures and returns a
results.Result. A Failure counts as one failed test. The files of a stage are build/test/<stage>*.
"""
import os
import re
import sys
import time
from dataclasses import dataclass

from ..building import build, check, vm
from ..common import libraries, maven, paths
from ..common.term import Failure, Step, logged, tail
from . import jtreg, results, smoke, suites
from .results import Result

LOGS = paths.BUILD / "test"
# Limits for child processes in seconds, about three times the durations that were measured on two cores.
SELF_LIMIT, LIVE_LIMIT, GTEST_LIMIT, JTREG_LIMIT, UPSTREAM_LIMIT, MAVEN_LIMIT, DEMO_LIMIT = 900, 1500, 900, 3600, 2400, 3600, 1200
# Limit for a single test of the command line.
TEST_LIMIT = 600
# Grace period for a child that has to end children of its own.
LONG_GRACE = 30


@dataclass(frozen=True)
class Stage:
    name: str
    run: object
    text: str
    on: tuple = ()      # the VMs that it needs
    can_wait: bool = False      # whether it is left to `terrace nightly` when time is short


def log(name):
    return LOGS / f"{name}.log"


# --- the command line ---------------------------------------------------------------------------------------------

def stage_self(plan, file):
    return unit_tests(file, "test_*.py", SELF_LIMIT)


def stage_live(plan, file):
    return unit_tests(file, "live_*.py", LIVE_LIMIT)


def unit_tests(file, pattern, limit):
    """Runs the tests in a separate Python process, which can be killed if a test hangs."""
    libraries.require("pytest", "pytest_timeout")
    report = file.with_suffix(".xml")
    report.unlink(missing_ok=True)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)), PYTHONDONTWRITEBYTECODE="1")
    problem = None
    try:
        logged([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", f"python_files={pattern}",
                f"--timeout={TEST_LIMIT}", f"--junitxml={report}", paths.TOOLS / "test", paths.BENCH / "test"], file, cwd=paths.ROOT,
               env=environment, what=f"pytest {pattern}", limit=limit, grace=LONG_GRACE)
    except Failure as failure:
        problem = failure
    result = results.pytest(report.read_text()) if report.is_file() else Result()
    if problem and not result.failed:
        raise problem
    return result


# --- the VM -------------------------------------------------------------------------------------------------------

def stage_build(plan, file):
    cases = results.Cases(file)
    for name in plan.variants():
        cases.check(f"{name} builds", lambda: build.build(name))
    return cases.result()


def stage_check(plan, file):
    build.prepare_locked()
    return results.listed(check.checks(), file)


def stage_without(plan, file):
    build.prepare_locked()
    return results.listed([check.compiles_without() if plan.full else check.preprocessed_without()], file)


def stage_smoke(plan, file):
    return smoke.run(file)


def stage_gtest(plan, file):
    return run_gtest(file)


def run_gtest(file, tests=None):
    home = build.home("fastdebug")
    launcher = vm.VARIANTS["fastdebug"].launcher
    try:
        logged([launcher, f"-jdk:{home}", *([f"--gtest_filter={tests}"] if tests else [])], file, what="gtest", limit=GTEST_LIMIT)
    except Failure as failure:
        if not re.search(r"^\[  FAILED  \]", file.read_text(errors="replace"), re.M):
            raise failure
    return results.gtest(file.read_text(errors="replace"))


def run_jtreg(plan, name, suite, tests, file, limit, options=(), vmoptions=(), on="fastdebug"):
    """Runs tests on a VM."""
    work = LOGS / name
    sample = [] if plan.full else [f"-e:TERRACE_TEST_SEED={plan.seed}"]
    found = jtreg.run(suite, tests, build.home(on), work, file, options=[*options, *sample], vmoptions=vmoptions,
                      runner=build.home("stock"), compiler=build.home("release"), step=Step(name), limit=limit)
    if not found:
        raise Failure(f"jtreg ran no test of {name}. The end of the log:\n{tail(file)}")
    return results.of_jtreg(found, work)


def stage_jtreg(plan, file):
    return run_jtreg(plan, "jtreg", jtreg.OUR_TESTS, [":terrace"], file, JTREG_LIMIT)


def upstream_sections(text):
    """Returns [(name, VM options, tests)] from vm/test/upstream-ci.txt."""
    sections = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        header = re.fullmatch(r"\[(\S+)\]\s*(.*)", line)
        if header:
            sections.append((header.group(1), header.group(2).split(), []))
        elif line:
            if not sections:
                raise Failure("vm/test/upstream-ci.txt: a test before the first [section]")
            sections[-1][2].append(line)
    return sections


def stage_upstream(plan, file):
    total = Result()
    storage = LOGS / "storage"
    storage.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    for name, options, tests in upstream_sections((paths.TEST / "upstream-ci.txt").read_text()):
        options = [option.replace("@DIR@", str(storage)) for option in options]
        result = run_jtreg(plan, f"upstream-{name}", jtreg.UPSTREAM_TESTS, tests, log(f"upstream-{name}"), UPSTREAM_LIMIT,
                           options=jtreg.UPSTREAM_OPTIONS, vmoptions=options)
        with open(file, "a") as out:
            out.write(f"[{name}] {' '.join(options)}: {result.passed} passed, {result.failed} failed\n")
        result.seconds = {f"[{name}] {test}": seconds for test, seconds in result.seconds.items()}
        result.failures = [f"[{name}] {test}" for test in result.failures]
        total.add(result)
    return total


# --- the Java libraries -------------------------------------------------------------------------------------------

def mvn(plan, home, file, goals, options=()):
    """Runs Maven on the modules of a plan and on their dependencies."""
    live = Step("mvn " + goals[-1])
    maven.run(["-fae", "-T", "2", "-pl", ",".join(sorted(plan.modules)), "-am", *options, *goals], file, "mvn " + goals[-1],
              env=dict(os.environ, JAVA_HOME=str(home)), watch=lambda: live.update("running", every=60), limit=MAVEN_LIMIT)


def stage_compile(plan, file):
    mvn(plan, build.home("stock"), file, ["test-compile"])
    return Result(1)


def stage_java(plan, file):
    """Runs the Java tests. They have a second heap if the plan includes a module with tests that need one."""
    options = [*(f"-D{library}.seed={plan.seed}" for library in ("persist", "infinispan", "bank")), *suites.source()]
    if plan.java_on_the_vm():
        home = build.home("release")
        storage = LOGS / "storage"
        storage.mkdir(parents=True, exist_ok=True)
        options += [f"-Dterrace.jdk={home}", f"-Dterrace.h2.at={storage}"]
    else:
        home = build.home("stock")
    if plan.full:
        options.append("-Dterrace.nightly=true")
    else:
        # These tests run on a cluster that uses Terrace.
        options.append("-Dterrace.excluded=**/spark/ClusterTest.java")
    problem, started = None, time.time()
    try:
        mvn(plan, home, file, ["verify"], options)
    except Failure as failure:
        problem = failure
    text = file.read_text(errors="replace")
    passed, failed = results.maven_counts(text)
    cases = results.surefire(maven.modules(), started)
    failures = [results.said(name, failure) for name, _, failure in cases if failure not in (None, "skipped")]
    if problem:
        print(problem)
        print(results.excerpt(results.maven_errors(text), 60))
        failures += [f"{name} (began and did not end)" for name in results.maven_unfinished(text)]
        failed = failed or 1
    return Result(passed, failed, {name: seconds for name, seconds, _ in cases}, failures)


# --- all of it ----------------------------------------------------------------------------------------------------

def stage_demo(plan, file):
    live = Step("demo --quick")
    # The stage uses a folder of its own, because build/demo has results that a user requested.
    logged([sys.executable, paths.ROOT / "terrace", "demo", "--quick", "--out", LOGS / "demo"], file, cwd=paths.ROOT,
           what="terrace demo --quick", watch=lambda: live.update("running", every=60), limit=DEMO_LIMIT, grace=LONG_GRACE)
    print(tail(file, 60))
    return Result(1)


STAGES = (
    Stage("self", stage_self, "the command line"),
    Stage("check", stage_check, "rules for patches, generated documentation"),
    Stage("compile", stage_compile, "the Java libraries and their tests compile"),
    Stage("build", stage_build, "the virtual machines"),
    Stage("without", stage_without, "with INCLUDE_TERRACE=0 no code of Terrace remains", on=("release",)),
    Stage("smoke", stage_smoke, "the JDK home, from the view of a user", on=("release", "fastdebug")),
    Stage("live", stage_live, "the command line with running JVMs", on=("release",)),
    Stage("gtest", stage_gtest, "unit tests of the VM", on=("fastdebug",)),
    Stage("jtreg", stage_jtreg, "behaviour tests, fastdebug", on=("release", "fastdebug")),
    Stage("upstream", stage_upstream, "upstream's tests with our features on, fastdebug", on=("release", "fastdebug"), can_wait=True),
    Stage("java", stage_java, "the Java libraries, with and without a second heap"),
    Stage("demo", stage_demo, "the end-to-end job", on=("release",), can_wait=True),
)
