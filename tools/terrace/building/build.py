# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The commands `terrace build` and `terrace run`: they build a JDK home and start its java."""
import os
import shutil
import time

from ..common import paths, prerequisites
from ..common.term import Failure, clock, lock, notice
from . import hooks, jdk, upstream, vm

# The size of build/ after the first build, with a margin: 1.3 GB of sources, 0.3 GB of objects, 0.6 GB of JDK homes.
NEEDED_BYTES = 3 * 10 ** 9

HOMES = {"release": "jdk", "fastdebug": "jdk-fastdebug", "pristine": "jdk-pristine",
         "pristine-debug": "jdk-pristine-debug"}


def register(add):
    build = add(description="Fetches the upstream source and the matching binary packages, applies the hooks, compiles the "
                            "virtual machine and assembles a JDK home. Repeats only the necessary steps. "
                            "An interrupted build continues where it stopped.")
    build.add_argument("--debug", action="store_true", help="build the fastdebug VM, with assertions, in build/jdk-fastdebug")
    build.set_defaults(run=lambda arguments: command("fastdebug" if arguments.debug else "release"))


def register_run(add):
    run = add(usage="./terrace run [--debug|--stock] [--] ARGUMENTS",
              description="Runs the java program of build/jdk with the given arguments. Builds the JDK first if it is missing.")
    run.add_argument("--debug", action="store_true", help="use the fastdebug build, build/jdk-fastdebug")
    run.add_argument("--stock", action="store_true", help="use the same JDK with the distribution's own VM, build/stock")
    run.add_argument("arguments", nargs="...", help="arguments of java")
    run.set_defaults(run=java)


def command(name):
    started = time.monotonic()
    home = build(name)
    notice(f"{paths.relative(home)} is ready ({clock(time.monotonic() - started)}). "
           f"Use it with JAVA_HOME={home}")


def build(name="release"):
    """Builds a variant, its JDK home, and the stock home for comparison. Returns the home."""
    check_place(paths.ROOT)
    with checkout_lock():
        selection = prepare()
        variant = vm.VARIANTS[name]
        if not variant.pristine:
            clashes = vm.check_basenames()
            if clashes:
                raise Failure("these files of vm/hotspot have the same name as an upstream file and would silently "
                              f"replace it: {', '.join(clashes)}. Rename them.")
        vm.build(variant, selection, jdk.boot(selection))
        if name not in HOMES:
            return variant.home
        home = jdk.assemble(HOMES[name], selection, variant.libjvm, additions=None if variant.pristine else paths.JDK)
        jdk.assemble(paths.STOCK.name, selection, None)
        return home


def check_place(root):
    """Fails before the first step if a later step is bound to fail."""
    if any(map(str.isspace, str(root))):
        raise Failure(f"the path of this clone has a space: '{root}'. The makefiles of OpenJDK need a path without one: move the clone")
    free = shutil.disk_usage(root).free
    if not upstream.unpacked_version() and free < NEEDED_BYTES:
        raise Failure(f"{root} has {free / 1e9:.1f} GB free, and the first build needs {NEEDED_BYTES / 1e9:.0f} GB there: free some space, "
                      "or clone to another file system")


def build_stock():
    """Assembles the stock home only, which needs no compiler."""
    with checkout_lock():
        return jdk.assemble(paths.STOCK.name, prepare(), None)


def checkout_lock():
    return lock(paths.BUILD / "build.lock", "another build of this checkout is running; waiting for it")


def prepare_locked():
    with checkout_lock():
        return prepare()


def prepare():
    """Performs all steps before the compilation: packages, source and hooks."""
    prerequisites.require(prerequisites.BUILD, "the build")
    selection = upstream.select()
    upstream.unpack(selection)
    hooks.apply()
    return selection


def home(name="release", make=True):
    """Returns the JDK home of a variant ('stock' is the distribution's). Builds a missing home if `make` is set."""
    folder = paths.STOCK if name == "stock" else paths.BUILD / HOMES[name]
    if not (folder / "bin/java").exists():
        if not make:
            raise Failure(f"{paths.relative(folder)} does not exist: run ./terrace build")
        if name == "stock":
            return build_stock()
        build(name)
    return folder


def java(arguments):
    given = arguments.arguments[1:] if arguments.arguments[:1] == ["--"] else arguments.arguments
    folder = home("stock" if arguments.stock else "fastdebug" if arguments.debug else "release")
    os.execv(str(folder / "bin/java"), ["java", *given])
