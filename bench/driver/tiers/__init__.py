# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench tiers`, which measures fast and slow memory for the second heap."""
