// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

/** What a benchmark program does in one iteration. */
@FunctionalInterface
public interface Work {

    /**
     * Does it once.
     *
     * @param latencies takes the times of single operations, if there are such
     * @return the result, which must equal that of each other time, and of other JVMs
     */
    Object once(Latencies latencies) throws Exception;
}
