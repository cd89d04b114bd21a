// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * Programs that measure the second heap itself with its hints only. {@code ./terrace bench h2} runs them. On a JVM
 * without a second heap they also run, and all objects remain in the only heap.
 */
package org.terrace.bench.h2;
