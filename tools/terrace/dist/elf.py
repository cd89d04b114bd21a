# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Determines the system requirements of the ELF files in a folder with readelf of binutils."""
import os
import re
from pathlib import Path

from ..common.term import output

LEVELS = ["x86-64-baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
# Symbol versions of glibc that are not numbers, with the first release that has them.
NAMED = {"ABI_DT_RELR": (2, 36)}


class Needs:
    """`glibc` is a tuple of numbers, and `cpu` is a level of the x86-64 psABI. `libraries` maps system libraries to the
    files that load them. `commands` has the needs of the interpreter for the commands beside a JDK, if there is one."""

    def __init__(self):
        self.glibc = (0,)
        self.cpu = LEVELS[0]
        self.libraries = {}
        self.commands = None

    def add(self, file, text):
        """Adds the needs of `file`. `text` is readelf's output: the dynamic section, notes and version needs."""
        for name in re.findall(r"Name: GLIBC_(\S+)", text):
            number = tuple(map(int, name.split("."))) if re.fullmatch(r"[\d.]+", name) else NAMED.get(name, (0,))
            self.glibc = max(self.glibc, number)
        for found in re.findall(r"x86 ISA needed: (.*)", text):
            self.cpu = max([self.cpu, *(level for level in LEVELS if level in found)], key=LEVELS.index)
        for library in re.findall(r"\(NEEDED\).*\[(.+)\]", text):
            self.libraries.setdefault(library, []).append(file)


def files(folder):
    found = []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    found.append(path)
    return found


def needs(folder):
    found = Needs()
    paths = files(folder)
    for path in paths:
        text = output(["readelf", "-W", "--dynamic", "--notes", "--version-info", path], env=dict(os.environ, LC_ALL="C"))
        found.add(str(path.relative_to(folder)), text)
    for own in {path.name for path in paths}:
        found.libraries.pop(own, None)
    return found
