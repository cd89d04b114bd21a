package org.terrace.persist;

import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;

/** Loads and stores of fields: in the block that the thread is in, or in the heap itself when it is in none. */
final class Fields {
    private final Space space;
    private final long base;
    private final ThreadLocal<Transaction> current = new ThreadLocal<>();
    /** Blocks that are running. 0 tells most loads that they are in none, without a look at the thread. */
    private final AtomicInteger blocks = new AtomicInteger();

    Fields(Space space) {
        this.space = space;
        this.base = space.base();
    }

    void enter(Transaction transaction) {
        current.set(transaction);
        blocks.incrementAndGet();
    }

    void leave() {
        blocks.decrementAndGet();
        current.remove();
    }

    /** The block that the thread is in, or null. */
    Transaction transaction() {
        return blocks.get() == 0 ? null : current.get();
    }

    byte getByte(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getByte(base + offset) : transaction.getByte(offset);
    }

    short getShort(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getShort(base + offset) : transaction.getShort(offset);
    }

    int getInt(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getInt(base + offset) : transaction.getInt(offset);
    }

    long getLong(long offset) {
        Transaction transaction = transaction();
        return transaction == null ? Memory.getLong(base + offset) : transaction.getLong(offset);
    }

    void getBytes(long offset, byte[] into, int from, int length) {
        Transaction transaction = transaction();
        if (transaction == null) {
            Memory.copy(base + offset, into, from, length);
        } else {
            transaction.getBytes(offset, into, from, length);
        }
    }

    void putByte(long offset, byte value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putByte(offset, value);
        } else {
            transaction.putByte(offset, value);
        }
    }

    void putShort(long offset, short value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putShort(offset, value);
        } else {
            transaction.putShort(offset, value);
        }
    }

    void putInt(long offset, int value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putInt(offset, value);
        } else {
            transaction.putInt(offset, value);
        }
    }

    void putLong(long offset, long value) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.putLong(offset, value);
        } else {
            transaction.putLong(offset, value);
        }
    }

    void putBytes(long offset, byte[] bytes, int from, int length) {
        Transaction transaction = transaction();
        if (transaction == null) {
            space.write(offset, bytes, from, length);
        } else {
            transaction.putBytes(offset, bytes, from, length);
        }
    }
}
