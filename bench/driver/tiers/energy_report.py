# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The tables and the plot of `terrace bench tiers --energy`: counts of earlier runs, and the model's curves over the share of DRAM."""
import statistics
from dataclasses import dataclass

from terrace.common import paths
from terrace.common.term import Failure, notice
from ..measure import svg
from ..measure.series import load as load_results
from ..measure.tables import Table, aligned, decimal, markdown, megabytes
from . import energy

SHARES = (1 / 4, 1 / 3, 1 / 2, 0.6, 0.7, 0.8, 0.9, 1)
REFERENCE = "dram"
BASELINE = "interleave"  # the paper's unmanaged version places chunks at random


@dataclass(frozen=True)
class Point:
    """The counts of one policy at one size of DRAM: medians of the rounds."""
    policy: str
    share: float           # of the memory that the program uses without a limit
    seconds: float
    slow_read: float
    slow_written: float


@dataclass(frozen=True)
class Program:
    title: str
    load: energy.Load
    task_read: float       # bytes with DRAM only. The device may read more
    least: float           # share of DRAM for H1, the VM and file buffers
    points: list

    def policies(self):
        return list(dict.fromkeys(point.policy for point in self.points))

    def slow(self, policy, share):
        """Returns the bytes read from and written to slow memory."""
        points = [point for point in self.points if point.policy == policy]
        return tuple(energy.slow_bytes([(point.share, getattr(point, count)) for point in points], share)
                     for count in ("slow_read", "slow_written"))


def report(folders, plot, titles, policies):
    """Prints the tables, writes them as Markdown to the first folder, and plots to the file `plot` unless it is None.

    `titles` has the title of each program, and `policies` the policies to show."""
    programs = measured([(read(folder), folder) for folder in folders], titles, policies)
    if not programs:
        raise Failure(f"--energy: no run with slow memory succeeded in {names(folders)}; {remedy(folders[0])}")
    parts = [parameters()]
    for program in programs:
        parts += [counts(program), curves(program, "energy"), comparison(program), curves(program, "time")]
    parts = [part for part in parts if part]
    print("\n" + "\n\n".join([*(f"{table.title}\n{aligned(table)}" for table in parts), *map(summary, programs)]) + "\n")
    file = folders[0] / "energy.md"
    text = ["# Energy and cost over the share of DRAM", *map(markdown, parts), *map(summary, programs)]
    file.write_text("\n\n".join(text) + "\n")
    notice(f"wrote {paths.relative(file.absolute())}")
    if plot:
        draw(programs, plot)


def names(folders):
    return ", ".join(str(paths.relative(folder.absolute())) for folder in folders)


def remedy(folder, results=None, program=None):
    """Returns the command that makes results for `folder`, with the settings of those that are there."""
    only = f" --only {program}" if program else ""
    same = ""
    if results:
        sizes = {"--fast": results["fast_bytes"], "--heap": results["heap_bytes"], "--beside": settings(results)["--beside"]}
        if results.get("device_rate"):
            sizes["--device"] = results["device_rate"]
        same = (" --quick" if results["quick"] else "") + "".join(f" {option} {size >> 20}m" for option, size in sizes.items())
        same += f" --edges {results['graph']['edges']}"
    return f"run ./terrace bench tiers{same}{only} --policy dram,interleave,hints --out {paths.relative(folder.absolute())}"


def read(folder):
    if not (folder / "results.json").exists():
        raise Failure(f"--energy: {names([folder])} has no results of ./terrace bench tiers; {remedy(folder)}")
    return load_results(folder)


# -- Measured -------------------------------------------------------------------------------------------------------

def measured(found, titles, policies):
    """Returns the programs in `found`, pairs of results and their folder."""
    for results, folder in found[1:]:
        for setting, value in settings(results).items():
            if value != settings(found[0][0])[setting]:
                raise Failure(f"--energy: {names([folder])} and {names([found[0][1]])} have different values of {setting}, so their counts "
                              "do not compare; only --fast may differ")
    made = [measured_program(found, program, title, policies) for program, title in titles.items()
            if any(runs_of(results, program, policy) for results, _ in found for policy in policies if policy != REFERENCE)]
    return [program for program in made if program.points]


def settings(results):
    """Returns the settings that all results must have in common."""
    return {"--quick": results["quick"], "--heap": results["heap_bytes"], "--edges": results["graph"]["edges"],
            "--beside": results["cap"] - results["fast_bytes"] - results["heap_bytes"],
            # Reads ahead, and what the monitor finds hot, depend on how long a program waits for the device.
            "--device": results.get("device_rate")}


def runs_of(results, program, policy):
    return [run for run in results["runs"] if (run["program"], run["policy"]) == (program, policy) and not run["failure"]]


def measured_program(found, program, title, policies):
    first, folder = found[0]
    reference = [run for results, _ in found for run in runs_of(results, program, REFERENCE)]
    if not reference:
        raise Failure(f"--energy: {program} has no run with the policy {REFERENCE}, to which all others relate; {remedy(folder, first, program)}")
    for results, where in found:
        for policy in {REFERENCE, *policies}:
            for run in runs_of(results, program, policy):
                if "taskReadBytes" not in run["report"] or "allocated_bytes" not in run["gc"]:
                    raise Failure(f"--energy: the results in {names([where])} are of an earlier version, which did not count what tasks "
                                  f"read; {remedy(where, results, program)}")
    memory = median(reference, most_memory)
    points = []
    for cap in sorted({results["cap"] for results, _ in found}):
        if cap >= memory:
            notice(f"{title}: all {megabytes(memory)} MB in use fit into {megabytes(cap)} MB, so runs with this limit have no slow memory; "
                   "use a smaller --fast or --beside")
            continue
        for policy in policies:
            runs = [run for results, _ in found if results["cap"] == cap and policy != REFERENCE for run in runs_of(results, program, policy)]
            if runs:
                points.append(Point(policy, cap / memory, median(runs, lambda run: run["wall"]),
                                    max(0, median(runs, device_read) - median(reference, device_read)),
                                    median(runs, lambda run: run["device_written"])))
    task_read = median(reference, lambda run: run["report"]["taskReadBytes"])
    load = energy.Load(memory, median(reference, lambda run: run["wall"]), median(reference, lambda run: run["gc"]["allocated_bytes"]),
                       max([task_read, *(point.slow_read for point in points)]),
                       max([median(reference, lambda run: run["report"]["h2"]["MovedBytes"]), *(point.slow_written for point in points)]))
    return Program(title, load, task_read, min((results["cap"] - results["fast_bytes"]) / memory for results, _ in found), points)


