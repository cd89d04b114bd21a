// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A node of the graphs under test, with an identity that never changes, and a value and four edges that do. The kinds
 * differ only in the shape of the objects that contain these, and in the way that references are written.
 */
abstract class Node {

    static final int EDGES = 4;
    static final int BIG_KIND = 0;

    private static final Kind[] KINDS = {
        BigNode::new, FieldsNode::new, ArrayNode::new, WideNode::new, HashMapNode::new, ListNode::new, LambdaNode::new,
        TextNode::new, BytesNode::new, AtomicNode::new, ConcurrentNode::new, RecordNode::new, ReflectedNode::new,
        ChainNode::new, IdentityNode::new, MatrixNode::new, NestedNode::new
    };

    interface Kind {
        Node make(int id, long serial, int size);
    }

    final int id;
    final long serial;
    /** The identity hash at creation, for every third node. The others get theirs later or never. */
    final int hash;
    private final long check;
    long value;
    /** A node without edges, maybe made by another thread and shared with others. No walk follows it. */
    volatile Node foreign;
    private Object shared;

    Node(int id, long serial) {
        this.id = id;
        this.serial = serial;
        this.hash = serial % 3 == 0 ? System.identityHashCode(this) : 0;
        this.check = mix(serial * 31 + id);
        this.shared = Shared.of(serial, 0);
    }

    static int kinds() {
        return KINDS.length;
    }

    /** Makes a node of a kind. Some kinds use {@code size}, for example the big kind for its bytes. */
    static Node make(int kind, int id, long serial, int size) {
        return KINDS[kind].make(id, serial, size);
    }

    abstract Node edge(int k);

    abstract void setEdge(int k, Node target);

    void setValue(long newValue) {
        value = newValue;
        shared = Shared.of(serial, newValue);
    }

    /** Returns an error of the node apart from its edges and its content, or null. */
    final String checkIdentity() {
        if (check != mix(serial * 31 + id)) {
            return "the checksum of id " + id + ", serial " + serial + " is " + check;
        }
        if (hash != 0 && hash != System.identityHashCode(this)) {
            return "the identity hash was " + hash + " and is " + System.identityHashCode(this);
        }
        return Shared.check(shared, serial, value);
    }

    /** Returns an error of the fields that follow from identity and value, or null. */
    String checkContent() {
        return null;
    }

    /** Rewrites the parts of the node without changing their meaning, by clones, copies and rehashing. */
    void churn() {
        value = value;
    }

    static long mix(long z) {
        z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccdL;
        z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return z ^ (z >>> 33);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " id " + id + " serial " + serial;
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

    /** An array of references, which is sometimes cloned, shifted and copied. */
    static final class ArrayNode extends Node {
        Object[] edges = new Node[EDGES];

        ArrayNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return (Node) edges[k];
        }

        @Override
        void setEdge(int k, Node target) {
            edges[k] = target;
        }

        @Override
        void churn() {
            switch ((int) (mix(serial + value) & 3)) {
                case 0:
                    edges = edges.clone();
                    break;
                case 1:
                    edges = Arrays.copyOf(edges, EDGES, Object[].class);
                    break;
                case 2:
                    Object last = edges[EDGES - 1];
                    System.arraycopy(edges, 0, edges, 1, EDGES - 1);
                    System.arraycopy(edges, 1, edges, 0, EDGES - 1);
                    edges[EDGES - 1] = last;
                    break;
                default:
                    Object[] other = new Object[EDGES];
                    System.arraycopy(edges, 0, other, 0, EDGES);
                    Arrays.fill(edges, null);
                    System.arraycopy(other, 0, edges, 0, EDGES);
                    break;
            }
        }
    }

    /** Arrays larger than a region. Each edge is at the beginning of one, at its end and in between. */
    static final class BigNode extends Node {
        private static final int PAGE = 512;

        private final Object[] edges;
        private final long[] longs;

        BigNode(int id, long serial, int size) {
            super(id, serial);
            // Twice the size if references are not compressed.
            edges = new Object[Math.max(size / 4, 64)];
            longs = new long[Math.max(size / 8, PAGE)];
            write();
        }

