# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The rows of a table of Spark runs."""
from dataclasses import dataclass

from .tables import count, decimal, megabytes


@dataclass(frozen=True)
class Quantity:
    label: str
    value: object        # of a run
    show: object         # formats a number
    ratio: bool = False
    of_cap: bool = False


QUANTITIES = [
    Quantity("wall time, s", lambda run: run["wall"], decimal, ratio=True),
    Quantity("CPU time, s", lambda run: run["user"] + run["system"], decimal, ratio=True),
    Quantity("minor collections", lambda run: run["gc"]["minor_count"], count),
    Quantity("  seconds", lambda run: run["gc"]["minor_seconds"], decimal),
    Quantity("major collections", lambda run: run["gc"]["major_count"], count),
    Quantity("  seconds", lambda run: run["gc"]["major_seconds"], decimal),
    Quantity("  of that moving to H2", lambda run: run["gc"]["transfer_seconds"], decimal),
    Quantity("longest pause, s", lambda run: run["gc"]["longest_pause"], decimal),
    Quantity("moved to H2, MB", lambda run: run["gc"]["moved_bytes"], megabytes),
    Quantity("cached partitions", lambda run: run["report"]["cached"]["partitions"], count),
    Quantity("  in memory, H1", lambda run: run["report"]["cached"]["inMemory"] - run["h2_blocks"], count),
    Quantity("  in memory, H2", lambda run: run["h2_blocks"], count),
    Quantity("  on disk", lambda run: run["report"]["cached"]["onDisk"], count),
    Quantity("cached data serialized, MB", lambda run: run["report"]["spilled"]["cachedBytes"], megabytes),
    Quantity("shuffle data spilled, MB", lambda run: run["report"]["spilled"]["shuffleDiskBytes"], megabytes),
    Quantity("anonymous memory, peak MB", lambda run: run["anonymous_peak"], megabytes),
    Quantity("with page cache, peak MB", lambda run: run["cap_peak"], megabytes, of_cap=True),
    Quantity("read from the device, MB", lambda run: run["device_read"], megabytes),
    Quantity("written to the device, MB", lambda run: run["device_written"], megabytes),
]
