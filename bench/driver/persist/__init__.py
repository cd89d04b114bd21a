# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench persist`: persistent objects beside other stores, by plan, runs and report."""
