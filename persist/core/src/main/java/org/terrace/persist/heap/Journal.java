// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import org.terrace.persist.HeapException;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.log.RedoLog;

/** Commits records. It writes them to the log and then applies them to the pages. */
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
     * @return the position up to which the log must be written or synced to make the record durable
     * @throws org.terrace.persist.HeapFullException if the device has no space for the log. Nothing is changed
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
     * Appends a record of changes that are already in the pages, after all earlier records have been applied. Therefore a replay
     * undoes nothing.
     *
     * @param fill adds these changes to the record, while nothing else is committed
     * @param apply makes the other changes of the record in the pages
     * @return like {@link #commit}
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

    /** @throws org.terrace.persist.HeapFullException if the device has no space for existing log data */
    public void checkRoom() {
        log.writeAgain();
    }

    /** @throws HeapException if the record is too long for a commit */
    public void checkLength(LogRecord record) {
        log.checkLength(record);
    }

    /** Makes the heap reject all further operations for this reason. */
    public void fail(String what, Throwable cause) {
        log.fail(HeapException.of(what, cause));
    }

    public Space space() {
        return space;
    }
}
