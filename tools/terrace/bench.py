"""`terrace bench`: measurements. Each is a module of its own with a function `add(commands)`."""
from . import bench_gc, bench_h2, bench_spark, bench_startup

ORDER = 32

MEASUREMENTS = (bench_startup, bench_h2, bench_spark, bench_gc)


def register(subparsers):
    parser = subparsers.add_parser("bench", help="measure Terrace beside the stock JVM")
    commands = parser.add_subparsers(dest="bench", metavar="MEASUREMENT", required=True)
    for measurement in MEASUREMENTS:
        measurement.add(commands)
