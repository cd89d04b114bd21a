// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.heap.liveness.HeapCheck;

/**
 * Ensures that sorted maps are in the order of this program. If the constants of its enumerations or their order have changed, the
 * program compares keys differently than the previous one. An opening for writing compares the recorded names with those of the
 * program, and sorts maps again. If that fails, the heap is marked doubtful. Each map is then checked before its keys are compared,
 * and a map that is out of order is not searched.
 */
final class KeyOrders {
    /** Outcome for results that were found outside of blocks. */
    private static final Transaction.Outcome NO_BLOCK = new Transaction.Outcome();
    private static final Set<String> SORTED = Set.of("org.terrace.persist.types.PersistentTreeMap",
            "org.terrace.persist.types.PersistentSkipListMap");
    /** A heap with this descriptor has descriptors of all enumerations whose constants are in keys of sorted maps. */
    private static final ClassDescriptor COMPLETE = new ClassDescriptor("org.terrace.persist.types.EnumsOfSortedKeys", List.of(),
            ClassDescriptor.Kind.OBJECT, 0, List.of());

    private final Heap heap;
    private final Store store;
    private final ClassTable classes;
    private final Enumerations enumerations;
    private final HeapOptions options;
    /** Offsets of maps that are in order, with the block in which this was found. */
    private final Map<Long, Transaction.Outcome> inOrder = new ConcurrentHashMap<>();
    private volatile boolean doubtful;

    KeyOrders(Heap heap, Store store, ClassTable classes, Enumerations enumerations, HeapOptions options) {
        this.heap = heap;
        this.store = store;
        this.classes = classes;
        this.enumerations = enumerations;
        this.options = options;
    }

    /**
     * Descriptors to record together with a new class. When the first class of sorted maps is recorded, no keys contain an
     * enumeration yet.
     */
    static List<ClassDescriptor> recordedWith(ClassDescriptor added, ClassTable classes) {
        return SORTED.contains(added.name()) && SORTED.stream().allMatch(name -> classes.named(name) == null)
                ? List.of(COMPLETE) : List.of();
    }

    /** Whether a descriptor only records facts about enumerations, so that no class has its name. */
    static boolean describesNoClass(ClassDescriptor descriptor) {
        return Enumerations.typeName(descriptor) != null || descriptor.name().equals(COMPLETE.name());
    }

    /** Whether {@link #check} must be called before keys are compared. */
    boolean areDoubtful() {
        return doubtful;
    }

    void doubt() {
        inOrder.clear();
        doubtful = true;
    }

    /** @throws HeapException if the map's keys are not in the order of this program */
    void check(PersistentObject map) {
        long offset = map.offset();
        Transaction.Outcome learntIn = inOrder.get(offset);
        if (learntIn != null && !learntIn.isRolledBack()) {
            return;
        }
        String problem = orderOf(map).problem(map);
        if (problem != null) {
            throw new HeapException(heap.path() + ": " + problem + (options.isReadOnly() ? ": open the heap once for writing"
                    : ": call resort() of the map, or of the set that it is in"));
        }
        Transaction.Outcome now = heap.raw().outcome();
        inOrder.put(offset, now == null ? NO_BLOCK : now);
    }

    /** Sorts maps again if the enumerations differ from those of the previous program. Called by an opening. */
    void restore() {
        Set<Integer> former = new HashSet<>();
        List<ClassDescriptor> present = new ArrayList<>();
        for (Map.Entry<Integer, ClassDescriptor> entry : classes.descriptors().entrySet()) {
            String typeName = Enumerations.typeName(entry.getValue());
            List<String> names = typeName == null ? null : enumerations.namesInProgram(typeName);
            if (names != null && !names.equals(Enumerations.names(entry.getValue()))) {
                former.add(entry.getKey());
                present.add(Enumerations.descriptor(typeName, names));
            }
        }
        boolean sorted = SORTED.stream().anyMatch(name -> classes.named(name) != null);
        boolean complete = !sorted || classes.named(COMPLETE.name()) != null;
        if (former.isEmpty() && complete) {
            return;
        }
        if (options.isReadOnly() || sorted && !restoreMaps()) {
            doubt();
            return;
        }
        present.addAll(enumerations.unrecorded());
        if (!complete) {
            present.add(COMPLETE);
        }
        classes.replace(former, present);
    }

    /** Returns false if a map is still out of order. Its next use throws with an explanation, and the next opening tries again. */
    private boolean restoreMaps() {
        LongStack maps;
        try {
            maps = sortedMaps(true);
        } catch (CorruptHeapException e) {
            // The damage may hide maps, so each map is checked when it is used.
            return false;
        }
        boolean all = true;
        for (int i = 0; i < maps.size(); i++) {
            PersistentObject map = heap.objects().resurrect(maps.get(i));
            try {
                all &= orderOf(map).restore(map);
            } catch (RuntimeException | LinkageError e) {
                // A comparison or an initializer of the program failed, or the map is damaged or too large for one block.
                all = false;
            }
        }
        return all;
    }

    private RawObjects.KeyOrder orderOf(PersistentObject map) {
        return classes.definition(ObjectHeader.classId(map.header()), map.offset()).keyOrder();
    }

    private LongStack sortedMaps(boolean all) {
        return HeapCheck.reachable(store.space(), options.threads(), type -> SORTED.contains(type.name()), all);
    }

    /** Describes the maps that are out of order. The heap must be undamaged and not change meanwhile. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        LongStack maps = sortedMaps(false);
        for (int i = 0; i < maps.size(); i++) {
            String problem;
            try {
                PersistentObject map = heap.objects().resurrect(maps.get(i));
                problem = orderOf(map).problem(map);
            } catch (RuntimeException | LinkageError e) {
                problem = "the keys of the sorted map at offset " + maps.get(i) + " cannot be compared: " + e;
            }
            if (problem != null) {
                problems.add(heap.path() + ": " + problem + ": call resort() of the map, or of the set that it is in");
            }
        }
        return problems;
    }
}
