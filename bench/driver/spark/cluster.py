# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Spark's standalone cluster on the loopback interface, with a JVM for the master and for each worker.

No distribution of Spark is needed, because the benchmark programs depend on its jars.
"""
import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from terrace.common import paths
from terrace.common.term import Failure, tail
from ..measure import benchmarks

HOST = "127.0.0.1"
START_SECONDS = 60
STOP_SECONDS = 15
KILL_SECONDS = 3
DAEMON_HEAP = "-Xmx256m"
SCALA = "2.13"


class Processes:
    """Child processes that are ended with all their descendants at the end of the block. Each one leads its own process group."""

    def __init__(self):
        self.started = []

    def start(self, command, out, log, env=None):
        """Starts a process with its output in the files `out` and `log`, which may be the same."""
        with open(out, "ab") as stdout, open(log, "ab") as stderr, uninterrupted() as mask:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                       start_new_session=True, env=env,
                                       preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
            self.started.append(process)
        return process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.signal_all(signal.SIGTERM)
            self.wait(STOP_SECONDS)
        finally:
            self.signal_all(signal.SIGKILL)
            self.wait(KILL_SECONDS)

    def signal_all(self, number):
        for process in reversed(self.started):
            signal_group(process.pid, number)

    def wait(self, seconds):
        """Waits until all processes and their descendants have ended, at most for the given time."""
        deadline = time.monotonic() + seconds
        while self.any_left() and time.monotonic() < deadline:
            time.sleep(0.1)

    def any_left(self):
        for process in self.started:
            process.poll()
        return any(signal_group(process.pid, 0) for process in self.started)


@contextlib.contextmanager
def uninterrupted():
    """Defers signals that would end this program. Yields the mask of previously blocked signals."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def signal_group(leader, number):
    """Sends a signal. Returns whether the group still has a process."""
    try:
        os.killpg(leader, number)
        return True
    except ProcessLookupError:
        return False


class Cluster(Processes):
    """A master and `workers` workers with one core each, on the JDK in `home`. `folder` contains logs and the executors' folders."""

    def __init__(self, home, folder, scratch, workers, memory):
        super().__init__()
        self.home, self.folder, self.scratch = home, folder, scratch
        self.workers, self.memory = workers, memory
        self.url = None

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_all(self):
        for name in ("home/jars", "local"):
            (self.scratch / name).mkdir(parents=True)
        for jar in benchmarks.SPARK.dependencies.glob("*.jar"):
            if not jar.name.startswith("terrace-"):  # the application brings these jars
                (self.scratch / "home/jars" / jar.name).symlink_to(jar)
        self.url = self.daemon("master", "Starting Spark master at (spark://\\S+)", "--port", 0)
        for number in range(1, self.workers + 1):
            self.daemon(f"worker-{number}", "(Successfully registered) with master", "--cores", 1, "--memory",
                        f"{self.memory}m", "--work-dir", self.folder / f"worker-{number}", self.url)

    def daemon(self, name, ready, *arguments):
        """Starts a process of the cluster. Returns the text of its log that announces readiness."""
        kind = name.split("-")[0]
        log = self.folder / f"{name}.log"
        environment = dict(os.environ, SPARK_HOME=str(self.scratch / "home"), SPARK_SCALA_VERSION=SCALA,
                           SPARK_LOCAL_IP=HOST, SPARK_LOCAL_DIRS=str(self.scratch / "local"), JAVA_HOME=str(self.home))
        process = self.start([*benchmarks.SPARK.java(self.home), DAEMON_HEAP,
                              "-cp", f"{self.scratch / 'home/jars'}/*", f"org.apache.spark.deploy.{kind}.{kind.title()}",
                              "--host", HOST, "--webui-port", 0, *arguments], log, log, env=environment)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            if found := re.search(ready, log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.1)
        raise Failure(f"Spark's {name} did not start. The end of {paths.relative(log)}:\n\n{tail(log)}")

    def check(self):
        """Fails if a process of the cluster has ended."""
        for process in self.started:
            if process.poll() is not None:
                raise Failure(f"a process of the cluster ended (status {process.returncode}): {process.args[-1]}; "
                              f"logs: {paths.relative(self.folder)}")

    def executor_folders(self):
        """Returns {number of the executor: working folder} for all executors that were started."""
        return {int(folder.name): folder for folder in self.folder.glob("worker-*/app-*/*") if folder.name.isdigit()}

    def executor_pid(self, number):
        """Returns the process that runs in an executor's folder, or None."""
        wanted = self.executor_folders().get(number)
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if wanted and os.readlink(process / "cwd") == os.path.realpath(wanted):
                    return int(process.name)
            except OSError:
                continue
        return None
