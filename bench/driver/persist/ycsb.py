# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The part `ycsb` of `terrace bench persist`: the selection of workloads and stores, and their runs."""
from dataclasses import dataclass

from terrace.common.term import Failure, Step
from ..measure.series import turn

LEVELS = ("PROCESS", "SYNC", "MAPPED")
# Default workloads of all levels except PROCESS.
FEW_WORKLOADS = ("A",)
SCANS = "E"


@dataclass
class Plan:
    """The requested workloads, stores and parameters. None or an empty tuple selects the default."""
    workloads: tuple = ()
    peers: tuple = ()
    levels: tuple = ()
    records: int = None
    operations: int = 1_000_000
    threads: tuple = (1,)
    fields: tuple = ((10, 100),)
    cached: tuple = (0.1,)


def add(persist):
    group = persist.add_argument_group("YCSB", "Options of the part ycsb. --list prints the possible values.")
    group.add_argument("--workloads", metavar="W[,W]", help="workloads, A to F (default: all at level PROCESS, A at other levels)")
    group.add_argument("--peers", metavar="P[,P]", help="stores (default: all)")
    group.add_argument("--levels", metavar="L[,L]", help="levels of durability: PROCESS, SYNC, MAPPED (default: all)")
    group.add_argument("--records", type=int, metavar="N", help="number of records (default 100000; quick 10000)")
    group.add_argument("--operations", type=int, default=Plan.operations, metavar="N",
                       help="maximum number of operations of a run (default %(default)s); a run also ends after 10 s (quick: 1 s)")
    group.add_argument("--threads", default="1", metavar="N[,N]", help="numbers of threads, with a run for each (default %(default)s)")
    group.add_argument("--fields", default="10x100", metavar="NxB[,NxB]",
                       help="numbers of fields and bytes per field of a record, with a run for each (default %(default)s)")
    group.add_argument("--cached", default="0.1", metavar="X[,X]",
                       help="fractions of the records that Infinispan caches in memory, with a run for each (default %(default)s)")
    group.add_argument("--list", action="store_true", help="print parts, workloads, and stores with their levels, and run nothing")


def plan(arguments):
    """Returns the plan for the options. Names are checked later, when the available ones are known."""
    found = Plan(names(arguments.workloads), names(arguments.peers), names(arguments.levels), arguments.records,
                 arguments.operations, numbers("--threads", arguments.threads, int, 1),
                 tuple(shape(text) for text in arguments.fields.split(",")),
                 numbers("--cached", arguments.cached, float, 0, 1))
    for option, value in (("--records", found.records), ("--operations", found.operations)):
        if value is not None and value < 1:
            raise Failure(f"{option}: at least 1")
    return found


def names(text):
    return tuple(text.upper().split(",")) if text else ()


def numbers(option, text, kind, least, most=None):
    try:
        found = tuple(kind(one) for one in text.split(","))
    except ValueError:
        raise Failure(f"{option}: '{text}' is no list of numbers") from None
    if min(found) < least or most is not None and max(found) > most:
        raise Failure(f"{option}: at least {least}" if most is None else f"{option}: {least} to {most}")
    return found


def shape(text):
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isdigit() and int(part) for part in parts):
        raise Failure(f"--fields: '{text}' is not like 10x100")
    if int(parts[1]) < 16:
        raise Failure(f"--fields: {text}: fields have at least 16 bytes, which say who wrote them")
    return int(parts[0]), int(parts[1])


def combinations(wanted, known):
    """Yields (level, workload, threads, fields, cached, peers) of all runs of one round."""
    by_name = {peer["name"]: peer for peer in known["peers"]}
    check("--workloads", wanted.workloads, known["workloads"])
    check("--peers", wanted.peers, by_name)
    check("--levels", wanted.levels, LEVELS)
    for level in wanted.levels or LEVELS:
        for workload in wanted.workloads or (known["workloads"] if level == "PROCESS" else FEW_WORKLOADS):
            able = [peer for peer in known["peers"] if fits(peer, level, workload, wanted.peers)]
            for threads in wanted.threads:
                for fields in wanted.fields:
                    for cached in wanted.cached:
                        # The cached fraction is irrelevant for stores without a cache.
                        peers = [peer for peer in able if peer["family"] == "CACHE" or cached == wanted.cached[0]]
                        if peers:
                            yield level, workload, threads, fields, cached, peers


def check(option, found, known):
    for name in found:
        if name not in known:
            raise Failure(f"{option}: there is no '{name}'; there are {', '.join(known)}")


def fits(peer, level, workload, asked):
    if level not in peer["levels"] or asked and peer["name"] not in asked:
        return False
    if workload == SCANS:
        return peer["scans"] != "NONE"
    return peer["scans"] != "FIRST" or peer["name"] in asked


def offered(lab):
    return lab.java("ycsb-list", "ycsb-list")


def ycsb(lab):
    """Runs each combination with its own JVM and store."""
    there = offered(lab)
    rounds = list(combinations(lab.ycsb, there))
    if not rounds:
        raise Failure("no store supports this combination of --workloads, --peers and --levels; see --list")
    records = lab.ycsb.records or (10_000 if lab.quick else 100_000)
    seconds = ["--seconds", "1", "--warmup", "1"] if lab.quick else ["--seconds", "10", "--warmup", "5"]
    for number in range(lab.rounds):
        for level, workload, threads, (fields, size), cached, peers in rounds:
            for peer in turn(peers, number):
                what = f"YCSB {workload}, {level}, {peer['title']}, {threads} thread{'s' * (threads > 1)}"
                live = Step(what)
                found = lab.java(what, "ycsb", "--peer", peer["name"], "--level", level, "--workload", workload, "--dir",
                                 lab.folder(), "--records", records, "--operations", lab.ycsb.operations, "--threads", threads,
                                 "--fields", fields, "--field-bytes", size, "--cached", cached, *seconds, options=("-Xmx2g",))
                live.done(f"{found['perSecond']:,.0f} operations/s")
                yield {"peer": peer["name"], "title": peer["title"], "family": peer["family"], "level": level,
                       "workload": workload, "threads": threads, "fields": [fields, size], "cached": cached,
                       "records": records, "round": number + 1, **found}


def listing(parts, there):
    """Yields the lines of text for --list."""
    yield f"Parts: {', '.join(parts)}"
    yield "Workloads:"
    yield from (f"  {name}  {title}" for name, title in there["workloads"].items())
    yield "Stores, and what each does for a level:"
    for peer in there["peers"]:
        yield f"  {peer['name']}: {peer['title']}" + {"NONE": "", "TOO": ", with scans", "FIRST": ", for scans"}[peer["scans"]]
        yield from (f"    {level}: {text}" for level, text in peer["levels"].items())
