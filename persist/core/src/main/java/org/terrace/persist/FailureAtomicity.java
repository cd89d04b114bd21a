// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** Which methods of a {@link Persistent} class are failure-atomic blocks by themselves. */
public enum FailureAtomicity {
    /** None: blocks are made with {@link Heap#atomic}. */
    NONE,
    /** Each instance method that is not private; one called by another is part of its block. */
    NON_PRIVATE
}
