# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace bench`: measurements, each beside the stock JVM or the peers that it names."""
