# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What a change needs: stages and modules by the paths that differ from the commit that passed `terrace nightly` last.

A path that no rule knows needs everything, and so does a base that is not known.
"""
import re
from dataclasses import dataclass, field

from ..building import build
from ..common import maven, paths
from ..common.term import output

RECORD = paths.ROOT / "test/nightly.txt"
ALWAYS = {"self", "check"}
EVERYTHING = None       # as stages or modules of a rule
# What other stages than java run of the modules.
USERS = {"live": lambda: maven.dependencies({"bench/programs/gc"}) | {"java/api"}, "jtreg": lambda: {"java/api"},
         "demo": lambda: maven.dependencies({"bench/programs/spark"})}

# (pattern, stages, modules); the first that matches the beginning of a path counts.
RULES = (
    (r"vm/test/hotspot/gtest/", {"gtest"}, set),
    (r"vm/test/hotspot/jtreg/", {"jtreg"}, set),
    (r"vm/test/upstream-", {"upstream"}, set),
    (r"tools/test/(live_|Patient\.java$)|bench/test/live_", {"live"}, set),
    (r"tools/test/Https\.java$", {"smoke"}, set),
    (r"tools/test/|bench/test/|vm/test/jcstress/|test/nightly\.txt$", set(), set),
    # Of Java what has tests that want a second heap, and not what depends on it.
    (r"vm/(hotspot|hooks|make|jdk)/|UPSTREAM$", EVERYTHING, maven.on_the_vm),
    # The commands that are nobody's tests but their own.
    (r"tools/terrace/(dist|doctor)/|tools/terrace/cli/heap\.py$|bench/driver/experiments/", {"live"}, set),
    (r"bench/driver/", {"live", "demo"}, set),
    # A test of the library reads it.
    (r"docs/use/heap-tools\.md$", set(), lambda: {"persist/core"}),
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


def base():
    """(commit, "") of the record, or (None, why there is none)."""
    if not RECORD.is_file():
        return None, f"there is no {paths.relative(RECORD)}"
    found = re.search(r"^commit ([0-9a-f]{40})$", RECORD.read_text(), re.M)
    if not found:
        return None, f"{paths.relative(RECORD)} names no commit"
    if not git("rev-parse", "-q", "--verify", f"{found[1]}^{{commit}}"):
        return None, f"this clone does not have commit {found[1][:12]}, which {paths.relative(RECORD)} names"
    return found[1], ""


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
        stages |= set(names) - {"build", "java", "compile"} if more is EVERYTHING else more
        modules |= set(maven.modules()) if others is EVERYTHING else others
    if modules:
        stages |= {"java", "compile"}
    return stages, modules


def seed_of_commit():
    """So that commits differ in what is sampled, and a run of one commit can be repeated."""
    return int(git("rev-parse", "HEAD")[:8] or "1", 16) % 1_000_000


def plan(stages, everything=False, seed=None):
    """The plan of `terrace test` for all of these stages (stages.STAGES)."""
    names = [stage.name for stage in stages]
    seed = seed_of_commit() if seed is None else seed
    commit, reason = (None, "as --all says") if everything else base()
    if not commit:
        return Plan(list(stages), set(maven.modules()), seed, why=f"all stages: {reason}")
    changes = changed(commit)
    wanted, modules = chosen(changes, names)
    if Plan([stage for stage in stages if stage.name in wanted], modules, seed).variants():
        wanted.add("build")
    why = f"{len(changes)} paths differ from {commit[:12]}, which passed all tests (test/nightly.txt)"
    left_out = {name: "no path that differs needs it" for name in names if name not in wanted}
    return Plan([stage for stage in stages if stage.name in wanted], modules, seed, left_out=left_out, why=why)
