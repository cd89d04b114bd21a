# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the second heap on a NUMA node, in a virtual machine with two nodes. It is the part `node` of `./terrace nightly`.

QEMU boots Debian's kernel with an archive that contains the JDK and TestNode of the VM's tests. Node 0 has the
processor, and node 1 has some memory. Each program runs in a JVM of its own and prints to the serial line. KVM is not
used, because some machines lack it and others cannot run every guest with it. The guest has one processor. With two that
are emulated by two threads, a processor presumably sees partial updates of code that a VM patches on the other processor.
With two that are emulated in turn, a program goes on for a whole turn after the monitor of tiers has unmapped its pages,
while the monitor waits. So windows of less than a turn miss all accesses.
"""
import os
import re
import shutil
from dataclasses import dataclass

from ..building import build, upstream
from ..common import paths, prerequisites
from ..common.term import Failure, Step, logged, output, step, tail
from .results import Cases, Result

PACKAGES = ["qemu-system-x86"]
# The first available package is used. Linux 6.7 and later can monitor accesses.
KERNELS = ("linux-image-6.12-cloud-amd64", "linux-image-cloud-amd64")
FAST_MB, SLOW_MB = 2048, 512
GUEST_LIMIT = 600
PROGRAM_LIMIT = 240
MAIN = "gc.terrace.tiers.TestNode"
LIBRARIES = ("bin/java", "lib/server/libjvm.so", *(f"lib/lib{name}.so" for name in (
    "java", "jimage", "jli", "net", "nio", "zip", "verify", "management", "management_ext")))


@dataclass(frozen=True)
class Program:
    name: str
    flags: tuple
    mode: str = ""              # of TestNode
    status: int = 0
    says: tuple = ()


FAILS = ("-XX:+UnlockDiagnosticVMOptions", "-XX:H2Size=64m")
TIERS = ("-XX:H2Size=256m", "-XX:H2RegionSize=2m", "-XX:H2FastSize=64m", "-XX:H2MigrationRate=256m")
PROGRAMS = (
    Program("a node that there is not", ("-XX:AllocateH2OnNode=2",), status=1,
            says=("AllocateH2OnNode=2: there is no such node; nodes with memory: 0-1",)),
    Program("more than the node has", ("-XX:H2Size=1g",), status=1, says=("H2Size is 1024M, but AllocateH2OnNode=1 has ",)),
    Program("a container may not bind", (*FAILS, "-Dterrace.h2.failCall=set_policy:1"), status=1,
            says=("AllocateH2OnNode=1: set_mempolicy: Operation not permitted", "SYS_NICE")),
    Program("all pages of H2 on the node, and none else", ("-XX:H2Size=256m", "-XX:H2RegionSize=2m"), "bound"),
    Program("a full node", (f"-XX:H2Size={SLOW_MB - 24}m", "-XX:H2RegionSize=2m"), "full",
            says=("H2 transfer abandoned: No memory left on the node", "objects stay in H1")),
    Program("pages move as labels are placed", TIERS, "placed"),
    Program("calls that move pages fail", (*TIERS, *FAILS[:1], "-Dterrace.h2.failCall=move_pages:3"), "placed",
            says=("pages of a region cannot be moved: move_pages", "not all of it")),
    # The second label can be hot only if it takes the fast memory of the first.
    Program("pages move as they are accessed",
            (*TIERS, "-XX:H2FastSize=32m", "-XX:H2TierPolicy=monitor", "-XX:H2SampleInterval=300", "-XX:H2SampleBudget=100"), "monitored"),
)


def run(plan, file):
    try:
        prerequisites.require(PACKAGES, "a guest with two NUMA nodes")
        apt = upstream.Apt(upstream.pin())
        if not apt.stamp.is_file():
            apt.update()
        kernel = fetch_kernel(apt)
        busybox = unpacked(apt, "busybox-static") / "bin/busybox"
    except Failure as missing:
        print(f"  skipped: a virtual machine with two NUMA nodes cannot be started: {str(missing).splitlines()[0]}", flush=True)
        return Result()
    folder = file.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = pack(folder, build.home("release"), busybox)
    console = folder / "console.log"
    boot(kernel, archive, console)
    archive.unlink()
    return judge(console.read_text(errors="replace"), file)


def fetch_kernel(apt):
    """Returns the path of the kernel's image."""
    names = (re.search(r"Depends: (linux-image-\d\S+)", output(["apt-cache", *apt.options, "depends", name], check=False))
             for name in KERNELS)
    found = next((match.group(1) for match in names if match), None)
    if found is None:
        raise Failure(f"apt knows none of {', '.join(KERNELS)}")
    [image] = unpacked(apt, found).glob("boot/vmlinuz-*")
    return image


def unpacked(apt, name):
    """Returns the folder with the unpacked files of a package that is not installed."""
    folder = paths.cache() / "guest" / name
    if not folder.is_dir():
        with step(name) as current:
            apt.download(["download", name], f"apt-get download {name}")
            [package] = paths.downloads().glob(f"{name}_*.deb")
            partial = folder.parent / f"{name}.part"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            logged(["dpkg", "-x", package, partial], "guest-packages.log")
            partial.rename(folder)
            package.unlink()
            current.done()
    return folder


