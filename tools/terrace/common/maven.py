# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs Maven. A cold repository needs hundreds of downloads, and one failed download ends a build."""
import functools
import os
import shutil
import time
from xml.etree import ElementTree

from . import paths, prerequisites
from .term import Failure, logged, notice, read

ATTEMPTS = 3
PAUSE_SECONDS = 10
# The message of a failed transfer. Completed downloads are kept for the next attempt. An artifact that no repository
# has causes another message, and a retry would not help.
HICCUP = "Could not transfer "
TESTS_FAILED = "There are test failures"


def command(arguments, pom):
    return ["mvn", "-B", "-ntp", "-f", pom, *arguments]


def run(arguments, log, what, pom=paths.POM, **options):
    """Runs Maven with these goals and options, like `logged`, and retries after a failed download. `what` names the action in messages."""
    if not shutil.which("mvn"):
        prerequisites.require(["maven"], what)
    prerequisites.java_home(options.get("env") or os.environ)
    log = paths.LOGS / log if not os.path.isabs(log) else log
    for attempt in range(ATTEMPTS, 0, -1):
        try:
            logged(command(arguments, pom), log, what=what, **options)
            return
        except Failure:
            line = failed_download(read(log))
            if attempt == 1 or not line:
                raise
            notice(f"a download of Maven failed; trying again. Maven's message: {line}")
            time.sleep(PAUSE_SECONDS)


def failed_download(text):
    """Returns the log line of a failed download, or None. Warnings do not count, and a retry must not hide failed tests."""
    if TESTS_FAILED in text:
        return None
    return next((line[:300] for line in text.splitlines() if line.startswith("[ERROR]") and HICCUP in line), None)


# --- modules, named by their folders ------------------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def modules():
    """Returns {module: the modules that it depends on} from the poms."""
    poms = dict(poms_below(paths.ROOT))
    folders = {pom.findtext("{*}artifactId"): folder for folder, pom in poms.items()}
    return {folder: {folders[name] for name in (element.text for element in pom.iterfind(".//{*}dependency/{*}artifactId"))
                     if name in folders} for folder, pom in poms.items()}


def poms_below(folder):
    """Yields (module, its pom) of all modules below a folder that have no submodules."""
    pom = ElementTree.parse(folder / "pom.xml").getroot()
    inner = [element.text for element in pom.iterfind("{*}modules/{*}module")]
    for name in inner:
        yield from poms_below(folder / name)
    if not inner:
        yield str(folder.relative_to(paths.ROOT)), pom


def version():
    """Returns the version, which all modules share."""
    return ElementTree.parse(paths.POM).getroot().findtext("{*}version")


def dependencies(names):
    """Returns the given modules and their dependencies."""
    return closure(names, lambda name: modules()[name])


def dependents(names):
    """Returns the given modules and the modules that depend on them."""
    return closure(names, lambda name: {other for other, needed in modules().items() if name in needed})


def closure(names, following):
    found, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= following(name) - found
    return found


def on_the_vm():
    """Returns the modules with tests that need a second heap."""
    return {name for name in modules() if any((paths.ROOT / name / "src/test").rglob("*OnTerraceTest.java"))}
