# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the help, the version, the completion, and the arguments for another program."""
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace import VERSION
from terrace.cli import completion, guide, heap, main, place
from terrace.common import java_tool, modules, paths

JAVA_TOOLS = {"heap": heap, "place": place}
SECONDS = 60


def parsers():
    """Returns {command: its parser} of all commands that are not Java programs."""
    found = {}

    def walk(parser, path):
        for name, inner in guide.commands(parser).items():
            if name not in JAVA_TOOLS:
                found[" ".join((*path, name))] = inner
                walk(inner, (*path, name))
    walk(main.parser_of([command.name for command in main.COMMANDS]), ())
    return found


def said(*words):
    """Returns (exit status, output, errors) of a command."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            status = main.main(list(words))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), errors.getvalue()


class HelpTest(unittest.TestCase):
    def test_every_command_says_what_it_does_what_it_prints_how_long_it_takes_and_an_example(self):
        known = parsers()
        self.assertEqual(known.keys(), guide.GUIDES.keys())
        for path, parser in known.items():
            with self.subTest(command=path):
                self.assertTrue(parser.description)
                self.assertRegex(parser.format_help(), r"(?s)\n  prints   .*\n  takes    .*\n  example  ")

    def test_examples_are_commands(self):
        for path, entry in guide.GUIDES.items():
            with self.subTest(example=entry.example):
                command = re.search(r"\./terrace ([^&#)]*)", entry.example)[1]
                words = main.separated(shlex.split(command))
                self.assertEqual(" ".join(words[:len(path.split())]) if path not in ("bench", "dev", "bench h2") else path, path)
                main.parser(words).parse_args(words)

    def test_help_of_java_programs_needs_no_build_and_no_java(self):
        with mock.patch.object(modules, "make", side_effect=AssertionError("built")), \
                mock.patch.object(java_tool, "java", side_effect=AssertionError("started a JVM")):
            for words, first in ((["place", "--help"], "Usage: place "), (["heap", "-h"], "Usage: heap "),
                                 (["heap", "fsck", "--help"], "Usage: heap fsck "), (["heap", "--help", "stat"], "Usage: heap stat "),
                                 (["place", "app.jar", "-h"], "Usage: place ")):
                with self.subTest(words=words):
                    status, out, _ = said(*words)
                    self.assertEqual((status, out[:len(first)]), (0, first))

    def test_the_list_of_commands_tells_where_to_read_on(self):
        self.assertIn("./terrace COMMAND --help", said("--help")[1])


class VersionTest(unittest.TestCase):
    def test_version_prints_terrace_and_the_jdk(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(paths, "BUILD", Path(folder)):
            status, out, _ = said("--version")
            self.assertEqual(status, 0)
            self.assertRegex(out, rf"\ATerrace {re.escape(VERSION)}(, commit [0-9a-f]{{12}})?\n.*: not built, run \./terrace build")
            Path(folder, "jdk").mkdir()
            Path(folder, "jdk/release").write_text('IMPLEMENTOR="x"\nJAVA_RUNTIME_VERSION="17.0.19+10-x"\n')
            self.assertIn("OpenJDK 17.0.19+10-x", said("--version")[1])


class RunTest(unittest.TestCase):
    def java(self, *words):
        """Returns (the JDK's name, its arguments) of the java that `./terrace run` starts."""
        with mock.patch("terrace.building.build.home", Path), mock.patch("os.execv") as started:
            self.assertEqual(main.main(["run", *words]), 0)
        program, arguments = started.call_args[0]
        return program.partition("/")[0], arguments[1:]

    def test_unknown_options_of_run_are_passed_to_java(self):
        for words, wanted in ((["-version"], ("release", ["-version"])),
                              (["-XX:AllocateH2At=/a", "-cp", "b", "C", "--debug"],
                               ("release", ["-XX:AllocateH2At=/a", "-cp", "b", "C", "--debug"])),
                              (["--debug", "-version"], ("fastdebug", ["-version"])),
                              (["--stock", "--", "--help"], ("stock", ["--help"])), (["--", "-version"], ("release", ["-version"])),
                              (["-jar", "a.jar", "--", "x"], ("release", ["-jar", "a.jar", "--", "x"]))):
            with self.subTest(words=words):
                self.assertEqual(self.java(*words), wanted)

    def test_run_has_its_own_help(self):
        self.assertIn("usage: ./terrace run", said("run", "--help")[1])


class FlagsTest(unittest.TestCase):
    def test_a_name_that_matches_no_flag_is_an_error(self):
        status, out, errors = said("flags", "nothing")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("no flag of Terrace has 'nothing' in its name", errors)

    def test_flag_names_match_in_either_case(self):
        status, out, _ = said("flags", "h2size")
        self.assertEqual(status, 0)
        self.assertIn("-XX:H2Size=", out)


class CompletionTest(unittest.TestCase):
    def check(self, complete):
        self.assertLessEqual({"build", "flags", "completion", "--version"}, complete([""]))
        self.assertEqual(complete(["dev", "upst"]), {"upstream-compare"})
        self.assertEqual(complete(["bench", "--"]), {"--help"})
        self.assertEqual(complete(["bench", "h2", "cache", "--q"]), {"--quick"})
        self.assertEqual(complete(["heap", "fsck", "--th"]), {"--threads"})
        self.assertEqual(complete(["place", "app.jar", "--o"]), {"--out"})
        self.assertEqual(complete(["nightly", "--only", "str"]), {"stress"})
        self.assertEqual(complete(["stress", "--minutes", "3", "--wa"]), {"--way"})

    def complete(self, shell, program, words):
        result = subprocess.run([shell, "-fc" if shell == "zsh" else "-c", program, shell, "./terrace", *words], text=True,
                                capture_output=True, timeout=SECONDS, env=dict(os.environ, LC_ALL="C"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return set(result.stdout.split())

    def test_bash(self):
        program = completion.script("bash") + '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _terrace; echo "${COMPREPLY[@]}"'
        self.check(lambda words: self.complete("bash", program, words))

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh(self):
        # Outside of the line editor there is no compadd, so this function replaces it.
        program = ('compdef() { }\n_files() { }\ncompadd() { shift; print -rl -- ${(M)@:#${words[CURRENT]}*} }\n'
                   + completion.script("zsh") + '\nwords=("$@"); CURRENT=$#; _terrace')
        self.check(lambda words: self.complete("zsh", program, words))

    def test_every_command_is_known(self):
        known = completion.table()
        self.assertLessEqual(parsers().keys(), known.keys())
        self.assertLessEqual({"heap", "heap fsck", "heap restore", "place"}, known.keys())


class StartTest(unittest.TestCase):
    def test_help_of_the_program_itself(self):
        """Starts the program like a user, with an empty PATH, because neither java nor Maven is needed."""
        result = subprocess.run([sys.executable, paths.ROOT / "terrace", "place", "--help"], text=True, capture_output=True,
                                timeout=SECONDS, env={"PATH": "/nonexistent", "HOME": "/nonexistent"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Usage: place", result.stdout)


if __name__ == "__main__":
    unittest.main()
