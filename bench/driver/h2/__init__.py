# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench h2`, which measures the second heap itself. Each experiment is a module."""
