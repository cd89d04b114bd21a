// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import org.terrace.persist.HeapException;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.log.RedoLog;

/** Commits records: to the log first, then to the pages. */
public class Journal {
    private final Space space;
    private final RedoLog log;

    public Journal(Space space, RedoLog log) {
        this.space = space;
        this.log = log;
    }

    /**
     * Appends a record and makes its changes visible. It is not durable yet.
     *
     * @return the position up to which the log must be written or synced for that
     * @throws org.terrace.persist.HeapFullException if the device has no room for the log: nothing is changed
     */
    public long commit(LogRecord record) {
        long position = log.append(record);
        try {
            record.visit(space);
        } catch (Throwable e) {
            log.fail(new HeapException("changes of a commit could not be made: " + e, e));
            throw e;
        } finally {
            log.applied(position);
        }
        return position + record.length();
    }

    /**
     * Appends a record of what the pages have already, once they have all records before it; so a replay undoes nothing.
     *
     * @param fill adds this to the record; nothing else is committed meanwhile
     * @param apply changes in the pages what the record has besides
     * @return as {@link #commit}
     */
    public long commitSettled(LogRecord record, Runnable fill, Runnable apply) {
        long position = log.appendSettled(record, fill);
        try {
            apply.run();
        } catch (Throwable e) {
            fail("what a record of the log has could not be done", e);
            throw e;
        } finally {
            log.applied(position);
        }
        return position + record.length();
    }

    /** @throws org.terrace.persist.HeapFullException if the device has no room for what the log has already */
    public void checkRoom() {
        log.writeAgain();
    }

    /** @throws HeapException if no commit can be of this record, as it is too long */
    public void checkLength(LogRecord record) {
        log.checkLength(record);
    }

    /** The heap refuses everything from now on, for this reason. */
    public void fail(String what, Throwable cause) {
        log.fail(HeapException.of(what, cause));
    }

    public Space space() {
        return space;
    }
}
