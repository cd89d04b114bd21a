# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace heap`: checks, shows and copies persistent heaps. The Java program org.terrace.persist.tools.HeapTool does the work."""
from ..common import java_tool, maven, modules, paths

MODULE = paths.PERSIST / "core"
USAGE = MODULE / "src/main/usage"
MAIN = "org.terrace.persist.tools.HeapTool"
# These options suppress the warnings of JDK 24 and later about native access and Unsafe.
QUIET = ("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")


def register(add):
    java_tool.register(add, __doc__, run)


def run(arguments):
    help_text = java_tool.usage(USAGE, arguments.arguments)
    if help_text:
        print(help_text, end="")
        return 0
    return java_tool.run(*build(), MAIN, arguments, QUIET)


def build():
    """Returns the jar of the library and the folder of its dependencies. Builds them if a source has changed."""
    if paths.PACKED:
        return java_tool.packed("terrace-persist")
    jar, libraries = MODULE / f"target/terrace-persist-{maven.version()}.jar", MODULE / "target/lib"
    modules.make("heap tools", paths.BUILD / "heap-tools.stamp", [jar, libraries], ("persist/core",))
    return jar, libraries
