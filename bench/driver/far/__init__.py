# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench far`, which runs programs whose heap is partly swapped out. Modules: plan, runs,
cycles and report."""
