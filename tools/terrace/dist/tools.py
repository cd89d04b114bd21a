# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Files that `terrace dist` adds so that the user commands need only glibc and a shell: sources, an interpreter, a launcher.

The folder `terrace` of the home has the layout of a checkout (common/paths.py). The interpreter is a copy of a system
interpreter, with the libraries that it needs besides glibc and with the compiled standard library. Extension modules
are included if they need no other libraries. The folder `lib` has the libraries besides glibc's that the interpreter
and the JDK need to start, for systems without them.
"""
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from ..common import paths
from ..common.term import SHORT_SECONDS, Failure, output

# Folders and files of the checkout that the user commands need.
SOURCES = ("terrace", "tools/terrace/__init__.py", "tools/terrace/cli", "tools/terrace/common", "tools/terrace/doctor",
           "tools/terrace/building/__init__.py", "tools/terrace/building/flags.py",
           "vm/hotspot/share/gc/terrace/terrace_globals.hpp", "java/place/src/main/usage", "persist/core/src/main/usage", "README.md")
# Debian's interpreter is one file that includes most extension modules. Any other of the right version works as well.
INTERPRETERS = ("/usr/bin/python3", sys.executable)
# Parts of the standard library that no command needs.
LEFT_OUT = {"test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "distutils", "ensurepip", "pydoc_data", "site-packages",
            "dist-packages", "__pycache__", "venv", "sqlite3", "asyncio", "multiprocessing", "unittest", "wsgiref", "xmlrpc", "curses",
            "dbm", "lib-dynload"}
SYSTEMS = re.compile(r"(ld-linux|linux-vdso|lib(c|m|dl|pthread|rt|util)\.so)")
LAUNCHER = """\
#!/bin/sh
# The commands of Terrace for users: `terrace --help` lists them. Needs a shell, and nothing that the JDK does not need.
program=$0
while [ -L "$program" ]; do
    link=$(readlink "$program")
    case $link in /*) program=$link ;; *) program=${program%/*}/$link ;; esac
done
case $program in */*) folder=${program%/*} ;; *) folder=. ;; esac
folder=$(cd "$folder/.." && pwd) || exit 1
# Neither variables nor packages of the user's own Python change it.
unset PYTHONPATH PYTHONSTARTUP
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder/lib"
packed() {
    PYTHONHOME="$folder/python" exec "$folder/python/bin/python3" -s -S -B "$@"
}
# An older glibc runs the JDK, but not always this interpreter.
if (packed -c '') 2> /dev/null; then
    packed "$folder/terrace" "$@"
elif command -v python3 > /dev/null; then
    exec python3 "$folder/terrace" "$@"
fi
echo "terrace: neither $folder/python/bin/python3 runs here nor is there a python3 in the PATH: REQUIREMENTS names the glibc that the" \\
    "first needs, and the second has to be 3.9 or newer" >&2
exit 1
"""
# This program runs in the interpreter to pack. It compiles the library into a folder, and prints the version and the extension modules.
COMPILE = """\
import json, os, py_compile, sys, sysconfig
target, left_out = sys.argv[1], set(sys.argv[2:])
library = sysconfig.get_path("stdlib")
for folder, names, files in os.walk(library):
    names[:] = sorted(set(names) - left_out)
    for name in sorted(files):
        if name.endswith(".py"):
            path = os.path.join(folder, name)
            inner = os.path.relpath(path, library)
            py_compile.compile(path, os.path.join(target, inner + "c"), dfile=inner, doraise=True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
print(json.dumps({"version": list(sys.version_info[:2]), "extensions": os.path.join(library, "lib-dynload")}))
"""
TIME = (1980, 2, 1, 0, 0, 0)
PYTHON, LIBRARIES = "terrace/python", "terrace/lib"
STARTS = ("bin/java", "lib/libjimage.so", "lib/libzip.so", "lib/server/libjvm.so")


def files(home):
    """Returns {name in the home: content}."""
    found = {f"terrace/{name}": (paths.ROOT / name).read_bytes() for name in sources()}
    found["terrace/bin/terrace"] = LAUNCHER.encode()
    program = next((Path(name).resolve() for name in INTERPRETERS if os.access(name, os.X_OK)), None)
    found.update({f"{PYTHON}/{name}": content for name, content in python(program).items()})
    found.update({f"{LIBRARIES}/{path.name}": path.read_bytes() for path in (*libraries(program), *of_jdk(home))})
    return found


def sources():
    for name in SOURCES:
        path = paths.ROOT / name
        found = [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.suffix in (".py", ".txt")]
        yield from (str(file.relative_to(paths.ROOT)) for file in found)


def python(program):
    """Returns {name: content} of a self-contained interpreter."""
    found = {"bin/python3": program.read_bytes()}
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([program, "-s", "-c", COMPILE, folder, *LEFT_OUT], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=SHORT_SECONDS)
        if made.returncode:
            raise Failure(f"the library of {program} cannot be compiled: {made.stderr.strip()}")
        facts = json.loads(made.stdout)
        modules = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*.pyc"))}
    major, minor = facts["version"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:       # stored, since the interpreter may have no zlib of its own, and packages compress
        for name, content in modules.items():
            archive.writestr(zipfile.ZipInfo(name, TIME), content)
    found[f"lib/python{major}{minor}.zip"] = packed.getvalue()
    own = {path.name: path for path in libraries(program)}
    for extension in sorted(Path(facts["extensions"]).glob("*.so")):
        if {path.name for path in libraries(extension)} <= own.keys() and "test" not in extension.name:
            found[f"lib/python{major}.{minor}/lib-dynload/{extension.name}"] = extension.read_bytes()
    for notice in sorted(Path("/usr/share/doc").glob(f"python{major}.{minor}-minimal/copyright")) + [
            Path(f"/usr/share/doc/{package}/copyright") for package in ("libexpat1", "zlib1g", "libstdc++6", "libgcc-s1")]:
        if notice.is_file():
            found[f"licences/{notice.parent.name}"] = notice.read_bytes()
    return found


def libraries(file):
    """Returns the shared libraries that a file loads, except those of glibc."""
    listed = re.findall(r"^\s*(\S+) => (\S+) \(", output(["ldd", file], check=False), re.M)
    return [Path(path) for name, path in listed if not SYSTEMS.match(name)]


def of_jdk(home):
    """Returns the system libraries that a JVM without a window loads when it starts."""
    own = {path.name for path in (home / "lib").rglob("*.so")}
    loaded = [path for name in STARTS for path in libraries(home / name)]
    return {path.name: path for path in loaded if path.name not in own}.values()
