// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;

/**
 * The proxy of an object in a persistent heap: logic in Java, fields off-heap (J-NVM, section 3). Any number of proxies may stand
 * for
 * one object; they are equal. Every access checks that the object has not been freed.
 *
 * <p>Inside a failure-atomic block the accessors see and change the block's version. Outside, loads see what was committed
 * last, field by field; stores change the heap directly and are durable only by {@link #pwb} and {@link Heap#psync}, or
 * with a checkpoint: the low-level interface.
 */
public abstract class PersistentObject {
    private final Heap heap;
    private final long offset;
    private final long header;

    /**
     * Allocates an object of a fixed layout, all fields 0 or null. In a failure-atomic block it becomes valid with the commit;
     * outside, with the store that lets a valid object or a root refer to it, or with {@link #validate}. What is not valid is dead
     * to a recovery. Until then all that is stored to it, in blocks or outside, becomes durable together with that store.
     *
     * @throws HeapFullException if there is no room
     */
    protected PersistentObject(PersistentClass<?> type, Heap heap) {
        this(type, heap, 0);
    }

    /** Allocates an object of a class of arrays, all bytes 0. For a class of a fixed layout, the number of bytes says nothing. */
    protected PersistentObject(PersistentClass<?> type, Heap heap, long payloadBytes) {
        this.heap = heap;
        this.offset = heap.allocate(type, payloadBytes);
        this.header = heap.fields().getLong(offset);
    }

    /** Allocates an object of a transformed class, which knows its fields; in the current heap, if the parameter is null. */
    PersistentObject(Heap heap) {
        PersistentClass<?> type = persistentClass();
        if (type.type() != getClass()) {
            throw new HeapException(getClass().getName() + " extends the persistent class " + type.type().getName()
                    + ", and is not persistent itself: annotate it with @Persistent, and transform it");
        }
        this.heap = heap != null ? heap : Heap.current();
        this.offset = this.heap.allocate(type, type.descriptor().payloadBytes());
        this.header = this.heap.fields().getLong(offset);
    }

    PersistentClass<?> persistentClass() {
        throw new UnsupportedOperationException(getClass() + " is not transformed");
    }

    /** The proxy of an object that exists; subclasses may load transient fields after it. */
    protected PersistentObject(Heap heap, long offset) {
        this.heap = heap;
        this.offset = offset;
        this.header = heap.fields().getLong(offset);
    }

    /**
     * The methods of a persistent object, for an object whose class is one only after its transformation: {@code
     * PersistentObject.of(account).heap()}.
     *
     * @return the argument
     * @throws HeapException if its class is not persistent, or was not transformed
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

    /** As {@code a == b}, but any two proxies of one object are the same. */
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

    /** True once the object was freed, in the current block or by a committed one. */
    public final boolean isFreed() {
        return !ObjectHeader.isSameObject(heap.fields().getLong(offset), header);
    }

    /** Whether {@link #freeParts} does anything: then the object is only freed in a failure-atomic block. */
    protected boolean hasParts() {
        return false;
    }

    /**
     * Called when the proxy of an object that exists has been made, so often as that happens: here subclasses compute transient
     * fields. It may not change the heap, as the thread may be reading.
     */
    protected void resurrect() {
    }

    /**
     * Called once for each live object of a class that overrides it, when the heap is opened for writing after a crash: by the
     * opening thread, in the order of offsets, each call in a failure-atomic block of its own, before {@link Heap#open} returns.
     * Here invariants are restored that stores by hand may have left broken. Other objects may not have been told yet. If a call
     * throws, the heap is not opened; all are called again by the next opening, as they are if there is a crash before the end.
     */
    protected void recover() {
    }

