# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Output for the user: one line per step with its time, a log for each step, and failures that name both."""
import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

from . import paths

# Limit of a child process without a limit of its own, so that a hanging child cannot block the program forever.
LIMIT_SECONDS = 3600
# Limit of a command that only queries something.
SHORT_SECONDS = 600
# Time between SIGTERM and SIGKILL.
GRACE_SECONDS = 10
# Intervals at which a running step shows its time, on a terminal and in a log.
TICK_SECONDS = 1.0
SILENCE_SECONDS = 60.0


def end_properly():
    """Installs handlers so that a terminated program leaves nothing behind: no JVM, no control group, no incomplete
    package. A signal that was ignored at the start, as with nohup, remains ignored."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, lambda number, frame: end_with(SystemExit(128 + number)))


_starting = False
_waiting = []


def end_with(exception):
    """Raises the exception of a signal, or defers it while a child is being started."""
    if not _starting:
        raise exception
    _waiting.append(exception)


@contextlib.contextmanager
def starting():
    """Defers signals during the start of a child, because a signal before its registration would leave the child running."""
    global _starting
    if threading.current_thread() is not threading.main_thread():
        yield       # only the main thread handles signals
        return
    _starting = True
    try:
        yield
    finally:
        _starting = False
        if _waiting:
            raise _waiting.pop()


class Failure(Exception):
    """A mistake of the user or a failed step, which is reported without a stack trace."""


# Remedies for errors that any file system can cause at any time.
REMEDIES = {
    errno.ENOSPC: "free some space on that file system",
    errno.EDQUOT: "free some space, or raise the quota",
    errno.EROFS: "use a clone on a writable file system",
    errno.EACCES: "change the permissions, or run this as the user who owns it",
    errno.EPERM: "change the permissions, or run this as the user who owns it",
}


def remedy(problem):
    """Returns a message with the file, the reason and the remedy for such an OSError. Returns None for other errors, which
    are defects of this program."""
    if problem.errno not in REMEDIES:
        return None
    return f"{f'{problem.filename}: ' if problem.filename else ''}{problem.strerror}: {REMEDIES[problem.errno]}"


def positive(text):
    """Parses a number greater than 0, for argparse."""
    value = float(text)
    if value <= 0:
        raise ValueError
    return value


def notice(text):
    print(f"terrace: {text}", flush=True)


class Step:
    """One line of progress. While the step runs, `update` changes the text behind its name, and `tick` only its time."""

    def __init__(self, name):
        self.name = name
        self.started = self._said = time.monotonic()
        self.live = sys.stdout.isatty()
        self._last = 0.0
        self._detail = ""
        self._over = False
        self._guard = threading.Lock()

    def elapsed(self):
        return clock(time.monotonic() - self.started)

    def update(self, detail, every=20.0):
        now = time.monotonic()
        with self._guard:
            if self.live:
                self._detail = detail
                self._say(now)
            elif now - self._last >= every and detail != self._detail:
                self._detail = detail
                if self._last:
                    self._say(now)
                self._last = now

    def tick(self):
        now = time.monotonic()
        with self._guard:
            if not self._over and (self.live or now - self._said >= SILENCE_SECONDS):
                self._say(now)

    def _say(self, now):
        start, end = ("\r\033[K", "") if self.live else ("", "\n")
        print(f"{start}  {self.name} … {self._detail + ' ' if self._detail else ''}({self.elapsed()})", end=end, flush=True)
        self._said = now

    def done(self, detail=""):
        self.end()
        start = "\r\033[K" if self.live else ""
        print(f"{start}  {self.name}{': ' + detail if detail else ''} ({self.elapsed()})", flush=True)

    def end(self):
        """Stops the display of the time."""
        with self._guard:
            self._over = True


@contextlib.contextmanager
def step(name):
    current = Step(name)
    current.update("")
    stop = threading.Event()
    ticker = threading.Thread(target=ticks, args=(current, stop), daemon=True)
    ticker.start()
    try:
        yield current
    except BaseException:
        current.end()
        if current.live:
            print(flush=True)
        raise
    finally:
        stop.set()


def ticks(current, stop):
    while not stop.wait(TICK_SECONDS):
        current.tick()


def clock(seconds):
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def read(path):
    """Returns the text of a log, or an empty text if there is no log."""
    try:
        with open(path, errors="replace") as log:
            return log.read()
    except OSError:
        return ""


def tail(path, lines=25):
    return "\n".join(read(path).splitlines()[-lines:]).rstrip()


def logged(command, log, cwd=None, env=None, append=False, what=None, watch=None, interval=2.0, limit=LIMIT_SECONDS,
           grace=GRACE_SECONDS):
    """Runs a command with its output in `log`. A failure shows the end of the log and its path.

    `watch` is called every `interval` seconds while the command runs. After `limit` seconds, the command and all
    processes that it started have `grace` seconds to clean up. Then they are killed, and the command has failed.
    """
    log = paths.LOGS / log if not os.path.isabs(log) else log
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "ab" if append else "wb") as out:
        out.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        out.flush()
        process = watcher = None
        stop = threading.Event()
        try:
            with starting():
                process = subprocess.Popen(list(map(str, command)), cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                           stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
            if watch:
                def loop():
                    while not stop.wait(interval):
                        watch()
                watcher = threading.Thread(target=loop, daemon=True)
                watcher.start()
            status = process.wait(limit)
        except FileNotFoundError:
            raise Failure(f"'{command[0]}' is not installed") from None
        except subprocess.TimeoutExpired:
            kill_group(process, grace)
            status = None
        except BaseException:
            if process:
                kill_group(process, grace)
            raise
        finally:
            stop.set()
            if watcher:
                watcher.join()
    if status == 0:
        return
    if status is None:
        outcome = f"did not end within {clock(limit)} and was killed"
    else:
        outcome = f"failed (exit status {status})"
        if status < 0:
            kill_group(process, grace)
    raise Failure(f"{what or command[0]} {outcome}. The end of the log:\n\n{tail(log)}\n\nThe whole log: {paths.relative(log)}")


def kill_group(process, grace=GRACE_SECONDS):
    """Ends a command and the process group that it leads with SIGTERM. Kills the remaining processes with SIGKILL after `grace` seconds."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        end = time.monotonic() + grace
        while time.monotonic() < end:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class OutOfTime(BaseException):
    """Raised in the main thread after a deadline. It is not an Exception, so no handler on the way mistakes it for a result."""


@contextlib.contextmanager
def deadline(seconds):
    """Interrupts its body by OutOfTime after the given number of seconds. Children of the body are ended during unwinding."""
    before = signal.signal(signal.SIGALRM, lambda number, frame: end_with(OutOfTime()))
    if seconds < float("inf"):
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def output(command, cwd=None, env=None, check=True, stdin=None, text=True, limit=SHORT_SECONDS):
    """Returns the standard output of a short command."""
    try:
        result = subprocess.run(list(map(str, command)), cwd=cwd, env=env, input=stdin, text=text,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
    except FileNotFoundError:
        raise Failure(f"'{command[0]}' is not installed") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"'{' '.join(map(str, command))}' did not end within {clock(limit)} and was killed") from None
    if check and result.returncode != 0:
        error = result.stderr if text else result.stderr.decode(errors="replace")
        raise Failure(f"'{' '.join(map(str, command))}' failed: {error.strip()}")
    return result.stdout


@contextlib.contextmanager
def lock(path, waiting):
    """A lock that one process holds at a time. Prints `waiting` if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notice(waiting)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
