// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The contents of a heap or of its log are inconsistent. The files were not changed. */
public final class CorruptHeapException extends HeapException {
    private static final long serialVersionUID = 1;
    /** End of each message about damage that is detected during normal use. */
    public static final String REMEDY = "; fsck says more, and a backup has what was there";

    public CorruptHeapException(String message) {
        super(message);
    }
}
