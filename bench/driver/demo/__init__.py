# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace demo`, which runs two Spark programs on stock and on Terrace, and writes a page with their costs."""
