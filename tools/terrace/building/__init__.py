# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Builds a JDK home from upstream's source, the hooks and the overlay, and supports the edit cycle of a developer."""
