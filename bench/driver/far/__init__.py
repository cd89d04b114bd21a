# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench far`: programs whose heap is partly swapped out, by plan, runs and report."""
