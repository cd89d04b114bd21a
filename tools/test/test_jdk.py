# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the format of the truststore, and that copies have no dangling links."""
import base64
import hashlib
import struct
import tempfile
import unittest
from pathlib import Path

from terrace import VERSION
from terrace.building import jdk
from terrace.common.term import Failure


class TruststoreTest(unittest.TestCase):
    def test_certificates_are_taken_once(self):
        block = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(b'der').decode()}\n-----END CERTIFICATE-----\n"
        self.assertEqual(jdk.certificates("# a comment\n" + block + block), [b"der"])

    def test_the_digest_is_the_formats(self):
        data = jdk.truststore([b"der"])
        self.assertEqual(struct.unpack(">III", data[:12]), (0xFEEDFEED, 2, 1))
        wanted = hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + data[:-20]).digest()
        self.assertEqual(data[-20:], wanted)


class CopyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        home = self.root / "package/usr/lib/jvm/java"
        (home / "lib").mkdir(parents=True)
        (self.root / "package/etc/java").mkdir(parents=True)
        (self.root / "package/etc/java/a.cfg").write_text("a")
        (home / "conf").symlink_to("/etc/java")
        (home / "lib/b.cfg").symlink_to("/etc/java/a.cfg")
        (home / "lib/c.cfg").symlink_to("b.cfg")
        (home / "lib/gone").symlink_to("/etc/nowhere-at-all")
        jdk.copy_resolved(home, self.root / "copy", self.root / "package")

    def test_links_become_files(self):
        for name in ("conf/a.cfg", "lib/b.cfg", "lib/c.cfg"):
            self.assertEqual((self.root / "copy" / name).read_text(), "a")
        self.assertFalse((self.root / "copy/conf").is_symlink())

    def test_nothing_dangles(self):
        self.assertEqual(jdk.dangling(self.root / "copy"), [])
        (self.root / "copy/bad").symlink_to("/etc/passwd")
        self.assertEqual(len(jdk.dangling(self.root / "copy")), 1)


class ReleaseTest(unittest.TestCase):
    def test_the_release_names_terrace_and_keeps_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "release")
            file.write_text('IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.19"\n')
            jdk.name_implementor(file)
            self.assertEqual(file.read_text(),
                             f'IMPLEMENTOR="Terrace"\nIMPLEMENTOR_VERSION="Terrace-{VERSION}"\nJAVA_VERSION="17.0.19"\n')
            file.write_text('JAVA_VERSION="17.0.19"\n')
            with self.assertRaises(Failure):
                jdk.name_implementor(file)


class AdditionsTest(unittest.TestCase):
    def test_a_home_is_made_anew_after_a_change(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "bin/tool")
            file.parent.mkdir()
            file.write_text("old")
            before = jdk.fingerprint(Path(folder))
            self.assertEqual(jdk.fingerprint(Path(folder)), before)
            file.write_text("new")
            self.assertNotEqual(jdk.fingerprint(Path(folder)), before)
        self.assertEqual(jdk.fingerprint(None), "")
