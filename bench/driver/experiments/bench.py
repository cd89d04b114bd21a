"""`terrace bench`: measurements. Each is a module of its own with a function `add(commands)`."""
from . import gc, h2, persist, spark, startup

ORDER = 32

MEASUREMENTS = (startup, h2, spark, gc, persist)


def register(subparsers):
    parser = subparsers.add_parser("bench", help="measure Terrace beside the stock JVM")
    commands = parser.add_subparsers(dest="bench", metavar="MEASUREMENT", required=True)
    for measurement in MEASUREMENTS:
        measurement.add(commands)
