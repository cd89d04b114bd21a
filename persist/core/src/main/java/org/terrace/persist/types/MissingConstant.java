// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;

/**
 * Stands in collections for a constant of an enumeration that the heap holds and this program lacks: it was removed, or was
 * renamed without {@link org.terrace.persist.Was}, or the enumeration itself is not there. It can be looked at, removed, and
 * stored again; in a collection that is declared to hold the enumeration, taking it out by that type is a {@code
 * ClassCastException}, so look at such a collection as one of {@code Object}. In sorted maps it comes behind all other keys.
 */
public final class MissingConstant extends Opaque {
    private final String enumeration;
    private final String name;
    private final boolean placed;

    /**
     * @param enumeration the class's name
     * @param name the constant's
     */
    public MissingConstant(String enumeration, String name) {
        this(enumeration, name, true);
    }

    /** For the library. */
    public static MissingConstant of(String enumeration, String name, boolean hasEnumeration) {
        return new MissingConstant(enumeration, name, hasEnumeration);
    }

    private MissingConstant(String enumeration, String name, boolean placed) {
        this.enumeration = Objects.requireNonNull(enumeration);
        this.name = Objects.requireNonNull(name);
        this.placed = placed;
    }

    /** The name of the enumeration's class. */
    public String enumeration() {
        return enumeration;
    }

    public String name() {
        return name;
    }

    @Override
    boolean isPlaced() {
        return placed;
    }

    @Override
    String reason() {
        return placed ? "this program has no constant " + enumeration + "." + name + ": add it, or say @Was(\"" + name
                + "\") at the constant that it has become"
                : "this program has no enumeration " + enumeration + ": add it, or give it to HeapOptions.classes";
    }

    @Override
    String text() {
        return enumeration + '\n' + name;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MissingConstant m && m.enumeration.equals(enumeration) && m.name.equals(name);
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return enumeration + "." + name + " (missing)";
    }
}
