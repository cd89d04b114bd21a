# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench spark`. Modules: plan, runs and report. Other benchmarks also use its runs and its cluster."""
