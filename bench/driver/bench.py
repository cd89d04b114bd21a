# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench`, which runs measurements. Each measurement is a module with a function `add(commands)`."""
from . import startup
from .far import bench as far
from .gc import bench as gc
from .giraph import bench as giraph
from .h2 import bench as h2
from .persist import bench as persist
from .spark import bench as spark
from .tiers import bench as tiers


MEASUREMENTS = (startup, h2, spark, giraph, tiers, far, gc, persist)


def register(add):
    parser = add(description="Compares Terrace with the stock JVM. "
                             "`./terrace bench MEASUREMENT --help` lists the options of a measurement.")
    commands = parser.add_subparsers(dest="bench", metavar="MEASUREMENT", required=True)
    for measurement in MEASUREMENTS:
        measurement.add(commands)
