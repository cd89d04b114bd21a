# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Describes why a run of a program failed."""


def failure(result, timeout, log, out):
    """Returns the reason for a run's failure, or None."""
    if result["timed_out"]:
        return f"ended after {timeout} s, the time limit of a run: if other programs ran on this machine, stop them and try again"
    if result["status"] != 0:
        # The VM writes its fatal error message to standard output.
        with open(log, "a") as file:
            file.write(out.read_text(errors="replace"))
        return ended_by(result["status"], log)
    if not result["report"]:
        return "no result was printed"
    if not result["gc"]:
        return "no garbage collection log was written"
    return None


def ended_by(status, log):
    what = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    if status == -9:
        return f"{what} (the memory cap may be too small)"
    with open(log, errors="replace") as lines:
        return f"{what}, out of memory" if any("java.lang.OutOfMemoryError" in line for line in lines) else what
