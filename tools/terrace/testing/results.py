# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Reads the output of test runners as counts, times and causes of failures. CI records only the text that is printed here."""
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from xml.etree import ElementTree

from ..common import paths
from ..common.term import Failure
from . import jtreg

SLOWEST = 10


@dataclass
class Result:
    """The result of a stage, or of a part of it."""
    passed: int = 0
    failed: int = 0
    seconds: dict = field(default_factory=dict)    # by test
    failures: list = field(default_factory=list)   # failed tests, as far as they are known, with their message if it is one line

    def add(self, other):
        self.failures += other.failures
        self.passed += other.passed
        self.failed += other.failed
        self.seconds.update(other.seconds)

    def slowest(self):
        """Returns [(test, seconds)], the slowest first. Tests that took almost no time are omitted."""
        found = sorted(self.seconds.items(), key=lambda item: -item[1])
        return [(name, seconds) for name, seconds in found[:SLOWEST] if seconds >= 0.1]


class Cases:
    """Named checks of one stage."""

    def __init__(self, file):
        self.file = open(file, "w")
        self.counts = Result()

    def check(self, name, test):
        """Runs a check. `test` raises an exception, or returns a text for the log."""
        started = time.monotonic()
        try:
            detail = test()
            self.counts.passed += 1
            self.file.write(f"ok   {name}: {detail}\n")
            print(f"  ok   {name}", flush=True)
        except (Failure, AssertionError, subprocess.SubprocessError, OSError) as problem:
            self.counts.failed += 1
            self.counts.failures.append(name)
            self.file.write(f"FAIL {name}: {problem}\n")
            print(f"  FAIL {name}: {problem}", flush=True)
        self.counts.seconds[name] = time.monotonic() - started
        self.file.flush()

    def result(self):
        self.file.close()
        return self.counts


def listed(checks, file):
    """Returns the result of [(ok, name, detail)]."""
    lines = [f"{'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}" for ok, name, detail in checks]
    file.write_text("\n".join(lines) + "\n")
    print("\n".join(f"  {line}" for line in lines))
    failures = [name for ok, name, _ in checks if not ok]
    return Result(len(checks) - len(failures), len(failures), failures=failures)


def excerpt(lines, most):
    """Returns an indented text that omits the middle of many lines."""
    if len(lines) > most:
        lines = [*lines[:most // 2], f"… {len(lines) - most} lines …", *lines[-(most - most // 2):]]
    return "\n".join(f"    {line[:300]}".rstrip() for line in lines)


# --- JUnit's XML, which pytest and surefire write -----------------------------------------------------------------

def junit(text):
    """Returns [(test, seconds, problem)]. The problem is None, "skipped", or the element of a failure or an error."""
    found = []
    for case in ElementTree.fromstring(text).iter("testcase"):
        problem = next((element for element in case if element.tag in ("failure", "error")), None)
        if problem is None and case.find("skipped") is not None:
            problem = "skipped"
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        found.append((name, float(case.get("time", "0").replace(",", "")), problem))
    return found


def said(name, problem):
    """Returns a test's name with the first line of its failure."""
    return in_one_line(name, problem.get("message") or problem.text or "")


def in_one_line(name, why):
    lines = why.strip().splitlines()
    return f"{name}: {lines[0][:200]}" if lines else name


def pytest(text):
    result = Result()
    for name, seconds, problem in junit(text):
        name = re.sub(r"^(test\.tools|bench\.test)\.", "", name)
        result.seconds[name] = seconds
        if problem is None:
            result.passed += 1
        elif problem != "skipped":
            result.failed += 1
            result.failures.append(said(name, problem))
            print(f"  FAIL {name}\n{excerpt((problem.text or problem.get('message', '')).splitlines(), 60)}")
    return result


# --- gtest --------------------------------------------------------------------------------------------------------

def gtest(text):
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) tests?", text, re.M)))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\w+\.\w+)(?!.*\bms\b)", text, re.M)))
    for name in failed:
        said = re.search(rf"^\[ RUN      \] {re.escape(name)}\n(.*?)^\[  FAILED  \] {re.escape(name)}\b", text, re.M | re.S)
        print(f"  FAIL {name}" + (f"\n{excerpt(said[1].splitlines(), 40)}" if said else ""))
    times = re.findall(r"^\[ +(?:OK|FAILED) +\] (\w+\.\w+) \((\d+) ms\)", text, re.M)
    return Result(passed, len(failed) if passed or failed else 1, {name: int(millis) / 1000 for name, millis in times},
                  failed)


# --- jtreg --------------------------------------------------------------------------------------------------------

def of_jtreg(found, work):
    """Returns the result of a jtreg run, and prints why tests failed."""
    bad = jtreg.bad(found)
    failures = []
    for test in bad:
        file = jtreg.result_file(work, test)
        print(f"  FAIL {test} ({found[test]})  {paths.relative(file)}")
        cause = jtreg.cause(file.read_text(errors="replace")) if file.is_file() else []
        if cause:
            print(excerpt(cause, 60))
        failures.append(in_one_line(test, jtreg.reason(cause)))
    seconds = {test: jtreg.seconds(jtreg.result_file(work, test)) for test in found}
    return Result(len(found) - len(bad), len(bad), {test: time for test, time in seconds.items() if time is not None}, failures)


# --- Maven --------------------------------------------------------------------------------------------------------

def maven_errors(text):
    """Returns the errors in Maven's output, without the hints on getting help at its end."""
    errors = dict.fromkeys(re.findall(r"^\[ERROR\] +(\S.*)$", text, re.M))
    return [line for line in errors if not re.match(r"\[Help|-> \[Help|To see the full|Re-run Maven|For more information", line)]


def maven_unfinished(text):
    """Returns test classes that began and did not end, because one of them hung or crashed its JVM."""
    begun = re.findall(r"^\[INFO\] Running (\S+)$", text, re.M)
    return [name for name in begun if not re.search(rf"Tests run:.* (in|--) .*{re.escape(name)}\b", text)]


def maven_counts(text):
    """Returns (passed, failed), summed over the last line of tests of each module."""
    passed = failed = 0
    for line in re.findall(r"^\[\w+\] Tests run: .*$", text, re.M):
        if "Time elapsed" in line or " -- in " in line:
            continue
        run, failures, errors, skipped = (int(re.search(rf"{key}: (\d+)", line).group(1))
                                          for key in ("Tests run", "Failures", "Errors", "Skipped"))
        passed += run - failures - errors - skipped
        failed += failures + errors
    return passed, failed


def surefire(modules, since):
    """Returns [(test, seconds, problem)], like junit(), from the modules' reports that are newer than the file time `since`."""
    return [(f"{module}: {name.removeprefix('org.terrace.')}", seconds, problem) for module in modules
            for report in (paths.ROOT / module).glob("target/surefire-reports/TEST-*.xml") if os.stat(report).st_mtime >= since
            for name, seconds, problem in junit(report.read_text(errors="replace"))]
