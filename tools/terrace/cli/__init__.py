# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command line: the list of commands, and the commands that have no package of their own."""
