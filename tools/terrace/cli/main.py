"""Finds the subcommands and runs one.

Every module of this package, and of the packages in it, that has a function `register(subparsers)` contributes
subcommands. It calls `subparsers.add_parser(...)` and sets `run` to a function taking the parsed arguments and returning an
exit status (None is 0). An optional module attribute `ORDER` places it in the help. A mistake of the user, or a step that
failed, is a `Failure` with a message that says what to do.
"""
import argparse
import importlib
import pkgutil
import sys
import traceback
from pathlib import Path

from ..common.term import Failure


def modules():
    found, broken = [], []
    for info in pkgutil.walk_packages([str(Path(__file__).parent)], "terrace."):
        try:
            module = importlib.import_module(info.name)
        except Exception:  # one broken module must not take the others along
            broken.append((info.name, traceback.format_exc(limit=-1).strip().splitlines()[-1]))
            continue
        if hasattr(module, "register"):
            found.append(module)
    found.sort(key=lambda module: (getattr(module, "ORDER", 50), module.__name__))
    return found, broken


def parser():
    top = argparse.ArgumentParser(
        prog="./terrace", description="Terrace: an OpenJDK 17 HotSpot for data larger than DRAM.")
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    found, broken = modules()
    for module in found:
        module.register(subparsers)
    return top, broken


def main(argv=None):
    top, broken = parser()
    for name, why in broken:
        print(f"terrace: {name} cannot be loaded: {why}", file=sys.stderr)
    arguments = top.parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except Failure as failure:
        print(f"\nterrace: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nterrace: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141
