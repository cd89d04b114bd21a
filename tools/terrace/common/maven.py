"""Maven, for which a cold repository is hundreds of downloads, and one that fails the end of the build."""
import os
import shutil
import time

from . import paths, prerequisites
from .term import Failure, logged, notice, read

ATTEMPTS = 3
PAUSE_SECONDS = 10
# What has arrived stays. What a repository does not have is another message, and no second try brings it.
HICCUP = "Could not transfer "


def command(arguments, pom):
    return ["mvn", "-B", "-ntp", "-f", pom, *arguments]


def run(arguments, log, what, pom=paths.POM, **options):
    """Maven with these goals and options: as `logged`, but again when a download failed. `what` says what it does."""
    if not shutil.which("mvn"):
        prerequisites.require(["maven"], what)
    log = paths.LOGS / log if not os.path.isabs(log) else log
    for attempt in range(ATTEMPTS, 0, -1):
        try:
            logged(command(arguments, pom), log, what=what, **options)
            return
        except Failure:
            if attempt == 1 or HICCUP not in read(log):
                raise
            notice(f"Maven could not download something; trying again. What it said: {line_with(read(log), HICCUP)}")
            time.sleep(PAUSE_SECONDS)


def line_with(text, part):
    return next(line for line in text.splitlines() if part in line)[:300]
