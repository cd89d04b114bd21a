// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The type of a field of a persistent object and its size in bytes. */
public enum FieldType {
    BOOLEAN(1), BYTE(1), SHORT(2), CHAR(2), INT(4), FLOAT(4), LONG(8), DOUBLE(8),
    /** A reference to a persistent object, or null. */
    REFERENCE(8);

    private final int bytes;

    FieldType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /**
     * Whether fields of this type can be converted to the other type without a change of value. These are Java's lossless widening
     * conversions.
     */
    public boolean widensTo(FieldType wider) {
        return this == wider || switch (wider) {
            case SHORT -> this == BYTE;
            case INT, FLOAT -> this == BYTE || this == SHORT || this == CHAR;
            case LONG -> this == BYTE || this == SHORT || this == CHAR || this == INT;
            case DOUBLE -> this == BYTE || this == SHORT || this == CHAR || this == INT || this == FLOAT;
            default -> false;
        };
    }
}
