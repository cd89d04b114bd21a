# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs one program and records its costs from the kernel's counters."""
import contextlib
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from terrace.common.machine import ANONYMOUS

SAMPLE_SECONDS = 0.1
FILE = re.compile(r"^Rss(?:File|Shmem):\s+(\d+) kB", re.M)


@dataclass
class Measurement:
    status: int = 0                # exit status, negative for a signal
    wall: float = 0.0              # seconds
    user: float = 0.0
    system: float = 0.0
    major_faults: int = 0
    device_read: int = 0           # bytes that the device read for this process
    device_written: int = 0
    anonymous_peak: int = 0        # bytes of anonymous resident memory
    cap_peak: int = None           # bytes charged to the control group, page cache included
    memory: list = field(default_factory=list)  # (seconds, anonymous bytes, resident file bytes)
    timed_out: bool = False

    @property
    def cpu(self):
        return self.user + self.system


def run(command, out, log, cap=None, env=None, cwd=None, timeout=None, watch=None):
    """Runs `command` with its output in the files `out` and `log`, inside `cap` if there is one.

    `watch` is called with the elapsed seconds about ten times per second.
    """
    result = Measurement()
    with open(out, "wb") as stdout, open(log, "wb") as stderr:
        stderr.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        stderr.flush()
        started = time.monotonic()
        process = subprocess.Popen(list(map(str, command)), cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=stderr, start_new_session=True,
                                   preexec_fn=cap.enter if cap else None)
        try:
            while not ended(process.pid):
                elapsed = time.monotonic() - started
                sample(process.pid, elapsed, result)
                if watch:
                    watch(elapsed)
                if timeout and elapsed > timeout and not result.timed_out:
                    result.timed_out = True
                    end_group(process.pid)
                time.sleep(SAMPLE_SECONDS)
        except BaseException:
            end_group(process.pid)
            process.wait()
            raise
        result.wall = time.monotonic() - started
        device_traffic(process.pid, result)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = result.status = os.waitstatus_to_exitcode(status)
    result.user, result.system, result.major_faults = usage.ru_utime, usage.ru_stime, usage.ru_majflt
    if cap:
        result.cap_peak = cap.peak()
    return result


def ended(pid):
    """Returns whether the process has ended. It remains a zombie, so that its counters can still be read."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def sample(pid, elapsed, result):
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/status").read_text()
        if anonymous := ANONYMOUS.search(text):
            held = int(anonymous[1]) << 10
            mapped = sum(int(size) for size in FILE.findall(text)) << 10
            result.anonymous_peak = max(result.anonymous_peak, held)
            result.memory.append((round(elapsed, 2), held, mapped))


def device_traffic(pid, result):
    with contextlib.suppress(OSError):
        counters = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
        result.device_read = int(counters["read_bytes"])
        result.device_written = int(counters["write_bytes"]) - int(counters["cancelled_write_bytes"])


def end_group(pid):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def forget_cached(path):
    """Drops a file's pages from the page cache, so that no run benefits from the previous one."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def touch_memory(size):
    """Touches memory before the first measured run, because the first access to a virtual machine's memory is slow."""
    subprocess.run(["python3", "-c", f"b = bytearray({size})\nfor i in range(0, {size}, 4096): b[i] = 1"], check=False)
