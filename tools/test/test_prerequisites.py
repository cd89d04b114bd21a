# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the installation of missing packages."""
import contextlib
import io
import unittest
from unittest import mock

from terrace.common import prerequisites
from terrace.common.term import Failure


class RequireTest(unittest.TestCase):
    def commands(self, *outcomes):
        """Returns the commands that run if a package is missing and the commands have these outcomes."""
        with (mock.patch.object(prerequisites, "missing", list), mock.patch.object(prerequisites.os, "geteuid", lambda: 0),
              mock.patch.object(prerequisites, "logged", side_effect=outcomes) as logged, contextlib.redirect_stdout(io.StringIO())):
            prerequisites.require(["some"], "a test")
        return [call.args[0] for call in logged.call_args_list]

    def test_old_lists_are_updated(self):
        self.assertEqual([command[3] for command in self.commands(Failure("404"), None, None)], ["install", "update", "install"])

    def test_a_download_that_fails_once_is_tried_again(self):
        for command in self.commands(Failure("404"), None, None):
            self.assertEqual(command[:3], ["apt-get", "-o", "Acquire::Retries=3"])

    def test_without_the_right_to_install_it_says_how(self):
        with (mock.patch.object(prerequisites, "missing", list), mock.patch.object(prerequisites.os, "geteuid", lambda: 1000),
              mock.patch.object(prerequisites, "passwordless", lambda: False)):
            with self.assertRaisesRegex(Failure, "sudo apt-get install -y --no-install-recommends some\n"):
                prerequisites.require(["some"], "a test")


if __name__ == "__main__":
    unittest.main()