def command(program):
    node = () if any(flag.startswith("-XX:AllocateH2OnNode") for flag in program.flags) else ("-XX:AllocateH2OnNode=1",)
    return ["/jdk/bin/java", "-Xmx160m", "-XX:ParallelGCThreads=2", "-Xlog:gc+h2=debug", "-Dterrace.test.node=1", *node, *program.flags,
            "-cp", "/classes", *((MAIN, program.mode) if program.mode else ("-version",))]


def script(programs):
    """Returns the script of the guest's first process. After each program it prints a line `end NUMBER STATUS`."""
    lines = ["#!/bin/busybox sh", "busybox mount -t proc proc /proc", "busybox mount -t sysfs sys /sys",
             "busybox mount -t devtmpfs dev /dev", "busybox mount -t tmpfs tmp /tmp",
             "for node in /sys/devices/system/node/node?; do",
             "  echo \"${node##*/}: processors $(busybox cat $node/cpulist), $(busybox grep MemTotal $node/meminfo)\"", "done"]
    for number, program in enumerate(programs):
        words = " ".join(f"'{word}'" for word in command(program))
        lines += [f"echo 'begin {number}'", f"busybox timeout -s KILL {PROGRAM_LIMIT} {words} 2>&1", f"echo \"end {number} $?\""]
    return "\n".join([*lines, "echo \"killed $(busybox dmesg | busybox grep -ci 'out of memory\\|invoked oom-killer')\"",
                      "busybox poweroff -f", ""])


def pack(folder, home, busybox):
    """Creates the archive that the guest's kernel unpacks. Links to files elsewhere are replaced by the files."""
    root = folder / "root"
    for name in ("proc", "sys", "dev", "tmp", "bin", "jdk"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "conf", "lib"):
        (root / "jdk" / name).symlink_to(home / name)
    (root / "bin/busybox").symlink_to(busybox)
    for library in re.findall(r"(/\S+) \(0x", output(["ldd", *(home / name for name in LIBRARIES)])):
        copy = root / library.lstrip("/")
        if not library.startswith(str(home)) and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(os.path.realpath(library))
    tests = paths.TEST / "hotspot/jtreg/gc/terrace"
    logged([home / "bin/javac", "-nowarn", "-d", root / "classes", *sorted((paths.ROOT / "java/api/src/main/java").rglob("*.java")),
            tests / "h2/H2Test.java", tests / "tiers/Rows.java", tests / "tiers/TestNode.java"], "guest-classes.log", what="javac of TestNode")
    (root / "init").write_text(script(PROGRAMS))
    (root / "init").chmod(0o755)
    archive = folder / "guest.cpio"
    with step("archive of the guest") as current:
        logged(["sh", "-c", f"cd '{root}' && find -L . -print0 | '{busybox}' cpio -0 -o -L -H newc > '{archive}'"], "guest-archive.log",
               what="busybox cpio")
        current.done(f"{archive.stat().st_size >> 20} MB")
    return archive


def boot(kernel, archive, console):
    live = Step("guest")
    logged(["qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "1",
            "-m", f"{FAST_MB + SLOW_MB}M", "-object", f"memory-backend-ram,id=fast,size={FAST_MB}M",
            "-object", f"memory-backend-ram,id=slow,size={SLOW_MB}M", "-numa", "node,nodeid=0,cpus=0,memdev=fast",
            "-numa", "node,nodeid=1,memdev=slow", "-kernel", kernel, "-initrd", archive,
            "-append", "console=ttyS0 quiet panic=-1 rdinit=/init", "-display", "none", "-serial", "stdio", "-monitor", "none",
            "-nic", "none", "-no-reboot"], console, what="the guest", limit=GUEST_LIMIT,
           watch=lambda: live.update("running", every=60))
    live.done()


def judge(text, file):
    cases = Cases(file)

    def passed(number, program):
        match = re.search(rf"^begin {number}\r?\n(.*?)^end {number} (\d+)\r?$", text, re.M | re.S)
        assert match, f"the guest did not come to its end: {tail_of(text)}"
        said, status = match.group(1), int(match.group(2))
        wanted = [*program.says, *([f"PASSED {program.mode}"] if program.mode else [])]
        absent = [words for words in wanted if words not in said]
        assert status == program.status and not absent, f"status {status}, and {absent} is not in:\n{tail_of(said)}"
        return said

    for number, program in enumerate(PROGRAMS):
        cases.check(program.name, lambda: passed(number, program))

    def nobody_was_killed():
        assert re.search(r"^killed 0\r?$", text, re.M), f"the kernel ended processes, or itself: {tail_of(text)}"
        return "no process"
    cases.check("the kernel ended nobody", nobody_was_killed)
    return cases.result()


def tail_of(text):
    return "\n".join(text.splitlines()[-12:])
