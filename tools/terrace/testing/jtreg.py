# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs jtreg (Debian's jtreg7) and reads its results."""
import os
import re
import shutil

from ..common import paths, prerequisites
from ..common.term import LIMIT_SECONDS, Failure, logged, output

UPSTREAM_TESTS = paths.SRC / "test/hotspot/jtreg"
UPSTREAM_JDK_TESTS = paths.SRC / "test/jdk"
UPSTREAM_OPTIONS = [f"-exclude:{UPSTREAM_TESTS}/ProblemList.txt"]
UPSTREAM_JDK_OPTIONS = [f"-exclude:{UPSTREAM_JDK_TESTS}/ProblemList.txt"]
OUR_TESTS = paths.TEST / "hotspot/jtreg"
STATES = ("Passed", "Failed", "Error")
# Lines that occur in the output of every failed test.
OF_JTREG = re.compile(r"\tat (com\.sun\.javatest\.|java\.base/(jdk\.internal\.reflect|java\.lang\.reflect)\.)|STATUS:|JavaTest Message")
OF_A_CHILD = (re.compile(r"^#\s+((?:assert|guarantee|fatal error|Error:|SIG[A-Z]+|Out of Memory Error).*)"),
              re.compile(r"(Exception in thread .*|Caused by: .*)"), re.compile(r"\[?(Error: .*)"))


def concurrency():
    """Returns one more than the number of processors, because some tests sleep or wait for a JVM."""
    return (os.cpu_count() or 1) + 1


def native_programs(suite, jdk, folders=("gc",)):
    """Builds the JNI libraries and programs of a suite's tests, and returns their folder for -nativepath.

    The names follow upstream's build: libX.c becomes libX.so, and exeX.c becomes X.
    """
    target = paths.BUILD / "test/native"
    target.mkdir(parents=True, exist_ok=True)
    sources = [file for folder in folders for pattern in ("lib*.c", "lib*.cpp", "exe*.c")
               for file in sorted((suite / folder).rglob(pattern))]
    for file in sources:
        is_program = file.name.startswith("exe")
        made = target / (file.stem[len("exe"):] if is_program else file.stem + ".so")
        if made.exists() and made.stat().st_mtime >= file.stat().st_mtime:
            continue
        how = [f"-L{jdk}/lib/server", "-ljvm", "-lpthread", "-ldl"] if is_program else ["-shared", "-fPIC"]
        includes = [f"-I{folder}" for folder in (
            f"{jdk}/include", f"{jdk}/include/linux", f"{suite.parents[1]}/lib/native",
            f"{suite.parents[1]}/lib/jdk/test/lib/jvmti",
            *(suite / "vmTestbase/nsk/share" / folder for folder in ("jni", "native")),
            *(paths.SRC / "src" / folder for folder in (
                "java.base/share/native/libjava", "java.base/unix/native/libjava", "hotspot/share/include",
                "hotspot/os/posix/include")))]
        compiler = "g++" if file.suffix == ".cpp" else "gcc"
        # The optimization levels are upstream's. Some programs overflow their stacks, and the stacks of some libraries are walked.
        optimized = ["-O0"] if is_program else ["-O1", "-fno-omit-frame-pointer"]
        logged([compiler, *optimized, "-w", *includes, file, *how, "-o", made], "test-natives.log", append=True)
    return target


def command(suite, tests, jdk, compiler, work, options=(), vmoptions=(), resume=False):
    """Returns the jtreg command line for tests of one suite folder. Results are in work/."""
    prerequisites.require(["jtreg7"], "this test stage")
    arguments = [
        "jtreg", f"-jdk:{jdk}", f"-compilejdk:{compiler}", "-agentvm", "-automatic", "-ignore:quiet",
        "-verbose:summary", "-retain:fail,error", f"-concurrency:{concurrency()}", "-timeoutFactor:4", "-timelimit:1200",
        f"-w:{work}/work", f"-r:{work}/report", "-report:all-executed", "-k:!headful&!external-dep", *options]
    if resume:
        arguments.append("-status:notRun")
    arguments += [f"-vmoption:{option}" for option in vmoptions]
    return arguments + [test if test.startswith("/") else f"{suite}:{test[1:]}" if test.startswith(":")
                        else f"{suite}/{test}" for test in tests]


