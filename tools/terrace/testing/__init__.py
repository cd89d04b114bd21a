# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The commands `terrace test`, `terrace nightly` and `terrace stress`, and the suites that they run."""
