# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Kills virtual machines while H2 is in use, and checks that nothing remains. `terrace stress --kills` calls it.

H2 is a file without a name. The system frees its space once no process has it open or mapped. So the check looks for such
processes. The free space of the file system says nothing about H2, because other programs write there.
"""
import os
import random
import signal
import tempfile
import time
from pathlib import Path

from ..common.term import Failure, Step, tail

# The most kills for each one that hit a VM with H2 in use.
MOST_KILLS = 10
OPTIONS = ("-Xmx64m", "-XX:H2Size=1g", "-XX:H2RegionSize=2m")
ARGUMENTS = ("--objects=8000", "--seconds=600", "--gc-per-mille=1000")


def kill_many(program, count, seed):
    """Kills VMs with SIGKILL at random times. After each kill the folder of H2 must be empty, and no process may hold a file there.

    `program` is a stress.Program. `count` is the number of kills while H2 is in use. Kills before that are additional.
    """
    chance = random.Random(seed)
    log = program.folder / "killed.log"
    live = Step(f"{count} kills")
    kills = in_use = 0
    with tempfile.TemporaryDirectory(prefix="kills-", dir=program.h2) as folder:        # other programs use the same folder
        h2 = Path(folder).resolve()
        while in_use < count:
            if kills > MOST_KILLS * (in_use + 10):
                raise Failure(f"of {kills} virtual machines, {in_use} had H2 in use when they were killed: this machine is too slow. "
                              f"The end of the last log:\n{tail(log)}")
            kills += 1
            in_use += killed_in_use(program, h2, log, chance.uniform(0.02, 1.5))
            check_nothing_is_left(h2, kills)
            live.update(f"{kills}, {in_use} of them while H2 was in use")
    live.done(f"and {kills - in_use} before H2 was in use; no file is left, and no process holds one")


def killed_in_use(program, h2, log, seconds):
    """Starts a VM and kills it after a time. Returns whether H2 was in use."""
    process = program.start(program.folder, log, program.command(OPTIONS, *ARGUMENTS, at=h2))
    try:
        time.sleep(seconds)
        if process.poll() is not None:
            raise Failure(f"the program ended by itself. The end of its log:\n{tail(log)}")
        is_in_use = "operations" in log.read_text(errors="replace")
        # Otherwise the check after the kill would find nothing, whatever is left.
        if is_in_use and process.pid not in holders(h2):
            raise Failure(f"the program uses H2, but has no file of {h2}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return is_in_use


def check_nothing_is_left(h2, kills):
    left = list(h2.iterdir())
    if left:
        raise Failure(f"kill {kills} left {left[0].name} in {h2}")
    for pid, file in holders(h2).items():
        raise Failure(f"kill {kills} left process {pid}, which holds {file}, so its space is not free")


def holders(folder):
    """Returns {process number: a file of the folder that the process has open or mapped}. Files without a name count, too."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            file = next((file for file in files_of(process) if file.startswith(f"{folder}/")), None)
        except OSError:
            continue        # the process has ended, or belongs to another user
        if file:
            found[int(process.name)] = file
    return found


def files_of(process):
    """Yields the files that a process has open or mapped, given its folder in /proc."""
    for descriptor in os.scandir(process / "fd"):
        try:
            yield os.readlink(descriptor)
        except FileNotFoundError:
            pass            # closed meanwhile
    for line in (process / "maps").read_text(errors="replace").splitlines():
        yield line.split(maxsplit=5)[-1]
