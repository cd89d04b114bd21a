// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.HashMap;
import java.util.Map;

/**
 * The required targets of references in objects of the heap and of the library. The library stores these references and frees their
 * targets within its own blocks, so neither a crash nor a program can break the rules. References of programs may lead to objects
 * of any class, except these internal ones.
 */
public final class Structure {
    /** Kinds of classes, as bits. */
    static final int ARRAY = 1;
    static final int OF_PROGRAM = 1 << 1;
    private static final int HASH_ENTRY = 1 << 2;
    private static final int TREE_ENTRY = 1 << 3;
    private static final int SKIP_ENTRY = 1 << 4;
    private static final int CHUNK = 1 << 5;
    private static final int HASH_MAP = 1 << 6;
    private static final int TREE_MAP = 1 << 7;
    private static final int SKIP_LIST_MAP = 1 << 8;
    private static final int ROOT = 1 << 9;
    private static final int DESCRIPTOR = 1 << 10;
    private static final int FREE_SLOTS = 1 << 11;
    private static final int DIRECTORY = 1 << 12;

    /** The targets of the elements in an array of the library. */
    public enum Elements { ANY, HASH_ENTRIES, HASH_SEGMENTS, LIST_SEGMENTS, LATER_ENTRIES }

    /** The meaning of a reference for the life of its target. */
    public enum Hold {
        /** One of possibly many references that keep the target alive. */
        SHARED,
        /** The only reference that keeps the target alive. */
        OWNED,
        /** A reference to a target that another reference keeps alive. */
        WEAK
    }

    /**
     * The required target of a reference.
     *
     * @param kinds permitted kinds of its class
     * @param elements kind of elements, for an array
     * @param length required length of an array, otherwise -1
     */
    public record Target(int kinds, Hold hold, Elements elements, long length) {
        private static Target of(int kinds, Hold hold) {
            return new Target(kinds, hold, Elements.ANY, ANY_LENGTH);
        }

        private static Target array(Elements elements, long length) {
            return new Target(ARRAY, Hold.OWNED, elements, length);
        }

        /** Whether the program chooses the target. */
        public boolean isOfProgram() {
            return this == ANY;
        }
    }

    private static final long ANY_LENGTH = -1;
    /** Number of segments of a vector, which have 16, 16, 32, 64 ... elements. */
    private static final int SEGMENTS = 28;
    private static final int FIRST_SEGMENT = 16;
    private static final String TYPES = "org.terrace.persist.types.";

    private static final Target ANY = Target.of(OF_PROGRAM | HASH_MAP | TREE_MAP | SKIP_LIST_MAP, Hold.SHARED);
    private static final Target NEXT_HASH_ENTRY = Target.of(HASH_ENTRY, Hold.OWNED);
    private static final Target LATER_ENTRY = Target.of(SKIP_ENTRY, Hold.WEAK);
    private static final Target[] HASH_SEGMENTS = segments(Elements.HASH_ENTRIES);
    private static final Target[] LIST_SEGMENTS = segments(Elements.ANY);

    private static final Map<String, Integer> KINDS = Map.ofEntries(
            Map.entry(TYPES + "References", ARRAY), Map.entry(TYPES + "HashEntry", HASH_ENTRY),
            Map.entry(TYPES + "InlineKeyEntry", HASH_ENTRY), Map.entry(TYPES + "InlineValueEntry", HASH_ENTRY),
            Map.entry(TYPES + "InlineEntry", HASH_ENTRY), Map.entry(TYPES + "TreeEntry", TREE_ENTRY),
            Map.entry(TYPES + "SkipEntry", SKIP_ENTRY), Map.entry(TYPES + "DequeChunk", CHUNK),
            Map.entry(TYPES + "PersistentHashMap", HASH_MAP), Map.entry(TYPES + "PersistentTreeMap", TREE_MAP),
            Map.entry(TYPES + "PersistentSkipListMap", SKIP_LIST_MAP), Map.entry(ClassDescriptor.ROOT.name(), ROOT),
            Map.entry(ClassDescriptor.DESCRIPTOR.name(), DESCRIPTOR), Map.entry(ClassDescriptor.FREE_SLOTS.name(), FREE_SLOTS),
            Map.entry(ClassDescriptor.DIRECTORY.name(), DIRECTORY));

