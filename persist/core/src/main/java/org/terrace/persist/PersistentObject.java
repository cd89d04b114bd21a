// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;

/**
 * The proxy of an object in a persistent heap. Its logic is in Java, and its fields are off-heap (J-NVM, section 3). One object may
 * have any number of proxies, which are equal. Every access checks that the object has not been freed.
 *
 * <p>Inside a failure-atomic block the accessors use the block's version. Outside, a load returns the value of that field that was
 * committed last. A store changes the heap directly, and becomes durable only by {@link #pwb} and {@link Heap#psync} or with a
 * checkpoint. This is the low-level interface.
 */
public abstract class PersistentObject {
    private final Heap heap;
    private final long offset;
    private final long header;

    /**
     * Allocates an object of a fixed layout with all fields 0 or null. In a failure-atomic block, it becomes valid with the commit.
     * Outside, it becomes valid when a valid object or a root refers to it, or by {@link #validate}. A recovery treats invalid
     * objects as dead. All earlier stores to the object become durable together with the operation that makes it valid.
     *
     * @throws HeapFullException if the heap has no space
     */
    protected PersistentObject(PersistentClass<?> type, Heap heap) {
        this(type, heap, 0);
    }

    /** Allocates an object of an array class, with all bytes 0. For a class of a fixed layout, the number of bytes is ignored. */
    protected PersistentObject(PersistentClass<?> type, Heap heap, long payloadBytes) {
        this.heap = heap;
        this.offset = heap.objects().allocate(type, payloadBytes);
        this.header = heap.fields().getLong(offset);
    }

    /** Allocates an object of a transformed class, which defines its fields. Uses the current heap if the parameter is null. */
    PersistentObject(Heap heap) {
        PersistentClass<?> type = persistentClass();
        if (type.type() != getClass()) {
            throw new HeapException(getClass().getName() + " extends the persistent class " + type.type().getName()
                    + ", and is not persistent itself: annotate it with @Persistent, and transform it");
        }
        this.heap = heap != null ? heap : Heap.current();
        this.offset = this.heap.objects().allocate(type, type.descriptor().payloadBytes());
        this.header = this.heap.fields().getLong(offset);
    }

    PersistentClass<?> persistentClass() {
        throw new UnsupportedOperationException(getClass() + " is not transformed");
    }

    /** Creates the proxy of an existing object. Constructors of subclasses may load transient fields afterwards. */
    protected PersistentObject(Heap heap, long offset) {
        this.heap = heap;
        this.offset = offset;
        this.header = heap.fields().getLong(offset);
    }

    /**
     * Gives access to the methods of a persistent object if its class is persistent only after transformation:
     * {@code PersistentObject.of(account).heap()}.
     *
     * @return the argument
     * @throws HeapException if its class is not persistent or not transformed
     */
    public static PersistentObject of(Object object) {
        if (object == null || object instanceof PersistentObject) {
            return (PersistentObject) object;
        }
        Class<?> type = object.getClass();
        if (type.isRecord() && type.isAnnotationPresent(Persistent.class)) {
            throw new HeapException(type.getName() + " is a record, a value without an identity in the heap: put it into a "
                    + "field");
        }
        throw new HeapException(type.getName() + (type.isAnnotationPresent(Persistent.class)
                ? " is @Persistent, but was not transformed: run the Maven plugin or the agent (docs/use/persist-transform.md)"
                : " is not a persistent class: annotate it with @Persistent and transform it"));
    }

    /** Like {@code a == b}, but all proxies of one object are considered the same. */
    public static boolean same(Object a, Object b) {
        return a == b || a instanceof PersistentObject object && object.isSameObject(b);
    }

    public final Heap heap() {
        return heap;
    }

    final long offset() {
        return offset;
    }

    final long header() {
        return header;
    }

    final long payloadBytes() {
        return ObjectHeader.footprint(header) - Layout.HEADER_BYTES;
    }

    /** Whether the object was freed, in the current block or by a committed one. */
    public final boolean isFreed() {
        return !ObjectHeader.isSameObject(heap.fields().getLong(offset), header);
    }

    /** Whether {@link #freeParts} does anything. If so, the object can be freed only in a failure-atomic block. */
    protected boolean hasParts() {
        return false;
    }

    /**
     * Called each time a proxy of an existing object is created. Subclasses compute transient fields here. It must not change the
     * heap, because the thread may be inside a read.
     */
    protected void resurrect() {
    }

    /**
     * Restores invariants that direct stores may have broken before a crash. When a heap is opened for writing after a crash, it is
     * called once for each live object of a class that overrides it. The opening thread calls it in the order of offsets, in one
     * failure-atomic block for each object, before {@link Heap#open} returns. Other objects may not have been recovered yet. If a
     * call throws, the heap is not opened, and the next opening calls it for all objects again. The same holds after a crash during
     * recovery. If a class of the heap fails to load or its initializer throws, each opening calls it for all objects again until the
     * class works.
     */
    protected void recover() {
    }

