# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Graphs as inputs of the programs. Each is made once: the real ones from data on this machine, the random one from a seed."""
import itertools
import json
import os
import shutil
from pathlib import Path

from terrace.building import upstream
from terrace.common import paths
from terrace.common.term import Failure, logged, output, step
from . import benchmarks

TITLES = {"callgraph": "static call graph of the JDK and the local Maven repository",
          "jdkgraph": "static call graph of the JDK",
          "sparkgraph": "static call graph of the JDK and of Spark",
          "packagegraph": "Debian package graph"}

# Graphs that are made by a program with another name or with additional arguments.
PROGRAMS = {"jdkgraph": ("callgraph", "--jars", os.devnull),
            "sparkgraph": ("callgraph", "--jars", str(benchmarks.SPARK.dependencies))}


def graph(kind, folder, home):
    """Returns title, path of the edge list and size of a graph. Makes it with the JDK in `home` if `folder` does not have it."""
    return _made(kind, TITLES[kind], folder, home, *PROGRAMS.get(kind, (kind,)))


def random_graph(edges, folder, home):
    """Returns a random graph in the form of graph(). With many edges, it has eight or more per vertex."""
    # A quarter of all pairs of vertices may be edges.
    scale = max((edges // 8).bit_length() - 1, (4 * edges - 1).bit_length() // 2 + 1)
    return _made(f"randomgraph-{edges}", "random graph with degrees as in a social network", folder, home,
                 "randomgraph", "--edges", edges, "--scale", scale)


def _made(name, title, folder, home, program, *options):
    edges, stamp = folder / f"{name}.edges", folder / f"{name}.json"
    if stamp.exists() and edges.exists():
        return dict(json.loads(stamp.read_text()), path=str(edges))
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{name}.partial"
    with step(title) as current:
        arguments = [*options, partial]
        if program == "packagegraph":
            available = folder / "packages.txt"
            available.write_text(packages())
            arguments.append(available)
        log = paths.LOGS / f"demo-{name}.log"
        logged(benchmarks.SPARK.command(home, ["-Xmx4g"], program, *arguments), log, what=f"making the {title}")
        counts = benchmarks.result(log.read_text(errors="replace"))["result"]
        if counts["edges"] == 0:
            raise Failure(f"the {title} is empty: see {paths.relative(log)}")
        made = {"title": title, **counts}
        (folder / f"{name}.partial.names").unlink()
        (folder / "packages.txt").unlink(missing_ok=True)
        partial.rename(edges)
        stamp.write_text(json.dumps(made))
        current.done(f"{counts['vertices']:,} vertices, {counts['edges']:,} edges")
    return dict(made, path=str(edges))


def part(whole, edges):
    """Returns the first edges of a graph in the form of graph(), except the number of vertices. Makes the file once. A
    graph with at most `edges` edges is returned unchanged."""
    if whole["edges"] <= edges:
        return whole
    path = Path(whole["path"])
    path = path.with_name(f"{path.stem}-{edges}.edges")
    if not path.exists():
        partial = path.with_suffix(".partial")
        with open(whole["path"]) as lines, open(partial, "w") as out:
            out.writelines(itertools.islice(lines, edges))
        partial.rename(path)
    return {"title": f"{whole['title']}, the first edges", "edges": edges, "path": str(path)}


def packages():
    """Returns apt's data on all packages, from the system's lists, or from the lists of the build if those are empty."""
    if not shutil.which("apt-cache"):
        raise Failure("--quick: its graph is made from 'apt-cache dumpavail', and apt-cache is not installed; "
                      "the demo without --quick does not need it")
    text = output(["apt-cache", "dumpavail"], check=False)
    if not text.strip():
        apt = upstream.Apt(upstream.pin())
        if not apt.stamp.exists():
            apt.update()
        text = output(["apt-cache", *apt.options, "dumpavail"], check=False)
    if not text.strip():
        raise Failure("--quick: its graph is made from 'apt-cache dumpavail', which prints nothing here: run "
                      "'apt-get update' as root, or the demo without --quick")
    return text
