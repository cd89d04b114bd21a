"""Build system and command line of Terrace. One story per module; `cli.py` finds the subcommands."""

VERSION = "0.1"
