# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Runs the programs of bench/programs and other programs, measures them, and writes reports. Only `bench`, `demo` and `report` load it."""
