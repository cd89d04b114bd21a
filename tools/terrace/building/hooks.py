# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The hooks: a series of patches in vm/hooks/, which are commits in build/upstream/src while they are edited.

Each patch is one commit on top of the tag `upstream`, and a trailer of the commit names the patch file. A series is
assembled in a temporary index, without a checkout of intermediate states. So a file gets a new modification time only
if its final content changes, and the next build is incremental. `refs/terrace/applied` is the commit that equals
vm/hooks/.
"""
import hashlib
import os
import re
import tempfile
from pathlib import Path

from ..common import paths
from ..common.term import Failure, notice, step
from .upstream import git

TRAILER = "Terrace-Patch"
APPLIED = "refs/terrace/applied"
FORMAT = ["--zero-commit", "--no-signature", "--no-stat", "--no-numbered", "--no-renames", "-k", "-U1",
          "--no-color", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--no-ext-diff", "--no-encode-email-headers"]


def series(text=None):
    if text is None:
        text = paths.SERIES.read_text() if paths.SERIES.exists() else ""
    return [line.split("#")[0].strip() for line in text.splitlines() if line.split("#")[0].strip()]


def stored():
    """Returns [(name, text)] of the patches in vm/hooks/."""
    found = []
    for name in series():
        file = paths.HOOKS / name
        if not file.is_file():
            raise Failure(f"vm/hooks/series names {name}, which does not exist: restore the patch, or remove the line")
        found.append((name, file.read_bytes().decode()))
    listed = set(series())
    for file in sorted(paths.HOOKS.glob("*.patch")) if paths.HOOKS.is_dir() else []:
        if file.name not in listed:
            raise Failure(f"vm/hooks/{file.name} is not listed in vm/hooks/series: add a line for it, or remove the file")
    return found


def digest():
    text = "".join(f"{name}\n{patch}\n" for name, patch in stored())
    return hashlib.sha256(text.encode()).hexdigest()


class Index:
    """A temporary git index, which builds trees without changes to the working files."""

    def __init__(self, tree):
        self.folder = tempfile.TemporaryDirectory(prefix="terrace-index-")
        self.env = {"GIT_INDEX_FILE": os.path.join(self.folder.name, "index")}
        git("read-tree", tree, env=self.env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def apply(self, patch, three_way=False):
        options = ["--3way"] if three_way else []
        git("apply", "--cached", "--whitespace=nowarn", *options, "-", env=self.env, stdin=patch)

    def tree(self):
        return git("write-tree", env=self.env).strip()


def commit(tree, parent, message, author=None):
    """Creates a commit whose hash depends on content only, because the committer is the author."""
    env = {}
    if author:
        for field, value in zip(("NAME", "EMAIL", "DATE"), author):
            env[f"GIT_AUTHOR_{field}"] = env[f"GIT_COMMITTER_{field}"] = value
    return git("commit-tree", tree, "-p", parent, "-F", "-", env=env, stdin=message).strip()


def parse(name, text):
    """Returns (author triple, message, diff) of a patch in git's mail format."""
    header, _, rest = text.partition("\n\n")
    fields = dict(re.findall(r"^([A-Za-z-]+): (.*(?:\n[ \t].*)*)", header, re.M))
    author = re.match(r"(.*?)\s*<(.*)>", fields.get("From", ""))
    if not author or "Subject" not in fields or "Date" not in fields:
        raise Failure(f"vm/hooks/{name} is not a patch in git format (From, Date and Subject in its header)")
    start = re.search(r"^diff --git ", rest, re.M)
    if not start:
        raise Failure(f"vm/hooks/{name} has no diff")
    body, diff = rest[:start.start()], rest[start.start():]
    body = re.sub(r"^---\n.*", "", body, flags=re.M | re.S).strip("\n")
    subject = re.sub(r"\n[ \t]+", " ", fields["Subject"])
    subject = re.sub(r"^\[PATCH[^\]]*\] ", "", subject)
    message = subject + "\n" + (f"\n{body}\n" if body else "")
    return (author.group(1), author.group(2), fields["Date"]), message, diff