    /** Frees other objects that belong only to this one, before it is freed. */
    protected void freeParts() {
    }

    /** The offset of an aligned field of 1, 2, 4 or 8 bytes. */
    private long at(long field, int bytes) {
        if ((field & bytes - 1) != 0) {
            throw new IndexOutOfBoundsException(bytes + " bytes at " + field + " are not aligned");
        }
        return range(field, bytes);
    }

    private long range(long field, int bytes) {
        if (field < 0 || bytes < 0 || field > payloadBytes() - bytes) {
            throw new IndexOutOfBoundsException(bytes + " bytes at " + field + " are no field of " + name() + ", which has "
                    + payloadBytes() + " bytes");
        }
        if (!ObjectHeader.isSameObject(heap.fields().getLong(offset), header)) {
            throw heap.objects().freed(this);
        }
        return offset + Layout.HEADER_BYTES + field;
    }

    protected final boolean getBoolean(long field) {
        return heap.fields().getByte(at(field, 1)) != 0;
    }

    protected final byte getByte(long field) {
        return heap.fields().getByte(at(field, 1));
    }

    protected final short getShort(long field) {
        return heap.fields().getShort(at(field, 2));
    }

    protected final char getChar(long field) {
        return (char) heap.fields().getShort(at(field, 2));
    }

    protected final int getInt(long field) {
        return heap.fields().getInt(at(field, 4));
    }

    protected final long getLong(long field) {
        return heap.fields().getLong(at(field, 8));
    }

    protected final float getFloat(long field) {
        return Float.intBitsToFloat(heap.fields().getInt(at(field, 4)));
    }

    protected final double getDouble(long field) {
        return Double.longBitsToDouble(heap.fields().getLong(at(field, 8)));
    }

    /** A proxy of the object that the field refers to, or null. */
    protected final PersistentObject getReference(long field) {
        return heap.objects().resurrect(heap.fields().getLong(at(field, 8)));
    }

    /** Like {@link #getReference}, but null if the object was freed. For a field that is about to be overwritten. */
    protected final PersistentObject getReferenceUnlessFreed(long field) {
        long reference = heap.fields().getLong(at(field, 8));
        try {
            return heap.objects().resurrect(reference);
        } catch (FreedObjectException e) {
            return null;
        }
    }

    /**
     * Like {@link #getReference(long)}, for a field that refers only to objects of one class.
     *
     * @throws CorruptHeapException if it refers to an object of another class
     */
    protected final <T extends PersistentObject> T getReference(long field, Class<T> type) {
        long reference = heap.fields().getLong(at(field, 8));
        if (reference != 0 && !heap.objects().isA(reference, type)) {
            throw damaged("refers to offset " + reference + ", where there is no " + type.getName());
        }
        return type.cast(heap.objects().resurrect(reference));
    }

    /** Like {@link #getReference(long, Class)}, for a field that is never null. */
    protected final <T extends PersistentObject> T getPart(long field, Class<T> type) {
        T part = getReference(field, type);
        if (part == null) {
            throw damaged("lacks its " + type.getName());
        }
        return part;
    }

    /**
     * Checks the number of elements that an object stores, before the number is used.
     *
     * @param start offset of the first element
     * @param bytes size of each element
     * @throws CorruptHeapException if the object has no space for that many elements
     */
    protected final long checkLength(long length, long start, int bytes) {
        if (length < 0 || length > (payloadBytes() - start) / bytes) {
            throw damaged("has " + length + " elements of " + bytes + " bytes, more than it has space for");
        }
        return length;
    }

    private CorruptHeapException damaged(String what) {
        return heap.objects().damaged(offset, what);
    }

    protected final void setBoolean(long field, boolean value) {
        heap.fields().putByte(at(field, 1), (byte) (value ? 1 : 0));
    }

    protected final void setByte(long field, byte value) {
        heap.fields().putByte(at(field, 1), value);
    }

    protected final void setShort(long field, short value) {
        heap.fields().putShort(at(field, 2), value);
    }

    protected final void setChar(long field, char value) {
        heap.fields().putShort(at(field, 2), (short) value);
    }

    protected final void setInt(long field, int value) {
        heap.fields().putInt(at(field, 4), value);
    }

    protected final void setLong(long field, long value) {
        heap.fields().putLong(at(field, 8), value);
    }

    protected final void setFloat(long field, float value) {
        heap.fields().putInt(at(field, 4), Float.floatToRawIntBits(value));
    }

