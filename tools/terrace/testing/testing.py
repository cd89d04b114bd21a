"""`terrace test`: everything, in stages. The last line is the sum: `N passed, N failed`.
`terrace test persist` is a suite of its own.

A stage is a function that returns (passed, failed) and prints what went wrong; it logs to build/test/<stage>.log.
"""
import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
import unittest
import urllib.error
import urllib.request
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from .. import VERSION
from ..building import build, check, jdk, vm
from ..common import maven, paths
from ..common.term import Failure, Step, clock, logged, notice, tail
from . import jtreg, persist_crashes

LOGS = paths.BUILD / "test"


class Stage:
    def __init__(self, name, run, text):
        self.name, self.run, self.text = name, run, text


def register(add):
    parser = add(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="STAGE", action="append", help="run this stage (may be repeated)")
    parser.add_argument("--list", action="store_true", help="list the stages")
    parser.set_defaults(run=run)
    persist_crashes.add(parser.add_subparsers(dest="suite", metavar="SUITE"))


def run(arguments):
    stages = STAGES
    if arguments.list:
        for stage in stages:
            print(f"{stage.name:9} {stage.text}")
        return 0
    if arguments.only:
        unknown = set(arguments.only) - {stage.name for stage in stages}
        if unknown:
            raise Failure(f"no such stage: {', '.join(sorted(unknown))} (./terrace test --list)")
        stages = [stage for stage in stages if stage.name in arguments.only]
    LOGS.mkdir(parents=True, exist_ok=True)
    totals = [0, 0]
    lines = []
    for stage in stages:
        started = time.monotonic()
        print(f"== {stage.name}: {stage.text}", flush=True)
        try:
            passed, failed = stage.run(log(stage.name))
        except Failure as failure:
            print(f"{failure}", flush=True)
            passed, failed = 0, 1
        except Exception:
            traceback.print_exc(file=sys.stdout)
            passed, failed = 0, 1
        lines.append(f"   {stage.name:9} {passed:4} passed {failed:4} failed  {clock(time.monotonic() - started)}"
                     + (f"  {paths.relative(log(stage.name))}" if failed else ""))
        print(lines[-1], flush=True)
        totals[0] += passed
        totals[1] += failed
    if len(lines) > 1:
        print("\n" + "\n".join(lines))
    print(f"{totals[0]} passed, {totals[1]} failed", flush=True)
    return 1 if totals[1] or not totals[0] else 0


def log(name):
    return LOGS / f"{name}.log"


class Cases:
    """Named checks of one stage."""

    def __init__(self, file):
        self.file = open(file, "w")
        self.passed = self.failed = 0

    def check(self, name, test):
        """`test` raises, or returns a text for the log."""
        try:
            detail = test()
            self.passed += 1
            self.file.write(f"ok   {name}: {detail}\n")
            print(f"  ok   {name}", flush=True)
        except (Failure, AssertionError, subprocess.SubprocessError, OSError) as problem:
            self.failed += 1
            self.file.write(f"FAIL {name}: {problem}\n")
            print(f"  FAIL {name}: {problem}", flush=True)
        self.file.flush()

    def result(self):
        self.file.close()
        return self.passed, self.failed


# --- stages ------------------------------------------------------------------------------------------------------

def stage_self(file):
    """The command line itself."""
    return unit_tests(file, "test_*.py")


def stage_live(file):
    """What looks at running JVMs."""
    return unit_tests(file, "live_*.py")


def unit_tests(file, pattern):
    out = io.StringIO()
    suite = unittest.TestSuite(unittest.TestLoader().discover(str(folder), pattern=pattern)
                               for folder in (paths.TEST / "tools", paths.BENCH / "test"))
    with redirect_stdout(out), redirect_stderr(out):
        result = unittest.TextTestRunner(stream=out, verbosity=2).run(suite)
    file.write_text(out.getvalue())
    for test, text in result.failures + result.errors:
        print(f"  FAIL {test}\n{excerpt(text.splitlines(), 60)}")
    for test in result.unexpectedSuccesses:
        print(f"  FAIL {test}: passes, although it is expected to fail")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    return result.testsRun - failed - len(result.skipped), failed


