# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Common parts of the benchmarks: costs of programs, resource limits, inputs, comparison of results, tables and plots."""
