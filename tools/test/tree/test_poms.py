# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the common properties of the published Java artifacts."""
import re
import unittest
from xml.etree import ElementTree

from terrace.common import maven, paths

# Modules of java/ and persist/ that only run tests.
TESTS_ONLY = {"persist/suites"}


def poms():
    """Returns {module: its pom} of the modules that produce a jar for users."""
    found = {}
    for module in maven.modules():
        if module.startswith(("java/", "persist/")) and module not in TESTS_ONLY:
            pom = ElementTree.parse(paths.ROOT / module / "pom.xml").getroot()
            if pom.findtext("{*}packaging") != "pom":
                found[module] = pom
    return found


def declared_module(module):
    """Returns the name that module-info.java declares, or None if there is no such file."""
    source = paths.ROOT / module / "src/main/java/module-info.java"
    return re.search(r"^module ([\w.]+) \{", source.read_text(), re.M).group(1) if source.exists() else None


class ArtifactsTest(unittest.TestCase):
    def test_each_has_a_name_as_a_module_of_its_own(self):
        names = {module: declared_module(module) or pom.findtext(".//{*}Automatic-Module-Name") for module, pom in poms().items()}
        self.assertGreaterEqual(len(names), 9)
        self.assertEqual([module for module, name in names.items() if not (name or "").startswith("org.terrace")], [])
        self.assertEqual(len(set(names.values())), len(names), names)

    def test_the_plugins_of_spark_and_giraph_contain_the_api(self):
        for module in ("java/spark", "java/giraph"):
            plugins = [element.text for element in poms()[module].iterfind("{*}build/{*}plugins/{*}plugin/{*}artifactId")]
            self.assertIn("maven-shade-plugin", plugins, module)

    def test_each_can_be_published_with_sources_and_javadoc(self):
        root = ElementTree.parse(paths.POM).getroot()
        profile = next(element for element in root.iterfind("{*}profiles/{*}profile") if element.findtext("{*}id") == "publish")
        self.assertLessEqual({"maven-source-plugin", "maven-javadoc-plugin"},
                             {element.text for element in profile.iterfind(".//{*}plugin/{*}artifactId")})


if __name__ == "__main__":
    unittest.main()
