# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace doctor`: what is wrong with a running program, and what to change."""
