# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Builds libjvm.so outside of the source tree. Upstream's makefiles compile the overlay through their extension mechanism.

A variant is a build directory. `release` and `fastdebug` are Terrace, and `without` has the hooks with
INCLUDE_TERRACE=0. `pristine` and `pristine-debug` are the unmodified source in a working tree of their own.
"""
import hashlib
import json
import os
import shutil

from .. import VERSION
from ..common import paths
from ..common.term import lock, logged, output, step
from . import upstream

# The features of the distribution's build, so that Terrace has the same collectors and options.
FEATURES = "dtrace,jvmci,zgc"
# Enough for a machine a quarter as fast as the slowest one measured, with a cold cache.
LIMIT_SECONDS = 2 * 3600


class Variant:
    def __init__(self, name, level, included=1, pristine=False, gtest=False):
        self.name = name
        self.level = level
        self.included = included
        self.pristine = pristine
        self.gtest = gtest

    @property
    def home(self):
        return paths.BUILD / self.name

    @property
    def source(self):
        return paths.UPSTREAM / "pristine" if self.pristine else paths.SRC

    @property
    def libjvm(self):
        return self.home / "support/modules_libs/java.base/server/libjvm.so"

    @property
    def objects(self):
        return self.home / "hotspot/variant-server/libjvm/objs"

    @property
    def launcher(self):
        """Returns the launcher of the gtests, which is beside a libjvm.so of its own."""
        return self.home / "hotspot/variant-server/libjvm/gtest/gtestLauncher"


VARIANTS = {variant.name: variant for variant in (
    Variant("release", "release"),
    Variant("fastdebug", "fastdebug", gtest=True),
    Variant("without", "release", included=0),
    Variant("pristine", "release", pristine=True),
    Variant("pristine-debug", "fastdebug", pristine=True),
)}


def environment():
    env = dict(os.environ)
    # Compilations run relative to the checkout (vm/make/custom-spec.gmk.in), so all checkouts share one cache.
    env.update(CCACHE_DIR=str(paths.cache() / "ccache"), CCACHE_NOHASHDIR="1", CCACHE_MAXSIZE="4G")
    for name in ("JAVA_HOME", "CLASSPATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "MAKEFLAGS", "MFLAGS",
                 "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CC", "CXX", "LD_LIBRARY_PATH"):
        env.pop(name, None)
    env["LC_ALL"] = "C"
    return env


def configure_arguments(variant, selection, boot_jdk):
    """Returns the options of configure. The build number and the option form java.vm.version, and the vendor sets
    java.vm.vendor. The source itself has upstream's version."""
    arguments = [
        f"--with-boot-jdk={boot_jdk}", f"--with-debug-level={variant.level}", "--enable-headless-only",
        "--with-native-debug-symbols=none", f"--with-jvm-features={FEATURES}",
        "--with-version-pre=", f"--with-version-build={selection.build}",
        f"--with-version-opt={'Pristine' if variant.pristine else 'Terrace-' + VERSION}",
        "--with-source-date=version", "--enable-ccache", "--enable-absolute-paths-in-output",
        "--disable-warnings-as-errors", "--disable-jtreg-failure-handler", "--with-jtreg=no"]
    if not variant.pristine:
        arguments.append("--with-vendor-name=Terrace")
    if variant.gtest:
        arguments.append(f"--with-gtest={variant.source}/googletest")
    return arguments


def custom_spec(variant):
    text = (paths.MAKE / "custom-spec.gmk.in").read_text()
    return (text.replace("@ROOT@", str(paths.ROOT)).replace("@INCLUDED@", str(variant.included))
            .replace("@PRISTINE@", str(variant.pristine).lower()))


