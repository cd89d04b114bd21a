# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace dist`, which packs the JDK home as an archive and as a Debian package."""
