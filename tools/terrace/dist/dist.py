# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace dist`, which packs the JDK home as a relocatable archive and as a Debian package.

The packages are reproducible for the same home, commit and tools. Names are sorted, the owner is root, modes are
independent of the umask, and files have the time of the commit (or SOURCE_DATE_EPOCH, if set). Class data sharing
checks the size of lib/modules, not its time.
"""
import errno
import gzip
import hashlib
import json
import os
import shutil
import stat
import tarfile
import tempfile
from pathlib import Path

from ..building import build as jdk_build, jdk
from ..building.upstream import sha256
from ..common import paths
from ..common.options import writable
from ..common.term import Failure, Step, lock, notice, step
from . import additions, deb, elf, tools

OUT = paths.BUILD / "dist"
STAMP = paths.BUILD / "dist.json"
# {command: the package that provides it}
TOOLS = {"tar": {"readelf": "binutils"},
         "deb": {"readelf": "binutils", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev"}}


def register(add):
    dist = add(
        description="Packs the Terrace JDK with its Java libraries, the commands for users, the licence and the source. Creates an "
                    "archive that runs wherever it is unpacked, and a Debian package. Builds the JDK if it is missing, and "
                    "does nothing if nothing changed. Prints the glibc version and the CPU that the packages require. See "
                    "docs/use/dist.md.")
    dist.add_argument("--tar", action="store_true", help="create only the archive")
    dist.add_argument("--deb", action="store_true", help="create only the Debian package")
    dist.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="folder for the packages (default build/dist)")
    dist.add_argument("--home", type=Path, metavar="HOME", help="JDK home to pack, built by this checkout (default build/jdk)")
    dist.set_defaults(run=run)


def run(arguments):
    kinds = [kind for kind in TOOLS if getattr(arguments, kind)] or list(TOOLS)
    require_tools(kinds)
    out = arguments.out.absolute()
    writable("--out", out)
    home = arguments.home.resolve() if arguments.home else jdk_build.build()
    release = additions.Release(home)
    if arguments.home:
        notice(f"--home: this home is assumed to be built from commit {release.commit[:12]} builds")
    with lock(paths.BUILD / "dist.lock", "another ./terrace dist of this checkout is running; waiting for it"):
        commands = tools.files(home)
        needs = needs_of(home, commands)
        contents = additions.files(release, needs, commands)
        inputs = fingerprint(release, contents)
        targets = {kind: out / name for kind, name in (("tar", tar_name(release)), ("deb", deb.file_name(release)))
                   if kind in kinds}
        stale = {kind: target for kind, target in targets.items() if not up_to_date(target, inputs)}
        if stale:
            try:
                make(stale, release, contents, needs, out)
            except OSError as problem:
                raise Failure(trouble(out, problem)) from None
            for target in stale.values():
                remember(target, inputs)
    for kind, target in targets.items():
        notice(f"{paths.relative(target)}, {target.stat().st_size / 1e6:.0f} MB" + ("" if kind in stale else ", is up to date"))
    notice(f"needs glibc {additions.glibc(needs)} or newer; CPU: {additions.cpu(needs)}")


def needs_of(home, commands):
    """Returns the needs of the JDK and the additional needs of the interpreter of its commands."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in commands.items():
            if content.startswith(b"\x7fELF"):
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_bytes(content)
        found = elf.needs(home)
        found.commands = elf.needs(Path(folder))
        return found


def require_tools(kinds):
    for kind in kinds:
        absent = {tool: package for tool, package in TOOLS[kind].items() if not shutil.which(tool)}
        if absent:
            raise Failure(f"--{kind} needs {' and '.join(absent)}: install the packages {' '.join(sorted(set(absent.values())))}"
                          + (", or create only the archive with --tar" if kind == "deb" else ""))


def tar_name(release):
    return f"terrace-jdk-{release.version}-linux-x64.tar.gz"


