# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace place`: plans where a Spark program's cached RDDs belong. The Java program org.terrace.place.Main does the work."""
from ..common import java_tool, maven, modules, paths

MODULE = paths.ROOT / "java/place"
USAGE = MODULE / "src/main/usage"
MAIN = "org.terrace.place.Main"
# The program runs for seconds, so an optimizing compiler and a parallel collector cost more than they save.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def register(add):
    java_tool.register(add, __doc__, run)


def run(arguments):
    help_text = java_tool.usage(USAGE, arguments.arguments)
    if help_text:
        print(help_text, end="")
        return 0
    return java_tool.run(*build(), MAIN, arguments, QUICK)


def build():
    """Returns the jar of the analysis and the folder of its dependencies. Builds them if a source has changed."""
    if paths.PACKED:
        return java_tool.packed("terrace-place")
    jar, libraries = MODULE / f"target/terrace-place-{maven.version()}.jar", MODULE / "target/lib"
    modules.make("placement analysis", paths.BUILD / "place.stamp", [jar, libraries], ("java/place",))
    return jar, libraries
