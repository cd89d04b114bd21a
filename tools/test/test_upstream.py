# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the choice of the upstream version, and the reading of apt's formats."""
import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.building import upstream
from terrace.common import paths

PIN = upstream.Pin("""
source   openjdk-17
binary   jre jdk
suite    bookworm
version  17.0.19+10-1~deb12u2   # a comment
fallback 17.0.
sha256   abc openjdk-17_17.0.19+10.orig.tar.xz
""")


def choose(sources, jre, jdk=None, usable=lambda version: True):
    return upstream.choose(PIN, sources, {"jre": jre, "jdk": jre if jdk is None else jdk}, usable)


class UnpackTest(unittest.TestCase):
    def package(self, folder):
        """Creates a source package of one file and two archives. Returns the path of its description."""
        tree = folder / "tiny-1.0"
        files = {"Tiny.java": "class Tiny {}\n", "debian/source/format": "3.0 (quilt)\n",
                 "debian/control": "Source: tiny\nMaintainer: nobody <n@example.org>\n\nPackage: tiny\nArchitecture: all\nDescription: tiny\n",
                 "debian/changelog": "tiny (1.0-1) unstable; urgency=low\n\n  * New.\n\n"
                                     " -- nobody <n@example.org>  Thu, 01 Jan 1970 00:00:00 +0000\n"}
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        subprocess.run(["tar", "--exclude=debian", "-C", folder, "-czf", folder / "tiny_1.0.orig.tar.gz", "tiny-1.0"], check=True)
        subprocess.run(["dpkg-source", "-b", tree], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return folder / "tiny_1.0-1.dsc"

    def test_remains_of_an_interrupted_unpacking_are_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "package").mkdir()
            selection = mock.Mock(version="1.0-1", dsc=self.package(root / "package"))
            there = root / "upstream"
            (there / "unpacking/tiny.orig.tar.gz.tmp-extract.x").mkdir(parents=True)
            with mock.patch.object(paths, "UPSTREAM", there), mock.patch.object(paths, "SRC", there / "src"), \
                    mock.patch.object(paths, "LOGS", root), contextlib.redirect_stdout(io.StringIO()):
                upstream.unpack(selection)
                self.assertEqual(upstream.git("show", "upstream:Tiny.java"), "class Tiny {}\n")
                self.assertEqual(upstream.git("status", "--porcelain"), "")
            self.assertEqual(sorted(file.name for file in there.iterdir()), ["src", "version"])


class PinTest(unittest.TestCase):
    def test_reads_the_pin(self):
        self.assertEqual(PIN.version, "17.0.19+10-1~deb12u2")
        self.assertEqual(PIN.binary, ["jre", "jdk"])
        self.assertEqual(PIN.sha256, {"openjdk-17_17.0.19+10.orig.tar.xz": "abc"})

    def test_the_repository_pins_every_file(self):
        pin = upstream.pin()
        kinds = [name.rsplit(".", 1)[-1] for name in pin.sha256]
        self.assertEqual(kinds.count("dsc"), 1)
        self.assertEqual(kinds.count("deb"), len(pin.binary))
        for package in pin.binary:
            self.assertIn(upstream.deb_name(package, pin.version), pin.sha256)

    def test_splits_a_version(self):
        self.assertEqual(upstream.split_version("17.0.19+10-1~deb12u2"), ("17.0.19", "10"))
        self.assertEqual(upstream.split_version("17.0.20.1+1-2"), ("17.0.20.1", "1"))


