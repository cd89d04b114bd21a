// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * A package that benchmark programs share. {@link org.terrace.bench.harness.Iterations} runs the work of a program
 * repeatedly in one JVM, and {@code ./terrace bench gc} reads its output.
 */
package org.terrace.bench.harness;
