# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""A cap on what is read from a device: a control group of this process and of those that it starts.

Disks of clouds and of networks read 100 to 500 MB/s, a tenth of what a local one does, so it counts for more there what a
program reads of H2. Only version 1 of control groups can do that beside a cap on memory, which has a group of its own.
"""
import contextlib
import os
from pathlib import Path

from terrace.common import control_group
from terrace.common.control_group import ControlGroup, NoControlGroup
from terrace.common.term import Failure


class DeviceCap(ControlGroup):
    """Reads wait, also those for page faults; what is written back later does not."""
    controller = "blkio"

    def limit(self, device, rate):
        self.write("blkio.throttle.read_bps_device", f"{device} {rate}")


def disk_of(folder, system=Path("/sys/dev/block")):
    """MAJOR:MINOR of the whole disk on which a folder is: a partition cannot be bounded."""
    number = os.stat(folder).st_dev
    entry = system / f"{os.major(number)}:{os.minor(number)}"
    if not entry.exists():
        raise Failure(f"{folder} is on no block device, so reads from it cannot be bounded")
    entry = entry.resolve()
    return ((entry.parent if (entry / "partition").exists() else entry) / "dev").read_text().strip()


def create(limit):
    """A group that `limit` has limited; NoControlGroup where there is none."""
    return control_group.create(DeviceCap, [(place, version) for place, version in control_group.candidates(DeviceCap.controller)
                                            if version == 1], limit)


@contextlib.contextmanager
def device_cap(folder, rate):
    """Within it, this process and those that it starts read at most `rate` bytes a second from the disk of `folder`. Without
    a rate nothing is bounded."""
    if rate is None:
        yield
        return
    try:
        group = create(lambda group: group.limit(disk_of(folder), rate))
    except NoControlGroup as reason:
        raise Failure(f"no control group of version 1 bounds reads from a device: {reason}")
    try:
        group.enter()
        yield
    finally:
        (group.folder.parent / "cgroup.procs").write_text("0")
        group.remove()