    protected final void setDouble(long field, double value) {
        heap.fields().putLong(at(field, 8), Double.doubleToRawLongBits(value));
    }

    /**
     * Stores a reference. If this object is valid, the referenced object and everything it reaches become valid with the store. No
     * crash or collection separates the two. Outside of blocks, the store is a separate commit. It becomes durable with the next
     * commit of any thread or with {@link Heap#psync}. If this object is not valid yet, the reference is stored to the pages. The
     * operation that makes this object valid then also makes the other one valid.
     *
     * @throws IllegalArgumentException if the object is in another heap
     */
    protected final void setReference(long field, PersistentObject value) {
        long place = at(field, 8);
        if (heap.isInBlock()) {
            heap.fields().putLong(place, heap.objects().referenceTo(value));
        } else {
            heap.objects().storeReference(this, place, value);
        }
    }

    /**
     * Only stores a reference, outside of blocks. The store becomes durable by {@link #pwb}. An invalid object stays invalid until
     * its {@link #validate} or a {@link #setReference} to it. Until then this object refers to a dead one, which {@link Heap#check}
     * reports. A collection and an opening after a crash need {@link HeapOptions#clearingLostReferences}, which sets the reference
     * to null. In a failure-atomic block, this is the same as {@link #setReference}.
     */
    protected final void setReferenceByHand(long field, PersistentObject value) {
        heap.fields().putLong(at(field, 8), heap.objects().referenceTo(value));
    }

    /** Copies bytes that start at {@code field}. */
    protected final void getBytes(long field, byte[] into, int from, int length) {
        heap.fields().getBytes(range(field, length), into, from, length);
    }

    protected final void putBytes(long field, byte[] bytes, int from, int length) {
        heap.fields().putBytes(range(field, length), bytes, from, length);
    }

    /** Queues the whole object for the next {@link Heap#pfence}. In a failure-atomic block it does nothing. */
    public final void pwb() {
        range(0, 0);
        heap.lowLevel().writeBack(offset, ObjectHeader.footprint(header));
    }

    /** Queues the cache line of one field. */
    protected final void pwb(long field, FieldType type) {
        heap.lowLevel().writeBack(at(field, type.bytes()), type.bytes());
    }

    /** Whether a recovery keeps the object if it is referenced. */
    final boolean isValid() {
        return ObjectHeader.isValid(heap.fields().getLong(offset));
    }

    /**
     * Makes an object valid that was allocated outside a block, and queues its header. The caller must write back its contents
     * before. The objects that it refers to become valid first, together with their contents. In a failure-atomic block, the object
     * becomes valid with its contents at the commit.
     *
     * <p>An object that a valid one refers to has already been made valid by {@link #setReference}.
     */
    public final void validate() {
        range(0, 0);
        if (heap.isInBlock()) {
            heap.objects().referenceTo(this);
        } else {
            heap.objects().validate(this);
        }
    }

    /**
     * Sets a reference so that no crash can leave a reference to an invalid object. It makes the other object valid if needed, with
     * its contents and everything it reaches. Then it stores the reference and queues it (J-NVM, section 4.1.6). In a
     * failure-atomic block, this is a plain store.
     */
    protected final void updateReference(long field, PersistentObject value) {
        if (value != null && !heap.isInBlock() && !value.isValid()) {
            heap.objects().publish(value);
        }
        setReferenceByHand(field, value);
        pwb(field, FieldType.REFERENCE);
    }

    /**
     * Does an {@link #updateReference}, and frees the object that the field referred to. No crash separates the two. The reference
     * becomes durable with the next {@link Heap#psync}.
     */
    protected final void updateReferenceAndFree(long field, PersistentObject value) {
        heap.blocks().atomicWithoutSync(() -> {
            PersistentObject old = getReference(field);
            setReference(field, value);
            if (old != null && !old.isSameObject(value)) {
                heap.free(old);
            }
        });
    }

    /** Whether the other object is a proxy of the same object. */
    protected final boolean isSameObject(Object other) {
        return other instanceof PersistentObject o && o.heap == heap && o.offset == offset
                && ObjectHeader.isSameObject(o.header, header);
    }

    /** A hash code that is equal for all proxies of an object and after a restart. */
    protected final int identityHash() {
        return Long.hashCode(heap.objects().identityOf(this));
    }

    @Override
    public boolean equals(Object other) {
        return isSameObject(other);
    }

    @Override
    public int hashCode() {
        return identityHash();
    }

    /**
     * The name of this object in messages. Unlike {@link #toString} of a collection or a string, it does not read the object, which
     * may be freed or large.
     */
    final String name() {
        return getClass().getName() + "@" + Long.toHexString(offset);
    }

    @Override
    public String toString() {
        return name();
    }
}
