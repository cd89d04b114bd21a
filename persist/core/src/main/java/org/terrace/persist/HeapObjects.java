// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import org.terrace.persist.blocks.Blocks;
import org.terrace.persist.blocks.Fields;
import org.terrace.persist.blocks.LowLevel;
import org.terrace.persist.fa.Publication;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;

/**
 * The objects of an open heap. It allocates and frees them, checks and stores references to them, makes them valid, and creates
 * their proxies. {@link PersistentObject} has the contracts of these operations.
 */
final class HeapObjects {
    private final Heap heap;
    private final Blocks blocks;
    private final Fields fields;
    private final ClassTable classes;
    private final RawObjects raw;
    private final LowLevel lowLevel;
    private final Publication publication;
    private final Allocator allocator;

    HeapObjects(Heap heap, Blocks blocks, Fields fields, ClassTable classes, RawObjects raw, LowLevel lowLevel,
            Publication publication, Allocator allocator) {
        this.heap = heap;
        this.blocks = blocks;
        this.fields = fields;
        this.classes = classes;
        this.raw = raw;
        this.lowLevel = lowLevel;
        this.publication = publication;
        this.allocator = allocator;
    }

    /** @param payloadBytes size of an object of an array class. For a fixed layout, the class defines the size */
    long allocate(PersistentClass<?> type, long payloadBytes) {
        if (payloadBytes < 0) {
            throw new IllegalArgumentException("an object of " + payloadBytes + " bytes");
        }
        Transaction transaction = fields.transaction();
        if (transaction != null) {
            ClassTable.Known known = classes.of(type);
            return transaction.allocate(known.number(), bytesOf(type, known, payloadBytes));
        }
        // No collection, fence or close may happen in between.
        blocks.lockShared();
        try {
            blocks.checkOpen();
            ClassTable.Known known = classes.of(type);
            return lowLevel.allocate(known.number(), bytesOf(type, known, payloadBytes));
        } finally {
            blocks.unlock();
        }
    }

    private static long bytesOf(PersistentClass<?> type, ClassTable.Known known, long payloadBytes) {
        return type.descriptor().kind() == ClassDescriptor.Kind.OBJECT ? known.payloadBytes() : payloadBytes;
    }

    /** Frees an object as {@link Heap#free} describes. */
    void free(Object persistent) {
        PersistentObject object = PersistentObject.of(persistent);
        if (object.heap() != heap) {
            throw new IllegalArgumentException(object.name() + " is not in heap " + heap.path());
        }
        if (object.isFreed()) {
            throw freed(object);
        }
        Transaction transaction = fields.transaction();
        if (transaction == null && object.hasParts()) {
            heap.atomic(() -> free(object));
            return;
        }
        if (transaction == null) {
            blocks.read(() -> {
                blocks.checkOpen();
                freeByHand(object);
                return null;
            });
            return;
        }
        // Another block may have freed it since the check.
        if (!transaction.beginFree(object.offset()) || object.isFreed()) {
            throw freed(object);
        }
        object.freeParts();
        transaction.free(object.offset());
    }

    private void freeByHand(PersistentObject object) {
        if (!allocator.beginFree(object.offset())) {
            throw freed(object);
        }
        try {
            if (object.isFreed()) {
                throw freed(object);
            }
            lowLevel.free(object.offset());
        } finally {
            allocator.endFree(object.offset());
        }
    }

    /** The identity of an object, which is its original offset and does not change when the object moves. */
    long identityOf(PersistentObject object) {
        int at = classes.identityOffset(ObjectHeader.classId(object.header()));
        long identity = at < 0 ? 0 : fields.getLong(object.offset() + Layout.HEADER_BYTES + at);
        return identity == 0 ? object.offset() : identity;
    }

