# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Files that `terrace dist` adds to the JDK home: the Java libraries, the licence, the source, and a list of requirements."""
import gzip
import os
import re

from .. import VERSION
from ..building import upstream
from ..common import maven, modules, paths
from ..common.term import Failure, notice, output

FOLDER = "terrace"
# The libraries of glibc.
GLIBC = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|pthread|rt))\.so\.\d+")


class Release:
    """The release to pack: its `version`, the `commit` that it is made from, and `epoch`, the time of its files."""

    def __init__(self, home):
        self.home = home
        self.java, self.terrace = versions(home)
        self.version = f"{self.java}-{self.terrace}"
        self.package = upstream_package(home)
        self.commit, committed = head()
        self.dirty = bool(git("status", "--porcelain"))
        self.epoch = source_date_epoch(committed)


def versions(home):
    """Returns ('17.0.19+10', '0.1') for a release build of Terrace."""
    if not os.access(home / "bin/java", os.X_OK):
        raise Failure(f"--home: {home} is not a JDK home, because it has no bin/java")
    # The first parentheses contain the version of the VM, the second that of the libraries.
    build = output([home / "bin/java", "-Xinternalversion"]).partition("(")[2].partition(")")[0]
    match = re.fullmatch(r"(\d[\d.]*\+\d+)-Terrace-([\w.]+)", build)
    if not match:
        raise Failure(f"--home: {home} is not a release build of Terrace, but {build}: name the home that ./terrace build "
                      "makes, build/jdk")
    if match[2] != VERSION:
        raise Failure(f"--home: {home} is Terrace {match[2]} and this checkout is {VERSION}: pack it with the checkout that "
                      "it was built from, whose source the package names")
    return match[1], match[2]


def upstream_package(home):
    """Returns the version of the source package. The build may have used another version than UPSTREAM pins."""
    log = home / "docs/changelog.Debian.gz"
    try:
        with gzip.open(log, "rt") as file:
            return re.match(r"\S+ \((\S+)\)", file.readline())[1]
    except (OSError, TypeError):
        raise Failure(f"{paths.relative(log)} does not name the version of the upstream package: rebuild the home with "
                      "./terrace build") from None


def git(*arguments, text=True):
    return output(["git", "-C", paths.ROOT, *arguments], text=text)


def head():
    """Returns (commit, its time)."""
    if not (paths.ROOT / ".git").exists():
        raise Failure("the packages record the commit of their source: run ./terrace dist in a git checkout")
    commit, committed = git("log", "-1", "--format=%H %ct").split()
    return commit, int(committed)


def source_date_epoch(default):
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return default
    if not given.isdigit():
        raise Failure(f"SOURCE_DATE_EPOCH: '{given}' is not a number of seconds: correct it, or unset it to use the time of the commit")
    return int(given)


def jars(home):
    """Returns the jars of the API, the plugins, and the libraries of persistent objects with their dependencies, built
    with the JDK in `home`."""
    version = maven.version()
    of_vm = [paths.JAVA / name / f"target/terrace-{name}-{version}.jar" for name in ("api", "spark", "giraph")]
    modules.make("the Java libraries", paths.BUILD / "java-libraries.stamp", of_vm, ("java/api", "java/spark", "java/giraph"), home,
                 size="Spark and Giraph, 330 MB")
    core = paths.PERSIST / "core/target"
    of_persist = [core / f"terrace-persist-{version}.jar", paths.PERSIST / "transform/target/terrace-persist-agent.jar",
                  paths.PERSIST / f"infinispan/target/terrace-infinispan-{version}.jar"]
    modules.make("the libraries of persistent objects", paths.BUILD / "java-persist-jars.stamp", of_persist,
                 ("persist/transform", "persist/infinispan"), home, size="libraries, 60 MB")
    return [*of_vm, *of_persist, *analysis(home, version), *sorted((core / "lib").glob("*.jar"))]


def analysis(home, version):
    """Returns the jars of `terrace place`, without picocli, which the tools for persistent heaps provide."""
    place = paths.JAVA / "place/target"
    jar = place / f"terrace-place-{version}.jar"
    modules.make("the placement analysis", paths.BUILD / "java-place.stamp", [jar, place / "lib"], ("java/place",), home)
    return [jar, *sorted((place / "lib").glob("asm*.jar"))]


def files(release, needs, commands):
    """Returns {name in the home: content}. `commands` are the files of tools.files()."""
    if release.dirty:
        notice(f"uncommitted changes: the packages contain the source of {release.commit[:12]}, and state that these changes are missing")
    contents = {"LICENSE": (paths.ROOT / "LICENSE").read_bytes(), "SOURCE": source_note(release).encode(),
                "REQUIREMENTS": requirements(needs).encode(), source_name(release): source(release)}
    contents.update((jar.name, jar.read_bytes()) for jar in jars(release.home))
    return {**commands, **{f"{FOLDER}/{name}": content for name, content in contents.items()}}


def source_name(release):
    return f"terrace-source-{release.commit[:12]}.tar.gz"


def source(release):
    tar = git("archive", f"--prefix=terrace-{release.commit[:12]}/", release.commit, text=False)
    return gzip.compress(tar, mtime=release.epoch)


def source_note(release):
    pinned = upstream.pin()
    checksums = "".join(f"    {digest}  {name}\n" for name, digest in pinned.sha256.items() if not name.endswith(".deb"))
    if release.package != pinned.version:
        checksums = "    (not the version that UPSTREAM pins: the archive's own signatures tell)\n"
    return f"""\
Terrace {release.terrace}, OpenJDK {release.java} with a second heap.
Licence: GNU General Public License, version 2, with the Classpath exception, as OpenJDK: see LICENSE.
The licences of OpenJDK's parts are in the folder legal and in docs/copyright of the JDK.

The corresponding source is

1. Debian's source package {pinned.source} {release.package}, of the suite {pinned.suite}:

       apt-get source {pinned.source}={release.package}

   Debian's snapshot archive keeps it when newer versions have replaced it. SHA-256 of its files:

{checksums}
2. Terrace's repository at commit {release.commit}
   {'and changes that were not committed when this was packed,' if release.dirty else ''}
   which is next to this file: {source_name(release)}.

`./terrace build` in the unpacked repository fetches the first, verifies it and makes this JDK from both.
""".replace("\n   \n", "\n")


def requirements(needs):
    lines = [f"glibc  {glibc(needs)} or newer (ldd --version tells)", f"CPU    {cpu(needs)}"]
    if needs.commands and needs.commands.glibc > needs.glibc:
        lines.append(f"The commands in bin need glibc {glibc(needs.commands)} or newer, or a python3 of 3.9 or newer in the PATH.")
    lines += ["",
              "Shared libraries of the system, and what loads them. Copies of those that a JVM needs to start are in the folder lib next to this file:",
              "LD_LIBRARY_PATH=<home>/terrace/lib makes the JDK find them on a system without them.", ""]
    for library, users in sorted(needs.libraries.items()):
        if not GLIBC.fullmatch(library):
            lines.append(f"    {library:24} {users[0]}" + (f" and {len(users) - 1} more" if users[1:] else ""))
    return "\n".join(lines) + "\n"


def glibc(needs):
    return ".".join(map(str, needs.glibc))


def cpu(needs):
    return "any x86-64" if needs.cpu.endswith("baseline") else needs.cpu
