# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Selects the stages and modules that a change needs.

For each stage, test/nightly.txt names the commit for which it last passed in `terrace nightly`. A stage runs if it
needs a path that differs from its commit, or if no commit is known for it. A path without a rule needs every stage.
"""
import re
from dataclasses import dataclass, field

from ..building import build
from ..common import maven, paths
from ..common.term import output

RECORD = paths.ROOT / "test/nightly.txt"
ALWAYS = {"self", "check"}
# Stages that test Maven modules. They are selected by module, whatever else has changed.
OF_MODULES = {"compile", "java", "suites", "crashes", "bank"}
STRESS = {"release", "stress", "kills", "modes", "jcstress", "node"}
EVERYTHING = None       # as the stages or modules of a rule
# Modules that stages other than java use.
USERS = {"live": lambda: maven.dependencies({"bench/programs/gc"}) | {"java/api"}, "jtreg": lambda: {"java/api"},
         "demo": lambda: maven.dependencies({"bench/programs/spark"}), **{name: lambda: {"java/api"} for name in STRESS},
         "suites": lambda: maven.dependencies({"persist/suites"}), "crashes": lambda: {"persist/core"},
         "bank": lambda: maven.dependencies({"bench/programs/persist"})}

# (pattern, stages, modules). The first pattern that matches the beginning of a path applies.
RULES = (
    (r"vm/test/hotspot/gtest/", {"gtest"}, set),
    (r"vm/test/hotspot/jtreg/", {"jtreg", *STRESS}, set),
    (r"vm/test/jcstress/", {"jcstress"}, set),
    (r"vm/test/upstream-", {"upstream"}, set),
    (r"tools/test/(live_|Patient\.java$)|bench/test/live_", {"live"}, set),
    (r"tools/test/Https\.java$", {"smoke"}, set),
    (r"tools/test/|bench/test/|test/nightly\.txt$", set(), set),
    # The Java modules with tests that need a second heap, but not their dependents.
    (r"vm/(hotspot|hooks|make|jdk)/", EVERYTHING, maven.on_the_vm),
    # The upstream version selects the JDK, so its tests of collections also run.
    (r"UPSTREAM$", EVERYTHING, lambda: maven.on_the_vm() | {"persist/suites"}),
    # The stage `self` tests the selection, which does not change the result of any other stage.
    (r"tools/terrace/testing/(selection|nightly)\.py$", set(), set),
    (r"tools/terrace/testing/node\.py$", {"node"}, set),
    (r"tools/terrace/testing/pages\.py$|README\.md$|docs/start/", {"pages"}, set),
    (r"tools/terrace/testing/suites\.py$", {"suites"}, lambda: {"persist/suites"}),
    # Commands that only their own tests use.
    (r"tools/terrace/(dist|doctor)/|tools/terrace/cli/(completion|guide|heap|place|version)\.py$|"
     r"bench/driver/(startup|bench|(far|gc|giraph|h2|persist|tiers)/.*)\.py$", {"live"}, set),
    (r"examples/|Dockerfile$|\.dockerignore$", {"live"}, set),
    (r"bench/driver/", {"live", "demo"}, set),
    # A test of the library reads this page.
    (r"docs/reference/heap-fsck\.md$", set(), lambda: {"persist/core"}),
    (r"docs/|([^/]+|persist/README)\.md$|LICENSE$|\.gitignore$", set(), set),
    (r"((java|bench|persist)/)?pom\.xml$", {"live", "demo"}, EVERYTHING),
)


@dataclass
class Plan:
    """The selected stages in the order of their list, the Java modules to test, and the seed of random choices."""
    stages: list
    modules: set
    seed: int
    full: bool = False                              # whether nothing is sampled
    left_out: dict = field(default_factory=dict)    # {stage: why it does not run}
    why: str = ""

    def java_on_the_vm(self):
        return bool(self.modules & maven.on_the_vm())

    def variants(self):
        """Returns the VMs that the stages need, in the order of their builds. Without other stages, these are ours."""
        if [stage.name for stage in self.stages] == ["build"]:
            return ["release", "fastdebug"]
        needed = {name for stage in self.stages for name in stage.on}
        if self.java_on_the_vm() and any(stage.name == "java" for stage in self.stages):
            needed.add("release")
        return [name for name in build.HOMES if name in needed]


@dataclass(frozen=True)
class Passed:
    """The commit for which a part of `terrace nightly` last passed, with its seed, number of tests and time."""
    commit: str
    seed: int
    tests: int
    time: str


LINE = re.compile(r"^(\S+) +([0-9a-f]{40}) +(\d+) +(\d+) +(\S.*)$", re.M)


def record():
    """Returns {part: Passed} from test/nightly.txt."""
    if not RECORD.is_file():
        return {}
    return {name: Passed(commit, int(seed), int(tests), time) for name, commit, seed, tests, time in LINE.findall(RECORD.read_text())}


def write_record(passed):
    RECORD.parent.mkdir(exist_ok=True)
    partial = RECORD.with_suffix(".part")
    partial.write_text("# Written by ./terrace nightly: the commit for which each of its parts passed last.\n"
                       f"# {'part':8} {'commit':40} {'seed':>6} {'tests':>6}  time\n"
                       + "".join(f"{name:10} {entry.commit} {entry.seed:6} {entry.tests:6}  {entry.time}\n"
                                 for name, entry in passed.items()))
    partial.rename(RECORD)


def git(*arguments, check=False):
    return output(["git", "-C", paths.ROOT, *arguments], check=check).strip()


def changed(commit):
    """Returns the paths that differ from a commit in later commits, the index or the working tree, and files that git does not track."""
    differing = git("diff", "--name-only", "--no-renames", commit, "--", check=True).splitlines()
    return sorted({*differing, *git("ls-files", "--others", "--exclude-standard", check=True).splitlines()})


def needed(path):
    """Returns (stages, modules) for a path, where EVERYTHING means all. Dependents of a changed module are included."""
    for pattern, stages, modules in RULES:
        if re.match(pattern, path):
            return stages, modules if modules is EVERYTHING else modules()
    for module in maven.modules():
        if path.startswith(f"{module}/"):
            return {name for name, used in USERS.items() if module in used()}, maven.dependents({module})
    return EVERYTHING, EVERYTHING


def chosen(changes, names):
    """Returns (stages, modules to test) for the changes, out of the stages `names`."""
    stages, modules = set(ALWAYS), set()
    for path in changes:
        more, others = needed(path)
        stages |= set(names) - OF_MODULES - {"build"} if more is EVERYTHING else more
        modules |= set(maven.modules()) if others is EVERYTHING else others
    if modules:
        stages |= {"java", "compile", *(name for name in OF_MODULES & USERS.keys() if modules & USERS[name]())}
    return stages & set(names), modules


def seed_of_commit():
    """Returns a seed from the commit. Samples differ between commits, and a run of one commit can be repeated."""
    return int(git("rev-parse", "HEAD")[:8] or "1", 16) % 1_000_000


def plan(stages, everything=False, seed=None):
    """Returns the plan for these stages (stages.STAGES or nightly.PARTS)."""
    names = [stage.name for stage in stages]
    seed = seed_of_commit() if seed is None else seed
    if everything:
        return Plan(list(stages), set(maven.modules()), seed, why="all stages, as --all says")
    bases = record()
    found = {}      # {commit: (stages, modules, number of paths)}, or None if the clone does not have the commit
    for commit in {entry.commit for entry in bases.values()}:
        changes = changed(commit) if known(commit) else None
        found[commit] = changes if changes is None else (*chosen(changes, names), len(changes))
    wanted, modules, without = set(ALWAYS) & set(names), set(), []
    for name in names:
        if name in ALWAYS | {"build"}:
            continue
        since = found[bases[name].commit] if name in bases else None
        if since is None:
            without.append(name)
        if since is None or name in since[0]:
            wanted.add(name)
            if name in ("compile", "java"):
                modules |= set(maven.modules()) if since is None else since[1]
    if Plan([stage for stage in stages if stage.name in wanted], modules, seed).variants():
        wanted.add("build")
    why = "; ".join([f"{since[2]} paths differ from {commit[:12]}, for which "
                     f"{', '.join(name for name in names if name in bases and bases[name].commit == commit)} passed"
                     for commit, since in found.items() if since]
                    + ([f"test/nightly.txt names no commit of this clone for {', '.join(without)}"] if without else []))
    left_out = {name: "no path that differs needs it" for name in names if name not in wanted}
    return Plan([stage for stage in stages if stage.name in wanted], modules, seed, left_out=left_out, why=why)


def known(commit):
    return bool(git("rev-parse", "-q", "--verify", f"{commit}^{{commit}}"))
