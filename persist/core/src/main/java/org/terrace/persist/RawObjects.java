// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.terrace.persist.blocks.Fields;
import org.terrace.persist.blocks.PageVersion;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.SharedStates;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;

/**
 * Access to the objects of a heap without proxies, for collections of this library that visit many objects in one call. A reference
 * is the value of a field: the offset of an object's header, or 0 for null. {@link #header} makes the checks of a proxy's creation,
 * and checks the class. The accessors check nothing. The caller must have checked the object and must know that the field is within
 * it. Therefore no load leaves the heap, even if it is damaged. As with proxies, loads see the thread's current block.
 */
public final class RawObjects {
    private static final long NONE = -1;

    /** State in memory that is attached to an object. */
    public interface Attachment {
        /** Called after a collection has set references to freed objects to null, while no block runs. */
        void collected();
    }

    /** The order of the keys in the maps of a class. */
    public interface KeyOrder {
        /**
         * Compares the keys of a map. Returns the beginning of a sentence that describes the problem, or null if the keys are in the
         * order of this program.
         */
        String problem(PersistentObject map);

        /** Sorts a map that is out of order. Returns false, and does not change the map, if it contains a key twice. */
        boolean restore(PersistentObject map);
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
     * @throws FreedObjectException if the object was freed
     * @throws CorruptHeapException if the reference is invalid, the header is damaged, or the object is of another class or too
     *     small
     */
    public long header(long reference, PersistentClass<?> type) {
        long header = header(reference);
        if (classes.definition(ObjectHeader.classId(header), reference) != type
                || payloadBytes(header) < type.descriptor().payloadBytes()) {
            throw heap.objects().damaged(reference, "should be a " + type.type().getName());
        }
        return header;
    }

    /** Like {@link #header(long, PersistentClass)}, for an object that must be of one of these classes and have this payload size. */
    public long header(long reference, PersistentClass<?>[] types, int payloadBytes) {
        long header = header(reference);
        PersistentClass<?> type = classes.definition(ObjectHeader.classId(header), reference);
        boolean fits = false;
        for (int i = types.length - 1; !fits && i >= 0; i--) {
            fits = types[i] == type;
        }
        if (!fits || payloadBytes(header) < payloadBytes) {
            throw heap.objects().damaged(reference, "should be a " + types[0].type().getName() + " or the like");
        }
        return header;
    }

    /** Whether an object is of this class. Throws the same exceptions. */
    public boolean isA(long reference, PersistentClass<?> type) {
        return payloadBytesIfA(reference, type) >= 0;
    }

    /** The payload size of an object if it is of this class, otherwise -1. Throws the same exceptions. */
    public long payloadBytesIfA(long reference, PersistentClass<?> type) {
        long header = header(reference);
        return classes.definition(ObjectHeader.classId(header), reference) == type ? payloadBytes(header) : -1;
    }

    /** The header of an object of any class that lies completely within the heap. Throws the same exceptions. */
    long header(long reference) {
        long room = space.size() - reference;
        if ((reference & Long.BYTES - 1) != 0 || reference < first || room < Layout.MIN_SLOT_BYTES) {
            throw heap.objects().noObjectAt(reference);
        }
        long header = fields.getLong(reference);
        if (!ObjectHeader.fits(header, room)) {
            throw heap.objects().badHeader(reference, header);
        }
        return header;
    }

    /** An exception that names an object and describes the damage. */
    public CorruptHeapException damaged(long reference, String what) {
        return heap.objects().damaged(reference, what);
    }

    /** Checks the number of elements that a collection stores. Each element takes at least one word of the heap. */
    public int checkedSize(PersistentObject collection, int size) {
        if (size < 0 || size > space.size() / Long.BYTES) {
            throw heap.objects().damaged(collection.offset(), "says that it has " + size + " elements, more than the heap has space for");
        }
        return size;
    }

    /** The payload size of an object with this header. */
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

    /** Notes that a constant of this enumeration is about to be stored. */
    public void storing(Class<?> enumeration) {
        heap.enumerations().storing(enumeration);
    }

    /** The enumeration of a stored constant, by the name in the heap, or null if this program lacks it. */
    public Class<?> loading(String enumeration) {
        return heap.enumerations().loading(enumeration);
    }

    /** Defines the order of a class of sorted maps, in the initializer of this class. */
    public static void define(PersistentClass<?> type, KeyOrder order) {
        type.setKeyOrder(order);
    }

    /** Checks the order of a sorted map before its keys are compared. */
    public void checkOrder(PersistentObject map) {
        if (heap.keyOrders().areDoubtful()) {
            heap.keyOrders().check(map);
        }
    }

    /** Whether {@link #checkOrder} checks maps, because some may be out of order. */
    public boolean isOrderDoubtful() {
        return heap.keyOrders().areDoubtful();
    }

    /** Allocates an object of zeros. */
    public long allocate(PersistentClass<?> type, long payloadBytes) {
        return heap.objects().allocate(type, payloadBytes);
    }

