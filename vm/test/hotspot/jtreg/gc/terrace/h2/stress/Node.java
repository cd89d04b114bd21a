// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/**
 * A node of the graphs under test, with an identity that never changes, and a value and four edges that do. The kinds
 * differ only in the shape of the objects that contain these, and in the way that references are written.
 */
abstract class Node {

    static final int EDGES = 4;
    static final int BIG_KIND = 0;

    private static final Kind[] KINDS = {
        ArrayNodes.BigNode::new, FieldNodes.FieldsNode::new, ArrayNodes.ArrayNode::new, FieldNodes.WideNode::new,
        CollectionNodes.HashMapNode::new, CollectionNodes.ListNode::new, CollectionNodes.LambdaNode::new,
        ContentNodes.TextNode::new, ContentNodes.BytesNode::new, FieldNodes.AtomicNode::new,
        CollectionNodes.ConcurrentNode::new, FieldNodes.RecordNode::new, FieldNodes.ReflectedNode::new,
        FieldNodes.ChainNode::new, CollectionNodes.IdentityNode::new, ArrayNodes.MatrixNode::new,
        FieldNodes.NestedNode::new
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
}
