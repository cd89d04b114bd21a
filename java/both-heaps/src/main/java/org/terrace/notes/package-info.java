// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** An example: what is to survive is in a persistent heap, what is long to build and to be read often is in the second heap. */
package org.terrace.notes;
