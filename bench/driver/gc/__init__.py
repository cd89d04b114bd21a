# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace bench gc`, which runs third-party programs under each collector. Modules: plan, runs and report."""
