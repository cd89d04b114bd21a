// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.terrace.persist.Heap;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentTreeMap;

/** A collection of numbers with the operations that all kinds of collections have. */
interface Subject {

    /** Adds the next number. */
    void fill(Long number);

    /** Returns the value of the number, or the first element of a deque. */
    Object get(Long number);

    /** Replaces the value of the number. A deque is rotated by one. */
    Object put(Long number, Long value);

    /** Returns the keys or elements. */
    Iterable<?> all();

    static Subject inMemory(String type) {
        return switch (type) {
            case "nothing" -> new OfNothing();
            case "hash" -> new OfMap(new HashMap<>());
            case "tree" -> new OfMap(new TreeMap<>());
            case "skip-list" -> new OfMap(new ConcurrentSkipListMap<>());
            case "list" -> new OfList(new ArrayList<>());
            case "deque" -> new OfDeque(new ArrayDeque<>());
            default -> throw new IllegalArgumentException(type);
        };
    }

    static Subject persistent(String type, Heap heap) {
        return switch (type) {
            case "hash" -> new OfMap(new PersistentHashMap<>(heap));
            case "tree" -> new OfMap(new PersistentTreeMap<>(heap));
            case "skip-list" -> new OfMap(new PersistentSkipListMap<>(heap));
            case "list" -> new OfList(new PersistentList<>(heap));
            case "deque" -> new OfDeque(new PersistentDeque<>(heap));
            default -> throw new IllegalArgumentException(type);
        };
    }

    /** The cost of the loops around the calls. */
    final class OfNothing implements Subject {
        @Override
        public void fill(Long number) {
        }

        @Override
        public Object get(Long number) {
            return number;
        }

        @Override
        public Object put(Long number, Long value) {
            return value;
        }

        @Override
        public Iterable<?> all() {
            return List.of();
        }
    }

    /** A map from each number to a number. */
    final class OfMap implements Subject {
        private final Map<Long, Long> map;

        OfMap(Map<Long, Long> map) {
            this.map = map;
        }

        @Override
        public void fill(Long number) {
            map.put(number, number);
        }

        @Override
        public Object get(Long number) {
            return map.get(number);
        }

        @Override
        public Object put(Long number, Long value) {
            return map.put(number, value);
        }

        @Override
        public Iterable<?> all() {
            return map.keySet();
        }
    }

    /** A list in which each number is at its own index. */
    final class OfList implements Subject {
        private final List<Long> list;

        OfList(List<Long> list) {
            this.list = list;
        }

        @Override
        public void fill(Long number) {
            list.add(number);
        }

        @Override
        public Object get(Long number) {
            return list.get(number.intValue());
        }

        @Override
        public Object put(Long number, Long value) {
            return list.set(number.intValue(), value);
        }

        @Override
        public Iterable<?> all() {
            return list;
        }
    }

    /** A queue. */
    final class OfDeque implements Subject {
        private final Deque<Long> deque;

        OfDeque(Deque<Long> deque) {
            this.deque = deque;
        }

        @Override
        public void fill(Long number) {
            deque.addLast(number);
        }

        @Override
        public Object get(Long number) {
            return deque.peekFirst();
        }

        @Override
        public Object put(Long number, Long value) {
            deque.addLast(value);
            return deque.pollFirst();
        }

        @Override
        public Iterable<?> all() {
            return deque;
        }
    }
}
