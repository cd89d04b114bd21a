# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Assembles a relocatable JDK home.

The home has the files of the binary packages, with links into /etc replaced by real files, our libjvm.so, a truststore,
and class data archives. The virtual machine that will use the archives creates them.
"""
import base64
import hashlib
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from .. import VERSION
from ..common import paths
from ..common.term import SHORT_SECONDS, Failure, logged, step

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
HOME_IN_PACKAGE = "usr/lib/jvm/java-17-openjdk-amd64"
# Incremented when the contents of a home change, so that existing homes are assembled again.
LAYOUT = "1"


def base(selection):
    """Returns the folder with the packages' files and all links resolved. All homes are copies of it. It has no libjvm.so and
    no archives of ours."""
    home = paths.BUILD / "jdk-base"
    stamp = paths.BUILD / "jdk-base.stamp"
    wanted = f"{LAYOUT} {selection.version}"
    if stamp.exists() and stamp.read_text() == wanted and home.is_dir():
        return home
    with step("JDK base") as current:
        root = paths.BUILD / "jdk-packages"
        shutil.rmtree(root, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)
        stamp.unlink(missing_ok=True)
        for deb in selection.debs:
            logged(["dpkg", "-x", deb, root], "jdk-base.log", append=True)
        copy_resolved(root / HOME_IN_PACKAGE, home, root)
        write_truststore(home / "lib/security/cacerts")
        shutil.rmtree(root)
        stamp.write_text(wanted)
        current.done(selection.version)
    return home


def copy_resolved(source, target, root, top=None):
    """Copies a tree of a package. A link that leads out of the tree is replaced by its target inside the packages."""
    top = top or source
    target.mkdir(parents=True)
    for entry in sorted(source.iterdir()):
        goal = target / entry.name
        leads_to = follow(entry, root)
        if entry.is_symlink() and not os.path.isabs(os.readlink(entry)) and leads_to.exists() \
                and os.path.normpath(entry.parent / os.readlink(entry)).startswith(f"{top}{os.sep}"):
            goal.symlink_to(os.readlink(entry))
        elif leads_to.is_dir():
            copy_resolved(leads_to, goal, root, top)
        elif leads_to.is_file():
            shutil.copy2(leads_to, goal)
        # The remaining links lead out of the packages: documentation, and cacerts, which is created below.


def follow(path, root):
    """Returns the target of a link if `root` is the root of the file system."""
    for _ in range(20):
        if not path.is_symlink():
            break
        link = os.readlink(path)
        path = root / link.lstrip("/") if link.startswith("/") else Path(os.path.normpath(path.parent / link))
    return path


def dangling(home):
    """Returns the links that would break if the folder moved."""
    found = []
    for folder, directories, files in os.walk(home):
        for name in directories + files:
            path = Path(folder, name)
            if path.is_symlink():
                target = os.path.realpath(path)
                if os.path.isabs(os.readlink(path)) or not target.startswith(os.path.realpath(home) + os.sep) \
                        or not os.path.exists(target):
                    found.append(path)
    return found


def certificates(text):
    """Returns the DER form of each certificate in a PEM bundle."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----\s*(.*?)-----END CERTIFICATE-----", text, re.S)
    return list(dict.fromkeys(base64.b64decode(block) for block in blocks))


