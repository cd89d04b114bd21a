// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

/** The work of a benchmark program in one iteration. */
@FunctionalInterface
public interface Work {

    /**
     * Runs one iteration.
     *
     * @param latencies receives the durations of single operations, if the program measures them
     * @return the result, which must be equal in all iterations and on other JVMs
     */
    Object once(Latencies latencies) throws Exception;
}
