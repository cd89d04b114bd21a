# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables of `terrace bench far`, as text and as Markdown."""
import statistics

from ..measure.tables import Table, aligned, count, decimal, markdown, megabytes, spread
from .plan import PROGRAMS, SIDES, title
from .runs import between, operations, percentile, seconds_by_window

KINDS = {
    "g1": {"program": "the program's threads", "concurrent": "threads that mark", "pauses": "threads of pauses",
           "refinement": "refinement"},
    # The same workers run concurrently and in pauses.
    "shenandoah": {"program": "the program's threads", "concurrent": "the collector's workers", "pauses": "the VM's thread"},
}


def select(runs, **what):
    return [run for run in runs if all(run[name] == value for name, value in what.items())]


def succeeded(runs, **what):
    return [run for run in select(runs, **what) if not run["failure"]]


def last(run):
    """Returns the uptime at the end of the program."""
    return (run["report"] or {}).get("to") or run["wall"]


def shortage(run):
    """Returns the uptime from which memory was short."""
    return (run["report"] or {}).get("from") or 0 if PROGRAMS[run["program"]].meets else 0


def measured_cycles(run):
    """Returns the cycles that ran while memory was short."""
    return [cycle for cycle in run["cycles"] if cycle["end"] is None or cycle["end"] > shortage(run)]


def duration(run, cycle):
    return (last(run) if cycle["end"] is None else cycle["end"]) - cycle["start"]


def per_cycle(run, name):
    """Returns the mean over complete cycles, or over the incomplete one if there is no other. None without cycles."""
    found = measured_cycles(run)
    complete = [cycle for cycle in found if cycle["end"] is not None] or found
    return statistics.mean(between(run["samples"], cycle["start"], cycle["start"] + duration(run, cycle))[name]
                           for cycle in complete) if complete else None


def whole(run, name):
    """Returns the count from the start of the memory shortage to the end."""
    return between(run["samples"], shortage(run), run["wall"])[name]


def phase(run, name):
    times = [cycle[name] for cycle in measured_cycles(run) if cycle[name] is not None]
    return statistics.mean(times) if times else None


def longest(run):
    return max((duration(run, cycle) for cycle in measured_cycles(run)), default=None)


def longest_phase(run, name):
    return max((cycle[name] for cycle in measured_cycles(run) if cycle[name] is not None), default=None)


def stops(run, full):
    """Returns the number of collections that stopped the program as a whole, while memory was short."""
    return sum(stop["full"] == full and stop["at"] >= shortage(run) for stop in run["stops"])


def rate(run, inside):
    seconds = seconds_by_window(run)[0 if inside else 1]
    return operations(seconds) / len(seconds) if seconds else None


def ratio(run):
    inside, outside = rate(run, True), rate(run, False)
    return inside / outside if inside is not None and outside else None


def tail(run, inside):
    return percentile(seconds_by_window(run)[0 if inside else 1], 0.99)


def thousands(value):
    return decimal(value / 1000)


BY_SECOND = (
    ("k operations/s, no cycle", lambda run: rate(run, False), thousands),
    ("k operations/s, in cycles", lambda run: rate(run, True), thousands),
    ("  ratio", ratio, decimal),
    ("k operations/s, all", lambda run: operations(run["report"]["seconds"]) / len(run["report"]["seconds"]), thousands),
    ("p99, ms, no cycle", lambda run: tail(run, False), decimal),
    ("p99, ms, in cycles", lambda run: tail(run, True), decimal),
)
TIME = (("wall time, s", lambda run: run["wall"], decimal),)
PHASES = {
    "g1": (("  marking, s", lambda run: phase(run, "mark"), decimal), ("  remembered sets, s", lambda run: phase(run, "rebuild"), decimal)),
    "shenandoah": (
        ("  longest marking, s", lambda run: longest_phase(run, "mark"), decimal),
        ("  longest evacuation, s", lambda run: longest_phase(run, "evacuation"), decimal),
        ("  longest update of references, s", lambda run: longest_phase(run, "update"), decimal),
        ("postponed cycles", lambda run: sum(cycle["postponed"] for cycle in measured_cycles(run)), count),
        ("degenerated collections", lambda run: stops(run, False), count),
        ("full collections", lambda run: stops(run, True), count)),
}
COSTS = (
    ("CPU time, s", lambda run: run["user"] + run["system"], decimal),
    ("cycles that ended", lambda run: sum(cycle["end"] is not None and not cycle["aborted"] for cycle in measured_cycles(run)), count),
    ("cycles that did not", lambda run: sum(cycle["end"] is None for cycle in measured_cycles(run)), count),
    ("longest cycle, s", longest, decimal),
)
AT_THE_END = (
    ("pauses, s", lambda run: run["gc"]["minor_seconds"] + run["gc"]["major_seconds"] + run["gc"]["short_seconds"], decimal),
    ("longest pause, s", lambda run: run["gc"]["longest_pause"], decimal),
    ("limit on memory, MB", lambda run: run["limit"], megabytes),
)


def counts(label, value, collector):
    """Returns the rows for the counters of the samples."""
    return ((f"swap-ins {label}, k", lambda run: value(run, "swap_ins"), thousands),
            *((f"major faults {label}, k: {kind}", lambda run, group=group: value(run, group), thousands)
              for group, kind in KINDS[collector].items()))


def quantities(program, collector):
    return (*(BY_SECOND if PROGRAMS[program].meets else TIME), *COSTS, *PHASES[collector], *counts("in a cycle", per_cycle, collector),
            *counts("in all", whole, collector), *AT_THE_END)


def tables(results):
    made = []
    collector = results.get("collector", "g1")
    for program in PROGRAMS:
        locals_ = list(dict.fromkeys(run["local"] for run in select(results["runs"], program=program)))
        for local in locals_:
            runs = select(results["runs"], program=program, local=local)
            sides = [side for side in SIDES if select(runs, side=side)]
            rows = [[label, *(spread([value(run) for run in succeeded(runs, side=side)], show) for side in sides)]
                    for label, value, show in quantities(program, collector)]
            rows.append(["OOM kills", *(count(sum(run["oom_kills"] for run in select(runs, side=side))) for side in sides)])
            made.append(Table(f"{PROGRAMS[program].title}: {local} % local", ["", *(title(side, collector) for side in sides)], rows))
    return made


def notes(results):
    return list(dict.fromkeys(note for run in results["runs"] for note in run["notes"]))


def differences(results):
    """Returns an error for each program whose results differ between sides."""
    troubles = []
    for program in PROGRAMS:
        found = {str(run["report"]["result"]) for run in succeeded(results["runs"], program=program)}
        if len(found) > 1:
            troubles.append(f"{program}: results differ: {'; '.join(sorted(found))}")
    return troubles


def text(results):
    return "\n\n".join(f"{table.title}\n\n{aligned(table)}" for table in tables(results))


def write(results, folder):
    path = folder / "tables.md"
    facts = "\n".join(f"* {name}: {value}" for name, value in results["facts"].items())
    said = "\n".join(f"* {note}" for note in notes(results))
    path.write_text("\n\n".join(filter(None, [*map(markdown, tables(results)), said, facts])) + "\n")
    return path