def excerpt(lines, most):
    """For the record of CI, which has no other files: both ends of what is long, indented."""
    if len(lines) > most:
        lines = [*lines[:most // 2], f"… {len(lines) - most} lines …", *lines[-(most - most // 2):]]
    return "\n".join(f"    {line[:300]}".rstrip() for line in lines)


def stage_build(file):
    cases = Cases(file)
    for name in ("release", "fastdebug"):
        cases.check(f"{name} builds", lambda: build.build(name))
    return cases.result()


def stage_check(file):
    build.prepare_locked()
    results = check.checks(compile_without=True)
    file.write_text("".join(f"{'ok' if ok else 'FAIL'} {name}: {detail}\n" for ok, name, detail in results))
    for ok, name, detail in results:
        print(f"  {'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}")
    passed = sum(ok for ok, *_ in results)
    return passed, len(results) - passed


def java(home, *arguments, timeout=120):
    result = subprocess.run([str(home / "bin/java"), *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=timeout)
    if result.returncode != 0:
        raise AssertionError(f"java {' '.join(map(str, arguments))} exited with {result.returncode}:\n{result.stdout}")
    return result.stdout


def properties(home):
    return dict(re.findall(r"^\s+(\S+) = (.*)$", java(home, "-XshowSettings:properties", "-version"), re.M))


def stage_smoke(file):
    """The JDK home as a user meets it."""
    ours, debug, stock = build.home("release"), build.home("fastdebug"), build.home("stock")
    cases = Cases(file)

    def contains(text, part):
        assert part in text, f"'{part}' is not in:\n{text}"
        return text.strip()

    for name, home in (("release", ours), ("fastdebug", debug)):
        cases.check(f"{name}: java -version names Terrace", lambda: contains(java(home, "-version"), f"Terrace-{VERSION}"))
        for options in ([], ["-XX:-UseCompressedOops"], ["-XX:+UseParallelGC"]):
            cases.check(f"{name}: class data sharing in use {' '.join(options)}".rstrip(),
                        lambda: contains(java(home, "-Xshare:on", *options, "-version"), "sharing"))

    def same(name):
        mine, theirs = properties(ours)[name], properties(stock)[name]
        assert mine == theirs, f"{mine}, stock has {theirs}"
        return mine
    for name in ("java.vm.name", "java.version", "java.vendor", "java.specification.version"):
        cases.check(f"{name} is stock's", lambda: same(name))

    def has_all_flags():
        listing = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-version")
        mine, theirs = (set(re.findall(r"^ *\w+ (\w+) +=", java(home, *listing), re.M)) for home in (ours, stock))
        assert len(theirs) > 500 and theirs <= mine, f"{len(theirs)} in stock, not here: {sorted(theirs - mine)}"
        return f"{len(theirs)}, and {', '.join(sorted(mine - theirs))}"
    cases.check("has all flags of stock", has_all_flags)

    source = paths.TEST / "tools/Https.java"
    cases.check("the truststore has authorities", lambda: contains(java(ours, source, "authorities"), "authorities"))
    url = https_server()
    if url:
        cases.check(f"HTTPS request to {url}", lambda: contains(java(ours, source, "get", url), "status"))
    else:
        notice("no HTTPS server is reachable from here: the request is not tested")

    def moved():
        other = paths.BUILD / "test/moved-jdk"
        subprocess.run(["rm", "-rf", str(other)], check=True)
        subprocess.run(["cp", "-a", str(ours), str(other)], check=True)
        text = java(other, "-Xshare:on", "-version")
        broken = jdk.dangling(other)
        subprocess.run(["rm", "-rf", str(other)], check=True)
        assert not broken, f"dangling links: {broken}"
        return text
    cases.check("a copy elsewhere runs, without dangling links", moved)
    return cases.result()


def https_server():
    """An HTTPS server that answers from here: the Maven repository in use, or the one that Maven knows."""
    texts = []
    settings = Path.home() / ".m2/settings.xml"
    if settings.exists():
        texts.append(settings.read_text(errors="replace"))
    maven = shutil.which("mvn")
    for jar in Path(maven).resolve().parents[1].glob("lib/maven-model-builder*.jar") if maven else []:
        with zipfile.ZipFile(jar) as archive:
            texts.append(archive.read("org/apache/maven/model/pom-4.0.0.xml").decode())
    for url in re.findall(r"<url>\s*(https://[^<\s]+)", "".join(texts)):
        try:
            urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=10)
            return url
        except urllib.error.HTTPError:
            return url
        except (OSError, ValueError):
            continue
    return None


def stage_gtest(file, gtest_filter=None):
    """Unit tests of the VM's code, ours and upstream's next to the hooks."""
    home = build.home("fastdebug")
    launcher = vm.VARIANTS["fastdebug"].launcher
    try:
        logged([launcher, f"-jdk:{home}", *([f"--gtest_filter={gtest_filter}"] if gtest_filter else [])], file,
               what="gtest")
    except Failure as failure:
        text = file.read_text(errors="replace")
        if not re.search(r"^\[  FAILED  \]", text, re.M):
            raise failure
    return gtest_counts(file.read_text(errors="replace"))


def gtest_counts(text):
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) tests?", text, re.M)))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\w+\.\w+)(?!.*\bms\b)", text, re.M)))
    for name in failed:
        said = re.search(rf"^\[ RUN      \] {re.escape(name)}\n(.*?)^\[  FAILED  \] {re.escape(name)}\b", text, re.M | re.S)
        print(f"  FAIL {name}" + (f"\n{excerpt(said[1].splitlines(), 40)}" if said else ""))
    if not passed and not failed:
        return 0, 1
    return passed, len(failed)


