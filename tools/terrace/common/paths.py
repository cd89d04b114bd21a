# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The paths of Terrace. Generated files are below build/, and files that other checkouts can reuse are in the cache directory."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# The folder `terrace` of a packed JDK (dist/tools.py) has no sources to build.
PACKED = not (ROOT / "UPSTREAM").exists()

BUILD = ROOT / "build"
LOGS = BUILD / "logs"
UPSTREAM = BUILD / "upstream"
SRC = UPSTREAM / "src"
STOCK = BUILD / "stock"

VM = ROOT / "vm"
HOOKS = VM / "hooks"
SERIES = HOOKS / "series"
OVERLAY = VM / "hotspot"
PIN = ROOT / "UPSTREAM"
MAKE = VM / "make"
JDK = VM / "jdk"
TEST = VM / "test"

POM = ROOT / "pom.xml"
JAVA = ROOT / "java"
PERSIST = ROOT / "persist"
BENCH = ROOT / "bench"
TOOLS = ROOT / "tools"


def cache():
    if os.environ.get("TERRACE_CACHE"):
        return Path(os.environ["TERRACE_CACHE"]).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "terrace"


def downloads():
    return cache() / "downloads"


def relative(path):
    """Returns a path for messages, relative to the checkout if it is inside."""
    try:
        return str(Path(path).relative_to(ROOT))
    except ValueError:
        return str(path)