def fingerprint(release, contents):
    """Returns a digest of everything that the packages are made from, including this program."""
    digest = hashlib.sha256(f"{release.version} {release.commit} {release.dirty} {release.epoch}\n".encode())
    for module in (__file__, additions.__file__, deb.__file__, elf.__file__, tools.__file__):
        digest.update(Path(module).read_bytes())
    for name, content in sorted(contents.items()):
        digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    for path in sorted(release.home.rglob("*")):
        status = path.lstat()
        digest.update(f"{path.relative_to(release.home)}\0{status.st_mode} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def stored():
    try:
        return json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}


def checksum_file(target):
    return target.with_name(target.name + ".sha256")


def up_to_date(target, inputs):
    known = stored().get(str(target), {})
    return known.get("inputs") == inputs and target.is_file() and checksum_file(target).is_file() \
        and sha256(target) == known["sha256"]


def remember(target, inputs):
    entries = {name: entry for name, entry in stored().items() if os.path.exists(name)}
    entries[str(target)] = {"inputs": inputs, "sha256": sha256(target)}
    STAMP.write_text(json.dumps(entries, indent=1))


def trouble(out, problem):
    if isinstance(problem, shutil.Error):
        why = problem.args[0][0][2]  # copytree collects failures as (source, target, reason)
    else:
        why = problem.strerror or str(problem)
    full = problem.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in why
    return f"--out: writing to {out} failed ({why}): " + ("free some space or name another folder" if full
                                                          else "name another folder")


def check_space(out, home):
    """Fails if `out` lacks space for a copy of the home, both packages, and the temporary file of dpkg-deb."""
    needed = 3 * sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    free = shutil.disk_usage(out).free
    if free < needed:
        raise Failure(f"--out: {out} has {free / 1e6:.0f} MB free, and packing needs {needed / 1e6:.0f} MB there: free some "
                      "space or name another folder")


def make(targets, release, contents, needs, out):
    check_space(out, release.home)
    # This is also a test: archives of class data must work after a move of the home, in a path with a space.
    with tempfile.TemporaryDirectory(dir=out, prefix=".packing ") as folder:
        work = Path(folder)
        staged = work / f"terrace-jdk-{release.version}"
        with step("copy of the JDK home") as current:
            with jdk_build.checkout_lock():
                stage(release, staged, contents)
            current.done()
        if "tar" in targets:
            write_tar(staged, work / targets["tar"].name, release.epoch)
        if "deb" in targets:
            root = work / "root"
            (root / deb.HOME).parent.mkdir(parents=True)
            staged.rename(root / deb.HOME)
            for name, text in deb.documents(release).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            deb.write_control(root, release, needs)
            settle(root, release.epoch)
            deb.write(root, work / targets["deb"].name, release)
        for target in targets.values():
            checksum_file(target).unlink(missing_ok=True)
            (work / target.name).replace(target)
            checksum_file(target).write_text(f"{sha256(target)}  {target.name}\n")


def stage(release, target, contents):
    shutil.copytree(release.home, target, symlinks=True)
    # A home from an unpacked archive already has the files of that archive.
    shutil.rmtree(target / additions.FOLDER, ignore_errors=True)
    for name, content in contents.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
        if "/bin/" in name:
            (target / name).chmod(0o755)
    settle(target, release.epoch)
    broken = jdk.dangling(target)
    if broken:
        names = ", ".join(str(path.relative_to(target)) for path in broken[:5])
        raise Failure(f"the packages would have dangling links: {names}")
    jdk.verify_archives(target)


def settle(root, epoch):
    """Sets modes and times that do not depend on the time or the user of the build."""
    for folder, names, files in os.walk(root, topdown=False):
        for path in [os.path.join(folder, name) for name in [*names, *files]] + [folder]:
            status = os.lstat(path)
            if not stat.S_ISLNK(status.st_mode):
                os.chmod(path, 0o755 if stat.S_ISDIR(status.st_mode) or status.st_mode & stat.S_IXUSR else 0o644)
            os.utime(path, (epoch, epoch), follow_symlinks=False)


def write_tar(folder, target, epoch):
    def anonymous(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = int(member.mtime)
        current.update(f"{archive.offset >> 20} MB", every=60)
        return member
    current = Step(target.name)
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=epoch) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(folder, folder.name, filter=anonymous)
    current.done()