def report(found, work):
    for test in jtreg.bad(found):
        result = work / "work" / (os.path.splitext(test)[0] + ".jtr")
        print(f"  FAIL {test} ({found[test]})  {paths.relative(result)}")
        if result.is_file():
            print(excerpt(jtreg.cause(result.read_text(errors="replace")), 60))
    return len(found) - len(jtreg.bad(found)), len(jtreg.bad(found))


def stage_jtreg(file):
    """Our behaviour tests on the fastdebug VM."""
    home, runner = build.home("fastdebug"), build.home("stock")
    work = LOGS / "jtreg"
    live = Step("jtreg")
    groups = sorted(set(re.findall(r"^(\w+)\s*=", (jtreg.OUR_TESTS / "TEST.groups").read_text(), re.M)))
    everything = [":" + name for name in groups if name in ("terrace", "terrace_h2")][:1] or ["gc"]
    found = jtreg.run(jtreg.OUR_TESTS, everything, home, work, file, runner=runner, compiler=build.home("release"), step=live)
    if not found:
        raise Failure(f"jtreg ran no test. The end of the log:\n{tail(file)}")
    return report(found, work)


def upstream_sections(text):
    """[(name, vm options, tests)] of test/upstream-ci.txt."""
    sections = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        header = re.fullmatch(r"\[(\S+)\]\s*(.*)", line)
        if header:
            sections.append((header.group(1), header.group(2).split(), []))
        elif line:
            if not sections:
                raise Failure("test/upstream-ci.txt: a test before the first [section]")
            sections[-1][2].append(line)
    return sections


def stage_upstream(file):
    """Some of upstream's tests, with our features on."""
    home, runner = build.home("fastdebug"), build.home("stock")
    totals = [0, 0]
    storage = LOGS / "storage"
    storage.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    for name, options, tests in upstream_sections((paths.TEST / "upstream-ci.txt").read_text()):
        options = [option.replace("@DIR@", str(storage)) for option in options]
        work = LOGS / f"upstream-{name}"
        live = Step(name)
        found = jtreg.run(jtreg.UPSTREAM_TESTS, tests, home, work, LOGS / f"upstream-{name}.log",
                          options=jtreg.UPSTREAM_OPTIONS, vmoptions=options, runner=runner,
                          compiler=build.home("release"), step=live)
        with open(file, "a") as out:
            out.write(f"[{name}] {' '.join(options)}\n" + "".join(f"{state} {test}\n" for test, state in found.items()))
        if not found:
            raise Failure(f"jtreg ran no test of [{name}]. The end of the log:\n{tail(LOGS / f'upstream-{name}.log')}")
        for column, count in enumerate(report(found, work)):
            totals[column] += count
    return tuple(totals)


