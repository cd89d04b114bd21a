# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Determines how the tasks of a Spark program spend their time, from samples of the JDK's flight recorder.

Spark's metrics do not contain the time for serialization, writing, reading and deserialization of cached blocks. The
recorder samples the threads of tasks in Java code and in native code, which includes file I/O. A waiting task is not
sampled, and a task that waits for a page of H2 counts as program.
"""
import dataclasses
import re
import subprocess

TASKS = re.compile(r'^\s*sampledThread = "Executor task launch worker', re.M)
SERIALIZATION = re.compile(r"com\.esotericsoftware\.|org\.apache\.spark\.serializer\."
                           r"|java\.io\.Object(?:In|Out)putStream")
FILES = re.compile(r"sun\.nio\.ch\.(?:FileDispatcherImpl|FileChannelImpl)\."
                   r"|java\.io\.(?:File(?:In|Out)putStream|RandomAccessFile)\.")
IDLE = re.compile(r"stackTrace = \[\s*(?:sun\.nio\.ch\.EPoll|jdk\.internal\.misc\.Unsafe\.park)")

# Deep enough to find a serializer below the code that it calls.
DEPTH = 64


def recorded(machine, path):
    """Returns the machine with a recorder that writes to `path` at the end."""
    return dataclasses.replace(machine, vm=(*machine.vm, f"-XX:StartFlightRecording=filename={path},settings=profile"))


def samples(home, path):
    """Returns the numbers of samples for serialization, files and program. None if there is no recording."""
    result = subprocess.run([str(home / "bin/jfr"), "print", "--events", "jdk.ExecutionSample,jdk.NativeMethodSample",
                             "--stack-depth", str(DEPTH), str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True)
    path.unlink(missing_ok=True)
    return count(result.stdout) if result.returncode == 0 else None


def count(text):
    found = {"serialization": 0, "files": 0, "program": 0}
    for event in text.split("\n\n"):
        if TASKS.search(event) and not IDLE.search(event):
            found[kind(event)] += 1
    return found


def kind(event):
    if SERIALIZATION.search(event):
        return "serialization"
    return "files" if FILES.search(event) else "program"


def share(found, *kinds):
    """Returns the fraction of all samples, or None without samples."""
    total = sum(found.values()) if found else 0
    return sum(found[kind] for kind in kinds) / total if total else None
