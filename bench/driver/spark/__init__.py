# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench spark`, by plan, runs and report; and a run or a cluster of Spark, as other benchmarks need them."""