    /** Targets by class and field. */
    private static final Map<String, Map<String, Target>> TARGETS = new HashMap<>();

    static {
        TARGETS.put(ClassDescriptor.DIRECTORY.name(), Map.of("firstRoot", Target.of(ROOT, Hold.OWNED),
                "firstClass", Target.of(DESCRIPTOR, Hold.OWNED), "freeSlots", Target.of(FREE_SLOTS, Hold.OWNED)));
        TARGETS.put(ClassDescriptor.ROOT.name(), Map.of("next", Target.of(ROOT, Hold.OWNED)));
        TARGETS.put(ClassDescriptor.DESCRIPTOR.name(), Map.of("next", Target.of(DESCRIPTOR, Hold.OWNED)));
        put("PersistentList", Map.of("elements", Target.array(Elements.LIST_SEGMENTS, SEGMENTS)));
        put("PersistentArray", Map.of("elements", Target.array(Elements.ANY, ANY_LENGTH)));
        put("PersistentDeque", Map.of("first", Target.of(CHUNK, Hold.OWNED), "last", Target.of(CHUNK, Hold.WEAK)));
        put("DequeChunk", Map.of("previous", Target.of(CHUNK, Hold.WEAK), "next", Target.of(CHUNK, Hold.OWNED),
                "slots", Target.array(Elements.ANY, ANY_LENGTH)));
        put("PersistentHashMap", Map.of("table", Target.array(Elements.HASH_SEGMENTS, SEGMENTS)));
        for (String entry : new String[] {"HashEntry", "InlineKeyEntry", "InlineValueEntry", "InlineEntry"}) {
            put(entry, Map.of("next", NEXT_HASH_ENTRY));
        }
        put("PersistentTreeMap", Map.of("root", Target.of(TREE_ENTRY, Hold.OWNED)));
        put("TreeEntry", Map.of("left", Target.of(TREE_ENTRY, Hold.OWNED), "right", Target.of(TREE_ENTRY, Hold.OWNED)));
        put("PersistentSkipListMap", Map.of("head", Target.of(SKIP_ENTRY, Hold.OWNED)));
        put("SkipEntry", Map.of("next", Target.of(SKIP_ENTRY, Hold.OWNED),
                "tower", Target.array(Elements.LATER_ENTRIES, ANY_LENGTH)));
        put("PersistentHashSet", Map.of("map", Target.of(HASH_MAP, Hold.SHARED)));
        put("PersistentTreeSet", Map.of("map", Target.of(TREE_MAP, Hold.SHARED)));
        put("PersistentSkipListSet", Map.of("map", Target.of(SKIP_LIST_MAP, Hold.SHARED)));
    }

    private Structure() {
    }

    private static void put(String type, Map<String, Target> targets) {
        TARGETS.put(TYPES + type, targets);
    }

    private static Target[] segments(Elements elements) {
        Target[] segments = new Target[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++) {
            segments[i] = Target.array(elements, i == 0 ? FIRST_SEGMENT : (long) FIRST_SEGMENT << i - 1);
        }
        return segments;
    }

    static int kind(String className) {
        return KINDS.getOrDefault(className, OF_PROGRAM);
    }

    /** The required target of a field. */
    static Target target(String className, String field) {
        return TARGETS.getOrDefault(className, Map.of()).getOrDefault(field, ANY);
    }

    /** The required target of an array element. */
    static Target target(Elements elements, int index) {
        return switch (elements) {
            case ANY -> ANY;
            case HASH_ENTRIES -> NEXT_HASH_ENTRY;
            case HASH_SEGMENTS -> HASH_SEGMENTS[index];
            case LIST_SEGMENTS -> LIST_SEGMENTS[index];
            case LATER_ENTRIES -> LATER_ENTRY;
        };
    }

    /** Classes with fields whose target is not chosen by the program. */
    static Map<String, Map<String, Target>> targets() {
        return TARGETS;
    }
}
