// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** Runs the work of a benchmark program again and again in one JVM; {@code ./terrace bench gc} reads what it prints. */
package org.terrace.bench.harness;
