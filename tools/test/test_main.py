# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the messages for errors of the file system, and for places where the build cannot work."""
import argparse
import contextlib
import errno
import io
import shutil
import unittest
from pathlib import Path
from unittest import mock

from terrace.building import build, upstream
from terrace.cli import main
from terrace.common.term import Failure


def end_of(run):
    """Returns the exit status of ./terrace with a command that calls `run`, and its stderr."""
    parser = argparse.ArgumentParser()
    parser.set_defaults(run=run)
    with mock.patch.object(main, "parser", lambda words: parser), contextlib.redirect_stderr(io.StringIO()) as errors:
        return main.main([]), errors.getvalue()


def refused(number, name):
    def run(arguments):
        raise OSError(number, "it says why", name)
    return run


class FileSystemTest(unittest.TestCase):
    def test_a_full_device_has_a_remedy(self):
        def run(arguments):
            with open("/dev/full", "w") as full:
                full.write("text")
        self.assertEqual(end_of(run), (1, "\nterrace: No space left on device: free some space on that file system\n"))

    def test_what_refuses_is_named(self):
        for number in (errno.EROFS, errno.EACCES, errno.EDQUOT):
            with self.subTest(errno.errorcode[number]):
                status, text = end_of(refused(number, "/clone/build/build.lock"))
                self.assertEqual(status, 1)
                self.assertRegex(text, r"^\nterrace: /clone/build/build\.lock: it says why: [a-z].*\n$")

    def test_a_defect_of_the_program_keeps_its_stack_trace(self):
        with self.assertRaises(FileNotFoundError):
            end_of(refused(errno.ENOENT, "file"))


class PlaceTest(unittest.TestCase):
    def free(self, size, unpacked=None):
        usage = mock.patch.object(shutil, "disk_usage", return_value=argparse.Namespace(free=size))
        version = mock.patch.object(upstream, "unpacked_version", return_value=unpacked)
        for patch in (usage, version):
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_path_with_a_space_is_refused_at_once(self):
        self.free(build.NEEDED_BYTES)
        with self.assertRaisesRegex(Failure, "'/home/my clones/terrace'.*a path without one"):
            build.check_place(Path("/home/my clones/terrace"))
        build.check_place(Path("/home/clones/terrace"))

    def test_the_first_build_needs_space(self):
        self.free(build.NEEDED_BYTES - 1)
        with self.assertRaisesRegex(Failure, "3.0 GB free, and the first build needs 3 GB"):
            build.check_place(Path("/clone"))

    def test_a_later_build_does_not(self):
        self.free(0, unpacked="17.0.19")
        build.check_place(Path("/clone"))


if __name__ == "__main__":
    unittest.main()
