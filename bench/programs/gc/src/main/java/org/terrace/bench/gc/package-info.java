/**
 * Real libraries at work: programs to measure collectors by. {@code ./terrace bench gc} runs them, beside two of the Spark
 * programs. All input is made from seeds, or is source text of published libraries.
 */
package org.terrace.bench.gc;
