# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What benchmarks share: costs of a program as kernel and VM tell them, caps on what it may use, inputs and equal results,
numbers as tables and plots."""
