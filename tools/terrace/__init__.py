"""Build system and command line of Terrace. A package for each part of the command, one story per module; `cli.py` finds the subcommands."""

VERSION = "0.1"
