# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs fio in the same directory as a measurement, to compare it with the device without a JVM."""
import json
import os

from terrace.common import prerequisites
from terrace.common.term import Failure, output
from ..measure import measure

BLOCK = "2m"


def require():
    prerequisites.require(["fio"], "measuring the device")


def run(arguments, cap=None):
    """Returns fio's report on the group of jobs. `cap` is a control group for fio."""
    command = ["fio", "--name=terrace", "--group_reporting", "--output-format=json", "--fallocate=none", *arguments]
    if cap:
        command = ["sh", "-c", f'echo 0 > "{cap.folder}/cgroup.procs" && exec "$@"', "sh", *command]
    text = output(command)
    try:
        return json.loads(text[text.index("{"):])["jobs"][0]
    except (ValueError, KeyError, IndexError):
        raise Failure(f"fio printed something other than JSON:\n{text[:2000]}") from None


def write(path, size, jobs, options):
    """Returns the rate in MB/s of writing one allocated file in the way H2 is written: in blocks of 2 MB, each job its own part.

    The page cache uses memory that has been in use, like every transfer of a JVM except the first. Memory that a
    virtual machine has not touched recently is slow on first access.
    """
    allocate(path, size)
    with open(path, "r+b") as file:
        block = bytes(2 << 20)
        for _ in range(size // len(block)):
            file.write(block)
    path.unlink()
    allocate(path, size)
    part = size // jobs
    arguments = [f"--filename={path}", "--rw=write", f"--bs={BLOCK}", f"--size={part}", f"--offset_increment={part}",
                 f"--numjobs={jobs}", *options]
    try:
        report = run(arguments)["write"]
    finally:
        path.unlink()
    return report["io_bytes"] / 1e6 / (report["runtime"] / 1000)


def read(path, size, jobs, engine, pattern, seconds, cap=None):
    """Returns MB/s and the number of reads per second for an existing file that is larger than the page cache may become."""
    measure.forget_cached(path)
    random = pattern == "randread"
    arguments = [f"--filename={path}", f"--rw={pattern}", f"--bs={'4k' if random else BLOCK}", f"--numjobs={jobs}",
                 f"--ioengine={engine}", "--time_based", f"--runtime={seconds}", "--invalidate=1", "--thread"]
    arguments += [f"--size={size}"] if random else [f"--size={size // jobs}", f"--offset_increment={size // jobs}"]
    report = run(arguments, cap)["read"]
    return report["bw_bytes"] / 1e6, report["iops"]


def allocate(path, size):
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
