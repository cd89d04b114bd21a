# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench tiers`: fast and slow memory for the second heap."""
