# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The option `terrace --version`, which prints the versions of Terrace and of the JDK that it built. It starts no JVM."""
import argparse
import re

from .. import VERSION
from ..common import paths
from ..common.term import Failure, output


class Print(argparse.Action):
    """Works like argparse's own action `version`, but creates the text only when it is printed."""

    def __call__(self, parser, namespace, values, option_string=None):
        print("\n".join(text()))
        parser.exit()


def text():
    yield f"Terrace {VERSION}{commit()}"
    home = paths.ROOT.parent if paths.PACKED else paths.BUILD / "jdk"
    release = home / "release"
    if release.is_file():
        found = re.search(r'^JAVA_RUNTIME_VERSION="(.*)"', release.read_text(), re.M)
        yield f"JDK in {paths.relative(home)}: OpenJDK {found[1] if found else 'of an unknown version'}"
    else:
        yield f"JDK in {paths.relative(home)}: not built, run ./terrace build"


def commit():
    source = paths.ROOT / "SOURCE"
    if paths.PACKED and source.is_file():
        found = re.search(r"at commit ([0-9a-f]{12})", source.read_text())
        return f", commit {found[1]}" if found else ""
    if not (paths.ROOT / ".git").exists():
        return ""
    try:
        return f", commit {output(['git', '-C', paths.ROOT, 'rev-parse', '--short=12', 'HEAD']).strip()}"
    except Failure:
        return ", commit unknown: git is not installed"