def write_if_changed(path, text):
    """Writes a file only if its content differs, because a new modification time of custom-spec.gmk rebuilds everything."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def inputs(variant, arguments):
    """Returns a fingerprint of everything that the compilation reads from the checkout and the working source."""
    digest = hashlib.sha256(json.dumps([arguments, custom_spec(variant)]).encode())
    folders = [paths.MAKE] if variant.pristine else [paths.OVERLAY, paths.MAKE]
    if variant.gtest:
        folders.append(paths.TEST / "hotspot/gtest")
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                status = file.stat()
                digest.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    git = ["git", "-C", variant.source]
    digest.update(output([*git, "rev-parse", "HEAD"]).encode())
    for line in output([*git, "status", "--porcelain", "--untracked-files=no"]).splitlines():
        file = variant.source / line[3:]
        digest.update(f"{line} {file.stat().st_mtime_ns if file.exists() else 0}\n".encode())
    return digest.hexdigest()


def pristine_tree():
    """Creates a second working tree of the same repository with the unmodified source."""
    tree = VARIANTS["pristine"].source
    if not (tree / "configure").exists():
        with step("untouched source") as current:
            shutil.rmtree(tree, ignore_errors=True)
            upstream.git("worktree", "prune")
            upstream.git("worktree", "add", "-q", "--detach", str(tree), "upstream")
            current.done()


def build(variant, selection, boot_jdk):
    """Compiles changed files. Returns True if libjvm.so may have changed."""
    if variant.pristine:
        pristine_tree()
    arguments = configure_arguments(variant, selection, boot_jdk)
    stamp = variant.home / "terrace.stamp"
    wanted = inputs(variant, arguments)
    if variant.libjvm.exists() and stamp.exists() and stamp.read_text() == wanted:
        return False
    with lock(paths.cache() / "vm-build.lock", "another VM build is running on this machine; waiting for it"):
        stamp.unlink(missing_ok=True)
        configure(variant, arguments)
        compile_libjvm(variant)
        # Edits during the compilation are not in its result, so the fingerprint from before is stored.
        stamp.write_text(wanted)
    return True


def configure(variant, arguments):
    stamp = variant.home / "terrace.configured"
    wanted = json.dumps(arguments)
    write_if_changed(variant.home / "custom-spec.gmk", custom_spec(variant))
    if (variant.home / "spec.gmk").exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    with step(f"configure {variant.name}") as current:
        stamp.unlink(missing_ok=True)
        (variant.home / "spec.gmk").unlink(missing_ok=True)
        logged(["bash", variant.source / "configure", *arguments], f"configure-{variant.name}.log",
               cwd=variant.home, env=environment(), what="configure")
        stamp.write_text(wanted)
        current.done()


def drop_cut_off(variant):
    """Deletes files that a crash of the machine truncated, because make considers them complete."""
    for file in variant.home.glob("hotspot/variant-server/**/*"):
        if file.suffix in (".o", ".gch", ".so") and file.stat().st_size == 0:
            file.unlink()


def compile_libjvm(variant):
    drop_cut_off(variant)
    total = len(list((variant.source / "src/hotspot/share").rglob("*.cpp")))
    hits = ccache_hits()
    with step(f"compile {variant.name}") as current:
        def progress():
            count = count_objects(variant.objects)
            current.update(f"{count} objects" + (f" of about {max(total, count)}" if count < total else ""))
        logged(["make", "hotspot", "LOG=warn", f"JOBS={os.cpu_count()}"], f"compile-{variant.name}.log",
               cwd=variant.home, env=environment(), what=f"compiling {variant.name}", watch=progress, limit=LIMIT_SECONDS)
        now = ccache_hits()
        current.done(f"{count_objects(variant.objects)} objects, {now[0] - hits[0]} compiled, "
                     f"{now[1] - hits[1]} from the compiler cache")


def count_objects(folder):
    try:
        return sum(1 for entry in os.scandir(folder) if entry.name.endswith(".o"))
    except FileNotFoundError:
        return 0


def ccache_hits():
    """Returns (misses, hits) so far."""
    counts = {}
    for line in output(["ccache", "--print-stats"], env=environment(), check=False).splitlines():
        key, _, value = line.partition("\t")
        if value.isdigit():
            counts[key] = int(value)
    return counts.get("cache_miss", 0), counts.get("direct_cache_hit", 0) + counts.get("preprocessed_cache_hit", 0)


def check_basenames():
    """Returns overlay files that would silently replace an upstream file or another overlay file, because the names are equal."""
    ours = {}
    for root in (paths.OVERLAY, paths.TEST / "hotspot/gtest"):
        for file in root.rglob("*"):
            if file.is_file():
                ours.setdefault(file.name, []).append(file)
    theirs = set()
    for root in ("src/hotspot", "test/hotspot/gtest"):
        for _, _, names in os.walk(paths.SRC / root):
            theirs.update(names)
    clashes = [paths.relative(file) for name, files in ours.items() if name in theirs for file in files]
    clashes += [" and ".join(map(paths.relative, files)) for files in ours.values() if len(files) > 1]
    return clashes
