# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs the programs of bench/programs and others, measures them, and reports. Loaded for `bench`, `demo` and `report` only."""
