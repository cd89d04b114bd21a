// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Nodes whose edges are fields, or a list of cells. */
final class FieldNodes {

    private FieldNodes() {
    }

    /** Edges in four fields. */
    static class FieldsNode extends Node {
        Node a;
        Node b;
        Node c;
        Node d;

        FieldsNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            switch (k) {
                case 0: return a;
                case 1: return b;
                case 2: return c;
                default: return d;
            }
        }

        @Override
        void setEdge(int k, Node target) {
            switch (k) {
                case 0: a = target; break;
                case 1: b = target; break;
                case 2: c = target; break;
                default: d = target; break;
            }
        }
    }

    /** Fields of every primitive type between the references. */
    static final class WideNode extends FieldsNode {
        byte aByte;
        Object self = this;
        short aShort;
        char aChar;
        boolean aBoolean;
        Long box;
        float aFloat;
        double aDouble;
        int anInt;
        Object none;

        WideNode(int id, long serial, int size) {
            super(id, serial, size);
            fill(0);
        }

        private void fill(long v) {
            long x = mix(serial + v);
            aByte = (byte) x;
            aShort = (short) x;
            aChar = (char) x;
            aBoolean = (x & 1) != 0;
            aFloat = (int) x;
            aDouble = x;
            anInt = (int) x;
            box = x;
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            fill(newValue);
        }

        @Override
        String checkContent() {
            long x = mix(serial + value);
            boolean good = aByte == (byte) x && aShort == (short) x && aChar == (char) x && aBoolean == ((x & 1) != 0)
                && aFloat == (int) x && aDouble == x && anInt == (int) x && box == x && self == this && none == null;
            return good ? null : "fields " + aByte + " " + aShort + " " + (int) aChar + " " + aBoolean + " " + aFloat
                + " " + aDouble + " " + anInt + " " + box + ", expected " + x;
        }
    }

    /** A record that every store replaces by a new one, so H2 refers to a young object again and again. */
    static final class RecordNode extends Node {
        record Edges(Node a, Node b, Node c, Node d) {
            Node get(int k) {
                return k == 0 ? a : k == 1 ? b : k == 2 ? c : d;
            }

            Edges with(int k, Node target) {
                return new Edges(k == 0 ? target : a, k == 1 ? target : b, k == 2 ? target : c, k == 3 ? target : d);
            }
        }

        private Edges edges = new Edges(null, null, null, null);

        RecordNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return edges.get(k);
        }

        @Override
        void setEdge(int k, Node target) {
            edges = edges.with(k, target);
        }
    }

    /** References written by compare-and-set and by ordered stores. */
    static final class AtomicNode extends Node {
        private static final VarHandle FIELD;
        private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Node[].class);
        private static final AtomicReferenceFieldUpdater<AtomicNode, Node> UPDATER =
            AtomicReferenceFieldUpdater.newUpdater(AtomicNode.class, Node.class, "second");

        static {
            try {
                FIELD = MethodHandles.lookup().findVarHandle(AtomicNode.class, "first", Node.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Node first;
        private volatile Node second;
        private final Node[] third = new Node[1];
        private final AtomicReferenceArray<Node> fourth = new AtomicReferenceArray<>(1);

        AtomicNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            switch (k) {
                case 0: return (Node) FIELD.getVolatile(this);
                case 1: return UPDATER.get(this);
                case 2: return (Node) ELEMENT.getAcquire(third, 0);
                default: return fourth.get(0);
            }
        }

        @Override
        void setEdge(int k, Node target) {
            boolean done = true;
            switch (k) {
                case 0:
                    done = FIELD.compareAndSet(this, first, target);
                    break;
                case 1:
                    UPDATER.getAndSet(this, target);
                    break;
                case 2:
                    if (value % 2 == 0) {
                        ELEMENT.setRelease(third, 0, target);
                    } else {
                        Node old = third[0];
                        done = ELEMENT.compareAndExchange(third, 0, old, target) == old;
                    }
                    break;
                default:
                    done = fourth.compareAndSet(0, fourth.get(0), target);
                    break;
            }
            if (!done) {
                throw new IllegalStateException("a compare-and-set without competition failed on edge " + k);
            }
        }
    }

    /** Edges written through reflection. */
    static final class ReflectedNode extends Node {
        private static final Field[] FIELDS = new Field[EDGES];

        static {
            try {
                for (int k = 0; k < EDGES; k++) {
                    FIELDS[k] = ReflectedNode.class.getDeclaredField("edge" + k);
                }
            } catch (NoSuchFieldException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Node edge0;
        private volatile Node edge1;
        private Object edge2;
        private Node edge3;

        ReflectedNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            try {
                return (Node) FIELDS[k].get(this);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void setEdge(int k, Node target) {
            try {
                FIELDS[k].set(this, target);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** A linked list of cells. A store replaces some of them. */
    static final class ChainNode extends Node {
        private static final class Cell {
            final int k;
            final Node target;
            Cell next;

            Cell(int k, Node target, Cell next) {
                this.k = k;
                this.target = target;
                this.next = next;
            }
        }

        private Cell head;

        ChainNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            for (Cell cell = head; cell != null; cell = cell.next) {
                if (cell.k == k) {
                    return cell.target;
                }
            }
            return null;
        }

        @Override
        void setEdge(int k, Node target) {
            Cell previous = null;
            for (Cell cell = head; cell != null; cell = cell.next) {
                if (cell.k == k) {
                    if (previous == null) {
                        head = cell.next;
                    } else {
                        previous.next = cell.next;
                    }
                    break;
                }
                previous = cell;
            }
            if (target != null) {
                Cell fresh = new Cell(k, target, null);
                if (previous == null || value % 2 == 0) {
                    fresh.next = head;
                    head = fresh;
                } else {
                    fresh.next = previous.next;
                    previous.next = fresh;
                }
            }
        }

        @Override
        void churn() {
            Cell reversed = null;
            for (Cell cell = head; cell != null; cell = cell.next) {
                reversed = new Cell(cell.k, cell.target, reversed);
            }
            head = reversed;
        }
    }

    /** Inner objects that refer back to the outer one. */
    static final class NestedNode extends Node {
        private final class Inner {
            private Node target;

            Node outer() {
                return NestedNode.this;
            }
        }

        private final Inner[] inners = { new Inner(), new Inner(), new Inner(), new Inner() };

        NestedNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return inners[k].target;
        }

        @Override
        void setEdge(int k, Node target) {
            inners[k].target = target;
        }

        @Override
        void churn() {
            int k = (int) (value & 3);
            Inner fresh = new Inner();
            fresh.target = inners[k].target;
            inners[k] = fresh;
        }

        @Override
        String checkContent() {
            for (Inner inner : inners) {
                if (inner.outer() != this) {
                    return "an inner object belongs to " + inner.outer();
                }
            }
            return null;
        }
    }
}
