// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.terrace.persist.Heap;
import org.terrace.persist.Persistent;
import org.terrace.persist.types.PersistentIntArray;

/** A class with a field of each type. */
@Persistent
class Everything<T extends Comparable<T>> {
    enum Colour {
        RED, GREEN {
            @Override
            String shout() {
                return "green!";
            }
        };

        String shout() {
            return name();
        }
    }

    @Persistent
    record Point(int x, double y, String label, Colour colour, Point next, Optional<Long> size) {
        static final Point ORIGIN = new Point(0, 0, "origin", Colour.RED, null, Optional.empty());
    }

    boolean aBoolean;
    byte aByte;
    short aShort;
    char aChar;
    int anInt;
    long aLong;
    float aFloat;
    double aDouble;
    Boolean boxedBoolean;
    Byte boxedByte;
    Short boxedShort;
    Character boxedChar;
    Integer boxedInt;
    Long boxedLong;
    Float boxedFloat;
    Double boxedDouble;
    String text;
    Colour colour;
    Instant instant;
    UUID uuid;
    BigInteger bigInteger;
    BigDecimal bigDecimal;
    Optional<String> optional;
    Optional<Node> optionalNode;
    Point point;
    Node node;
    Object anything;
    Number number;
    CharSequence characters;
    T comparable;
    List<String> list;
    Set<Point> set;
    Map<Point, Node> map;
    NavigableMap<String, Integer> sorted;
    Deque<Object> deque;
    PersistentIntArray ints;
    final int constant = 17;
    transient int[] cache;
    transient String note = "set by the initializer";
    static int count;

    Everything() {
        count++;
    }

    Everything(String text, Heap heap) {
        this.text = text;
    }

    /** Restores the transient fields after a restart. */
    protected void resurrect() {
        cache = new int[] {anInt};
    }
}