def with_trailer(message, name):
    return f"{message.rstrip()}\n\n{TRAILER}: {name}\n"


def split_trailer(message):
    match = re.search(rf"^{TRAILER}: (\S+)\n?", message, re.M)
    if not match:
        return None, message
    return match.group(1), (message[:match.start()] + message[match.end():]).rstrip("\n") + "\n"


def assemble():
    """Creates the commits of the stored series on top of `upstream`, and returns the last one."""
    parent = git("rev-parse", "upstream^{commit}").strip()
    for name, text in stored():
        author, message, diff = parse(name, text)
        with Index(parent) as index:
            try:
                index.apply(diff)
            except Failure as failure:
                version = (paths.UPSTREAM / "version").read_text().strip()
                raise Failure(f"vm/hooks/{name} does not apply to {version}: {failure}\n"
                              "Rebasing hooks to another upstream version: docs/internals/rebasing.md") from None
            parent = commit(index.tree(), parent, with_trailer(message, name), author)
    return parent


def resolve(ref):
    return git("rev-parse", "-q", "--verify", f"{ref}^{{commit}}", check=False).strip()


def dirty():
    """Returns the files of the working tree that differ from the last commit."""
    return [line[3:] for line in git("status", "--porcelain", "--untracked-files=normal").splitlines()]


def unrefreshed():
    """Describes the changes in build/upstream/src that are not in vm/hooks/. The text is empty if there are none."""
    head, applied = resolve("HEAD"), resolve(APPLIED)
    found = []
    if applied and head != applied:
        found.append("commits that are not in vm/hooks/")
    if head != resolve("upstream") and not applied:
        found.append("commits made before any series was applied")
    changed = dirty()
    if changed:
        found.append(f"uncommitted edits ({', '.join(changed[:4])}{', …' if len(changed) > 4 else ''})")
    return " and ".join(found)


def recorded():
    stamp = paths.UPSTREAM / "series"
    return stamp.read_text().strip() if stamp.exists() else None


def record(head):
    git("update-ref", APPLIED, head)
    (paths.UPSTREAM / "series").write_text(digest() + "\n")


def apply(quiet=False):
    """Brings build/upstream/src to the state of vm/hooks/ if vm/hooks/ has changed since it was last applied."""
    applied = resolve(APPLIED)
    if applied and recorded() == digest():
        pending = unrefreshed()
        if pending and not quiet:
            notice(f"building with {pending} in build/upstream/src (`./terrace dev refresh` stores commits)")
        return
    pending = unrefreshed()
    if pending:
        # If the same patches were stored by hand or by another tool, nothing needs to be discarded.
        if not dirty() and git("rev-parse", "HEAD^{tree}") == git("rev-parse", assemble() + "^{tree}"):
            pending = ""
    if pending:
        raise Failure(f"vm/hooks/ changed, but build/upstream/src has {pending}. Store them with `./terrace dev commit` and "
                      "`./terrace dev refresh`, or discard them with `./terrace dev apply --discard`.")
    reset()


def reset():
    with step("hooks") as current:
        head = assemble()
        git("checkout", "-q", "-B", "terrace") if not resolve("refs/heads/terrace") else None
        git("symbolic-ref", "HEAD", "refs/heads/terrace")
        git("reset", "-q", "--hard", head)
        record(head)
        current.done(f"{len(series())} patches applied")


def commits():
    """Returns [(commit, patch name, subject)] on top of upstream, oldest first."""
    found = []
    for sha in git("rev-list", "--reverse", "upstream..HEAD").split():
        name, message = split_trailer(git("log", "-1", "--format=%B", sha))
        subject = message.splitlines()[0]
        if name is None:
            words = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")
            name = words[:60].strip("-") + ".patch"
        found.append((sha, name, subject))
    return found


