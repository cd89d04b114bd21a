// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;
import org.terrace.persist.types.PersistentSortedMap;

/**
 * The objects of a heap without proxies, for this library's collections, which go through many objects in one call. A reference
 * is what fields hold: the offset of an object's header, 0 for null. {@link #header} checks all that a proxy checks when it is
 * made, and the class; the accessors check nothing: the caller has checked the object, and knows that the field is in it. So
 * nothing is loaded from outside of the heap, however damaged it is. As with proxies, loads see the block that the thread is in.
 */
public final class RawObjects {
    private static final long NONE = -1;

    /** What is kept in memory for an object. */
    public interface Attachment {
        /** References to objects that were freed have become null, while no block runs. */
        void collected();
    }

    private final Heap heap;
    private final Space space;
    private final Fields fields;
    private final ClassTable classes;
    private final PageVersion version;
    private final Map<Long, Attachment> attachments = new ConcurrentHashMap<>();
    private final SharedStates shared = new SharedStates();
    private final long first;
    private final long base;

    RawObjects(Heap heap, Space space, Fields fields, ClassTable classes, PageVersion version) {
        this.heap = heap;
        this.space = space;
        this.fields = fields;
        this.classes = classes;
        this.version = version;
        this.first = space.layout().dataOffset();
        this.base = space.base();
    }

    public static RawObjects of(Heap heap) {
        return heap.raw();
    }

    public Heap heap() {
        return heap;
    }

    /**
     * The header of an object that must be of this class.
     *
     * @throws FreedObjectException if there is no object any more
     * @throws CorruptHeapException if none can be there, its header is damaged, or it is of another class or too small
     */
    public long header(long reference, PersistentClass<?> type) {
        long header = header(reference);
        if (classes.definition(ObjectHeader.classId(header), reference) != type
                || payloadBytes(header) < type.descriptor().payloadBytes()) {
            throw heap.damaged(reference, "should be a " + type.type().getName());
        }
        return header;
    }

    /** As {@link #header(long, PersistentClass)}, of an object that must be of one of these classes and have this much room. */
    public long header(long reference, PersistentClass<?>[] types, int payloadBytes) {
        long header = header(reference);
        PersistentClass<?> type = classes.definition(ObjectHeader.classId(header), reference);
        boolean fits = false;
        for (int i = types.length - 1; !fits && i >= 0; i--) {
            fits = types[i] == type;
        }
        if (!fits || payloadBytes(header) < payloadBytes) {
            throw heap.damaged(reference, "should be a " + types[0].type().getName() + " or the like");
        }
        return header;
    }

    /** Whether an object is of this class; the same exceptions. */
    public boolean isA(long reference, PersistentClass<?> type) {
        return payloadBytesIfA(reference, type) >= 0;
    }

    /** The room for fields and elements if an object is of this class, or -1; the same exceptions. */
    public long payloadBytesIfA(long reference, PersistentClass<?> type) {
        long header = header(reference);
        return classes.definition(ObjectHeader.classId(header), reference) == type ? payloadBytes(header) : -1;
    }

    /** The header of an object of any class, which lies in the heap with all its room; the same exceptions. */
    long header(long reference) {
        long room = space.size() - reference;
        if ((reference & Long.BYTES - 1) != 0 || reference < first || room < Layout.MIN_SLOT_BYTES) {
            throw heap.noObjectAt(reference);
        }
        long header = fields.getLong(reference);
        if (!ObjectHeader.fits(header, room)) {
            throw heap.badHeader(reference, header);
        }
        return header;
    }

    /** An error that names an object and says what is wrong with it. */
    public CorruptHeapException damaged(long reference, String what) {
        return heap.damaged(reference, what);
    }

    /** A number of elements that a collection says it has, each of which takes a word of the heap at least. */
    public int checkedSize(PersistentObject collection, int size) {
        if (size < 0 || size > space.size() / Long.BYTES) {
            throw heap.damaged(collection.offset(), "says that it has " + size + " elements, more than the heap has space for");
        }
        return size;
    }

    /** The room for fields and elements. */
    public static long payloadBytes(long header) {
        return ObjectHeader.footprint(header) - Layout.HEADER_BYTES;
    }

    public byte getByte(long reference, long field) {
        return fields.getByte(reference + Layout.HEADER_BYTES + field);
    }

    public int getInt(long reference, long field) {
        return fields.getInt(reference + Layout.HEADER_BYTES + field);
    }

    public long getLong(long reference, long field) {
        return fields.getLong(reference + Layout.HEADER_BYTES + field);
    }

    public void getBytes(long reference, long field, byte[] into) {
        fields.getBytes(reference + Layout.HEADER_BYTES + field, into, 0, into.length);
    }

    public void putInt(long reference, long field, int value) {
        fields.putInt(reference + Layout.HEADER_BYTES + field, value);
    }

    public void putLong(long reference, long field, long value) {
        fields.putLong(reference + Layout.HEADER_BYTES + field, value);
    }

    public void putBytes(long reference, long field, byte[] bytes) {
        fields.putBytes(reference + Layout.HEADER_BYTES + field, bytes, 0, bytes.length);
    }

    /** A constant of an enumeration of this class is about to be stored. */
    public void storing(Class<?> enumeration) {
        heap.enumerations().storing(enumeration);
    }

    /** The constant of an enumeration, or what stands for it if this program lacks it. */
    public Object constant(String enumeration, String name) {
        return heap.enumerations().constant(enumeration, name);
    }

