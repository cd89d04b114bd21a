# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Builds Java modules with Maven if their sources have changed."""
import hashlib
import os
from pathlib import Path

from . import maven, paths
from .term import Failure, step


def make(name, stamp, results, modules, home=None, options=("-DskipTests",), size=""):
    """Packages `modules` and their dependencies with the JDK in `home`, or else with Maven's own.

    Does nothing if the file `stamp` records the same sources and the files `results` exist.
    """
    wanted = digest(modules)
    before = stamp.read_text() if stamp.exists() else ""
    if before == wanted and all(map(Path.exists, results)):
        return
    arguments = ["-pl", ",".join(modules), "-am", *options, "package"]
    environment = dict(os.environ, JAVA_HOME=str(home)) if home else None
    with step(name) as current:
        current.update(f"Maven; the first time it downloads {size}" if size else "Maven")
        if not (before and works_offline(arguments, f"{stamp.stem}.log", environment)):
            maven.run(arguments, f"{stamp.stem}.log", f"building {name}", env=environment)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)
        current.done()


def works_offline(arguments, log, environment):
    """Tries the build without the network. It fails if a library has not been downloaded yet."""
    try:
        maven.run([*arguments, "--offline"], log, "building without the network", env=environment)
        return True
    except Failure:
        return False


def digest(modules):
    """Returns a digest of all sources of the class path."""
    sources = {paths.POM}
    for module in maven.dependencies(modules):
        folder = paths.ROOT / module
        poms = (place / "pom.xml" for place in (folder, *folder.parents) if paths.ROOT in place.parents)
        sources.update(pom for pom in poms if pom.exists())
        sources.update(path for path in (folder / "src/main").rglob("*") if path.is_file())
    hashed = hashlib.sha256()
    for path in sorted(sources):
        hashed.update(f"{path.relative_to(paths.ROOT)}\n".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()
