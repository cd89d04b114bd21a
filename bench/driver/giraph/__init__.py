# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench giraph`, which runs Giraph with and without a second heap. Modules: plan, runs and report."""
