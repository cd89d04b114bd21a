// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.terrace.persist.FailureAtomicity;
import org.terrace.persist.Persistent;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;

/** Ordinary classes that create collections in different places and store notes in them. */
interface Noted {
    void add(String note);

    /** A class whose field initializer creates the list. */
    @Persistent(fa = FailureAtomicity.NON_PRIVATE)
    final class Person implements Noted {
        private final String name;
        private List<String> notes = new PersistentList<>();

        Person(String name) {
            this.name = name;
        }

        @Override
        public void add(String note) {
            notes.add(note);
        }

        @Override
        public String toString() {
            return name + " " + notes;
        }
    }

    /** A class whose constructor creates and fills the list. Its methods are not blocks. */
    @Persistent
    final class Diary implements Noted {
        private final List<String> notes;
        private int size;

        Diary(String first) {
            notes = new PersistentList<>();
            notes.add(first);
            size = 1;
        }

        @Override
        public void add(String note) {
            notes.add(note);
        }

        @Override
        public String toString() {
            return size + " " + notes;
        }
    }

    /** A record whose components are created before it. */
    @Persistent
    record Page(String title, Person writer, List<String> notes) implements Noted {
        @Override
        public void add(String note) {
            notes.add(note);
            writer.add(note);
        }
    }

    /** A class with three levels of objects, which initializers create. The innermost contains a person. */
    @Persistent
    final class Shelf implements Noted {
        private Map<String, Deque<Page>> pages = new PersistentHashMap<>();
        private Shelf next;

        Shelf(String title) {
            Deque<Page> deque = new PersistentDeque<>();
            deque.add(new Page(title, new Person("writer of " + title), new PersistentList<>()));
            pages.put("all", deque);
        }

        Shelf(String title, Shelf next) {
            this(title);
            this.next = next;
        }

        @Override
        public void add(String note) {
            for (Shelf shelf = this; shelf != null; shelf = shelf.next) {
                shelf.pages.get("all").getFirst().add(note);
            }
        }

        @Override
        public String toString() {
            return pages.get("all").getFirst() + ", " + next;
        }
    }

    /** A class with a field for a reference, set directly or by a method that is a block. */
    @Persistent(fa = FailureAtomicity.NON_PRIVATE)
    final class Holder {
        Object held;

        void hold(Object object) {
            held = object;
        }
    }
}
