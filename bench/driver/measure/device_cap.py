# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Limits the read rate of a device by a control group for this process and its children.

Disks of clouds and networks read 100 to 500 MB/s, a tenth of a local disk, so reads of H2 cost more there. Only version
1 of control groups can limit the rate in addition to memory, whose limit has a group of its own.
"""
import contextlib
import os
from pathlib import Path

from terrace.common import control_group
from terrace.common.control_group import ControlGroup, NoControlGroup
from terrace.common.term import Failure


class DeviceCap(ControlGroup):
    """A control group that delays reads, including page faults. Later write-back is not limited."""
    controller = "blkio"

    def limit(self, device, rate):
        self.write("blkio.throttle.read_bps_device", f"{device} {rate}")


def disk_of(folder, system=Path("/sys/dev/block")):
    """Returns MAJOR:MINOR of the whole disk that contains a folder, because a partition cannot be limited."""
    number = os.stat(folder).st_dev
    entry = system / f"{os.major(number)}:{os.minor(number)}"
    if not entry.exists():
        raise Failure(f"{folder} is not on a block device, so its read rate cannot be limited: name another folder with --h2")
    entry = entry.resolve()
    return ((entry.parent if (entry / "partition").exists() else entry) / "dev").read_text().strip()


def create(limit):
    """Creates a group and applies `limit` to it. Raises NoControlGroup if that is impossible."""
    return control_group.create(DeviceCap, [(place, version) for place, version in control_group.candidates(DeviceCap.controller)
                                            if version == 1], limit)


@contextlib.contextmanager
def device_cap(folder, rate):
    """Limits this process and its children to reading `rate` bytes per second from the disk of `folder`. Without a rate
    there is no limit."""
    if rate is None:
        yield
        return
    try:
        group = create(lambda group: group.limit(disk_of(folder), rate))
    except NoControlGroup as reason:
        raise Failure(f"reads from a device cannot be limited: no control group of version 1 can be made: {reason}")
    try:
        group.enter()
        yield
    finally:
        (group.folder.parent / "cgroup.procs").write_text("0")
        group.remove()