def listed(suite, tests, jdk, work, options=(), vmoptions=()):
    """Returns the names of the tests that would run, in order."""
    work.mkdir(parents=True, exist_ok=True)
    return parse_list(output(command(suite, tests, jdk, jdk, work, ["-listtests", *options], vmoptions), env=environment(jdk)))


def parse_list(text):
    return sorted(line for line in text.splitlines() if re.fullmatch(r"\S+\.(java|sh|html)(#\S+)?", line))


def environment(jdk):
    env = {key: value for key, value in os.environ.items()
           if key not in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "JAVA_HOME", "JAVA_OPTIONS")}
    env["JTREG_JAVA"] = str(jdk)
    return env


def run(suite, tests, jdk, work, log, options=(), vmoptions=(), resume=False, step=None, runner=None, compiler=None,
        natives=("gc",), limit=LIMIT_SECONDS):
    """Runs tests and returns {test: state}. A failing test is a result, but a failure of jtreg is a Failure.

    `jdk` is tested. `runner` is the JDK that runs jtreg itself (a fast one). `compiler` is the JDK whose javac compiles
    the tests, and it also gets the `vmoptions`. `natives` are folders whose JNI libraries are needed.
    """
    if not resume:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    options = [f"-nativepath:{native_programs(suite, runner or jdk, natives)}", *options]

    def progress():
        try:
            done = re.findall(r"^(Passed|FAILED|Error): ", log.read_text(errors="replace"), re.M)
        except OSError:
            return
        bad = sum(state != "Passed" for state in done)
        if step and done:
            step.update(f"{len(done)} tests done" + (f", {bad} not passed" if bad else ""), every=60)

    problem = None
    try:
        logged(command(suite, tests, jdk, compiler or jdk, work, options, vmoptions, resume), log,
               env=environment(runner or jdk), watch=progress, what=f"jtreg ({log.stem})", limit=limit)
    except Failure as failure:
        problem = failure
    found = results(work)
    if not found and problem and "no tests" not in str(problem).lower():
        raise problem
    return found


def results(work):
    """Returns {test: state} from the report of a jtreg work folder."""
    summary = work / "report/text/summary.txt"
    if not summary.is_file():
        return {}
    return parse_summary(summary.read_text(errors="replace"))


def parse_summary(text):
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\S+)\s+(Passed|Failed|Error)\.", line)
        if match:
            found[match.group(1)] = match.group(2)
    return found


def result_file(work, test):
    file, _, id = test.partition("#")
    return work / "work" / (os.path.splitext(file)[0] + (f"_{id}" if id else "") + ".jtr")


def seconds(file):
    """Returns the duration of a test from its result file, or None if the file does not contain it."""
    found = re.search(r"^elapsed=(\d+)", file.read_text(errors="replace"), re.M) if file.is_file() else None
    return int(found[1]) / 1000 if found else None


def cause(text):
    """Returns the lines of a .jtr file that explain the failure of a test.

    They are the result, the System.err of the failed step and the end of its System.out, where most tests print the output of
    the VM that they started.
    """
    outcome = re.findall(r"^test result: .*$", text, re.M)[-1:]
    steps = re.split(r"^#section:", text, flags=re.M)[1:]
    failed = [step for step in steps if re.search(r"^result: (?!Passed)", step, re.M)] or steps[-1:]
    if not failed:
        return outcome
    streams = re.findall(r"^-{10}([\w.]+):\(.*?\)-{10}\*?\n(.*?)(?=^-{10}|^result: |\Z)", failed[-1], re.M | re.S)
    written = {name: content.rstrip().splitlines() for name, content in streams}
    lines = [line for name in ("direct", "stderr", "System.err") for line in written.get(name, []) if not OF_JTREG.match(line)]
    return outcome + lines + written.get("System.out", [])[-25:]


def reason(lines):
    """Returns why a test failed: the error of the VM that the test started, or else the exception that the test threw."""
    thrown = lines[0].rpartition("threw exception: ")[2] if lines else ""
    if "exit value" in thrown:
        for pattern in OF_A_CHILD:
            found = [match for match in map(pattern.search, lines[1:]) if match]
            if found:
                return f"{found[0][1]} ({thrown})"
    return thrown


def bad(found):
    return sorted(test for test, state in found.items() if state != "Passed")
