# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace doctor`, which reports whether the second heap helps a program and what to change."""
import json
import textwrap
from dataclasses import asdict
from pathlib import Path

from ..common.term import Failure, notice, positive
from . import from_log, from_vm, rules
from .rules import mb, percent


def register(add):
    text = """Observes a running JVM for some seconds, or reads its GC log. Reports whether the second heap helps the
        program, which problems it has, and which settings to change, such as sizes, hints, and the division of a
        container's memory between the heap and pages of H2. The exit status is 0 without findings and 2 with findings."""
    parser = add(description=text, epilog=f"The JVM writes a suitable log with {from_log.OPTIONS}. A log has less information "
                                          "than a running JVM.")
    parser.add_argument("what", metavar="PID|LOG", help="the ID of a Java process (jps -l lists them), or the file of a GC log")
    parser.add_argument("--seconds", type=positive, default=10, metavar="N",
                        help="duration of the observation of a process (default 10); choose a time of typical load")
    parser.add_argument("--objects", action="store_true",
                        help="also determine the amount of garbage in H2, by a major collection that reads all of H2. The collection frees "
                             "regions in which nothing is alive, so the report does not count them")
    parser.add_argument("--json", action="store_true", help="print observations and findings as JSON")
    parser.set_defaults(run=run)


def run(arguments):
    what = arguments.what
    if what.isdigit():
        if not arguments.json:
            notice(f"observing process {what} for {arguments.seconds:g} s")
        seen = from_vm.observe(int(what), arguments.seconds, arguments.objects)
    elif Path(what).exists():
        if arguments.objects:
            raise Failure("--objects needs a process: a log does not have this information")
        seen = from_log.observe(what)
    else:
        raise Failure(f"'{what}' is neither the ID of a process nor a file")
    findings = rules.examine(seen)
    if arguments.json:
        print(json.dumps({"seen": asdict(seen), "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        print("\n".join(report(seen, findings)))
    return 2 if findings else 0


def report(seen, findings):
    yield from summary(seen)
    yield ""
    for finding in findings:
        yield f"{finding.title} [{finding.name}]"
        yield from wrapped("seen: ", finding.evidence)
        yield from wrapped("do:   ", finding.remedy)
        yield ""
    yield (f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}." if findings else
           "No problems were found.")


def wrapped(start, text):
    return textwrap.wrap(text, 116, initial_indent="  " + start, subsequent_indent="  " + " " * len(start),
                         break_on_hyphens=False, break_long_words=False)


def summary(seen):
    if seen.collecting is not None:
        yield (f"collections  {percent(seen.collecting)} of {seen.seconds:.0f} s: minor {seen.minor_seconds:.1f} s, "
               f"major {seen.major_seconds:.1f} s ({seen.major_count})")
    if seen.crowding is not None:
        yield (f"H1           {mb(seen.least_old)} to {mb(seen.most_old)} of {mb(seen.max_old)} in the old generation"
               + (f", -Xmx {mb(seen.max_heap)}" if seen.max_heap else ""))
    if seen.h2:
        h2 = seen.h2
        yield (f"H2           {mb(h2.used)} in {h2.regions_in_use} of {h2.regions} regions"
               + (f", {mb(h2.resident)} in memory" if h2.resident is not None else "")
               + (f", {mb(h2.garbage)} known to be garbage" if h2.garbage is not None else ""))
        if h2.freed is not None:
            yield f"             --objects ran a major collection, which freed {h2.freed} regions before these were counted"
        elif h2.garbage is None and h2.used:
            yield "             garbage is not known before a marking through H2: when space is short, H2 has grown, or with --objects"
        yield (f"transfers    {h2.transfers}, {h2.abandoned} abandoned, {mb(h2.moved)} moved"
               + (f"; {h2.tagged} tagged roots wait" if h2.tagged is not None else ""))
    if seen.waiting is not None:
        yield (f"device       {seen.waiting:.1f} threads wait on average, {seen.major_faults / seen.seconds:.0f} major faults/s"
               + (f", {mb(seen.device_read / seen.seconds)}/s read" if seen.device_read is not None else ""))
    if seen.swapped:
        yield f"swap         {mb(seen.swapped)}; faults of marking, pauses and refinement: {seen.by_collector:.0f}/s"
    if seen.anonymous is not None:
        yield (f"memory       {mb(seen.anonymous)} anonymous"
               + (f" of the container's {mb(seen.limit)}" if seen.limit else ", no container limit"))
