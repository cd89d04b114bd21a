"""The command line: the list of commands, and those that have no package of their own."""
