# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Fetches the upstream source and the binary packages of the same version from the Debian archive that the user has configured.

apt fetches and verifies them with a private configuration, so it changes nothing on the system and needs no privileges.
Downloads stay in the cache directory, and later builds need no network.
"""
import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from ..common import paths
from ..common.term import Failure, logged, notice, output, step

ARCHITECTURE = "amd64"


class Pin:
    """The contents of the file UPSTREAM."""

    def __init__(self, text):
        self.sha256 = {}
        for line in text.splitlines():
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "sha256":
                self.sha256[words[2]] = words[1]
            elif words[0] == "binary":
                self.binary = words[1:]
            else:
                setattr(self, words[0], words[1])
        for key in ("source", "binary", "suite", "version", "fallback"):
            if not hasattr(self, key):
                raise Failure(f"UPSTREAM has no line '{key}'")


def pin():
    return Pin(paths.PIN.read_text())


# --- apt sources -------------------------------------------------------------------------------------------------

def parse_list(text):
    """Parses one-line style sources into a list of dicts with types, uris, suites, components and options."""
    entries = []
    for line in text.splitlines():
        match = re.match(r"\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if match:
            kind, options, uri, suite, components = match.groups()
            names = {"signed-by": "Signed-By", "trusted": "Trusted"}
            parsed = dict(option.split("=", 1) for option in (options or "").split() if "=" in option)
            entries.append({"types": [kind], "uris": [uri], "suites": [suite], "components": components.split(),
                            "options": {names[k.lower()]: v for k, v in parsed.items() if k.lower() in names}})
    return entries


def parse_deb822(text):
    entries = []
    for stanza in re.split(r"\n\s*\n", text):
        fields, last = {}, None
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in (" ", "\t") and last:
                fields[last] += "\n" + line
            elif ":" in line:
                last, value = line.split(":", 1)
                last = last.strip().lower()
                fields[last] = value.strip()
        if "uris" in fields and fields.get("enabled", "yes").lower() not in ("no", "false", "0"):
            options = {name: fields[name.lower()] for name in ("Signed-By", "Trusted") if name.lower() in fields}
            entries.append({"types": fields.get("types", "deb").split(), "uris": fields["uris"].split(),
                            "suites": fields.get("suites", "").split(),
                            "components": fields.get("components", "").split(), "options": options})
    return entries


def private_sources(entries, codename, suite):
    """Returns the user's entries for the distribution itself, including source packages, as deb822 text."""
    wanted = {codename + tail: suite + tail for tail in ("", "-updates", "-security", "-proposed-updates")}
    wanted.update({f"stable{tail}": suite + tail for tail in ("", "-updates", "-security")})
    stanzas = []
    for entry in entries:
        suites = [wanted[name] for name in entry["suites"] if name in wanted]
        if not suites or "main" not in entry["components"]:
            continue
        options = "".join(f"{name}: {value}\n" for name, value in entry["options"].items())
        stanza = (f"Types: deb deb-src\nURIs: {' '.join(entry['uris'])}\nSuites: {' '.join(suites)}\n"
                  f"Components: main\nArchitectures: {ARCHITECTURE}\n{options}")
        if stanza not in stanzas:
            stanzas.append(stanza)
    return "\n".join(stanzas)


def system_sources():
    entries = []
    main = Path("/etc/apt/sources.list")
    parts = Path("/etc/apt/sources.list.d")
    if main.is_file():
        entries += parse_list(main.read_text())
    if parts.is_dir():
        for file in sorted(parts.iterdir()):
            if file.suffix == ".list":
                entries += parse_list(file.read_text())
            elif file.suffix == ".sources":
                entries += parse_deb822(file.read_text())
    return entries


def os_release():
    fields = {}
    for line in Path("/etc/os-release").read_text().splitlines():
        if "=" in line:
            key, value = line.split("=", 1)
            fields[key] = value.strip('"')
    return fields


