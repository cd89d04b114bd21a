"""Build system and command line of Terrace. A package for each part of the command, one story per module; cli/main.py lists the commands."""

VERSION = "0.1"
