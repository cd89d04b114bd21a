"""Spark programs as the demo and the benchmarks run them: one run, a cluster, inputs, equal results."""
