// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** Selects the methods of a {@link Persistent} class that run as failure-atomic blocks. */
public enum FailureAtomicity {
    /** No method. The program uses {@link Heap#atomic}. */
    NONE,
    /** Each instance method that is not private. A method called by another one joins the caller's block. */
    NON_PRIVATE
}
