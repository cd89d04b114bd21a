# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench persist`, which compares persistent objects with other stores. Modules: plan, runs and report."""
