# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench h2`, which measures the second heap itself. Each experiment is a module with a function `add(commands)`."""
from . import cache, cards, goal, hints, hot, liveness, paging, regions, service, transfer

EXPERIMENTS = (transfer, goal, regions, hints, cards, paging, liveness, hot, cache, service)


def add(commands):
    parser = commands.add_parser(
        "h2", help="the second heap itself: transfers, goals, regions, hints, cards, paging, liveness, hot parts, caches, services",
        description="Measures the second heap itself, with small Java programs and without Spark. Each prints Markdown "
                    "tables; docs/measurements/bench-h2.md has those of one machine.")
    experiments = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    for experiment in EXPERIMENTS:
        experiment.add(experiments)
