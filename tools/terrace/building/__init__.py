# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""From upstream's source, the hooks and the overlay to a JDK home; the developer's loop around them."""