    /** Frees other objects that belong to this one only, before it is freed. */
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
            throw heap.freed(this);
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
        return heap.resurrect(heap.fields().getLong(at(field, 8)));
    }

    /** As {@link #getReference}, but null if the object there was freed: for a field that is about to lose what it refers to. */
    protected final PersistentObject getReferenceUnlessFreed(long field) {
        long reference = heap.fields().getLong(at(field, 8));
        try {
            return heap.resurrect(reference);
        } catch (FreedObjectException e) {
            return null;
        }
    }

    /**
     * As {@link #getReference(long)}, of a field that refers to objects of one class only.
     *
     * @throws CorruptHeapException if it refers to another
     */
    protected final <T extends PersistentObject> T getReference(long field, Class<T> type) {
        long reference = heap.fields().getLong(at(field, 8));
        if (reference != 0 && !heap.isA(reference, type)) {
            throw damaged("refers to offset " + reference + ", where there is no " + type.getName());
        }
        return type.cast(heap.resurrect(reference));
    }

    /** As {@link #getReference(long, Class)}, of a field that is never null. */
    protected final <T extends PersistentObject> T getPart(long field, Class<T> type) {
        T part = getReference(field, type);
        if (part == null) {
            throw damaged("lacks its " + type.getName());
        }
        return part;
    }

    /**
     * The length that an object stores of its elements, before it is used.
     *
     * @param start of the first element
     * @param bytes of each
     * @throws CorruptHeapException if the object has no room for so many
     */
    protected final long checkLength(long length, long start, int bytes) {
        if (length < 0 || length > (payloadBytes() - start) / bytes) {
            throw damaged("has " + length + " elements of " + bytes + " bytes, more than it has space for");
        }
        return length;
    }

    private CorruptHeapException damaged(String what) {
        return heap.damaged(offset, what);
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
     * Stores a reference. If this object is valid, the other one is from then on, and all that it reaches: no crash and no collection
     * leaves one without the other. Outside of blocks this is a commit of its own, which is durable with the next one of any
     * thread, or with {@link Heap#psync}. In an object that is not valid yet, it is a store to the pages: what makes this object
     * valid makes the other one so.
     *
     * @throws IllegalArgumentException if the object is in another heap
     */
    protected final void setReference(long field, PersistentObject value) {
        long place = at(field, 8);
        if (heap.isInBlock()) {
            heap.fields().putLong(place, heap.referenceTo(value));
        } else {
            heap.storeReference(this, place, value);
        }
    }

    /**
     * Stores a reference and does nothing else, outside of blocks: the store is durable by {@link #pwb}, and an object that is not
     * valid stays so until its {@link #validate} or a store by {@link #setReference}. Until then this object refers to a dead one:
     * {@link Heap#check} says so, and a collection and an opening after a crash need {@link HeapOptions#clearingLostReferences},
     * which makes the reference null. In a failure-atomic block, as {@link #setReference}.
     */
    protected final void setReferenceByHand(long field, PersistentObject value) {
        heap.fields().putLong(at(field, 8), heap.referenceTo(value));
    }

    /** Bytes from {@code field} on. */
    protected final void getBytes(long field, byte[] into, int from, int length) {
        heap.fields().getBytes(range(field, length), into, from, length);
    }

    protected final void putBytes(long field, byte[] bytes, int from, int length) {
        heap.fields().putBytes(range(field, length), bytes, from, length);
    }

    /**
     * Queues all of the object for the next {@link Heap#pfence}. Outside a failure-atomic block only; in one, it does nothing.
     */
    public final void pwb() {
        range(0, 0);
        heap.lowLevel().writeBack(offset, ObjectHeader.footprint(header));
    }

    /** Queues the line of one field. */
    protected final void pwb(long field, FieldType type) {
        heap.lowLevel().writeBack(at(field, type.bytes()), type.bytes());
    }

    /** Whether a recovery keeps the object where something refers to it. */
    final boolean isValid() {
        return ObjectHeader.isValid(heap.fields().getLong(offset));
    }

    /**
     * Makes an object valid that was allocated outside a block, and queues its header: its content is the caller's to write back
     * before. What it refers to becomes valid too, with its content, before the object does. In a failure-atomic block, the
     * object becomes valid with its content at the commit.
     *
     * <p>An object that a valid one refers to has been made valid by {@link #setReference}, and needs no call.
     */
    public final void validate() {
        range(0, 0);
        if (heap.isInBlock()) {
            heap.referenceTo(this);
        } else {
            heap.validate(this);
        }
    }

    /**
     * Refers to another object so that no crash can leave a reference to an invalid one: makes it valid, with its content and what it
     * reaches, if it is not valid yet; then stores the reference and queues it (J-NVM, section 4.1.6). In a failure-atomic block, a
     * store.
     */
    protected final void updateReference(long field, PersistentObject value) {
        if (value != null && !heap.isInBlock() && !value.isValid()) {
            heap.publish(value);
        }
        setReferenceByHand(field, value);
        pwb(field, FieldType.REFERENCE);
    }

    /**
     * As {@link #updateReference}, and frees the object that the field referred to: no crash can leave one without the other. The
     * reference is durable with the next {@link Heap#psync}.
     */
    protected final void updateReferenceAndFree(long field, PersistentObject value) {
        heap.atomicWithoutSync(() -> {
            PersistentObject old = getReference(field);
            setReference(field, value);
            if (old != null && !old.isSameObject(value)) {
                heap.free(old);
            }
        });
    }

    /** A proxy of the same object. */
    protected final boolean isSameObject(Object other) {
        return other instanceof PersistentObject o && o.heap == heap && o.offset == offset
                && ObjectHeader.isSameObject(o.header, header);
    }

    /** The same for all proxies of an object, and after a restart. */
    protected final int identityHash() {
        return Long.hashCode(heap.identityOf(this));
    }

    @Override
    public boolean equals(Object other) {
        return isSameObject(other);
    }

    @Override
    public int hashCode() {
        return identityHash();
    }

    /** For messages: {@link #toString} of a collection or a string reads it, and it may be freed or large. */
    final String name() {
        return getClass().getName() + "@" + Long.toHexString(offset);
    }

    @Override
    public String toString() {
        return name();
    }
}
