// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.Map;
import java.util.TreeMap;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/** Counts the objects of a heap, reachable or not, and its free space. Bytes of objects include headers and padding. */
public final class Census {

    /** Number and bytes of objects, of one class or of all. */
    public static final class Count {
        private long objects;
        private long bytes;

        private void add(long footprint) {
            objects++;
            bytes += footprint;
        }

        public long objects() {
            return objects;
        }

        public long bytes() {
            return bytes;
        }
    }

    private final Map<Integer, ClassDescriptor> descriptors;
    private final Map<String, Count> classes = new TreeMap<>();
    private final Count extents = new Count();
    private final Count slots = new Count();
    private final Count freeSlots = new Count();
    private long poolPages;
    private final long freeBlocks;

    /** @throws org.terrace.persist.CorruptHeapException if bitmap and headers are inconsistent */
    public Census(Space space) {
        descriptors = Directory.classes(space);
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                add(extents, header, blocks * Layout.BLOCK_BYTES);
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                poolPages++;
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long header = space.getLong(HeapWalk.slotAt(page, slotBytes, i));
                    if (header == 0) {
                        freeSlots.add(slotBytes);
                    } else {
                        add(slots, header, slotBytes);
                    }
                }
            }
        });
        freeBlocks = space.size() - space.layout().dataOffset() - extents.bytes - poolPages * Layout.PAGE_BYTES;
    }

    private void add(Count kind, long header, long bytes) {
        kind.add(bytes);
        classes.computeIfAbsent(name(ObjectHeader.classId(header)), name -> new Count()).add(bytes);
    }

    private String name(int number) {
        ClassDescriptor descriptor = descriptors.getOrDefault(number, ClassDescriptor.OF_THE_HEAP.get(number));
        return descriptor != null ? descriptor.name() : "unknown class " + number;
    }

    /** Counts by class name. Names of the heap's own classes begin with {@code terrace.}. */
    public Map<String, Count> classes() {
        return classes;
    }

    /** Objects that occupy whole blocks. */
    public Count extents() {
        return extents;
    }

    /** Objects in pool pages. */
    public Count slots() {
        return slots;
    }

    /** Free slots in pool pages. */
    public Count freeSlots() {
        return freeSlots;
    }

    public long poolPageBytes() {
        return poolPages * Layout.PAGE_BYTES;
    }

    /** Bytes of free blocks in the file. */
    public long freeBlockBytes() {
        return freeBlocks;
    }
}
