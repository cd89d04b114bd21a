# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Python libraries of some commands. They are installed on first use, for this interpreter, inside build/."""
import functools
import importlib.util
import os
import shutil
import subprocess
import sys

from . import paths, prerequisites
from .term import SHORT_SECONDS, Failure, logged, notice, step

# {import name: requirement to install}
PINS = {"matplotlib": "matplotlib>=3.8,<4", "plotly": "plotly>=6.5,<7", "scipy": "scipy>=1.9,<2", "pytest": "pytest>=8,<10",
        "pytest_timeout": "pytest-timeout>=2.3,<3"}

# {import name: the parts of its output that a command leaves out without the library}
USES = {"matplotlib": "plots", "scipy": "confidence intervals and trends"}

VENV = paths.BUILD / "venv"
FLAT = paths.BUILD / "venv-flat"


def require(*names):
    """Makes the libraries importable, or fails with a message that tells the user what to do."""
    find_installed()
    absent = [name for name in names if not importlib.util.find_spec(name)]
    if not absent:
        return
    with step(f"installing {', '.join(absent)} into {paths.relative(VENV)}") as current:
        install([PINS[name] for name in absent])
        current.done()
    find_installed()
    importlib.invalidate_caches()
    still = [name for name in names if not importlib.util.find_spec(name)]
    if still:
        raise Failure(f"{', '.join(still)} cannot be imported although they are installed: delete {paths.relative(VENV)} "
                      "and try again")


@functools.lru_cache(maxsize=None)
def offer(name):
    """Makes a library importable that commands can do without. Returns whether it is, and tells once what is missing without it."""
    try:
        require(name)
        return True
    except Failure as failure:
        notice(f"there are no {USES[name]}, because {name} cannot be installed: {failure}")
        return False


def find_installed():
    for folder in (VENV / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages", FLAT / tag()):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.append(str(folder))


def install(requirements):
    """Installs into a virtual environment, or with pip's --target if Python has no venv. Without pip, Debian's package provides both."""
    if make_venv():
        pip = [VENV / "bin/python", "-m", "pip"]
        target = []
    elif works([sys.executable, "-m", "pip", "--version"]):
        pip = [sys.executable, "-m", "pip"]
        target = ["--target", FLAT / tag()]
    else:
        prerequisites.require(["python3-venv"], "installing Python libraries")
        if not make_venv():
            raise Failure("this Python has neither venv nor pip: install python3-venv and python3-pip for it")
        pip = [VENV / "bin/python", "-m", "pip"]
        target = []
    # pip must not count packages on the path of another interpreter as installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    logged([*pip, "install", "--disable-pip-version-check", "--only-binary", ":all:", *target, *requirements],
           "python-libraries.log", env=environment, what=f"installing {', '.join(requirements)}")


def make_venv():
    if (VENV / "bin/python").exists() and works([VENV / "bin/python", "-m", "pip", "--version"]):
        return True
    shutil.rmtree(VENV, ignore_errors=True)
    if importlib.util.find_spec("ensurepip") and works([sys.executable, "-m", "venv", VENV]):
        return True
    shutil.rmtree(VENV, ignore_errors=True)
    return False


def works(command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=SHORT_SECONDS).returncode == 0


def tag():
    return f"python{sys.version_info[0]}.{sys.version_info[1]}"
