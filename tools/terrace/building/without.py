# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Checks that the hooks disappear with INCLUDE_TERRACE=0: after the preprocessor, the hooked files equal upstream's files.

The check takes seconds, while the compilation of the variant `without` takes minutes. It uses the compiler options of
the release build.
"""
import os
import re
import shlex
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from ..common import paths
from ..common.term import Failure, output
from . import upstream, vm

PRISTINE = paths.BUILD / "without/pristine"
ROOTS = ("share", "os/linux", "os/posix")
# Headers are preprocessed with the options of an object that includes most of them.
OBJECT_OF_HEADERS = "psParallelCompact"
# Allowed differences: the log tags, which no build can omit, and an unused class that taskqueue.inline.hpp includes.
TAGS, CLASS = re.compile(r"\b_(far|h2),"), "class LiveWorkers : "


def differences():
    """Returns a text for each hooked file that differs from upstream's in more than the allowed differences."""
    files = output(["git", "-C", paths.SRC, "diff", "--name-only", "upstream", "HEAD"]).split()
    for file in files:
        target = PRISTINE / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(upstream.git("show", f"upstream:{file}"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [found for found in pool.map(difference, files) if found]


def difference(file):
    return compared(file, without_class(TAGS.sub("", preprocessed(file, pristine=False))), preprocessed(file, pristine=True))


def compared(file, ours, theirs):
    """Compares statements regardless of their position, because our headers include some of upstream's headers earlier."""
    mine, others = (Counter(" ".join(statement.split()) for statement in re.split("[;{}]", text)) for text in (ours, theirs))
    found = [f"{side} '{statement[:200]}'" for side, more in (("more:", mine - others), ("less:", others - mine))
             for statement in more if statement]
    return f"{file}: {' '.join(found[:5])}" if found else ""


def without_class(text):
    start = text.find(CLASS)
    if start < 0:
        return text
    end = text.index("{", start) + 1
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[:start] + text[end:].lstrip("; \n")


def preprocessed(file, pristine):
    """Returns a hooked file after the preprocessor, without line numbers."""
    is_header = file.endswith(".hpp")
    name = OBJECT_OF_HEADERS if is_header else os.path.basename(file).removesuffix(".cpp")
    recorded = vm.VARIANTS["release"].objects / f"{name}.o.cmdline"
    if not recorded.is_file():
        raise Failure(f"{paths.relative(recorded)} does not exist: run ./terrace build")
    words = shlex.split(recorded.read_text())
    compiler = next(index for index, word in enumerate(words) if word.endswith("g++"))
    options = [word for word in words[compiler + 1:] if re.match(r"-[DIWfmsp]", word)
               and not re.match(r"-fpch-preprocess|-frandom-seed|-I.*/objs/precompiled$|-DINCLUDE_TERRACE", word)]
    if pristine:
        options = [word for word in options if not word.startswith(f"-I{paths.relative(paths.OVERLAY)}")]
        options = [f"-I{PRISTINE / 'src/hotspot' / root}" for root in ROOTS] + options
        source = PRISTINE / file
    else:
        options.append("-DINCLUDE_TERRACE=0")
        source = paths.SRC / file
    return output([words[compiler], *options, "-D__LINE__=0", "-D__FILE__=\"\"", "-Wno-builtin-macro-redefined", "-w", "-E", "-P",
                   *(["-include", "precompiled.hpp", "-x", "c++"] if is_header else []), source], cwd=paths.ROOT)