    /** Before the keys of a sorted map are compared. */
    public void checkOrder(PersistentSortedMap<?, ?> map) {
        if (heap.keyOrders().areDoubtful()) {
            heap.keyOrders().check(map);
        }
    }

    /** Whether {@link #checkOrder} looks at maps: some may be out of order. */
    public boolean isOrderDoubtful() {
        return heap.keyOrders().areDoubtful();
    }

    /** A new object, all zeros. */
    public long allocate(PersistentClass<?> type, long payloadBytes) {
        return heap.allocate(type, payloadBytes);
    }

    /** Frees an object that has no parts. Only in a block. */
    public void free(long reference) {
        fields.transaction().free(reference);
    }

    /** A proxy; null of 0. */
    public PersistentObject proxy(long reference) {
        return heap.resurrect(reference);
    }

    /** @throws FreedObjectException if the object was freed */
    public long referenceTo(PersistentObject object) {
        return heap.referenceTo(object);
    }

    /** What tells an object from others, also from those that had its room before; of one that was not freed. */
    public static long identity(PersistentObject object) {
        return object.header() & ObjectHeader.IDENTITY;
    }

    /** What was attached to an object, or to one that had its room before, in this process; null for nothing. */
    public Attachment attachment(PersistentObject object) {
        return attachments.isEmpty() ? null : attachments.get(object.offset());
    }

    /** Attaches to an object what a function gives, or nothing if that is null; no block and no other attaching runs meanwhile. */
    public void attach(PersistentObject object, Supplier<? extends Attachment> function) {
        heap.exclusively("a change of the caching", () -> {
            if (object.isFreed()) {
                throw heap.freed(object);
            }
            Attachment attachment = function.get();
            if (attachment == null) {
                attachments.remove(object.offset());
            } else {
                attachments.put(object.offset(), attachment);
            }
        });
    }

    /** Undoes {@link #attach} for an object that was freed. */
    public void detach(PersistentObject object, Attachment attachment) {
        attachments.remove(object.offset(), attachment);
    }

    void collected() {
        attachments.values().forEach(Attachment::collected);
    }

    /** Does something when the block that the thread is in has committed, before others can rely on that. */
    public void whenCommitted(Runnable action) {
        fields.transaction().whenCommitted(action);
    }

    /**
     * What all proxies of an object have in common in memory, for as long as somebody refers to it.
     *
     * @param absent makes it for the first proxy
     */
    public <T> T shared(PersistentObject object, Supplier<T> absent) {
        return shared.get(object.offset(), identity(object), absent);
    }

    /** Of the block that the thread is in; null outside of blocks. */
    public Transaction.Outcome outcome() {
        Transaction transaction = fields.transaction();
        return transaction == null ? null : transaction.outcome();
    }

    /** How many blocks of the heap have been rolled back since it was opened. */
    public long rollbacks() {
        return heap.rollbacks();
    }

    /** Whether the thread is in a failure-atomic block. */
    public boolean isInBlock() {
        return heap.isInBlock();
    }

    /**
     * Begins to read without a lock: what is read may be used once {@link #hasRead} has returned true. It may be nonsense before,
     * and never ends: loops must be bounded, and exceptions prove nothing. No code of the user's may be called.
     *
     * @return what to give to {@link #hasRead}; it is then false if the thread is in a block or a commit is under way
     */
    public long beginRead() {
        long now = version.current();
        return (now & 1) == 0 && !heap.isInBlock() ? now : NONE;
    }

    /** As {@link #header(long, PersistentClass)}, after {@link #beginRead}: there is no block to look at. */
    public long peekHeader(long reference, PersistentClass<?> type, int payloadBytes) {
        long header = peekHeader(reference);
        if (classes.definition(ObjectHeader.classId(header), reference) != type || payloadBytes(header) < payloadBytes) {
            throw heap.badHeader(reference, header);
        }
        return header;
    }

    /** As {@link #header(long, PersistentClass[], int)}, after {@link #beginRead}. */
    public long peekHeader(long reference, PersistentClass<?>[] types, int payloadBytes) {
        long header = peekHeader(reference);
        PersistentClass<?> type = classes.definition(ObjectHeader.classId(header), reference);
        for (int i = types.length - 1; i >= 0; i--) {
            if (types[i] == type && payloadBytes(header) >= payloadBytes) {
                return header;
            }
        }
        throw heap.badHeader(reference, header);
    }

    private long peekHeader(long reference) {
        long room = space.size() - reference;
        if ((reference & Long.BYTES - 1) != 0 || reference < first || room < Layout.MIN_SLOT_BYTES) {
            throw heap.noObjectAt(reference);
        }
        long header = Memory.getLong(base + reference);
        if (!ObjectHeader.fits(header, room)) {
            throw heap.badHeader(reference, header);
        }
        return header;
    }

    /** The reference to an object that was not freed, after {@link #beginRead}. */
    public long peek(PersistentObject object) {
        if (!ObjectHeader.isSameObject(Memory.getLong(base + object.offset()), object.header())) {
            throw heap.freed(object);
        }
        return object.offset();
    }

    /** As {@link #getInt}, after {@link #beginRead}. */
    public int peekInt(long reference, long field) {
        return Memory.getInt(base + Layout.HEADER_BYTES + reference + field);
    }

    /** As {@link #getLong}, after {@link #beginRead}. */
    public long peekLong(long reference, long field) {
        return Memory.getLong(base + Layout.HEADER_BYTES + reference + field);
    }

    /** Whether all that was read since {@link #beginRead} is of one moment. */
    public boolean hasRead(long begun) {
        return version.isStill(begun);
    }

    public static boolean canRead(long begun) {
        return begun != NONE;
    }
}
