# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the contents of the packages of `terrace dist`, their stated requirements, and its errors."""
import contextlib
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from terrace import VERSION
from terrace.cli import main as cli
from terrace.common import paths
from terrace.common.term import Failure
from terrace.dist import additions, deb, dist, elf, tools

READELF = """
  0x0000000000000001 (NEEDED)             Shared library: [libz.so.1]
  0x0000000000000001 (NEEDED)             Shared library: [libjvm.so]
  000000: Rev: 1  Flags: none  Index: 0  Cnt: 1  Name: java
  0x0010:   Name: GLIBC_2.9  Flags: none  Version: 6
  0x0020:   Name: GLIBC_2.34  Flags: none  Version: 5
  0x0030:   Name: GLIBC_PRIVATE  Flags: none  Version: 4
  Properties: x86 ISA needed: x86-64-baseline
"""

# A substitute for a JVM, which prints the content of the home's file `says`.
JAVA = """#!/bin/sh
case "$*" in
    *-Xinternalversion*) echo "OpenJDK 64-Bit Server VM ($(cat "${0%/*}/../says")) for linux-amd64 JRE (17.0.19+10-Terrace-0.1)" ;;
    *) echo "mixed mode, sharing" ;;
esac
"""
TREE = 1_000_000_000


def release(**changes):
    facts = dict(java="17.0.19+10", terrace="0.1", version="17.0.19+10-0.1", package="17.0.19+10-1~deb12u2",
                 commit="0123456789abcdef" * 2, dirty=False, epoch=TREE)
    return types.SimpleNamespace(**{**facts, **changes})


def needs(*texts):
    found = elf.Needs()
    for number, text in enumerate(texts):
        found.add(f"bin/{number}", text)
    return found


def belong_to_somebody(folder):
    """Changes the owner, so that it is not root. Nothing is needed if the user is not root."""
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, 1234, 1234)


class ElfTest(unittest.TestCase):
    def test_the_highest_version_counts_as_a_number(self):
        self.assertEqual(needs(READELF).glibc, (2, 34))
        self.assertEqual(needs(READELF, "Name: GLIBC_2.4  Flags").glibc, (2, 34))
        self.assertEqual(needs(READELF, "Name: GLIBC_2.100  Flags").glibc, (2, 100))

    def test_a_version_with_a_name(self):
        self.assertEqual(needs(READELF, "Name: GLIBC_ABI_DT_RELR  Flags: none").glibc, (2, 36))

    def test_the_highest_cpu_counts(self):
        self.assertEqual(needs(READELF).cpu, "x86-64-baseline")
        self.assertEqual(needs("x86 ISA needed: x86-64-baseline, x86-64-v3", READELF).cpu, "x86-64-v3")

    def test_libraries_name_their_users(self):
        self.assertEqual(needs(READELF, READELF).libraries["libz.so.1"], ["bin/0", "bin/1"])

    @unittest.skipUnless(shutil.which("readelf"), "needs readelf")
    def test_real_files(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.realpath("/bin/true"), f"{folder}/true")
            shutil.copy(__file__, folder)
            Path(folder, "link").symlink_to("true")
            self.assertEqual([path.name for path in elf.files(folder)], ["true"])
            found = elf.needs(folder)
            self.assertGreaterEqual(found.glibc, (2, 2))
            self.assertIn("libc.so.6", found.libraries)


class TextTest(unittest.TestCase):
    def test_requirements(self):
        text = additions.requirements(needs(READELF + "(NEEDED) Shared library: [libc.so.6]", READELF))
        self.assertRegex(text, r"glibc +2\.34 or newer")
        self.assertRegex(text, "CPU +any x86-64")
        self.assertRegex(text, r"libz\.so\.1 +bin/0 and 1 more")
        self.assertNotIn("libc.so.6", text)

    def test_the_source_is_named(self):
        pinned = additions.upstream.pin()
        text = additions.source_note(release(package=pinned.version))
        self.assertIn(f"{pinned.source}={pinned.version}", text)
        self.assertIn("0123456789abcdef" * 2, text)
        for name, digest in pinned.sha256.items():
            (self.assertNotIn if name.endswith(".deb") else self.assertIn)(digest, text)
        self.assertNotIn("not committed", text)
        self.assertIn("not committed", additions.source_note(release(dirty=True)))

    def test_no_checksums_of_another_version(self):
        text = additions.source_note(release(package="17.0.99+1-1"))
        self.assertIn("openjdk-17=17.0.99+1-1", text)
        self.assertFalse([digest for digest in additions.upstream.pin().sha256.values() if digest in text])

    def test_dependencies_have_the_c_library_that_the_symbols_need(self):
        text = "shlibs:Depends=libasound2 (>= 1.0.16), libc6 (>= 2.9), zlib1g (>= 1:1.2.2)\n"
        self.assertEqual(deb.merge(text, "2.35"), "libasound2 (>= 1.0.16), libc6 (>= 2.35), zlib1g (>= 1:1.2.2)")
        self.assertIn("libc6 (>= 2.100)", deb.merge(text.replace("2.9", "2.100"), "2.35"))
        self.assertEqual(deb.merge("shlibs:Depends=\n", "2.35"), "libc6 (>= 2.35)")


class SourceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        patch = mock.patch.object(paths, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_commit_and_its_files(self):
        with self.assertRaisesRegex(Failure, "in a git checkout"):
            additions.head()
        (self.root / "kept").write_text("kept")
        (self.root / "changed").write_text("as committed")
        git = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@a.invalid"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
            subprocess.run([*git, *command], check=True, env=dict(os.environ, GIT_COMMITTER_DATE=f"{TREE} +0000"))
        (self.root / "changed").write_text("as it is now")
        commit, when = additions.head()
        self.assertEqual(when, TREE)
        packed = additions.source(release(commit=commit))
        self.assertEqual(int.from_bytes(packed[4:8], "little"), TREE)  # the time in gzip's header
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            self.assertEqual(archive.extractfile(f"terrace-{commit[:12]}/changed").read(), b"as committed")


class PackingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.home = self.root / "jdk"
        self.out = self.root / "out"
        for name in ("bin", "conf", "docs", "lib/security", "lib/server"):
            (self.home / name).mkdir(parents=True)
        (self.home / "bin/java").write_text(JAVA)
        (self.home / "bin/java").chmod(0o700)
        self.says(f"17.0.19+10-Terrace-{VERSION}")
        (self.home / "lib/modules").write_text("modules")
        (self.home / "lib/security/cacerts").write_text("certificates")
        (self.home / "conf/net.properties").write_text("a=b")
        (self.home / "lib/server/classes.jsa").write_text("classes")
        (self.home / "lib/server/classes.jsa").chmod(0o400)
        shutil.copy(os.path.realpath("/bin/true"), self.home / "lib/libtrue.so")
        with gzip.open(self.home / "docs/changelog.Debian.gz", "wt") as log:
            log.write("openjdk-17 (17.0.19+10-1~deb12u2) bookworm-security; urgency=medium\n")
        jar = self.root / "terrace-api-0.1.0.jar"
        jar.write_text("a jar")
        for target, value in ((additions, {"jars": lambda home: [jar]}), (dist, {"STAMP": self.root / "dist.json"}),
                              (paths, {"BUILD": self.root / "build", "LOGS": self.root / "logs"}),
                              (tools, {"files": lambda home: {"terrace/bin/terrace": b"#!/bin/sh\n"}}),
                              (additions, {"source": lambda facts: b"source"}),
                              (additions, {"head": lambda: ("c" * 40, TREE)}),
                              (additions, {"git": lambda *arguments: ""})):
            patch = mock.patch.multiple(target, **value)
            patch.start()
            self.addCleanup(patch.stop)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("SOURCE_DATE_EPOCH", None)

    def says(self, version):
        (self.home / "says").write_text(version)

    def dist(self, *options):
        parser = cli.parser(["dist"])
        arguments = parser.parse_args(["dist", "--home", str(self.home), "--out", str(self.out), *options])
        with contextlib.redirect_stdout(io.StringIO()) as out:
            arguments.run(arguments)
        return out.getvalue()

    def fails(self, message, *options):
        with self.assertRaisesRegex(Failure, message):
            self.dist(*options)

    def made(self, pattern):
        found = list(self.out.glob(pattern))
        self.assertEqual(len(found), 1, sorted(self.out.iterdir()))
        return found[0]


class CommandsTest(unittest.TestCase):
    """Tests the packed commands without the checkout, Maven, or the Python of this test."""

    def test_they_run_from_another_folder(self):
        with tempfile.TemporaryDirectory(prefix="a jdk ") as folder:
            home, jdk = Path(folder, "unpacked"), Path(folder, "jdk")
            for name in tools.STARTS:
                (jdk / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(os.path.realpath("/bin/true"), jdk / name)
            for name, content in tools.files(jdk).items():
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                (home / name).write_bytes(content)
                (home / name).chmod(0o755 if "/bin/" in name else 0o644)
            (home / "terrace/SOURCE").write_text(additions.source_note(release()))
            (home / "release").write_text('JAVA_RUNTIME_VERSION="17.0.19+10-x"\n')
            Path(folder, "link").symlink_to("unpacked/terrace/bin/terrace")

            def said(*words, status=0):
                # PATH has only /bin for readlink, which resolves the link. The interpreter must be that of the package.
                result = subprocess.run(words, env={"HOME": "/nonexistent", "PATH": "/nonexistent:/bin", "PYTHONPATH": "/nonexistent"},
                                        cwd=folder, text=True, capture_output=True, timeout=60)
                self.assertEqual(result.returncode, status, result.stderr)
                return result.stdout + result.stderr
            program = home / "terrace/bin/terrace"
            text = said(program, "--version")
            self.assertIn(f"Terrace {VERSION}, commit 0123456789ab", text)
            self.assertIn(f"JDK in {home}: OpenJDK 17.0.19+10-x", text)
            listed = said(Path(folder, "link"), "--help")
            self.assertIn("doctor", listed)
            self.assertNotIn("nightly", listed)
            self.assertIn("Usage: heap fsck", said(program, "heap", "fsck", "--help"))
            self.assertIn("-XX:H2Size=", said(program, "flags", "H2Size"))
            self.assertIn("there is no process", said(program, "doctor", "4194305", status=1))
            self.assertIn("has no terrace-place-*.jar", said(program, "place", "app.jar", status=1))


@unittest.skipUnless(shutil.which("readelf"), "needs readelf")
class TarTest(PackingTest):
    def test_contents_of_the_package(self):
        text = self.dist("--tar")
        path = self.made("*.tar.gz")
        self.assertEqual(path.name, f"terrace-jdk-17.0.19+10-{VERSION}-linux-x64.tar.gz")
        with tarfile.open(path) as archive:
            top = f"terrace-jdk-17.0.19+10-{VERSION}"
            members = {member.name[len(top) + 1:]: member for member in archive if member.name.startswith(top)}
            needed = archive.extractfile(f"{top}/terrace/REQUIREMENTS").read().decode()
        self.assertLessEqual({"bin/java", "lib/security/cacerts", "terrace/LICENSE", "terrace/SOURCE",
                              "terrace/bin/terrace", "terrace/terrace-api-0.1.0.jar", f"terrace/terrace-source-{'c' * 12}.tar.gz"}, members.keys())
        self.assertEqual({member.mode for member in members.values()}, {0o755, 0o644})
        self.assertEqual((members["bin/java"].mode, members["terrace/bin/terrace"].mode), (0o755, 0o755))
        self.assertEqual({member.mtime for member in members.values()}, {TREE})
        least = additions.glibc(elf.needs(self.home))
        self.assertIn(f"glibc {least} or newer", text)
        self.assertRegex(needed, f"glibc +{least} or newer")
        self.assertEqual(sorted(file.suffix for file in self.out.iterdir()), [".gz", ".sha256"])

    def test_the_owner_is_root(self):
        belong_to_somebody(self.home)
        with contextlib.redirect_stdout(io.StringIO()):
            dist.write_tar(self.home, self.root / "a.tar.gz", TREE)
        with tarfile.open(self.root / "a.tar.gz") as archive:
            self.assertEqual({(member.uid, member.gid, member.uname, member.gname) for member in archive},
                             {(0, 0, "root", "root")})

    def test_the_checksum_is_the_archives(self):
        self.dist("--tar")
        path = self.made("*.tar.gz")
        self.assertEqual(self.made("*.sha256").read_text(),
                         f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")

    def test_again_nothing_is_done(self):
        self.dist("--tar")
        before = self.made("*.tar.gz").stat()
        self.assertIn("up to date", self.dist("--tar"))
        self.assertEqual(self.made("*.tar.gz").stat().st_ino, before.st_ino)

    def test_changed_inputs_or_a_damaged_archive_are_packed_anew(self):
        self.dist("--tar")
        wanted = self.made("*.tar.gz").read_bytes()
        self.made("*.tar.gz").write_bytes(wanted[:-1])
        self.assertNotIn("up to date", self.dist("--tar"))
        self.assertEqual(self.made("*.tar.gz").read_bytes(), wanted)
        (self.home / "conf/net.properties").write_text("c=d")
        self.assertNotIn("up to date", self.dist("--tar"))
        self.assertNotEqual(self.made("*.tar.gz").read_bytes(), wanted)

    def test_same_bytes_elsewhere_and_later(self):
        self.dist("--tar")
        before = self.made("*.tar.gz").read_bytes()
        shutil.copytree(self.home, self.root / "another")
        for path in (self.root / "another").rglob("*"):
            os.utime(path, (TREE + 1000, TREE + 1000))
        self.home, self.out = self.root / "another", self.root / "elsewhere"
        self.dist("--tar")
        self.assertEqual(self.made("*.tar.gz").read_bytes(), before)

    def test_source_date_epoch(self):
        os.environ["SOURCE_DATE_EPOCH"] = str(TREE + 7)
        self.dist("--tar")
        with tarfile.open(self.made("*.tar.gz")) as archive:
            self.assertEqual(archive.next().mtime, TREE + 7)
        os.environ["SOURCE_DATE_EPOCH"] = "yesterday"
        self.fails("SOURCE_DATE_EPOCH: 'yesterday'", "--tar")

    def test_an_unpacked_archive_can_be_packed(self):
        (self.home / "terrace").mkdir()
        (self.home / "terrace/terrace-source-old.tar.gz").write_text("")
        self.dist("--tar")
        with tarfile.open(self.made("*.tar.gz")) as archive:
            self.assertFalse([name for name in archive.getnames() if "old" in name])

    def test_a_dangling_link_is_refused(self):
        (self.home / "lib/security/cacerts").unlink()
        (self.home / "lib/security/cacerts").symlink_to("/etc/ssl/certs/java/cacerts")
        self.fails("dangling links: lib/security/cacerts", "--tar")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_useless_archives_of_class_data_are_refused(self):
        (self.home / "bin/java").write_text(JAVA.replace("sharing", "no archive"))
        self.fails("class data archive", "--tar")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_only_a_release_build_of_this_version(self):
        for version, message in (("fastdebug 17.0.19+10-Terrace-0.1", "not a release build"),
                                 ("17.0.19+10-1-deb12u2-Debian", "not a release build"),
                                 ("17.0.19+10-Terrace-99", "is Terrace 99")):
            self.says(version)
            self.fails(f"--home: .*{message}", "--tar")
        shutil.rmtree(self.home / "bin")
        self.fails("--home: .*no bin/java", "--tar")

    def test_folders_that_cannot_be_written(self):
        self.out.write_text("a file")
        self.fails("--out: cannot write", "--tar")

    def test_full_disks(self):
        with mock.patch("shutil.disk_usage", lambda folder: types.SimpleNamespace(free=5)):
            self.fails("--out: .* free some space", "--tar")
        full = OSError(28, "No space left on device")
        with mock.patch("terrace.dist.dist.write_tar", side_effect=full):
            self.fails("--out: .*No space left.*free some space", "--tar")
        with mock.patch("shutil.copytree", side_effect=shutil.Error([("a", "b", str(full))])):
            self.fails("--out: .*No space left.*free some space", "--tar")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_missing_tools_are_named(self):
        with mock.patch("shutil.which", lambda tool: None if tool == "dpkg-deb" else tool):
            self.fails("--deb needs dpkg-deb: install the packages dpkg, .*--tar")
            self.dist("--tar")
        with mock.patch("shutil.which", lambda tool: None):
            self.fails("--tar needs readelf: install the packages binutils", "--tar")


@unittest.skipUnless(all(map(shutil.which, dist.TOOLS["deb"])), "needs dpkg-dev and binutils")
class DebTest(PackingTest):
    def field(self, name):
        return subprocess.run(["dpkg-deb", "-f", self.made("*.deb"), name], check=True, capture_output=True,
                              text=True).stdout.strip()

    def test_contents_of_the_package(self):
        self.dist("--deb")
        path = self.made("*.deb")
        self.assertEqual(path.name, f"terrace-17-jdk_17.0.19+10-{VERSION}_amd64.deb")
        self.assertEqual(self.field("Package"), "terrace-17-jdk")
        self.assertIn(f"libc6 (>= {additions.glibc(elf.needs(self.home))})", self.field("Depends"))
        listing = subprocess.run(["dpkg-deb", "-c", path], check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertLessEqual({"./usr/lib/jvm/terrace-17/bin/java", "./usr/lib/jvm/terrace-17/terrace/SOURCE",
                              "./usr/share/doc/terrace-17-jdk/copyright"}, {line.split()[5] for line in listing})
        subprocess.run(["dpkg-deb", "-R", path, self.root / "raw"], check=True)
        control = self.root / "raw/DEBIAN"
        self.assertEqual((control / "conffiles").read_text(), "/usr/lib/jvm/terrace-17/conf/net.properties\n"
                                                              "/usr/lib/jvm/terrace-17/lib/security/cacerts\n")
        subprocess.run(["md5sum", "--quiet", "-c", "DEBIAN/md5sums"], cwd=self.root / "raw", check=True)
        self.assertEqual({int(path.stat().st_mtime) for path in (self.root / "raw/usr").rglob("*")}, {TREE})

    def test_the_owner_is_root(self):
        control = self.root / "package/DEBIAN/control"
        control.parent.mkdir(parents=True)
        control.write_text("Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: a\n")
        (self.root / "package/file").write_text("")
        belong_to_somebody(self.root / "package")
        with contextlib.redirect_stdout(io.StringIO()):
            deb.write(self.root / "package", self.root / "a.deb", release())
        listing = subprocess.run(["dpkg-deb", "-c", self.root / "a.deb"], check=True, capture_output=True, text=True).stdout
        self.assertEqual({line.split()[1] for line in listing.splitlines()}, {"root/root"})

    def test_the_scripts(self):
        self.dist("--deb")
        subprocess.run(["dpkg-deb", "-e", self.made("*.deb"), self.root / "control"], check=True)
        stub = self.root / "stub"
        stub.mkdir()
        (stub / "update-alternatives").write_text(f'#!/bin/sh\necho "$*" >> {self.root}/calls\n')
        (stub / "update-alternatives").chmod(0o755)
        java = "java /usr/lib/jvm/terrace-17/bin/java"
        for script, argument, wanted in (("postinst", "configure", f"--quiet --install /usr/bin/java {java} 17\n"),
                                         ("prerm", "upgrade", ""), ("prerm", "remove", f"--quiet --remove {java}\n")):
            (self.root / "calls").write_text("")
            subprocess.run([self.root / "control" / script, argument], check=True,
                           env={"PATH": f"{stub}:{os.environ['PATH']}"})
            self.assertEqual((self.root / "calls").read_text(), wanted, f"{script} {argument}")

    def test_same_bytes_elsewhere_and_later(self):
        self.dist("--deb")
        before = self.made("*.deb").read_bytes()
        self.assertEqual(before[24:36].decode().strip(), str(TREE))  # the time of the first part
        os.utime(self.home / "conf/net.properties", (TREE + 1000, TREE + 1000))
        self.out = self.root / "elsewhere"
        self.dist("--deb")
        self.assertEqual(self.made("*.deb").read_bytes(), before)

    def test_both_is_the_default(self):
        self.dist()
        self.made("*.tar.gz")
        self.made("*.deb")
        self.assertEqual(len(list(self.out.iterdir())), 4)

    def test_a_library_that_is_not_installed(self):
        if not shutil.which("gcc"):
            self.skipTest("needs gcc")
        (self.root / "a.c").write_text("int far(void) { return 1; }")
        (self.root / "b.c").write_text("int far(void); int near(void) { return far(); }")
        for command in (["a.c", "-o", "libfar.so.9", "-Wl,-soname,libfar.so.9"],
                        ["b.c", "-o", str(self.home / "lib/libnear.so"), "-L.", "-l:libfar.so.9"]):
            subprocess.run(["gcc", "-shared", "-fPIC", *command], cwd=self.root, check=True)
        self.fails(r"(?s)--deb: .*libfar\.so\.9.*--tar", "--deb")
