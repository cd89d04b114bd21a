# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench h2`, which measures the second heap itself. Each experiment is a module with a function `add(commands)`."""
from . import cache, cards, goal, hints, hot, hotvalues, liveness, paging, regions, service, transfer

EXPERIMENTS = (transfer, goal, regions, hints, cards, paging, liveness, hot, hotvalues, cache, service)


def add(commands):
    parser = commands.add_parser(
        "h2", help="parts of the second heap: transfers, goals, regions, hints, cards, paging, liveness, hot parts, hot values, caches, services",
        description="Measures parts of the second heap with small Java programs, without Spark. Each experiment prints tables in "
                    "Markdown. docs/measurements/bench-h2.md has the tables of one machine.")
    experiments = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    for experiment in EXPERIMENTS:
        experiment.add(experiments)