    /** Frees an object that has no parts. Must be called in a block. */
    public void free(long reference) {
        fields.transaction().free(reference);
    }

    /** A proxy of the object, or null for 0. */
    public PersistentObject proxy(long reference) {
        return heap.objects().resurrect(reference);
    }

    /** @throws FreedObjectException if the object was freed */
    public long referenceTo(PersistentObject object) {
        return heap.objects().referenceTo(object);
    }

    /** A value that distinguishes an object from earlier objects at the same offset. The object must not be freed. */
    public static long identity(PersistentObject object) {
        return object.header() & ObjectHeader.IDENTITY;
    }

    /** The attachment of an object or of an earlier object at the same offset, or null if there is none in this process. */
    public Attachment attachment(PersistentObject object) {
        return attachments.isEmpty() ? null : attachments.get(object.offset());
    }

    /**
     * Attaches the result of a function to an object, or removes the attachment if the result is null. No block and no other
     * attaching runs meanwhile.
     */
    public void attach(PersistentObject object, Supplier<? extends Attachment> function) {
        heap.blocks().exclusively("a change of the caching", () -> {
            if (object.isFreed()) {
                throw heap.objects().freed(object);
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

    /** Runs an action when the thread's current block has committed, before other threads can rely on the commit. */
    public void whenCommitted(Runnable action) {
        fields.transaction().whenCommitted(action);
    }

    /**
     * The state in memory that all proxies of an object share, for as long as it is referenced.
     *
     * @param absent creates the state for the first proxy
     */
    public <T> T shared(PersistentObject object, Supplier<T> absent) {
        return shared.get(object.offset(), identity(object), absent);
    }

    /** The outcome of the thread's current block, or null outside of blocks. */
    public Transaction.Outcome outcome() {
        Transaction transaction = fields.transaction();
        return transaction == null ? null : transaction.outcome();
    }

    /** Number of blocks of the heap that were rolled back since it was opened. */
    public long rollbacks() {
        return heap.blocks().rollbacks();
    }

    /** Whether the thread is in a failure-atomic block. */
    public boolean isInBlock() {
        return heap.isInBlock();
    }

    /**
     * Begins a read without a lock. The loaded values may be used once {@link #hasRead} has returned true. Until then they may be
     * inconsistent. Loops must be bounded, and exceptions prove nothing. No user code may be called.
     *
     * @return the argument for {@link #hasRead}, which will return false if the thread is in a block or a commit is in progress
     */
    public long beginRead() {
        long now = version.current();
        return (now & 1) == 0 && !heap.isInBlock() ? now : NONE;
    }

    /** Like {@link #header(long, PersistentClass)}, after {@link #beginRead}. No block needs to be considered. */
    public long peekHeader(long reference, PersistentClass<?> type, int payloadBytes) {
        long header = peekHeader(reference);
        if (classes.definition(ObjectHeader.classId(header), reference) != type || payloadBytes(header) < payloadBytes) {
            throw heap.objects().badHeader(reference, header);
        }
        return header;
    }

    /** Like {@link #header(long, PersistentClass[], int)}, after {@link #beginRead}. */
    public long peekHeader(long reference, PersistentClass<?>[] types, int payloadBytes) {
        long header = peekHeader(reference);
        PersistentClass<?> type = classes.definition(ObjectHeader.classId(header), reference);
        for (int i = types.length - 1; i >= 0; i--) {
            if (types[i] == type && payloadBytes(header) >= payloadBytes) {
                return header;
            }
        }
        throw heap.objects().badHeader(reference, header);
    }

    private long peekHeader(long reference) {
        long room = space.size() - reference;
        if ((reference & Long.BYTES - 1) != 0 || reference < first || room < Layout.MIN_SLOT_BYTES) {
            throw heap.objects().noObjectAt(reference);
        }
        long header = Memory.getLong(base + reference);
        if (!ObjectHeader.fits(header, room)) {
            throw heap.objects().badHeader(reference, header);
        }
        return header;
    }

    /** The reference to an object that is not freed, after {@link #beginRead}. */
    public long peek(PersistentObject object) {
        if (!ObjectHeader.isSameObject(Memory.getLong(base + object.offset()), object.header())) {
            throw heap.objects().freed(object);
        }
        return object.offset();
    }

    /** Like {@link #getInt}, after {@link #beginRead}. */
    public int peekInt(long reference, long field) {
        return Memory.getInt(base + Layout.HEADER_BYTES + reference + field);
    }

    /** Like {@link #getLong}, after {@link #beginRead}. */
    public long peekLong(long reference, long field) {
        return Memory.getLong(base + Layout.HEADER_BYTES + reference + field);
    }

    /** Whether all values loaded since {@link #beginRead} are from one moment. */
    public boolean hasRead(long begun) {
        return version.isStill(begun);
    }

    public static boolean canRead(long begun) {
        return begun != NONE;
    }
}
