// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** An example program with both heaps: durable data in a persistent heap, and a large, often read index in the second heap. */
package org.terrace.notes;
