# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs a program of the demo once on one of the two JVMs."""
from ..spark.runs import Machine, SparkRuns, terrace
from . import summary


class Bench:
    """Starts the programs one at a time, each in its own control group."""

    def __init__(self, plan, heap, cap, graph, homes, h2, logs):
        self.plan, self.graph = plan, graph
        self.runs = SparkRuns(heap, cap, plan.timeout, logs)
        self.machines = {"stock": Machine(homes["stock"], ("-XX:+UseParallelGC",)),
                         "terrace": terrace(homes["terrace"], h2)}

    def run(self, program, side, repeat, which):
        words = [*self.plan.programs[program], *([self.graph["path"]] if program == "pagerank" else [])]
        result = self.runs.run(f"{program}-{side}-{repeat}", f"{summary.NAMES[program]}, {summary.NAMES[side]}, {which}",
                               self.machines[side], program, words, inputs=[self.graph["path"]])
        return {"program": program, "side": side, "repeat": repeat, **result}
