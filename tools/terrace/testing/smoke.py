# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The stage `smoke`, which checks the JDK home from the view of a user."""
import re
import shutil
import subprocess
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

from .. import VERSION
from ..building import build, jdk
from ..common import paths
from ..common.term import notice
from .results import Cases


def java(home, *arguments, timeout=120):
    result = subprocess.run([str(home / "bin/java"), *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=timeout)
    if result.returncode != 0:
        raise AssertionError(f"java {' '.join(map(str, arguments))} exited with {result.returncode}:\n{result.stdout}")
    return result.stdout


def properties(home):
    return dict(re.findall(r"^\s+(\S+) = (.*)$", java(home, "-XshowSettings:properties", "-version"), re.M))


def run(file):
    ours, debug, stock = build.home("release"), build.home("fastdebug"), build.home("stock")
    cases = Cases(file)

    def contains(text, part):
        assert part in text, f"'{part}' is not in:\n{text}"
        return text.strip()

    for name, home in (("release", ours), ("fastdebug", debug)):
        cases.check(f"{name}: java -version names Terrace", lambda: contains(java(home, "-version"), f"Terrace-{VERSION}"))
        cases.check(f"{name}: java.vm.vendor is Terrace", lambda: contains(properties(home)["java.vm.vendor"], "Terrace"))
        for options in ([], ["-XX:-UseCompressedOops"], ["-XX:+UseParallelGC"]):
            cases.check(f"{name}: class data sharing in use {' '.join(options)}".rstrip(),
                        lambda: contains(java(home, "-Xshare:on", *options, "-version"), "sharing"))

    def same(name):
        mine, theirs = properties(ours)[name], properties(stock)[name]
        assert mine == theirs, f"{mine}, stock has {theirs}"
        return mine
    for name in ("java.vm.name", "java.version", "java.vendor", "java.specification.version"):
        cases.check(f"{name} is stock's", lambda: same(name))

    def has_all_flags():
        listing = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-version")
        mine, theirs = (set(re.findall(r"^ *\w+ (\w+) +=", java(home, *listing), re.M)) for home in (ours, stock))
        assert len(theirs) > 500 and theirs <= mine, f"{len(theirs)} in stock, not here: {sorted(theirs - mine)}"
        return f"{len(theirs)}, and {', '.join(sorted(mine - theirs))}"
    cases.check("has all flags of stock", has_all_flags)

    source = paths.TOOLS / "test/Https.java"
    cases.check("the truststore has authorities", lambda: contains(java(ours, source, "authorities"), "authorities"))
    url = https_server()
    if url:
        cases.check(f"HTTPS request to {url}", lambda: contains(java(ours, source, "get", url), "status"))
    else:
        notice("no HTTPS server is reachable from here: the request is not tested")

    def moved():
        other = paths.BUILD / "test/moved-jdk"
        subprocess.run(["rm", "-rf", str(other)], check=True)
        subprocess.run(["cp", "-a", str(ours), str(other)], check=True)
        text = java(other, "-Xshare:on", "-version")
        broken = jdk.dangling(other)
        subprocess.run(["rm", "-rf", str(other)], check=True)
        assert not broken, f"dangling links: {broken}"
        return text
    cases.check("a copy elsewhere runs, without dangling links", moved)
    return cases.result()


def https_server():
    """Returns an HTTPS server that is reachable from this machine: the configured Maven repository, or Maven's default."""
    texts = []
    settings = Path.home() / ".m2/settings.xml"
    if settings.exists():
        texts.append(settings.read_text(errors="replace"))
    maven = shutil.which("mvn")
    for jar in Path(maven).resolve().parents[1].glob("lib/maven-model-builder*.jar") if maven else []:
        with zipfile.ZipFile(jar) as archive:
            texts.append(archive.read("org/apache/maven/model/pom-4.0.0.xml").decode())
    for url in re.findall(r"<url>\s*(https://[^<\s]+)", "".join(texts)):
        try:
            urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=10)
            return url
        except urllib.error.HTTPError:
            return url
        except (OSError, ValueError):
            continue
    return None
