// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * Programs that use real libraries, to measure collectors. {@code ./terrace bench gc} runs them, and also two of the
 * Spark programs. All input is generated from seeds, or is source text of published libraries.
 */
package org.terrace.bench.gc;