class Apt:
    """An instance of apt with private sources, lists and cache."""

    def __init__(self, pinned):
        self.home = paths.cache() / "apt"
        self.sources = self.home / "terrace.sources"
        release = os_release()
        text = private_sources(system_sources(), release.get("VERSION_CODENAME", ""), pinned.suite)
        if not text:
            raise Failure(
                f"no apt source of this system ({release.get('PRETTY_NAME', 'unknown')}) carries Debian "
                f"{pinned.suite}'s 'main', where the upstream source comes from. Terrace builds on Debian 12 or "
                "later; a 'deb' line for a Debian mirror in /etc/apt/sources.list.d is enough.")
        for folder in ("lists/partial", "cache/archives/partial"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
        if not self.sources.exists() or self.sources.read_text() != text:
            self.sources.write_text(text)
            self.stamp.unlink(missing_ok=True)
        self.options = [
            "-o", f"Dir::Etc::sourcelist={self.sources}", "-o", "Dir::Etc::sourceparts=/dev/null",
            "-o", f"Dir::State::lists={self.home}/lists", "-o", f"Dir::Cache={self.home}/cache",
            "-o", "APT::Sandbox::User=",
            "-o", "APT::Get::List-Cleanup=0", "-o", "Acquire::Retries=3", "-o", "Acquire::Languages=none"]

    @property
    def stamp(self):
        return self.home / "updated"

    def update(self):
        with step("apt lists (private)") as current:
            # A failing mirror of one suite is ignored here. A package that cannot be found afterwards causes a failure.
            try:
                logged(["apt-get", *self.options, "update"], "apt-update.log")
            except Failure as failure:
                notice(f"apt reports problems, see build/logs/apt-update.log; continuing with the available package lists "
                       f"({str(failure).splitlines()[0]})")
            self.stamp.touch()
            current.done()

    def source_versions(self, source):
        text = output(["apt-cache", *self.options, "showsrc", "--only-source", source], check=False)
        return parse_showsrc(text, source)

    def binary_versions(self, package):
        text = output(["apt-cache", *self.options, "madison", package], check=False)
        return parse_madison(text, package)

    def download(self, arguments, what):
        target = paths.downloads()
        target.mkdir(parents=True, exist_ok=True)
        logged(["apt-get", *self.options, *arguments], "apt-download.log", cwd=target, append=True, what=what)


def parse_showsrc(text, source):
    """Returns {version: {file name: sha256}} of a source package from the output of apt-cache showsrc."""
    versions = {}
    for stanza in re.split(r"\n\s*\n", text):
        version, files, section, package = None, {}, None, None
        for line in stanza.splitlines():
            if line[:1] == " ":
                words = line.split()
                if section == "Checksums-Sha256" and len(words) == 3:
                    files[words[2]] = words[0]
                continue
            section, _, value = line.partition(":")
            if section == "Version":
                version = value.strip()
            elif section == "Package":
                package = value.strip()
        if version and package == source:
            versions[version] = files
    return versions


def parse_madison(text, package):
    """Returns the versions of a binary package that an archive offers."""
    versions = []
    for line in text.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 3 and columns[0] == package and columns[2].endswith("Packages"):
            if columns[1] not in versions:
                versions.append(columns[1])
    return versions


# --- choosing a version ------------------------------------------------------------------------------------------

def debian_less(a, b):
    return subprocess.run(["dpkg", "--compare-versions", a, "lt", b], check=False).returncode == 0


def newest_first(versions):
    return sorted(versions, reverse=True,
                  key=functools.cmp_to_key(lambda a, b: -1 if debian_less(a, b) else int(debian_less(b, a))))


def choose(pinned, sources, binaries, usable=lambda version: True):
    """Chooses the version to build: the pinned one, or else the newest fallback that has source and binary packages.

    `sources` are versions, and `binaries` maps each package to its versions. `usable` tests a version and may reject
    it. Returns (version, tried), where `tried` gives the reason for each rejected version. Without a usable version,
    `version` is None.
    """
    known = set(sources).union(*binaries.values())
    rest = [version for version in known if version.startswith(pinned.fallback) and version != pinned.version]
    tried = []
    for version in [pinned.version] + newest_first(rest):
        missing = [] if version in sources else [f"no source package {pinned.source}"]
        missing += [f"no {package}" for package, there in binaries.items() if version not in there]
        if not missing and usable(version):
            return version, tried
        tried.append((version, ", ".join(missing) or "could not be downloaded"))
    return None, tried


class Selection:
    """The packages of one build. `version` is Debian's, `upstream` is OpenJDK's."""

    def __init__(self, version, files, debs):
        self.version = version
        self.files = files
        self.debs = debs
        self.upstream, self.build = split_version(version)

    @property
    def dsc(self):
        return next(path for path in self.files if path.suffix == ".dsc")


def split_version(version):
    """Returns ('17.0.19', '10') for 17.0.19+10-1~deb12u2."""
    match = re.match(r"(?:\d+:)?([\d.]+)\+(\d+)", version)
    if not match:
        raise Failure(f"'{version}' is not a version of OpenJDK as Debian writes them")
    return match.group(1), match.group(2)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def deb_name(package, version):
    # apt-get download writes the colon of an epoch as %3a and keeps all other characters.
    return f"{package}_{version.replace(':', '%3a')}_{ARCHITECTURE}.deb"


def cached(names, checksums):
    """Returns the downloaded files, or None if one is missing. A file with a wrong checksum is removed."""
    found = []
    for name in names:
        path = paths.downloads() / name
        if not path.is_file():
            return None
        wanted = checksums.get(name)
        if wanted and sha256(path) != wanted:
            notice(f"{name} in the cache has a wrong checksum; fetching it again")
            path.unlink()
            return None
        found.append(path)
    return found


def select():
    """Finds or downloads all packages. The pinned version needs no network once it is in the cache."""
    if output(["dpkg", "--print-architecture"]).strip() != ARCHITECTURE:
        raise Failure("Terrace supports x86_64 (Debian's amd64) only")
    pinned = pin()
    sources = [name for name in pinned.sha256 if not name.endswith(".deb")]
    debs = [deb_name(package, pinned.version) for package in pinned.binary]
    # An unpacked source has already been verified.
    checksums = {} if unpacked_version() == pinned.version else pinned.sha256
    files, packages = cached(sources, checksums), cached(debs, checksums)
    if files and packages:
        return Selection(pinned.version, files, packages)

    apt = Apt(pinned)
    apt.update()
    available = apt.source_versions(pinned.source)
    binaries = {package: apt.binary_versions(package) for package in pinned.binary}
    found = {}
    failures = {}

    def usable(version):
        try:
            found["selection"] = fetch(apt, pinned, version, available[version])
            return True
        except Failure as failure:
            failures[version] = str(failure)
            return False

    version, tried = choose(pinned, available, binaries, usable)
    if version is None:
        lines = "\n".join(f"  {candidate}: {failures.get(candidate, why)}" for candidate, why in tried)
        raise Failure(f"no version of {pinned.source} to build from. The archive offers neither the pinned version nor "
                      f"a {pinned.fallback}* with both source and binaries. Tried:\n{lines}\n"
                      f"With sources: {', '.join(newest_first(available)) or 'none'}.\n"
                      "If a newer one exists, write its version and checksums into UPSTREAM "
                      "(docs/internals/rebasing.md).")
    if version != pinned.version:
        why = dict(tried)
        notice(f"the pinned {pinned.source} {pinned.version} is not available "
               f"({failures.get(pinned.version, why[pinned.version])}); building {version} instead")
    return found["selection"]


def fetch(apt, pinned, version, listed):
    # apt's own list names the files but may lack the checksum of the .dsc. Checksums of the pin take precedence.
    checksums = {**listed, **pinned.sha256}
    names = list(listed)
    debs = [deb_name(package, version) for package in pinned.binary]
    if not cached(names, checksums):
        with step(f"source package {version}") as current:
            apt.download(["source", "--download-only", "--only-source", f"{pinned.source}={version}"],
                         "downloading the source package")
            current.done()
    if not cached(debs, checksums):
        with step(f"binary packages {version}") as current:
            apt.download(["download", *(f"{package}={version}" for package in pinned.binary)],
                         "downloading the binary packages")
            current.done()
    files, packages = cached(names, checksums), cached(debs, checksums)
    if not files or not packages:
        raise Failure("the downloaded files do not have the expected checksums")
    return Selection(version, files, packages)


# --- unpacking ---------------------------------------------------------------------------------------------------

def unpacked_version():
    stamp = paths.UPSTREAM / "version"
    return stamp.read_text().strip() if stamp.exists() else None


def git(*arguments, env=None, check=True, stdin=None, text=True, cwd=None):
    environment = dict(os.environ, **(env or {}))
    return output(["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "core.fileMode=true", *arguments],
                  cwd=cwd or paths.SRC, env=environment, check=check, stdin=stdin, text=text)


def unpack(selection):
    """Creates build/upstream/src, a git repository of the source whose tag `upstream` is the unmodified state."""
    if unpacked_version() == selection.version:
        return
    if paths.SRC.exists():
        aside = paths.UPSTREAM / f"src-{unpacked_version() or 'incomplete'}"
        shutil.rmtree(aside, ignore_errors=True)
        if unpacked_version():
            paths.SRC.rename(aside)
            notice(f"the source was {unpacked_version()}; it is kept in {paths.relative(aside)}")
        else:
            shutil.rmtree(paths.SRC)
    with step("unpacking the source") as current:
        paths.UPSTREAM.mkdir(parents=True, exist_ok=True)
        (paths.UPSTREAM / "version").unlink(missing_ok=True)
        # dpkg-source copies the archives beside its target. If it is interrupted, it also leaves unpacked files there.
        work = paths.UPSTREAM / "unpacking"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        partial = work / "src"
        logged(["dpkg-source", "--no-check", "--skip-patches", "-x", selection.dsc, partial], "unpack.log")
        current.update("recording it in git")
        git("init", "-q", cwd=partial)
        # The baseline must not depend on ignore files or personal settings, and its hash must not depend on the clock.
        git("config", "core.excludesFile", "/dev/null", cwd=partial)
        git("config", "core.untrackedCache", "true", cwd=partial)
        git("config", "user.name", "Terrace", cwd=partial)
        git("config", "user.email", "terrace@terrace.invalid", cwd=partial)
        git("add", "-f", "-A", cwd=partial)
        stamp = "@0 +0000"
        identity = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER")
                    for field, value in (("NAME", "upstream"), ("EMAIL", "upstream@localhost"), ("DATE", stamp))}
        git("commit", "-q", "--no-verify", "--no-gpg-sign", "-m", f"{selection.dsc.name}", env=identity, cwd=partial)
        git("tag", "upstream", cwd=partial)
        partial.rename(paths.SRC)
        shutil.rmtree(work)
        (paths.UPSTREAM / "version").write_text(selection.version + "\n")
        current.done(selection.version)
