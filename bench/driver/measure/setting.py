# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The common setting of all sides in a comparison of Spark programs: JDK homes, heap, and memory limit."""
import os
import re
from pathlib import Path

from terrace.building import build as jdk_build
from terrace.common import memory_cap
from terrace.common.term import Failure

MIB = 1 << 20

# Memory outside of the Java heap: metaspace, code, stacks, tables of the collector, and some page cache.
BESIDE_HEAP = 512 * MIB

LEAST_HEAP = 480 * MIB


def add_homes(parser, stock_use="take as stock"):
    """The options that `find_homes` reads."""
    parser.add_argument("--stock", type=Path, metavar="HOME", help=f"a JDK home to {stock_use} (default build/stock)")
    parser.add_argument("--terrace", type=Path, metavar="HOME", help="a JDK home to take as Terrace (default build/jdk)")


def find_homes(arguments):
    if arguments.stock and arguments.terrace:
        homes = {"stock": arguments.stock, "terrace": arguments.terrace}
    else:
        built = jdk_build.build()
        homes = {"stock": arguments.stock or jdk_build.home("stock"), "terrace": arguments.terrace or built}
    for side, home in homes.items():
        if not os.access(home / "bin/java", os.X_OK):
            raise Failure(f"--{side}: {home} is no JDK home: it has no bin/java")
    return {side: home.absolute() for side, home in homes.items()}


def choose_cap(wanted, heap):
    """Returns the limit in bytes and None, or 0 and why there is none."""
    if wanted is not None and parse_size("--memory", wanted) == 0:
        return 0, "switched off"
    cap = parse_size("--memory", wanted) if wanted else heap + BESIDE_HEAP
    if cap <= heap:
        raise Failure(f"--memory: {cap // MIB}m does not hold a heap of {heap // MIB}m; the default is "
                      f"{(heap + BESIDE_HEAP) // MIB}m")
    reason = memory_cap.unavailable()
    return (0, f"no control group can be made: {reason}") if reason else (cap, None)


def parse_size(option, text):
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", text.lower())
    if not match:
        raise Failure(f"{option}: '{text}' is not a size such as 800m or 2g")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[match[2]]
