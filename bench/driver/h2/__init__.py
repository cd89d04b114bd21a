# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench h2`: the second heap itself, an experiment in each module."""
