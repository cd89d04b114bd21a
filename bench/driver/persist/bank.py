# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The part `bank` of `terrace bench persist`: its runs, tables, and plots of the throughput around the kill."""
from terrace.common.term import Step
from ..measure import svg
from ..measure.series import turn
from ..measure.tables import Table

NAMES = {"VOLATILE": "java.util, volatile", "TERRACE": "Terrace", "TERRACE_WITHOUT_COLLECTION": "Terrace, without collection",
         "INFINISPAN_TERRACE": "Infinispan on Terrace", "INFINISPAN_SOFT_INDEX": "Infinispan, soft-index files",
         "INFINISPAN_SINGLE_FILE": "Infinispan, single file"}
# The single-file store cannot sync.
LEVELS = {"SYNC": tuple(NAMES)[:-1], "PROCESS": tuple(NAMES)}
# There are enough branches that transfers rarely wait for locks, which Infinispan holds until the store has answered.
FULL = {"accounts": 200_000, "branch": 1000, "before": 15, "after": 20}
QUICK = {"accounts": 20_000, "branch": 100, "before": 5, "after": 8}
COLOURS = ("#a0aec0", "#2b6cb0", "#63b3ed", "#805ad5", "#dd6b20", "#c53030")
SMOOTHED = 5          # number of buckets per mean
PAPER = "The paper's server of 10 million accounts serves again after 8.5 s, without its collection after 5.7 s, " \
        "Infinispan on files after 28.8 s, on other hardware."


def runs(lab):
    """Kills each bank once in every round, at both levels."""
    size = [word for name, value in (QUICK if lab.quick else FULL).items() for word in (f"--{name}", value)]
    for number in range(lab.rounds):
        for level, banks in LEVELS.items():
            for bank in turn(list(banks), number):
                live = Step(f"bank, {NAMES[bank]}, {level}")
                found = lab.java(live.name, "bank", "--bank", bank, "--level", level, "--dir", lab.folder(), "--seed", number + 1,
                                 *size, options=("-Xmx512m",))
                live.done(f"{found['perSecond']:,.0f} transfers/s, first request {found['firstRequest']:.2f} s after the kill")
                yield {"bank": bank, "level": level, "round": number + 1, **found}


def of_level(found, level):
    """Returns the runs by bank, in the order of the names."""
    mine = [run for run in found if run["part"] == "bank" and run["level"] == level]
    return {bank: [run for run in mine if run["bank"] == bank] for bank in NAMES if any(run["bank"] == bank for run in mine)}


def levels(found):
    return [level for level in LEVELS if of_level(found, level)]


def tables(found, middle):
    """Yields a table for each level. `middle` formats the values of all rounds."""
    for level in levels(found):
        rows = [[name(bank, mine), middle([run["perSecond"] for run in mine]), middle([run["serving"] for run in mine], 2),
                 middle([run["firstRequest"] for run in mine], 2), nominal(mine, middle), *kept(mine)]
                for bank, mine in of_level(found, level).items()]
        yield Table(f"Bank, {level}: transfers over HTTP, and seconds from kill -9, the new JVM's start included; median (range) "
                    f"of rounds. {PAPER}",
                    ["", "transfers/s before", "listening", "first transfer", "90 % of before", "acknowledged and lost",
                     "balances contradict the history", "sum of all accounts"], rows)


def name(bank, mine):
    refused = sum(run["refused"] for run in mine)
    return NAMES[bank] + (f" ({refused:,} refused)" if refused else "")


def nominal(mine, middle):
    reached = [run["nominal"] for run in mine if run["nominal"] is not None]
    missing = len(mine) - len(reached)
    texts = ([middle(reached, 1)] if reached else []) + ([f"{missing} × not reached"] if missing else [])
    return ", ".join(texts)


def kept(mine):
    """Returns the results of the checks after the kills. Volatile banks keep nothing."""
    checked = [run for run in mine if "lost" in run]
    if not checked:
        return ["all", "–", "–"]
    wrong = [run["difference"] for run in checked if run["difference"]]
    return [f"{sum(run['lost'] for run in checked):,}", f"{sum(run['wrong'] for run in checked):,}",
            f"wrong in {len(wrong)} of {len(checked)}" if wrong else "right"]


def plots(found, folder):
    """Draws the throughput over time for the first round of each bank, with the kill at 0 and a plot for each level. Returns the paths."""
    written = []
    for level in levels(found):
        figure, axis = svg.pyplot(8).subplots(figsize=(7, 3), layout="constrained")
        for (bank, mine), colour in zip(of_level(found, level).items(), COLOURS):
            axis.plot(*line(mine[0]), linewidth=1, color=colour, label=NAMES[bank])
        axis.axvline(0, color="black", linewidth=0.6, linestyle=":")
        axis.set(xlabel="seconds from the kill", ylabel=f"transfers/s, {level}", ylim=(0, None))
        figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        path = folder / f"bank-{level}.svg"
        svg.save(figure, path)
        written.append(path)
    return written


def line(run):
    """Returns seconds from the kill and transfers per second, as means of several complete buckets."""
    width, buckets = run["bucketSeconds"], run["buckets"][:-1]
    ends = range(SMOOTHED, len(buckets) + 1)
    return ([(end - SMOOTHED / 2) * width - run["killed"] for end in ends],
            [sum(buckets[end - SMOOTHED:end]) / (SMOOTHED * width) for end in ends])
