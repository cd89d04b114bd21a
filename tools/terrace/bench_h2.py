"""`terrace bench h2`: measurements of the second heap itself. Each is a module with a function `add(commands)`."""
from . import (bench_h2_cards, bench_h2_hints, bench_h2_liveness, bench_h2_paging, bench_h2_regions,
               bench_h2_transfer)

EXPERIMENTS = (bench_h2_transfer, bench_h2_regions, bench_h2_hints, bench_h2_cards, bench_h2_paging,
               bench_h2_liveness)


def add(commands):
    parser = commands.add_parser(
        "h2", help="the second heap itself: transfers, regions, hints, cards, paging, liveness",
        description="Measures the second heap itself, with small Java programs and without Spark. Each prints Markdown "
                    "tables; docs/bench-h2.md has those of one machine.")
    experiments = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    for experiment in EXPERIMENTS:
        experiment.add(experiments)
