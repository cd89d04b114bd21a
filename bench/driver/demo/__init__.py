# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""`terrace demo`: two Spark programs on stock and on Terrace, with a page of what they cost."""