        private void write() {
            for (int i = 0; i < longs.length; i += PAGE) {
                longs[i] = mix(serial + value + i);
            }
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        private int place(int k, int copy) {
            switch (copy) {
                case 0:
                    return k;
                case 1:
                    return edges.length - 1 - k;
                default:
                    int stride = (edges.length - 2 * EDGES) / 16;
                    return EDGES + (copy - 2) * 4 * stride + k * stride;
            }
        }

        @Override
        Node edge(int k) {
            return (Node) edges[place(k, 0)];
        }

        @Override
        void setEdge(int k, Node target) {
            for (int copy = 0; copy < 6; copy++) {
                edges[place(k, copy)] = target;
            }
        }

        @Override
        String checkContent() {
            int found = 0;
            int expected = 0;
            for (int k = 0; k < EDGES; k++) {
                for (int copy = 0; copy < 6; copy++) {
                    if (edges[place(k, copy)] != edges[k]) {
                        return "copy " + copy + " of edge " + k + " is " + edges[place(k, copy)] + ", not " + edges[k];
                    }
                    expected += edges[k] == null ? 0 : 1;
                }
            }
            for (Object edge : edges) {
                found += edge == null ? 0 : 1;
            }
            if (found != expected) {
                return found + " elements, expected " + expected;
            }
            for (int i = 0; i < longs.length; i++) {
                if (longs[i] != (i % PAGE == 0 ? mix(serial + value + i) : 0)) {
                    return "long " + i + " of " + longs.length + " is " + longs[i];
                }
            }
            return null;
        }
    }

    static final class HashMapNode extends Node {
        private final Map<Object, Node> edges = new HashMap<>();

        HashMapNode(int id, long serial, int size) {
            super(id, serial);
        }

        private static Object key(int k) {
            return k % 2 == 0 ? (Object) ("edge " + k) : (Object) Long.valueOf(1000 + k);
        }

        @Override
        Node edge(int k) {
            return edges.get(key(k));
        }

        @Override
        void setEdge(int k, Node target) {
            if (target == null) {
                edges.remove(key(k));
            } else {
                edges.put(key(k), target);
            }
        }

        @Override
        void churn() {
            for (int i = 0; i < 20; i++) {
                edges.put("temporary " + i, this);
            }
            for (int i = 0; i < 20; i++) {
                edges.remove("temporary " + i);
            }
        }
    }

    static final class ListNode extends Node {
        private final ArrayList<Node> edges = new ArrayList<>();
        private final ArrayDeque<Long> history = new ArrayDeque<>();

        ListNode(int id, long serial, int size) {
            super(id, serial);
            for (int k = 0; k < EDGES; k++) {
                edges.add(null);
            }
            history.add(0L);
        }

        @Override
        Node edge(int k) {
            return edges.get(k);
        }

        @Override
        void setEdge(int k, Node target) {
            edges.set(k, target);
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            history.addLast(newValue);
            if (history.size() > 10) {
                history.removeFirst();
            }
        }

        @Override
        void churn() {
            edges.add(0, this);
            edges.remove(0);
            edges.trimToSize();
        }

        @Override
        String checkContent() {
            return history.getLast() == value ? null : "the history ends with " + history.getLast();
        }
    }

    /** Edges captured by lambdas and by anonymous classes. */
    static final class LambdaNode extends Node {
        @SuppressWarnings("unchecked")
        private final Supplier<Node>[] edges = (Supplier<Node>[]) new Supplier<?>[EDGES];

        LambdaNode(int id, long serial, int size) {
            super(id, serial);
            for (int k = 0; k < EDGES; k++) {
                edges[k] = () -> null;
            }
        }

        @Override
        Node edge(int k) {
            return edges[k].get();
        }

        @Override
        void setEdge(int k, Node target) {
            long capturedSerial = serial;
            if (k % 2 == 0) {
                edges[k] = () -> capturedSerial == this.serial ? target : this;
            } else {
                edges[k] = new Supplier<>() {
                    @Override
                    public Node get() {
                        return capturedSerial == serial ? target : LambdaNode.this;
                    }
                };
            }
        }
    }

    /** Latin-1, UTF-16, interned and derived strings, and big numbers. */
    static final class TextNode extends FieldsNode {
        private String text;
        private final StringBuilder log = new StringBuilder();
        private BigInteger number;

