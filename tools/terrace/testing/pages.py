# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs the commands of README.md and docs/start/ literally and in order, in a fresh clone.

It is the part `pages` of `./terrace nightly`. Each page has one shell, which starts in the root of the clone and ends
at the first command that fails. The words after a fence tell the type of a block:

    ```sh                 commands, which must end with status 0
    ```sh status=137      commands, the last of which must end with this status
    ```sh root            commands that only root can run; skipped for other users
    ```sh skip            commands that the test does not run, such as those that write outside of the clone
    ```output             lines that the block before it prints, in this order; … stands for any text
    ```java some/File     a listing, which must equal this file of the repository; works for any language
"""
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from ..common import paths
from ..common.term import Failure, Step, logged, notice, output, tail
from .results import Cases

FOLDER = paths.BUILD / "test/pages"
# The commands of README compile the VM, which took 17 minutes on two busy cores.
PAGE_LIMIT = 2 * 3600
# Contents of a build folder that make the compilation of the VM unnecessary.
BUILT = ("upstream", "release", "jdk", "jdk.stamp", "jdk-base", "jdk-base.stamp", "stock", "stock.stamp")
# This program runs in the clone. It marks the copied VM as built from the clone's sources, whose paths and modification times differ.
ADOPT = """
from terrace.building import jdk, upstream, vm
selection, variant = upstream.select(), vm.VARIANTS["release"]
arguments = vm.configure_arguments(variant, selection, jdk.boot(selection))
(variant.home / "terrace.stamp").write_text(vm.inputs(variant, arguments))
"""
OPENING = re.compile(r"^```(\S+)?(?: +(.*))?$")


@dataclass
class Block:
    """A fenced block of a page. `line` is the number of its first line, and `expected` are lines that its commands print."""
    line: int
    language: str
    words: list
    text: str
    expected: list = field(default_factory=list)

    @property
    def is_command(self):
        return self.language == "sh"

    @property
    def status(self):
        found = [word.partition("=")[2] for word in self.words if word.startswith("status=")]
        return int(found[0]) if found else None

    def skipped(self, root):
        """Returns why the block is not run, or None if it is run."""
        if "skip" in self.words:
            return "marked so"
        return "needs root" if "root" in self.words and not root else None

    @property
    def name(self):
        first = self.text.splitlines()[0]
        return first if len(first) <= 70 else f"{first[:69]}…"


def pages():
    return [paths.ROOT / "README.md", *sorted((paths.ROOT / "docs/start").glob("*.md"))]


def blocks(text):
    """Returns the blocks of a page in order. An output belongs to the commands before it."""
    found, opened = [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = OPENING.match(line)
        if opened is None and match:
            opened = Block(number + 1, match[1] or "", (match[2] or "").split(), "")
        elif opened is not None and line == "```":
            if opened.language == "output":
                commands = [block for block in found if block.is_command]
                if not commands:
                    raise Failure(f"line {opened.line}: an output without commands before it")
                commands[-1].expected += [line for line in opened.text.splitlines() if line.strip()]
            else:
                found.append(opened)
            opened = None
        elif opened is not None:
            opened.text += line + "\n"
    if opened is not None:
        raise Failure(f"line {opened.line}: the fence is not closed")
    return found


def script(page_blocks, root):
    """Returns the script for the shell of a page. It prints marks, which assign output to blocks."""
    lines = ["set -e", "exec 2>&1"]
    for number, block in enumerate(page_blocks):
        if not block.is_command or block.skipped(root):
            continue
        lines.append(f"echo; echo '=== begin {number}'")
        if block.status is None:
            lines.append(block.text.rstrip())
        else:
            lines += ["set +e", block.text.rstrip(), f"terrace_status=$?; set -e; [ $terrace_status = {block.status} ]"]
        lines.append(f"echo; echo \"=== end {number} $SECONDS\"")
    return "\n".join(lines) + "\n"


def printed(log, number):
    """Returns (text, whether the block completed), or None if it did not begin."""
    match = re.search(rf"^=== begin {number}\n(.*?)(?:^=== end {number} (\d+)$|\Z)", log, re.M | re.S)
    return (match[1], match[2] is not None) if match else None


def absent(expected, text):
    """Returns the expected lines that do not occur in the text in this order."""
    rest, missing = text.replace("\r", "\n").splitlines(), []
    for line in expected:
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))
        index = next((index for index, candidate in enumerate(rest) if pattern.search(candidate)), None)
        if index is None:
            missing.append(line)
        else:
            rest = rest[index + 1:]
    return missing


def judge(page, page_blocks, log, cases, root):
    """Checks each block of commands as one case."""
    for number, block in enumerate(page_blocks):
        if not block.is_command:
            continue
        name = f"{page}:{block.line} {block.name}"
        why = block.skipped(root)
        if why:
            print(f"  skipped ({why}): {name}", flush=True)
            continue

        def ran(number=number, block=block):
            found = printed(log, number)
            assert found, "was not reached: a block before it failed"
            text, ended = found
            end = "\n".join(text.splitlines()[-12:])
            assert ended, f"failed. The end of what it printed:\n{end}"
            missing = absent(block.expected, text)
            assert not missing, f"did not print {missing}. The end of what it printed:\n{end}"
            return f"{len(block.expected)} lines as the page says"
        cases.check(name, ran)


def clone(built):
    """Creates a fresh clone of the commit. If a build folder is given, its VM is copied."""
    folder = FOLDER / "clone"
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    commit = output(["git", "-C", paths.ROOT, "rev-parse", "HEAD"]).strip()
    output(["git", "clone", "-q", "--no-checkout", paths.ROOT, folder])
    output(["git", "-C", folder, "checkout", "-q", "--detach", commit])
    if built:
        missing = [name for name in BUILT if not (built / name).exists()]
        if missing:
            raise Failure(f"--build: {built} has no {', '.join(missing)}: name the build folder of a checkout where ./terrace build has run")
        (folder / "build").mkdir()
        output(["cp", "-a", *(built / name for name in BUILT), folder / "build"])
        output([sys.executable, "-c", ADOPT], cwd=folder, env=environment(PYTHONPATH=str(folder / "tools")))
    return folder


def environment(**more):
    """Returns the environment of a user who has not configured anything."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("JAVA_HOME", "CLASSPATH", "PYTHONPATH", "JAVA_TOOL_OPTIONS", "SPARK_HOME", "VIRTUAL_ENV")}
    return {**kept, **more}


