# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Where things are. Everything generated lies under build/, everything reusable by other checkouts in CACHE."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# In the folder `terrace` of a packed JDK (dist/tools.py) there is nothing to build from.
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
    """For messages: as seen from the checkout where that is shorter."""
    try:
        return str(Path(path).relative_to(ROOT))
    except ValueError:
        return str(path)