        TextNode(int id, long serial, int size) {
            super(id, serial, size);
            write();
        }

        private String expected() {
            return "text " + serial + (value % 2 == 0 ? " \u4e16\u754c " : " latin ") + value;
        }

        private void write() {
            text = expected();
            if (value % 7 == 3) {
                text = text.intern();
            }
            log.setLength(0);
            log.append(text);
            number = BigInteger.valueOf(serial).multiply(BigInteger.valueOf(value)).pow(3);
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        @Override
        String checkContent() {
            if (!text.equals(expected()) || !log.toString().equals(text)) {
                return "text \"" + text + "\" and \"" + log + "\", expected \"" + expected() + "\"";
            }
            if (value % 7 == 3 && text != expected().intern()) {
                return "an interned string lost its place in the table";
            }
            BigInteger expected = BigInteger.valueOf(serial).multiply(BigInteger.valueOf(value)).pow(3);
            return number.equals(expected) ? null : "the number is " + number + ", expected " + expected;
        }
    }

    /** Arrays of primitives, of length zero to some thousands. */
    static final class BytesNode extends FieldsNode {
        private final byte[] bytes;
        private final char[] chars;
        private long[] longs;
        private final double[] none = new double[0];

        BytesNode(int id, long serial, int size) {
            super(id, serial, size);
            long x = mix(serial);
            bytes = new byte[(x & 63) == 0 ? (int) (x >>> 51) : (int) (x >>> 58)];
            chars = new char[(int) (x >>> 20 & 15)];
            longs = new long[(int) (x >>> 30 & 7)];
            write();
        }

        private void write() {
            long x = mix(serial + value);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (x + i);
            }
            for (int i = 0; i < chars.length; i++) {
                chars[i] = (char) (x - i);
            }
            for (int i = 0; i < longs.length; i++) {
                longs[i] = x * i;
            }
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        @Override
        void churn() {
            longs = longs.clone();
        }

        @Override
        String checkContent() {
            long x = mix(serial + value);
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] != (byte) (x + i)) {
                    return "byte " + i + " of " + bytes.length + " is " + bytes[i] + ", expected " + (byte) (x + i);
                }
            }
            for (int i = 0; i < chars.length; i++) {
                if (chars[i] != (char) (x - i)) {
                    return "char " + i + " of " + chars.length + " is " + (int) chars[i];
                }
            }
            for (int i = 0; i < longs.length; i++) {
                if (longs[i] != x * i) {
                    return "long " + i + " of " + longs.length + " is " + longs[i];
                }
            }
            return none.length == 0 ? null : "an empty array has " + none.length + " elements";
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

    static final class ConcurrentNode extends Node {
        private final ConcurrentHashMap<Integer, Node> edges = new ConcurrentHashMap<>(4);
        private final ReentrantLock lock = new ReentrantLock();

        ConcurrentNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return edges.get(k);
        }

        @Override
        void setEdge(int k, Node target) {
            lock.lock();
            try {
                if (target == null) {
                    edges.remove(k);
                } else {
                    edges.merge(k, target, (old, fresh) -> fresh);
                }
            } finally {
                lock.unlock();
            }
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

    /** Edges that are found by the identity hashes of keys, which move. */
    static final class IdentityNode extends Node {
        private final Object[] keys = { new Object(), new int[1], "key", new Object() };
        private final IdentityHashMap<Object, Node> edges = new IdentityHashMap<>(4);

        IdentityNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return edges.get(keys[k]);
        }

        @Override
        void setEdge(int k, Node target) {
            if (target == null) {
                edges.remove(keys[k]);
            } else {
                edges.put(keys[k], target);
            }
        }
    }

    /** An array of arrays, whose rows are sometimes replaced. */
    static final class MatrixNode extends Node {
        private final Node[][] rows = new Node[2][EDGES / 2];

        MatrixNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return rows[k / 2][k % 2];
        }

        @Override
        void setEdge(int k, Node target) {
            rows[k / 2][k % 2] = target;
        }

        @Override
        void churn() {
            int row = (int) (value & 1);
            rows[row] = rows[row].clone();
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
