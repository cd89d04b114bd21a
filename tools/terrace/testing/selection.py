# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What a change needs. test/nightly.txt names, for each stage, the commit for which it passed in `terrace nightly` last; a stage runs
if a path that differs from its commit needs it.

A path that no rule knows needs every stage. A stage runs, too, if no commit is known for it.
"""
import re
from dataclasses import dataclass, field

from ..building import build
from ..common import maven, paths
from ..common.term import output

RECORD = paths.ROOT / "test/nightly.txt"
ALWAYS = {"self", "check"}
# Stages that test modules of Maven: chosen by module, whatever else changed.
OF_MODULES = {"compile", "java", "suites", "crashes", "bank"}
STRESS = {"stress", "kills", "modes", "jcstress", "node"}
EVERYTHING = None       # as stages or modules of a rule
# What other stages than java run of the modules.
USERS = {"live": lambda: maven.dependencies({"bench/programs/gc"}) | {"java/api"}, "jtreg": lambda: {"java/api"},
         "demo": lambda: maven.dependencies({"bench/programs/spark"}), **{name: lambda: {"java/api"} for name in STRESS},
         "suites": lambda: maven.dependencies({"persist/suites"}), "crashes": lambda: {"persist/core"},
         "bank": lambda: maven.dependencies({"bench/programs/persist"})}

# (pattern, stages, modules); the first that matches the beginning of a path counts.
RULES = (
    (r"vm/test/hotspot/gtest/", {"gtest"}, set),
    (r"vm/test/hotspot/jtreg/", {"jtreg", *STRESS}, set),
    (r"vm/test/jcstress/", {"jcstress"}, set),
    (r"vm/test/upstream-", {"upstream"}, set),
    (r"tools/test/(live_|Patient\.java$)|bench/test/live_", {"live"}, set),
    (r"tools/test/Https\.java$", {"smoke"}, set),
    (r"tools/test/|bench/test/|test/nightly\.txt$", set(), set),
    # Of Java what has tests that want a second heap, and not what depends on it.
    (r"vm/(hotspot|hooks|make|jdk)/", EVERYTHING, maven.on_the_vm),
    # Which JDK: its tests of collections, too.
    (r"UPSTREAM$", EVERYTHING, lambda: maven.on_the_vm() | {"persist/suites"}),
    # What chooses stages is tested by self, and changes no result of a stage.
    (r"tools/terrace/testing/(selection|nightly)\.py$", set(), set),
    (r"tools/terrace/testing/node\.py$", {"node"}, set),
    (r"tools/terrace/testing/pages\.py$|README\.md$|docs/start/", {"pages"}, set),
    (r"tools/terrace/testing/suites\.py$", {"suites"}, lambda: {"persist/suites"}),
    # The commands that are nobody's tests but their own.
    (r"tools/terrace/(dist|doctor)/|tools/terrace/cli/(completion|guide|heap|place|version)\.py$|"
     r"bench/driver/(startup|bench|(far|gc|giraph|h2|persist|tiers)/.*)\.py$", {"live"}, set),
    (r"examples/|Dockerfile$|\.dockerignore$", {"live"}, set),
    (r"bench/driver/", {"live", "demo"}, set),
    # A test of the library reads it.
    (r"docs/reference/heap-fsck\.md$", set(), lambda: {"persist/core"}),
    (r"docs/|([^/]+|persist/README)\.md$|LICENSE$|\.gitignore$", set(), set),
    (r"((java|bench|persist)/)?pom\.xml$", {"live", "demo"}, EVERYTHING),
)


@dataclass
class Plan:
    """What runs, and how: stages by name in the order of their list, Java's modules, and the seed of what is chosen at random."""
    stages: list
    modules: set
    seed: int
    full: bool = False                              # nothing is sampled
    left_out: dict = field(default_factory=dict)    # stage to why it does not run
    why: str = ""

    def java_on_the_vm(self):
        return bool(self.modules & maven.on_the_vm())

    def variants(self):
        """The VMs that its stages need, in the order in which they are built."""
        needed = {name for stage in self.stages for name in stage.on}
        if self.java_on_the_vm() and any(stage.name == "java" for stage in self.stages):
            needed.add("release")
        return [name for name in build.HOMES if name in needed]


@dataclass(frozen=True)
class Passed:
    """For which commit a part of `terrace nightly` passed last, and how."""
    commit: str
    seed: int
    tests: int
    time: str


LINE = re.compile(r"^(\S+) +([0-9a-f]{40}) +(\d+) +(\d+) +(\S.*)$", re.M)


def record():
    """{part: Passed} of test/nightly.txt."""
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
    """Paths that differ from a commit, in the commits since, in the index, in the working tree, or because git does not know them."""
    differing = git("diff", "--name-only", "--no-renames", commit, "--", check=True).splitlines()
    return sorted({*differing, *git("ls-files", "--others", "--exclude-standard", check=True).splitlines()})


def needed(path):
    """(stages, modules), EVERYTHING for all. What depends on a module that changed is tested with it."""
    for pattern, stages, modules in RULES:
        if re.match(pattern, path):
            return stages, modules if modules is EVERYTHING else modules()
    for module in maven.modules():
        if path.startswith(f"{module}/"):
            return {name for name, used in USERS.items() if module in used()}, maven.dependents({module})
    return EVERYTHING, EVERYTHING


def chosen(changes, names):
    """(stages, modules to test), of the stages `names`."""
    stages, modules = set(ALWAYS), set()
    for path in changes:
        more, others = needed(path)
        stages |= set(names) - OF_MODULES - {"build"} if more is EVERYTHING else more
        modules |= set(maven.modules()) if others is EVERYTHING else others
    if modules:
        stages |= {"java", "compile", *(name for name in OF_MODULES & USERS.keys() if modules & USERS[name]())}
    return stages & set(names), modules


def seed_of_commit():
    """So that commits differ in what is sampled, and a run of one commit can be repeated."""
    return int(git("rev-parse", "HEAD")[:8] or "1", 16) % 1_000_000


def plan(stages, everything=False, seed=None):
    """The plan for these stages (stages.STAGES, or nightly.PARTS)."""
    names = [stage.name for stage in stages]
    seed = seed_of_commit() if seed is None else seed
    if everything:
        return Plan(list(stages), set(maven.modules()), seed, why="all stages, as --all says")
    bases = record()
    found = {}      # commit to (stages, modules, number of paths); None if the clone does not have it
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
