// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * Benchmark programs share this package. {@link org.terrace.bench.harness.Iterations} runs the work of a program again and again
 * in one JVM; {@code ./terrace bench gc} reads what it prints.
 */
package org.terrace.bench.harness;
