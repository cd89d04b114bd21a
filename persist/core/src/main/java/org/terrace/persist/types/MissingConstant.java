// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;

/**
 * Placeholder in collections for an enumeration constant that the heap contains and this program lacks. The constant was removed or
 * was renamed without {@link org.terrace.persist.Was}, or the whole enumeration is missing. The placeholder can be read, removed
 * and stored again. If a collection is declared with the enumeration as its type, reading the placeholder as that type throws
 * {@code ClassCastException}. Access such a collection with element type {@code Object}. In sorted maps the placeholder follows all
 * other keys.
 */
public final class MissingConstant extends Opaque {
    private final String enumeration;
    private final String name;
    private final boolean placed;

    /**
     * @param enumeration class name of the enumeration
     * @param name name of the constant
     */
    public MissingConstant(String enumeration, String name) {
        this(enumeration, name, true);
    }

    /** For internal use. */
    public static MissingConstant of(String enumeration, String name, boolean hasEnumeration) {
        return new MissingConstant(enumeration, name, hasEnumeration);
    }

    private MissingConstant(String enumeration, String name, boolean placed) {
        this.enumeration = Objects.requireNonNull(enumeration);
        this.name = Objects.requireNonNull(name);
        this.placed = placed;
    }

    /** Class name of the enumeration. */
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
