// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A storage level, by its name in Spark. */
record Level(String name) implements Atom {

    static final Level SERIALIZED = new Level("a serialized level");
    static final Level NOT_IN_MEMORY = new Level("a level without memory");
    static final Level NOT_IN_HEAP = new Level("a level outside the heap");
    static final Level OBJECTS = new Level("a level of objects");

    private static final Pattern OWNER = Pattern.compile("org/apache/spark/(storage/StorageLevel\\$?|api/java/StorageLevels)");

    /** Whether a class has the levels as members. */
    static boolean isIn(String owner) {
        return OWNER.matcher(owner).matches();
    }

    /** Whether a member is named like a level. */
    static boolean isName(String member) {
        return member.equals("NONE") || member.matches("(DISK_ONLY|MEMORY_(ONLY|AND_DISK)(_SER)?|OFF_HEAP)(_\\d)?");
    }

    /**
     * Returns the level with some properties.
     *
     * @param flags useDisk, useMemory, useOffHeap if there are four, and deserialized; null if a flag is unknown
     */
    static Level of(List<Boolean> flags) {
        if (Boolean.FALSE.equals(flags.get(1))) {
            return NOT_IN_MEMORY;
        }
        if (flags.size() == 4 && Boolean.TRUE.equals(flags.get(2))) {
            return NOT_IN_HEAP;
        }
        return Boolean.FALSE.equals(flags.get(flags.size() - 1)) ? SERIALIZED : OBJECTS;
    }

    /** Returns the levels among values. */
    static Set<Level> among(Set<Atom> values) {
        Set<Level> found = new LinkedHashSet<>();
        for (Atom atom : values) {
            if (atom instanceof Level level) {
                found.add(level);
            } else if (atom instanceof Variable variable) {
                variable.objects.stream().filter(Level.class::isInstance).forEach(object -> found.add((Level) object));
            }
        }
        return found;
    }

    boolean isSerialized() {
        return name.contains("_SER") || equals(SERIALIZED);
    }

    /** Returns the reason why a cached RDD has no tier, or null if the level keeps its objects in the heap. */
    String withoutTier() {
        if (name.startsWith("DISK_ONLY") || equals(NOT_IN_MEMORY)) {
            return name + " keeps nothing of it in memory";
        }
        if (name.equals("OFF_HEAP") || equals(NOT_IN_HEAP)) {
            return name + " keeps it outside the Java heap";
        }
        if (isSerialized()) {
            return name + " keeps it as bytes, which do not move to H2";
        }
        return null;
    }
}