def render(sha):
    """Returns the text of the patch file for a commit."""
    text = git("format-patch", "--stdout", "-1", *FORMAT, sha, text=False).decode()
    start = text.index("\ndiff --git ") + 1
    _, header = split_trailer(text[:start].rstrip("\n") + "\n")
    diff = text[start:]
    # The blob ids of all later patches change with an earlier patch, and no reader needs them.
    diff = re.sub(r"^index [0-9a-f]+\.\.[0-9a-f]+.*\n", "", diff, flags=re.M)
    return header.rstrip("\n") + "\n\n---\n" + diff.rstrip("\n") + "\n"


def refresh():
    """Writes vm/hooks/ from the commits. Returns the names of the files that changed."""
    changed = dirty()
    if changed:
        raise Failure(f"uncommitted edits in build/upstream/src ({', '.join(changed[:4])}). Fold them into a patch with "
                      "`./terrace dev commit PATCH`, or start one with `./terrace dev commit PATCH -m 'what it does'`.")
    paths.HOOKS.mkdir(exist_ok=True)
    before = {file.name: file.read_bytes().decode() for file in paths.HOOKS.glob("*.patch")}
    found = commits()
    names = [name for _, name, _ in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise Failure(f"two commits name the same patch ({', '.join(sorted(twice))}): squash them, or change the line '{TRAILER}' of one")
    after = {name: render(sha) for sha, name, _ in found}
    for name in before.keys() - after.keys():
        (paths.HOOKS / name).unlink()
    for name, text in after.items():
        if before.get(name) != text:
            (paths.HOOKS / name).write_bytes(text.encode())
    listing = "".join(name + "\n" for name in names)
    old = paths.SERIES.read_text() if paths.SERIES.exists() else None
    if old is None or series(old) != names:
        comments = [line for line in (old or "").splitlines() if line.startswith("#")]
        paths.SERIES.write_text("".join(line + "\n" for line in comments) + listing)
    record(resolve("HEAD"))
    return sorted({name for name in before.keys() | after.keys() if before.get(name) != after.get(name)})


def fold(name, message=None):
    """Moves the edits of the working tree into the patch `name`. With `message`, creates it as the last patch."""
    if not dirty():
        raise Failure("build/upstream/src has no uncommitted edits")
    name = name if name.endswith(".patch") else name + ".patch"
    name = Path(name).name
    head = resolve("HEAD")
    with Index(head) as index:
        git("add", "-A", ".", env=index.env)
        tree = index.tree()
    existing = {patch: sha for sha, patch, _ in commits()}
    if name not in existing:
        if not message:
            raise Failure(f"there is no patch {name}: create it with -m and its subject, or name one of: "
                          f"{', '.join(existing) or '(none yet)'}")
        new = commit(tree, head, with_trailer(message, name))
    else:
        new = fold_into(existing[name], head, tree, message)
    git("update-ref", "refs/heads/terrace", new)
    git("symbolic-ref", "HEAD", "refs/heads/terrace")
    git("read-tree", "HEAD")
    git("update-index", "-q", "--refresh", check=False)


def fold_into(target, head, tree, message):
    edits = git("diff", "--binary", "--full-index", head, tree)
    parent = git("rev-parse", f"{target}^").strip()
    new = parent
    for sha in git("rev-list", "--reverse", f"{parent}..{head}").split():
        author = git("log", "-1", "--format=%an%n%ae%n%aD", sha).splitlines()
        text = git("log", "-1", "--format=%B", sha)
        with Index(new) as index:
            try:
                index.apply(git("diff", "--binary", "--full-index", f"{sha}^", sha), three_way=new != parent)
                if sha == target:
                    index.apply(edits, three_way=True)
                    if message:
                        text = with_trailer(message, split_trailer(text)[0])
            except Failure:
                name, _ = split_trailer(text)
                raise Failure(f"the edits overlap with {name or sha[:12]}. Fold them into that patch, or commit them in "
                              "build/upstream/src and use `git rebase -i upstream` there.") from None
            new = commit(index.tree(), new, text, author)
    if git("rev-parse", f"{new}^{{tree}}").strip() != tree:
        raise Failure("folding would change the working tree; commit the edits in build/upstream/src and use "
                      "`git rebase -i upstream` there")
    return new
