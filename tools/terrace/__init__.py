# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Build system and command line of Terrace: a package for each part, one story per module; cli/main.py lists the commands."""

VERSION = "0.1"
