// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;

/** Loads and stores of fields. Inside a block they use the block's version, otherwise the heap itself. */
public final class Fields {
    private final Space space;
    private final long base;
    private final ThreadLocal<Current> current = ThreadLocal.withInitial(Current::new);
    /**
     * Number of running blocks. If it is 0, a load needs no lookup of the thread's block. A plain read suffices, because a thread
     * in a block has incremented the count itself and cannot see an older value.
     */
    private final AtomicInteger blocks = new AtomicInteger();
    /**
     * The thread in an exclusive block. Not volatile, because a thread sees itself here only while it is in the block. It clears
     * the field when it leaves, and no other thread writes meanwhile.
     */
    private Thread owner;
    private Transaction owned;

    private static final class Current {
        private Transaction transaction;
    }

    public Fields(Space space) {
        this.space = space;
        this.base = space.base();
    }

    /** @param exclusive whether no other thread is in a block until this one leaves */
    void enter(Transaction transaction, boolean exclusive) {
        if (exclusive) {
            owned = transaction;
            owner = Thread.currentThread();
        } else {
            current.get().transaction = transaction;
        }
        blocks.incrementAndGet();
    }

    void leave() {
        blocks.decrementAndGet();
        if (owner == Thread.currentThread()) {
            owner = null;
            owned = null;
        } else {
            current.get().transaction = null;
        }
    }

    /** The thread's current block, or null. */
    public Transaction transaction() {
        if (blocks.getPlain() == 0) {
            return null;
        }
        return owner == Thread.currentThread() ? owned : current.get().transaction;
    }

    public boolean isInBlock() {
        return transaction() != null;
    }

    public byte getByte(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getByte(base + offset) : transaction.getByte(offset);
    }

    public short getShort(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getShort(base + offset) : transaction.getShort(offset);
    }

    public int getInt(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getInt(base + offset) : transaction.getInt(offset);
    }

    public long getLong(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getLong(base + offset) : transaction.getLong(offset);
    }

    public void getBytes(long offset, byte[] into, int from, int length) {
        Transaction transaction = transaction();
        if (transaction == null) {
            Memory.copy(base + offset, into, from, length);
        } else {
            transaction.getBytes(offset, into, from, length);
        }
    }

    public void putByte(long offset, byte value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putByte(offset, value);
        } else {
            transaction.putByte(offset, value);
        }
    }

    public void putShort(long offset, short value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putShort(offset, value);
        } else {
            transaction.putShort(offset, value);
        }
    }

    public void putInt(long offset, int value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putInt(offset, value);
        } else {
            transaction.putInt(offset, value);
        }
    }

    public void putLong(long offset, long value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putLong(offset, value);
        } else {
            transaction.putLong(offset, value);
        }
    }

    public void putBytes(long offset, byte[] bytes, int from, int length) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.write(offset, bytes, from, length);
        } else {
            transaction.putBytes(offset, bytes, from, length);
        }
    }
}