    long referenceTo(PersistentObject value) {
        if (value == null) {
            return 0;
        }
        if (value.heap() != heap) {
            throw new IllegalArgumentException(value.name() + " is in heap " + value.heap().path()
                    + ", and cannot be referred to from " + heap.path());
        }
        long header = fields.getLong(value.offset());
        if (!ObjectHeader.isSameObject(header, value.header())) {
            throw freed(value);
        }
        if (!ObjectHeader.isValid(header)) {
            publishWithBlock(value.offset());
        }
        return value.offset();
    }

    private void publishWithBlock(long offset) {
        Transaction transaction = fields.transaction();
        if (transaction != null) {
            transaction.publish(offset);
        }
    }

    /** Makes an object and everything it reaches valid, with the durability of {@link Blocks#atomicWithoutSync}. */
    void publish(PersistentObject value) {
        blocks.atomicWithoutSync(() -> referenceTo(value));
    }

    /**
     * Makes an object valid by hand, outside of blocks. The objects that it reaches become valid first, by a separate commit as in
     * {@link #publish}.
     */
    void validate(PersistentObject object) {
        LongStack found = new LongStack();
        publication.validate(object.offset(), found);
        while (!found.isEmpty()) {
            blocks.atomicWithoutSync(() -> {
                while (!found.isEmpty()) {
                    publishWithBlock(found.pop());
                }
            });
            // Another thread may have stored a reference meanwhile.
            publication.validate(object.offset(), found);
        }
        lowLevel.writeBack(object.offset(), Layout.HEADER_BYTES);
    }

    /**
     * Stores a reference outside of blocks. In a valid object, the store is a separate commit with the durability of
     * {@link Blocks#atomicWithoutSync}. In an invalid object, it is a plain store to the pages.
     */
    void storeReference(PersistentObject object, long place, PersistentObject value) {
        if (!object.isValid() && publication.storeIfUnpublished(object.offset(), place, referenceTo(value))) {
            return;
        }
        if (value != null && !value.isValid()) {
            blocks.atomicWithoutSync(() -> {
                checkNotFreed(object);
                fields.putLong(place, referenceTo(value));
            });
            return;
        }
        blocks.read(() -> {
            blocks.checkOpen();
            checkNotFreed(object);
            publication.await();
            lowLevel.store(place, referenceTo(value));
            return null;
        });
    }

    /** A collection may have freed the object while the thread waited for the lock. */
    private void checkNotFreed(PersistentObject object) {
        if (object.isFreed()) {
            throw freed(object);
        }
    }

    HeapException freed(PersistentObject object) {
        blocks.checkOpen();
        return new FreedObjectException(object.name() + " in " + heap.path() + " has been freed");
    }

    PersistentObject resurrect(long offset) {
        if (offset == 0) {
            return null;
        }
        return classes.resurrect(raw.header(offset), offset);
    }

    /** Whether the object is an instance of a class of the program. Creates no proxy, which would load the objects that it refers to. */
    boolean isA(long offset, Class<?> type) {
        PersistentClass<?> definition = classes.definition(ObjectHeader.classId(raw.header(offset)), offset);
        return definition != null && type.isAssignableFrom(definition.type());
    }

    CorruptHeapException noObjectAt(long offset) {
        return new CorruptHeapException(heap.path() + ": a reference leads to offset " + offset + ", where no object can be"
                + CorruptHeapException.REMEDY);
    }

    CorruptHeapException damaged(long offset, String what) {
        return new CorruptHeapException(heap.path() + ": the object at offset " + offset + " " + what + CorruptHeapException.REMEDY);
    }

    /** The exception for a reference that leads to an invalid header. */
    HeapException badHeader(long offset, long header) {
        if (header == 0) {
            blocks.checkOpen();
            return new FreedObjectException("a reference in " + heap.path() + " leads to offset " + offset + ", which was freed");
        }
        return new CorruptHeapException(heap.path() + ": the header at offset " + offset + " is damaged, or a reference leads to an"
                + " object that was freed: " + Long.toHexString(header) + CorruptHeapException.REMEDY);
    }
}
