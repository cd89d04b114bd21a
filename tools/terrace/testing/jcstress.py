# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace stress --jcstress`, which runs OpenJDK's concurrency stress harness on objects in H2 (vm/test/jcstress).

In every test, threads share objects in H2 while other objects move there and both generations are collected.
"""
import os
import re
import shutil

from ..common import maven, paths
from ..common.term import Failure, Step, logged, tail

TESTS = paths.TEST / "jcstress"
MODES = ("sanity", "quick", "default", "tough")   # seconds, minutes, an hour, hours
LIMIT_SECONDS = 12 * 3600
# "torture" also moves objects that the tests and jcstress allocate.
WAYS = {
    "plain": "",
    "wide references": "-XX:-UseCompressedOops",
    "torture": "-XX:+UnlockDiagnosticVMOptions -XX:H2Torture=200",
}
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) soft errs, (\d+) hard errs")


def run(home, h2, out, mode):
    path = compiled(home, out)
    failed = []
    for name, options in WAYS.items():
        live = Step(f"jcstress, {name}")
        log = out / f"{name.replace(' ', '-')}.log"
        command = [home / "bin/java", "-cp", path, "org.openjdk.jcstress.Main", "-v", "-m", mode, "-c", max(2, os.cpu_count()),
                   "-r", out / "report", "--jvmArgs", f"-Xmx256m -XX:AllocateH2At={h2} -XX:H2Size=512m {options}".strip()]
        try:
            logged(command, log, cwd=out, what=f"jcstress, {name}", limit=LIMIT_SECONDS)
        except Failure as failure:
            failed.append(str(failure))
            continue
        passed, bad = outcome(log.read_text(errors="replace"))
        if bad or not passed:
            failed.append(f"jcstress, {name}: {passed} passed, {bad} did not. The end of {paths.relative(log)}:\n{tail(log)}")
        live.done(f"{passed} passed")
    if failed:
        raise Failure("\n\n".join(failed))
    return 0


def outcome(text):
    """Returns (passed, not passed) from the last line of counts."""
    counts = COUNTS.findall(text)
    passed, *bad = map(int, counts[-1]) if counts else (0,)
    return passed, sum(bad)


def compiled(home, out):
    """Compiles the tests, and returns their class path."""
    libraries, classes = out / "lib", out / "classes"
    if not libraries.exists():
        maven.run(["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={libraries}"],
                  "jcstress-maven.log", "fetching jcstress", pom=TESTS / "pom.xml")
    shutil.rmtree(classes, ignore_errors=True)
    classes.mkdir(parents=True)
    api = paths.JAVA / "api/src/main/java"
    logged([home / "bin/javac", "-nowarn", "-d", classes, "-cp", f"{libraries}/*", "-sourcepath", api,
            *sorted((TESTS / "org").rglob("*.java"))], "jcstress-javac.log", what="compiling the tests of jcstress")
    return f"{classes}{os.pathsep}{libraries}/*"
