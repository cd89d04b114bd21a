# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace test`, `terrace stress`, and what they run."""
