// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * Real libraries at work: programs to measure collectors by. {@code ./terrace bench gc} runs them, beside two of the Spark
 * programs. All input is made from seeds, or is source text of published libraries.
 */
package org.terrace.bench.gc;
