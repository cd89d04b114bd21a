# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Functions that several packages use: paths, steps and failures, Maven, system packages, facts about the machine, GC logs."""
