# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The common settings of the benchmarks: shared options, JDK homes, heap, and memory limit."""
import os
import re
from pathlib import Path

from terrace.building import build as jdk_build
from terrace.common import memory_cap, paths
from terrace.common.term import Failure

MIB = 1 << 20

# Memory outside of the Java heap: metaspace, code, stacks, tables of the collector, and some page cache.
BESIDE_HEAP = 512 * MIB

LEAST_HEAP = 480 * MIB


def add_homes(parser, stock_use="use as stock"):
    """Adds the options that `find_homes` reads."""
    parser.add_argument("--stock", type=Path, metavar="HOME", help=f"JDK home to {stock_use} (default build/stock)")
    parser.add_argument("--terrace", type=Path, metavar="HOME", help="JDK home to use as Terrace (default build/jdk)")


def add_h2(parser):
    parser.add_argument("--h2", type=Path, metavar="DIR", help="folder for the second heap (default: a folder in --out)")


def add_out(parser, default, contents):
    parser.add_argument("--out", type=Path, default=default, metavar="DIR",
                        help=f"folder for {contents} (default {paths.relative(default)})")


def add_report(parser, products="tables"):
    parser.add_argument("--report", type=Path, metavar="DIR", help=f"run nothing, and regenerate the {products} from DIR/results.json")


def add_resume(parser, more=""):
    parser.add_argument("--resume", action="store_true", help=f"keep the runs that are stored in --out, and do only the missing ones{more}")


def add_selection(parser, option, metavar, kind, names):
    """Adds an option that selects some of the named programs, sides or policies."""
    parser.add_argument(option, metavar=metavar, help=f"run only these {kind}: {', '.join(names)}")


def find_homes(arguments):
    if arguments.stock and arguments.terrace:
        homes = {"stock": arguments.stock, "terrace": arguments.terrace}
    else:
        built = jdk_build.build()
        homes = {"stock": arguments.stock or jdk_build.home("stock"), "terrace": arguments.terrace or built}
    for side, home in homes.items():
        if not os.access(home / "bin/java", os.X_OK):
            raise Failure(f"--{side}: {home} is not a JDK home, because it has no bin/java")
    return {side: home.absolute() for side, home in homes.items()}


def choose_cap(wanted, heap):
    """Returns the limit in bytes and None, or 0 and why there is none."""
    if wanted is not None and parse_size("--memory", wanted) == 0:
        return 0, "switched off"
    cap = parse_size("--memory", wanted) if wanted else heap + BESIDE_HEAP
    if cap <= heap:
        raise Failure(f"--memory: {cap // MIB}m does not hold a heap of {heap // MIB}m; use a larger value, or the default of "
                      f"{(heap + BESIDE_HEAP) // MIB}m")
    reason = memory_cap.unavailable()
    return (0, f"no control group can be made: {reason}") if reason else (cap, None)


def parse_size(option, text):
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", text.lower())
    if not match:
        raise Failure(f"{option}: '{text}' is not a size such as 800m or 2g")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[match[2]]