def truststore(encoded, password="changeit"):
    """Encodes trusted certificates in the JKS format, which every JDK reads. The digest is defined by the format."""
    def utf(text):
        data = text.encode()
        return struct.pack(">H", len(data)) + data
    body = struct.pack(">III", 0xFEEDFEED, 2, len(encoded))
    for certificate in encoded:
        alias = "system-" + hashlib.sha256(certificate).hexdigest()[:16]
        body += struct.pack(">I", 2) + utf(alias) + struct.pack(">Q", 0)
        body += utf("X.509") + struct.pack(">I", len(certificate)) + certificate
    return body + hashlib.sha1(password.encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def write_truststore(target):
    if not CERTIFICATES.is_file():
        raise Failure(f"{CERTIFICATES} is missing: install the package ca-certificates")
    found = certificates(CERTIFICATES.read_text(errors="replace"))
    if not found:
        raise Failure(f"{CERTIFICATES} has no certificates: run update-ca-certificates")
    target.unlink(missing_ok=True)
    target.write_bytes(truststore(found))


def boot(selection):
    """Returns a JDK for the compilation, assembled from the unchanged packages."""
    return base(selection)


def assemble(name, selection, libjvm, additions=None):
    """Assembles build/<name> from the base with `libjvm`, or with the packages' own if `libjvm` is None. `additions` is
    None or a folder with additional files for the home."""
    home = paths.BUILD / name
    stamp = paths.BUILD / f"{name}.stamp"
    origin = base(selection)
    own = libjvm or origin / "lib/server/libjvm.so"
    status = own.stat()
    certs = CERTIFICATES.stat().st_mtime_ns if CERTIFICATES.exists() else 0
    wanted = f"{LAYOUT} {VERSION} {selection.version} {status.st_size} {status.st_mtime_ns} {certs} {fingerprint(additions)}"
    if stamp.exists() and stamp.read_text() == wanted and (home / "lib/server/classes.jsa").exists():
        return home
    with step(f"JDK in {paths.relative(home)}") as current:
        stamp.unlink(missing_ok=True)
        partial = paths.BUILD / f"{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        clone(origin, partial)
        target = partial / "lib/server/libjvm.so"
        target.unlink()
        shutil.copy2(own, target)
        write_truststore(partial / "lib/security/cacerts")
        if additions:
            add(additions, partial)
            name_implementor(partial / "release")
        broken = dangling(partial)
        if broken:
            raise Failure(f"the JDK home would have dangling links: {', '.join(map(str, broken[:5]))}")
        # Class data archives identify the modules file by its size and time, which are validated at run time. Renaming
        # the finished folder keeps both.
        archives(partial, name)
        retire(home)
        partial.rename(home)
        verify_archives(home)
        stamp.write_text(wanted)
        current.done()
    return home


def fingerprint(folder):
    """Returns a digest of the files below a folder, or '' for None."""
    files = sorted(file for file in folder.rglob("*") if file.is_file()) if folder else []
    return hashlib.sha256(b"".join(str(file).encode() + b"\0" + file.read_bytes() for file in files)).hexdigest() if files else ""


def add(additions, home):
    """Adds the tools that replace the distribution's, and the part of the serviceability agent for H2 (vm/jdk/agent)."""
    for tool in sorted((additions / "bin").iterdir()):
        target = home / "bin" / tool.name
        target.unlink()
        shutil.copy2(tool, target)
    with tempfile.TemporaryDirectory() as classes:
        exports = [f"--add-exports=jdk.hotspot.agent/sun.jvm.hotspot{package}=ALL-UNNAMED" for package in (
            "", ".debugger", ".gc.parallel", ".gc.shared", ".memory", ".oops", ".runtime", ".utilities")]
        logged([home / "bin/javac", "-Werror", "-Xlint:all", "-proc:none", "--add-modules=jdk.hotspot.agent", *exports, "-d", classes,
                *sorted((additions / "agent").rglob("*.java"))], "agent.log", what="compiling vm/jdk/agent")
        with zipfile.ZipFile(home / "lib/terrace-agent.jar", "w", zipfile.ZIP_DEFLATED) as jar:
            for file in sorted(Path(classes).rglob("*.class")):
                # The jar has no file times, so the same sources produce the same jar.
                jar.writestr(zipfile.ZipInfo(str(file.relative_to(classes))), file.read_bytes())


def name_implementor(release):
    """Sets the implementor for tools that list JDKs. The property java.vendor remains the distribution's, because the
    class library defines it."""
    text, found = re.subn(r"^IMPLEMENTOR=.*$", f'IMPLEMENTOR="Terrace"\nIMPLEMENTOR_VERSION="Terrace-{VERSION}"', release.read_text(),
                          flags=re.M)
    if found != 1:
        raise Failure(f"{release} has no line IMPLEMENTOR")
    release.write_text(text)


def clone(origin, target):
    """Copies a tree, and shares the large files by hard links. Nobody edits these files, and a replacement unlinks the old file first."""
    shutil.copytree(origin, target, symlinks=True, copy_function=link_or_copy)


def link_or_copy(source, target):
    if os.lstat(source).st_size > 1 << 20:
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except OSError:
            pass
    shutil.copy2(source, target, follow_symlinks=False)


def retire(home):
    """Removes an old home. Programs may still run from it, and their open files exist until they end."""
    if home.exists():
        old = home.with_name(f"{home.name}.old-{time.time_ns()}")
        home.rename(old)
        shutil.rmtree(old)


def archives(home, name):
    log = f"cds-{name}.log"
    for options in ([], ["-XX:-UseCompressedOops"]):
        logged([home / "bin/java", "-Xshare:dump", "-XX:+UseG1GC", "-Xmx128M", "-Xms128M", *options], log,
               append=bool(options), what="writing a class data archive")


def verify_archives(home):
    for options in ([], ["-XX:-UseCompressedOops"]):
        command = [home / "bin/java", "-Xshare:on", *options, "-version"]
        result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=SHORT_SECONDS)
        if result.returncode != 0 or "sharing" not in result.stdout:
            raise Failure(f"the class data archive of {paths.relative(home)} cannot be used"
                          f"{' with ' + options[0] if options else ''}:\n{result.stdout}")