def run_page(page, folder, cases):
    name = paths.relative(page)
    root = os.geteuid() == 0
    page_blocks = blocks((folder / name).read_text())
    base = FOLDER / re.sub(r"\W", "-", name)
    Path(f"{base}.sh").write_text(script(page_blocks, root))
    log = Path(f"{base}.log")
    live = Step(name)
    try:
        logged(["bash", f"{base}.sh"], log, cwd=folder, env=environment(), what=f"the commands of {name}", limit=PAGE_LIMIT,
               watch=lambda: live.update("running", every=60))
    except Failure:
        pass        # its block has failed and reports it
    live.done()
    judge(name, page_blocks, log.read_text(errors="replace"), cases, root)


def run(built=None, only=(), keep=False):
    """Runs all pages or some, and returns the result."""
    folder = clone(built)
    cases = Cases(FOLDER / "pages.log")
    for page in pages():
        if not only or any(word in paths.relative(page) for word in only):
            run_page(page, folder, cases)
    result = cases.result()
    if not keep and not result.failed:
        shutil.rmtree(folder)
    return result


def register_dev(commands):
    text = """Runs the commands of README.md and of docs/start/ in a fresh clone of the last commit, and compares their output with
        the pages. Most of the time is needed to compile the VM. --build uses a VM that is already built."""
    parser = commands.add_parser("pages", help="run the commands of README.md and docs/start/ in a fresh clone", description=text)
    parser.add_argument("--build", type=Path, metavar="DIR", help="use the VM in this build folder of a checkout of the same commit")
    parser.add_argument("--only", action="append", default=[], metavar="WORD",
                        help="run only pages with this word in their path (may be repeated); pages except README.md need --build")
    parser.add_argument("--keep", action="store_true", help="keep the clone even if nothing fails")
    parser.set_defaults(run=command)


def command(arguments):
    if arguments.only and not arguments.build and not all("README" in word for word in arguments.only):
        raise Failure("--only without README needs --build, because the other pages use the JDK that the commands of README.md build")
    if output(["git", "-C", paths.ROOT, "status", "--porcelain", "--", "README.md", "docs/start"]).strip():
        notice("README.md or docs/start/ has uncommitted changes; the pages of the last commit run")
    started = time.monotonic()
    result = run(arguments.build.absolute() if arguments.build else None, arguments.only, arguments.keep)
    print(f"{result.passed} passed, {result.failed} failed ({time.monotonic() - started:.0f} s; logs: {paths.relative(FOLDER)})")
    return 1 if result.failed or not result.passed else 0
