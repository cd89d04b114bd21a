# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""System packages that a step needs. They are installed if no password is needed. Otherwise a failure gives the exact command."""
import os
import shutil
import subprocess
from pathlib import Path

from .term import SHORT_SECONDS, Failure, logged, output, step

COMPILE = ["build-essential", "autoconf", "ccache", "dpkg-dev", "file", "git", "unzip", "zip", "xz-utils",
           "libasound2-dev", "libcups2-dev", "libfontconfig-dev", "libfreetype-dev", "libx11-dev", "libxext-dev",
           "libxrandr-dev", "libxrender-dev", "libxt-dev", "libxtst-dev", "systemtap-sdt-dev", "zlib1g-dev"]
# Libraries that Debian's JDK packages link to, and the certificates for the truststore.
RUN = ["ca-certificates", "libharfbuzz0b", "libjpeg62-turbo", "liblcms2-2", "libnss3", "libpcsclite1"]
BUILD = COMPILE + RUN
TESTS = ["jtreg7", "maven"]


def missing(packages):
    text = output(["dpkg-query", "-W", "-f", "${binary:Package} ${db:Status-Status}\n", *packages], check=False)
    there = {line.split()[0].split(":")[0] for line in text.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in there]


def require(packages, purpose):
    absent = missing(packages)
    if not absent:
        return
    install = ["install", "-y", "--no-install-recommends", *absent]
    if os.geteuid() == 0:
        prefix = []
    elif passwordless():
        prefix = ["sudo", "-n"]
    else:
        raise Failure(f"{purpose} needs packages that are not installed. Install them with\n\n"
                      f"    sudo apt-get update && sudo apt-get {' '.join(install)}\n")
    with step(f"installing {', '.join(absent)}") as current:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        if prefix:
            prefix += ["env", "DEBIAN_FRONTEND=noninteractive"]
        apt = [*prefix, "apt-get", "-o", "Acquire::Retries=3"]
        try:
            logged([*apt, *install], "prerequisites.log", env=environment)
        except Failure:
            # Outdated or missing package lists are the usual reason.
            logged([*apt, "update"], "prerequisites.log", env=environment, append=True,
                   what="apt-get update")
            logged([*apt, *install], "prerequisites.log", env=environment, append=True,
                   what="installing the packages")
        current.done()


def java_home(environment):
    """Returns the JDK of JAVA_HOME, or None. Fails if JAVA_HOME names another folder, because Maven's message would not give the path."""
    home = environment.get("JAVA_HOME")
    if home and not Path(home, "bin/java").exists():
        raise Failure(f"JAVA_HOME={home} has no bin/java: set it to the home of a JDK 17 or newer, or unset it")
    return Path(home) if home else None


def passwordless():
    return bool(shutil.which("sudo")) and subprocess.run(
        ["sudo", "-n", "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SHORT_SECONDS).returncode == 0
