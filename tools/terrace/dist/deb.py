# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Creates the Debian package, which installs the home in /usr/lib/jvm, beside the distribution's JDKs.

Its programs have the lowest priority in update-alternatives. They are used if there is no other Java or the user selects them.
"""
import hashlib
import os

from ..common.term import Failure, Step, logged, output
from . import additions, elf

NAME = "terrace-17-jdk"
HOME = "usr/lib/jvm/terrace-17"
# The distribution's JDK of version N has the priority N * 100 + 11.
PRIORITY = 17
# Libraries that the JDK loads on demand, for printers, fonts, and NSS as a provider of cryptography.
RECOMMENDS = "libcups2, libfontconfig1, libnss3"
# Files that users edit. An upgrade keeps them, or asks.
EDITED = ("conf", "lib/security/cacerts")

POSTINST = """\
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    for tool in {tools}; do
        update-alternatives --quiet --install "/usr/bin/$tool" "$tool" "/{home}/bin/$tool" {priority}
    done
fi
"""
PRERM = """\
#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = deconfigure ]; then
    for tool in {tools}; do
        update-alternatives --quiet --remove "$tool" "/{home}/bin/$tool"
    done
fi
"""


def file_name(release):
    return f"{NAME}_{release.version}_amd64.deb"


def documents(release):
    """Returns the documents outside of the home, as {name in the root: content}."""
    note, licence = additions.source_note(release), (additions.paths.ROOT / "LICENSE").read_text()
    where = f"/{HOME}/{additions.FOLDER}"
    return {f"usr/share/doc/{NAME}/copyright": f"The files that this text names are in {where}.\n\n{note}\n\n{licence}"}


def write_control(root, release, needs):
    """Writes DEBIAN in `root`, which must be complete otherwise."""
    folder = root / "DEBIAN"
    folder.mkdir()
    content = [path for path in sorted(root.rglob("*")) if folder not in path.parents and path != folder]
    files = [path for path in content if path.is_file() and not path.is_symlink()]
    edited = [path for path in files if any((root / HOME / name) in (path, *path.parents) for name in EDITED)]
    tools = " ".join(sorted(path.name for path in (root / HOME / "bin").iterdir()))
    scripts = {"postinst": POSTINST, "prerm": PRERM}
    for name, text in scripts.items():
        (folder / name).write_text(text.format(tools=tools, home=HOME, priority=PRIORITY))
        (folder / name).chmod(0o755)
    (folder / "conffiles").write_text("".join(f"/{path.relative_to(root)}\n" for path in edited))
    (folder / "md5sums").write_text("".join(f"{md5(path)}  {path.relative_to(root)}\n"
                                            for path in files if path not in edited))
    # Counts like dpkg-gencontrol: whole kilobytes for files, and one for anything else.
    size = sum(-(-path.stat().st_size // 1024) if path in set(files) else 1 for path in content)
    (folder / "control").write_text(control(release, needs, size, depends(root, needs)))


def control(release, needs, size, dependencies):
    return f"""\
Package: {NAME}
Version: {release.version}
Architecture: amd64
Maintainer: Terrace <terrace@terrace.invalid>
Installed-Size: {size}
Depends: {dependencies}
Recommends: {RECOMMENDS}
Section: java
Priority: optional
Description: OpenJDK {release.java.split('.')[0]} with a second heap on storage
 Objects that live long move to a second heap on storage, which the collector
 never scans and the program uses as ordinary objects. Off until a program is
 started with -XX:AllocateH2At=<directory>.
 .
 Needs glibc {additions.glibc(needs)} or newer. CPU: {additions.cpu(needs)}.
"""


def md5(path):
    digest = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def depends(root, needs):
    """Returns the dependencies that dpkg-shlibdeps finds, with at least the version of the C library that the symbols need."""
    (root.parent / "debian").mkdir()
    (root.parent / "debian/control").write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
    private = [f"-l{root / HOME / folder}" for folder in ("lib", "lib/server")]
    # The interpreter of the commands has its own libraries, and it is replaced on systems with an older glibc.
    files = [path for path in elf.files(root) if root / HOME / additions.FOLDER not in path.parents]
    try:
        text = output(["dpkg-shlibdeps", "-O", "--warnings=0", f"-S{root}", *private, *files],
                      cwd=root.parent, env=dict(os.environ, LC_ALL="C"))
    except Failure as failure:
        lines = [line for line in str(failure).splitlines() if "error:" in line] or [str(failure)]
        raise Failure("--deb: the packages that the JDK depends on cannot be determined:\n" + "\n".join(lines)
                      + "\nInstall the package with that library, or create only the archive with --tar") from None
    return merge(text, additions.glibc(needs))


def merge(text, least):
    """Merges `shlibs:Depends=` of dpkg-shlibdeps with the requirement of libc6 in version `least` or newer."""
    found = [item for item in text.strip().partition("shlibs:Depends=")[2].split(", ") if item]
    others = [item for item in found if item.split()[0] != "libc6"]
    versions = [item.partition(">= ")[2].rstrip(")") for item in found if item.split()[0] == "libc6" and ">=" in item]
    newest = max([least, *versions], key=lambda version: [int(part) for part in version.split(".") if part.isdigit()])
    return ", ".join(sorted([*others, f"libc6 (>= {newest})"]))


def write(root, target, release):
    current = Step(target.name)
    logged(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target], "dist-deb.log",
           # The temporary file of dpkg-deb is as large as the package.
           env=dict(os.environ, SOURCE_DATE_EPOCH=str(release.epoch), TMPDIR=str(root.parent)),
           what="--deb: dpkg-deb", watch=lambda: current.update("compressing"))
    current.done()
