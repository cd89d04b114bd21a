# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command line: the list of commands, and those that have no package of their own."""
