# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The experiment `terrace bench h2 liveness`: the space that remains when some of several linked groups are dropped."""
from terrace.common.term import step
from .lab import GIB, Lab, MIB, add_options, add_repeats, count, median, size, table, words

# Name and options. Variants with a flag that the JVM does not know are skipped.
VARIANTS = (
    ("dependency list", []),
    ("and marking through H2", ["-XX:H2DeepMarkingInterval=1"]),
    ("union-find", ["-XX:+H2UnionFind"]),
)
# (title, links, kept groups, fraction)
CASES = (
    ("no links; a quarter kept", "none", "random", 0.25),
    ("pairs; a quarter kept", "pairs", "random", 0.25),
    ("all refer to one; a quarter kept", "hub", "random", 0.25),
    ("chain; the oldest kept", "chain", "oldest", 0),
    ("chain; the middle one kept", "chain", "middle", 0),
    ("chain; the newest kept", "chain", "newest", 0),
)
REGION = 2 * MIB


def add(commands):
    parser = commands.add_parser(
        "liveness", help="the space that remains in use after some of several linked groups are dropped",
        description="Moves groups of objects that refer to each other, each into a separate region, and drops some of the groups. "
                    "Counts the regions that remain in use after the next major collection, for each of the JVM's methods of "
                    "finding live regions. 'needed' counts the regions with reachable objects.")
    parser.add_argument("--groups", type=count, default=120, metavar="N", help="number of groups (default 120)")
    parser.add_argument("--size", type=size, default=1900 << 10, metavar="BYTES", help="size of each group (default 1900k)")
    add_repeats(parser, 2)
    add_options(parser, run)


def variants(lab):
    return [(name, ["-XX:+UnlockDiagnosticVMOptions", *options]) for name, options in VARIANTS
            if all(lab.has_flag(option) for option in options)]


def run(arguments):
    lab = Lab(arguments)
    lab.need_space(2 * GIB)
    found = []
    with step("liveness") as current:
        for turn in range(arguments.repeats):
            for name, links, keep, fraction in CASES:
                for variant, options in variants(lab):
                    current.update(f"round {turn + 1} of {arguments.repeats}: {name}, {variant}")
                    found.append(measure_case(lab, name, links, keep, fraction, variant, options))
        current.done()
    lab.finish(found, result_table(found))


def measure_case(lab, name, links, keep, fraction, variant, options):
    run = lab.run(f"liveness-{links}-{keep}-{variant.replace(' ', '-')}",
                  ["-Xmx768m", "-Xmn256m", f"-XX:H2RegionSize={words(REGION)}", "-XX:H2Size=4g", *options],
                  "groups", "--count", lab.arguments.groups, "--size", lab.arguments.size, "--links", links,
                  "--keep", keep, "--fraction", fraction, settled=False)
    after = [pause for pause in run.log.pauses if pause.cause == "System.gc"][-1]
    return {"case": name, "variant": variant, "needed": needed(run.report, links, keep),
            "before": run.report["regionsBefore"], "after": run.report["regionsAfter"], "pause": after.seconds}


def needed(report, links, keep):
    """Returns the number of regions with reachable objects if each group has its own region. None if it depends on the random choice."""
    position = {"oldest": 1, "middle": report["groups"] // 2 + 1, "newest": report["groups"]}
    if links == "chain":
        return position[keep]
    if links == "hub":
        return report["keptGroups"] + 1
    return report["keptGroups"] if links == "none" else None


def result_table(found):
    rows = []
    names = list(dict.fromkeys(one["variant"] for one in found))
    for case, *_ in CASES:
        runs = [one for one in found if one["case"] == case]
        cells = []
        for name in names:
            of = [one for one in runs if one["variant"] == name]
            cells += [f"{median(one['after'] for one in of):.0f}", f"{median(one['pause'] for one in of) * 1000:.1f}"]
        wanted = runs[0]["needed"]
        rows.append([case, runs[0]["before"], "–" if wanted is None else wanted, *cells])
    header = [cell for name in names for cell in (f"{name}: kept", "pause, ms")]
    return table(["groups", "regions", "needed", *header], rows)
