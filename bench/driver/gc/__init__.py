# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench gc`: programs of others under each collector, by plan, runs and report."""
