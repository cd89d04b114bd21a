# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace dev check`, which verifies the rules for patches automatically."""
import difflib
import re

from ..common import paths
from ..common.term import Failure, output
from . import build, flags, hooks, vm, without

FILES, LINES, H2_LINES = 45, 450, 250

# Upstream files that no hook may change, because generated code and barriers must stay upstream's.
FORBIDDEN = [
    r"^src/hotspot/(cpu|os_cpu)/", r"^src/hotspot/share/(c1|opto|interpreter|adlc|asm)/", r"/gc/[a-z]+/c[12]/",
    r"/(modRef|cardTable|g1|epsilon|shenandoah|z)?[bB]arrierSet[^/]*$", r"/gc/shared/cardTableBarrierSet[^/]*$"]


def register(commands):
    text = "check the rules for patches, and that generated documentation is up to date"
    parser = commands.add_parser("check", help=text, description=text)
    parser.add_argument("--compile", action="store_true",
                        help="also compile with INCLUDE_TERRACE=0; takes minutes the first time")
    parser.set_defaults(run=lambda arguments: run(arguments.compile))


def run(compile_without=False):
    results = checks() + ([compiles_without()] if compile_without else [])
    for ok, name, detail in results:
        print(f"  {'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}", flush=True)
    passed = sum(ok for ok, _, _ in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return 0 if passed == len(results) else 1


def checks():
    """Returns [(ok, name, detail)]."""
    results = []

    def add(ok, name, detail=""):
        results.append((bool(ok), name, detail))

    table = [(name, *parse(text)) for name, text in hooks.stored()]
    width = max([len(name) for name, *_ in table] + [10])
    print(f"  {'hook':{width}}  files hunks  added removed")
    for name, files, hunks, added, removed in table:
        print(f"  {name:{width}}  {len(files):5} {hunks:5}  {added:5} {removed:7}")
    files = {file for _, touched, *_ in table for file in touched}
    hunks, added, removed = (sum(row[column] for row in table) for column in (2, 3, 4))
    print(f"  {'total':{width}}  {len(files):5} {hunks:5}  {added:5} {removed:7}")

    add(len(files) <= FILES and added <= LINES, "budget",
        f"{len(files)} of {FILES} files, {added} of {LINES} lines added (H2's share is {H2_LINES})")
    bad = [file for file in sorted(files) if forbidden(file)]
    add(not bad, "no hook touches cpu, interpreter, compiler or barrier sources", ", ".join(bad))
    add(removed == 0, "hooks only add lines", ", ".join(
        f"{name} removes {gone}" for name, _, _, _, gone in table if gone))

    clashes = vm.check_basenames() if paths.SRC.exists() else []
    add(not clashes, "overlay file names are unique", ", ".join(clashes))

    if (paths.SRC / ".git").exists() and hooks.resolve(hooks.APPLIED):
        wrong = not_pristine_without_additions()
        add(not wrong, "without the added lines the source is upstream's", "; ".join(wrong))
        add(round_trip(), "apply and refresh round-trip")
    unguarded = [f"{name}: {line}" for name, text in hooks.stored() for line in unguarded_lines(text)]
    add(not unguarded, "added lines vanish with INCLUDE_TERRACE=0", "; ".join(unguarded[:3]))

    stale = flags.stale()
    add(not stale, "docs/use/flags.md is up to date", stale)
    return results


def compiles_without():
    """Compiles with INCLUDE_TERRACE=0. Returns (ok, name, detail), like an element of `checks`."""
    try:
        build.build("without")
    except Failure as failure:
        return False, "INCLUDE_TERRACE=0 compiles", str(failure)
    extra = symbols_of_ours(vm.VARIANTS["without"].libjvm)
    return not extra, "INCLUDE_TERRACE=0 compiles, and nothing of ours is in it", ", ".join(extra[:5])


def preprocessed_without():
    """Makes the same check within seconds, by comparing the output of the preprocessor."""
    try:
        found = without.differences()
    except Failure as failure:
        return False, "with INCLUDE_TERRACE=0 the compiler sees upstream's files", str(failure)
    return not found, "with INCLUDE_TERRACE=0 the compiler sees upstream's files", "; ".join(found[:3])


def parse(text):
    """Returns (files, hunks, added, removed) of a patch."""
    _, _, diff = hooks.parse("patch", text)
    files = re.findall(r"^diff --git a/\S+ b/(\S+)$", diff, re.M)
    hunks = len(re.findall(r"^@@ ", diff, re.M))
    added = len(re.findall(r"^\+(?!\+\+ )", diff, re.M))
    removed = len(re.findall(r"^-(?!-- )", diff, re.M))
    return files, hunks, added, removed


def forbidden(file):
    return any(re.search(pattern, file) for pattern in FORBIDDEN)


def not_pristine_without_additions():
    """Returns the files that differ from the pristine text after the added lines are removed from the hooked text."""
    wrong = []
    for file in output(["git", "-C", paths.SRC, "diff", "--name-only", "upstream", hooks.APPLIED]).split():
        before, after = (output(["git", "-C", paths.SRC, "show", f"{revision}:{file}"], check=False).splitlines()
                         for revision in ("upstream", hooks.APPLIED))
        rest = []
        for tag, _, _, start, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag == "equal":
                rest += after[start:end]
        if rest != before:
            wrong.append(f"{file} ({len(before) - len(rest)} lines of upstream changed)")
    return wrong


def round_trip():
    head = hooks.assemble()
    shas = hooks.git("rev-list", "--reverse", f"upstream..{head}").split()
    return [hooks.render(sha) for sha in shas] == [text for _, text in hooks.stored()]


# An added line is harmless if the preprocessor drops it, because it uses one of our macros or is inside #if INCLUDE_TERRACE.
GUARDS = re.compile(r"\bTERRACE_ONLY\b|\bNOT_TERRACE\b|\bTERRACE_[A-Z_]+\b|\bGC_TERRACE_FLAGS\b|INCLUDE_TERRACE|"
                    r"#include \"gc/terrace/|^\s*\\?$|^\s*//|^#endif|LOG_TAG\((?:far|h2)\)")


def unguarded_lines(text):
    _, _, diff = hooks.parse("patch", text)
    found, inside, depth = [], False, 0
    for line in diff.splitlines():
        if not line.startswith("+") or line.startswith("+++ "):
            if line.startswith("@@"):
                inside = False
            continue
        content = line[1:]
        if re.match(r"\s*#\s*if.*INCLUDE_TERRACE", content):
            inside = True
        ours = inside or depth > 0 or GUARDS.search(content)
        if not ours:
            found.append(content.strip())
        if GUARDS.search(content) or depth > 0:
            depth = max(0, depth + content.count("(") - content.count(")"))
        if re.match(r"\s*#\s*endif", content):
            inside = False
    return found


def symbols_of_ours(library):
    text = output(["nm", "-C", "--defined-only", library], check=False)
    return sorted({match for match in re.findall(r"\b(?:H2[A-Z]\w+|Far[A-Z]\w+|Terrace\w+|LiveWorkers|AdaptiveStealing)::\w+", text)})
