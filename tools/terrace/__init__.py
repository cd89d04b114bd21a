# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Build system and command line of Terrace. A package for each part of the command, one story per module; cli/main.py lists the commands."""

VERSION = "0.1"
