# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Commands for developers, who edit build/upstream/src and store the edits as patches in vm/hooks/.

Edit upstream files in build/upstream/src and Terrace's own files in vm/hotspot/, then build and test. `dev commit PATCH`
and `dev refresh` store the edits of upstream files. `dev apply` followed by `dev refresh` changes no byte of the patches.
"""
import argparse

from ..building import build, check, hooks, upstream
from ..common import paths
from ..common.term import Failure, notice
from ..testing import compare, modes, pages, single


def register(add_dev):
    dev = add_dev(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = dev.add_subparsers(dest="dev_command", metavar="COMMAND", required=True)

    def add(name, run, text):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    add("fetch", fetch, "download, verify and unpack the upstream source and the binary packages")

    apply = add("apply", apply_hooks, "apply the patches in vm/hooks/ to build/upstream/src")
    apply.add_argument("--discard", action="store_true", help="discard commits and edits in build/upstream/src that are not in vm/hooks/")

    make = add("build", build_variant, "compile what changed and assemble the JDK home")
    which = make.add_mutually_exclusive_group()
    for name, text in (("debug", "build the fastdebug VM, with assertions and Terrace's gtests"),
                       ("pristine", "build the unmodified upstream source, for comparison"),
                       ("without", "build the patched source with INCLUDE_TERRACE=0")):
        which.add_argument(f"--{name}", action="store_true", help=text)

    status = add("status", show_status, "print the changes in build/upstream/src that are not yet in vm/hooks/")
    status.set_defaults(run=show_status)

    commit = add("commit", fold, "add the edits in build/upstream/src to a patch, or create a new patch with -m")
    commit.add_argument("patch", help="name of the patch, AREA-WHAT for vm/hooks/AREA-WHAT.patch")
    commit.add_argument("-m", "--message",
                        help="commit message: the subject, an empty line, and the reason why no existing extension point suffices")

    add("refresh", refresh, "write vm/hooks/*.patch and vm/hooks/series from the commits in build/upstream/src")
    check.register(commands)
    single.register_dev(commands)
    modes.register_dev(commands)
    compare.register_dev(commands)
    pages.register_dev(commands)


def fetch(_):
    selection = upstream.select()
    upstream.unpack(selection)
    notice(f"{selection.version} is in {paths.relative(paths.SRC)}")


def apply_hooks(arguments):
    if not paths.SRC.exists():
        upstream.unpack(upstream.select())
    if arguments.discard:
        upstream.git("clean", "-fdq")
        hooks.reset()
    else:
        hooks.apply()
        notice(f"build/upstream/src equals vm/hooks/ ({len(hooks.series())} patches)" if not hooks.unrefreshed() else
               f"build/upstream/src has {hooks.unrefreshed()}")


def build_variant(arguments):
    name = ("fastdebug" if arguments.debug else "pristine" if arguments.pristine else
            "without" if arguments.without else "release")
    build.command(name)


def need_source():
    if not (paths.SRC / ".git").exists():
        raise Failure("build/upstream/src does not exist: run ./terrace dev fetch and ./terrace dev apply")


def show_status(_):
    need_source()
    for sha, name, subject in hooks.commits():
        print(f"  {sha[:10]} {name:40} {subject}")
    pending = hooks.unrefreshed()
    stale = hooks.recorded() != hooks.digest()
    notice(f"build/upstream/src has {pending}" if pending else "build/upstream/src has no changes that vm/hooks/ lacks")
    if stale:
        notice("vm/hooks/ was changed since the last apply or refresh; ./terrace dev apply brings build/upstream/src up to date")


def fold(arguments):
    need_source()
    hooks.fold(arguments.patch, arguments.message)
    show_status(arguments)


def refresh(_):
    need_source()
    if hooks.resolve(hooks.APPLIED) and hooks.recorded() != hooks.digest():
        raise Failure("vm/hooks/ was changed by something else since it was applied; refreshing would undo that. "
                      "Apply it first (`./terrace dev apply`, with your commits stored elsewhere), or check "
                      "`git diff vm/hooks/`.")
    changed = hooks.refresh()
    notice("vm/hooks/ is up to date" if not changed else f"wrote {', '.join(changed)}")
