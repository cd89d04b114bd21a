# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""fio beside a measurement: what the same directory does without a JVM."""
import json
import os

from terrace.common import prerequisites
from terrace.common.term import Failure, output
from ..measure import measure

BLOCK = "2m"


def require():
    prerequisites.require(["fio"], "measuring the device")


def run(arguments, cap=None):
    """The group of jobs, as fio reports it. `cap` is a control group to run in."""
    command = ["fio", "--name=terrace", "--group_reporting", "--output-format=json", "--fallocate=none", *arguments]
    if cap:
        command = ["sh", "-c", f'echo 0 > "{cap.folder}/cgroup.procs" && exec "$@"', "sh", *command]
    text = output(command)
    try:
        return json.loads(text[text.index("{"):])["jobs"][0]
    except (ValueError, KeyError, IndexError):
        raise Failure(f"fio answered what is not JSON:\n{text[:2000]}") from None


def write(path, size, jobs, options):
    """MB/s of writing one allocated file, as H2 is written: in blocks of 2 MB, each job its own part.

    The page cache gets memory that has been in use, as every transfer but a JVM's first does: memory that a virtual
    machine has not touched lately is slow the first time.
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
    """MB/s, and how many reads a second, of an existing file that is larger than the page cache may become."""
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