def most_memory(run):
    return max((anonymous + mapped for _, anonymous, mapped in run["memory"]), default=0)


def device_read(run):
    return run["report"]["deviceReadBytes"]


def median(runs, value):
    return statistics.median(map(value, runs))


# -- Tables ---------------------------------------------------------------------------------------------------------

def parameters():
    return Table("Parameters of the model", ["", "value", "source"], [list(row) for row in energy.PARAMETERS])


def counts(program):
    load = program.load
    rows = [[REFERENCE, "100 %", decimal(load.seconds), "–", "–"]]
    rows += [[point.policy, percent(point.share), decimal(point.seconds), megabytes(point.slow_read), megabytes(point.slow_written)]
             for point in program.points]
    return Table(f"{program.title}, measured", ["", "DRAM", "wall time, s", "read from slow memory, MB", "written to slow memory, MB"], rows)


def curves(program, kind):
    """Returns the table of the energy or the time of each policy over the share of DRAM, relative to DRAM only."""
    header = ["DRAM", *(["cost"] if kind == "energy" else []), *program.policies()]
    rows = []
    for share in shares_of(program):
        cells = [cell(program, kind, policy, share) for policy in program.policies()]
        rows.append([percent(share), *([spread(energy.cost_ratio(share))] if kind == "energy" else []), *cells])
    return Table(f"{program.title}, modelled: {kind} ÷ that of DRAM only (*: with measured counts)", header, rows)


def comparison(program):
    """Returns the table of the energy of each policy relative to the baseline, or None if there is nothing to compare."""
    others = [policy for policy in program.policies() if policy != BASELINE]
    if BASELINE not in program.policies() or not others:
        return None
    rows = [[percent(share), *(spread(energy.energy_between(program.load, share, program.slow(policy, share), program.slow(BASELINE, share)))
                               for policy in others)] for share in shares_of(program)]
    return Table(f"{program.title}, modelled: energy ÷ that of {BASELINE} with the same parameters", ["DRAM", *others], rows)


def shares_of(program):
    return sorted({share for share in SHARES if share >= program.least} | {point.share for point in program.points})


def cell(program, kind, policy, share):
    exact = any(point.policy == policy and point.share == share for point in program.points)
    return spread(ratio(program, kind, policy, share)) + (" *" if exact else "")


def ratio(program, kind, policy, share):
    slow = program.slow(policy, share)
    return energy.energy_ratio(program.load, share, *slow) if kind == "energy" else energy.time_ratio(program.load, *slow)


def spread(bounds):
    low, high = (f"{bound:.2f}" for bound in bounds)
    return low if low == high else f"{low}–{high}"


def percent(share):
    return f"{100 * share:.3g} %"


def summary(program):
    load = program.load
    whole = energy.bounds(energy.joules(load, 1, 0, 0, case) for case in energy.CASES)
    static = energy.bounds(energy.static_joules(load, 1, 0, 0, case) / energy.joules(load, 1, 0, 0, case) for case in energy.CASES)
    return (f"{program.title}: measured without a memory limit: {megabytes(load.memory)} MB in use, {megabytes(load.allocated)} MB allocated, "
            f"{megabytes(program.task_read)} MB read by tasks. Modelled with DRAM only: {decimal(whole[0])}–{decimal(whole[1])} J, of which "
            f"{percent(static[0])}–{percent(static[1])} static. H1, the VM and file buffers take {percent(program.least)} of the memory, "
            "so the curves start there.")


# -- Plot -----------------------------------------------------------------------------------------------------------

def draw(programs, path):
    """Draws the range of energy of each policy, and of cost. Marks are at the shares of DRAM with measured counts."""
    figure, axes = svg.pyplot(9).subplots(1, len(programs), figsize=(4.6 * len(programs), 3.4), sharey=True, squeeze=False,
                                          layout="constrained")
    for axis, program in zip(axes[0], programs):
        shares = [program.least + (1 - program.least) * step / 40 for step in range(41)]
        percents = [100 * share for share in shares]
        axis.fill_between(percents, *zip(*map(energy.cost_ratio, shares)), color="#a0aec0", alpha=0.4, label="cost")
        for policy in program.policies():
            least, most = zip(*(ratio(program, "energy", policy, share) for share in shares))
            line, = axis.plot(percents, least, linewidth=1, label=policy)
            axis.plot(percents, most, linewidth=1, color=line.get_color())
            axis.fill_between(percents, least, most, alpha=0.1, color=line.get_color())
            for point in program.points:
                if point.policy == policy:
                    axis.plot([100 * point.share] * 2, ratio(program, "energy", policy, point.share), "o", markersize=4,
                              color=line.get_color())
        axis.set(title=program.title, xlabel="DRAM, % of the memory", ylim=0)
        axis.legend(loc="lower right")
    axes[0][0].set(ylabel="energy and cost ÷ DRAM only")
    svg.save(figure, path)
    notice(f"wrote {path}")
