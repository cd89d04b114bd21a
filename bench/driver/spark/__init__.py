# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Spark programs as the demo and the benchmarks run them: one run, a cluster, inputs, equal results."""