def stage_java(file):
    """The Java libraries, built and tested by Maven; those tests that need a second heap have one."""
    home = build.home("release")
    storage = paths.BUILD / "test/storage"
    storage.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, JAVA_HOME=str(home))
    live = Step("mvn verify")
    problem = None
    try:
        maven.run(["-fae", "-T", "2", f"-Dterrace.jdk={home}", f"-Dterrace.h2.at={storage}", "verify"], file, "mvn verify",
                  env=env, watch=lambda: live.update("running", every=60))
    except Failure as failure:
        problem = failure
    passed, failed = maven_counts(file.read_text(errors="replace"))
    if problem:
        print(problem)
        print(excerpt(maven_errors(file.read_text(errors="replace")), 60))
        failed = failed or 1
    return passed, failed


def maven_errors(text):
    """Its end only lists the modules and how to get help."""
    errors = dict.fromkeys(re.findall(r"^\[ERROR\] +(\S.*)$", text, re.M))
    return [line for line in errors if not re.match(r"\[Help|-> \[Help|To see the full|Re-run Maven|For more information", line)]


def maven_counts(text):
    """Sums the line each module ends its tests with."""
    passed = failed = 0
    for line in re.findall(r"^\[\w+\] Tests run: .*$", text, re.M):
        if "Time elapsed" in line or " -- in " in line:
            continue
        run, failures, errors, skipped = (int(re.search(rf"{key}: (\d+)", line).group(1))
                                          for key in ("Tests run", "Failures", "Errors", "Skipped"))
        passed += run - failures - errors - skipped
        failed += failures + errors
    return passed, failed


def stage_demo(file):
    """The end-to-end job."""
    live = Step("demo --quick")
    # In a folder of its own: build/demo has the results that somebody asked for.
    logged([sys.executable, paths.ROOT / "terrace", "demo", "--quick", "--out", LOGS / "demo"], file, cwd=paths.ROOT,
           what="terrace demo --quick", watch=lambda: live.update("running", every=60))
    print(tail(file, 30))
    return 1, 0


STAGES = [
    Stage("self", stage_self, "the command line"),
    Stage("build", stage_build, "release and fastdebug"),
    Stage("check", stage_check, "patch policy, generated docs, INCLUDE_TERRACE=0"),
    Stage("smoke", stage_smoke, "the JDK home as a user meets it"),
    Stage("live", stage_live, "the command line with running JVMs"),
    Stage("gtest", stage_gtest, "unit tests of the VM"),
    Stage("jtreg", stage_jtreg, "behaviour tests, fastdebug"),
    Stage("upstream", stage_upstream, "upstream's tests with our features on, fastdebug"),
    Stage("java", stage_java, "the Java libraries, with and without a second heap (mvn verify)"),
    Stage("demo", stage_demo, "the end-to-end job"),
]


# --- terrace dev test --------------------------------------------------------------------------------------------

def register_dev(commands):
    text = "run one test, or some: a path below test/hotspot/jtreg (ours or upstream's), or gtest:FILTER"
    parser = commands.add_parser("test", help=text, description=text)
    parser.add_argument("tests", nargs="+", metavar="TEST")
    parser.add_argument("--release", action="store_true", help="on the release VM; the default is fastdebug")
    parser.add_argument("--vmoptions", default="", help="options for the tested VM, separated by spaces")
    parser.set_defaults(run=run_some)


def run_some(arguments):
    LOGS.mkdir(parents=True, exist_ok=True)
    totals = [0, 0]
    name = "release" if arguments.release else "fastdebug"
    build.build(name)
    home, runner = build.home(name), build.home("stock")
    for test in arguments.tests:
        if test.startswith("gtest:"):
            counts = stage_gtest(log("dev-gtest"), test[len("gtest:"):])
            print(tail(log("dev-gtest"), 12))
        else:
            ours = test.startswith(":terrace") or (jtreg.OUR_TESTS / test).exists()
            suite = jtreg.OUR_TESTS if ours else jtreg.UPSTREAM_TESTS
            work = LOGS / "dev"
            found = jtreg.run(suite, [test], home, work, log("dev"), vmoptions=arguments.vmoptions.split(),
                              options=[] if ours else jtreg.UPSTREAM_OPTIONS, runner=runner, step=Step(test))
            counts = report(found, work)
            if not found or jtreg.bad(found):
                print(tail(log("dev"), 40))
        totals = [total + count for total, count in zip(totals, counts)]
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0