class ChooseTest(unittest.TestCase):
    def test_the_pin_wins_over_newer_versions(self):
        versions = ["17.0.19+10-1~deb12u2", "17.0.21+9-1~deb12u1"]
        self.assertEqual(choose(versions, versions), ("17.0.19+10-1~deb12u2", []))

    def test_without_the_pin_the_newest_with_source_and_binaries(self):
        version, tried = choose(["17.0.20+8-1", "17.0.21+9-1", "17.0.9+1-1"],
                                ["17.0.20+8-1", "17.0.22+1-1", "17.0.9+1-1"])
        self.assertEqual(version, "17.0.20+8-1")
        self.assertEqual(dict(tried)["17.0.22+1-1"], "no source package openjdk-17")
        self.assertEqual(dict(tried)["17.0.21+9-1"], "no jre, no jdk")

    def test_versions_compare_as_debian_does(self):
        self.assertEqual(upstream.newest_first(["17.0.9+1-1", "17.0.21+9-1~deb12u1", "17.0.21+9-1"]),
                         ["17.0.21+9-1", "17.0.21+9-1~deb12u1", "17.0.9+1-1"])

    def test_a_version_that_cannot_be_downloaded_is_passed_over(self):
        versions = ["17.0.19+10-1~deb12u2", "17.0.18+8-1"]
        version, tried = choose(versions, versions, usable=lambda version: version != versions[0])
        self.assertEqual((version, tried), ("17.0.18+8-1", [(versions[0], "could not be downloaded")]))

    def test_other_feature_releases_are_no_fallback(self):
        version, tried = choose(["21.0.1+1-1"], ["21.0.1+1-1"])
        self.assertIsNone(version)
        self.assertEqual(tried, [("17.0.19+10-1~deb12u2", "no source package openjdk-17, no jre, no jdk")])

    def test_both_binary_packages_are_needed(self):
        version, tried = choose(["17.0.19+10-1~deb12u2"], ["17.0.19+10-1~deb12u2"], [])
        self.assertIsNone(version)
        self.assertEqual(tried[0][1], "no jdk")


class AptTest(unittest.TestCase):
    def test_sources_of_one_line(self):
        entries = upstream.parse_list("# deb http://gone/ bookworm main\n"
                                      "deb [arch=amd64 signed-by=/k.gpg] http://m/debian bookworm main contrib # x\n")
        self.assertEqual(entries, [{"types": ["deb"], "uris": ["http://m/debian"], "suites": ["bookworm"],
                                    "components": ["main", "contrib"], "options": {"Signed-By": "/k.gpg"}}])

    def test_sources_of_deb822_and_disabled_ones(self):
        entries = upstream.parse_deb822(
            "Types: deb\n# a comment\nURIs: http://m/debian\nSuites: bookworm bookworm-updates\nComponents: main\n"
            "Signed-By: /k.gpg\n\nEnabled: no\nTypes: deb\nURIs: http://off/\nSuites: bookworm\nComponents: main\n")
        self.assertEqual(len(entries), 1)
        self.assertEqual(entries[0]["suites"], ["bookworm", "bookworm-updates"])

    def test_a_key_inside_the_sources_stays(self):
        entries = upstream.parse_deb822("URIs: http://m/\nSuites: bookworm\nComponents: main\nSigned-By:\n"
                                        " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n")
        text = upstream.private_sources(entries, "bookworm", "bookworm")
        self.assertIn("Signed-By: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n", text)

    def test_private_sources_take_the_distribution_only_and_add_sources(self):
        entries = upstream.parse_list("deb http://m/debian trixie main\ndeb http://m/debian trixie-updates main\n"
                                      "deb http://other/ stable-tool main\ndeb http://m/debian trixie contrib\n")
        text = upstream.private_sources(entries, "trixie", "bookworm")
        self.assertEqual(text.count("Types: deb deb-src"), 2)
        self.assertIn("Suites: bookworm-updates", text)
        self.assertNotIn("other", text)

    def test_source_versions_with_their_files(self):
        text = ("Package: openjdk-17\nVersion: 17.0.1+1-1\nFiles:\n md5 3 a.dsc\nChecksums-Sha256:\n s1 3 a.dsc\n"
                " s2 4 a.orig.tar.xz\nHomepage: x\n\nPackage: other\nVersion: 1\n")
        self.assertEqual(upstream.parse_showsrc(text, "openjdk-17"),
                         {"17.0.1+1-1": {"a.dsc": "s1", "a.orig.tar.xz": "s2"}})

    def test_binary_versions_of_an_archive_not_of_sources(self):
        text = (" jre | 17.0.21+9-1 | http://m/s bookworm-security/main amd64 Packages\n"
                " jre | 17.0.19+10-1 | http://m/d bookworm/main amd64 Packages\n"
                "openjdk-17 | 17.0.19+10-1 | http://m/d bookworm/main Sources\n")
        self.assertEqual(upstream.parse_madison(text, "jre"), ["17.0.21+9-1", "17.0.19+10-1"])
