# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The build system and command line of Terrace. Each part has a package, and cli/main.py lists the commands."""

VERSION = "0.1"
