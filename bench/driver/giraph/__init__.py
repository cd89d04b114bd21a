# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench giraph`: Giraph with and without a second heap, by plan, runs and report."""
