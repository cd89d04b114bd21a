# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace doctor`, which diagnoses a running program and recommends changes."""
