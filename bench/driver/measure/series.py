# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""A series of runs: the requested runs, the order of sides, and the results, which are stored after every run."""
import json

from terrace.common import paths
from terrace.common.term import Failure


def chosen(option, text, known):
    names = text.split(",") if text else list(known)
    for name in names:
        if name not in known:
            raise Failure(f"{option}: there is no '{name}'; there are {', '.join(known)}")
    return [name for name in known if name in names]


def turn(items, by):
    by %= max(1, len(items))
    return items[by:] + items[:by]


def store(results, out):
    partial = out / "results.json.partial"
    partial.write_text(json.dumps(results))
    partial.rename(out / "results.json")


def load(folder):
    try:
        return json.loads((folder / "results.json").read_text())
    except FileNotFoundError:
        raise Failure(f"{paths.relative(folder.absolute())} has no results.json: name a folder that a benchmark used as --out") from None
