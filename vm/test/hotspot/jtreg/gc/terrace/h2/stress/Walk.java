// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.util.Arrays;
import java.util.BitSet;

import org.terrace.SecondHeap;

import static gc.terrace.h2.stress.Mismatch.check;
import static gc.terrace.h2.stress.Mismatch.describe;

/**
 * A walk over a whole partition from its roots, which compares each node with the model. Nodes that the walk does not reach
 * are dead, and their ids are used again.
 */
final class Walk {

    private final Partition partition;
    private final WeakReferences weaks;

    private final Node[] seen;
    private final Node[] stack;
    private int depth;
    /** The ids of the nodes that an earlier walk found in H2. */
    private final BitSet movedIds = new BitSet();

    // Results of the last walk.
    int liveNodes;
    int inH2Nodes;
    int clearedWeaks;

    Walk(Partition partition, WeakReferences weaks) {
        this.partition = partition;
        this.weaks = weaks;
        this.seen = new Node[partition.capacity];
        this.stack = new Node[partition.capacity];
    }

    void run() {
        depth = 0;
        liveNodes = 0;
        inH2Nodes = 0;
        Arrays.fill(seen, null);
        for (int i = 0; i < partition.roots(); i++) {
            push(partition.root(i));
        }
        while (depth > 0) {
            Node node = stack[--depth];
            stack[depth] = null;
            liveNodes++;
            if (checkNode(node)) {
                inH2Nodes++;
            }
            for (int k = 0; k < Node.EDGES; k++) {
                push(partition.edge(node, k));
            }
        }
        clearedWeaks = weaks.verify(partition, seen);
        partition.sweep(seen, movedIds);
        Arrays.fill(seen, null);
    }

    private void push(Node node) {
        if (node != null && visit(node)) {
            stack[depth++] = node;
        }
    }

    /** Returns true at the first visit. Two objects with one id would be two copies of one object. */
    private boolean visit(Node node) {
        Node other = seen[node.id];
        if (other == null) {
            seen[node.id] = node;
            return true;
        }
        check(other == node, () -> "two copies: " + describe(node) + " and " + describe(other));
        return false;
    }

    /** Checks a node, and returns whether it is in H2. */
    private boolean checkNode(Node node) {
        partition.checkNode(node);
        boolean inH2 = SecondHeap.state(node) == SecondHeap.State.IN_H2;
        check(inH2 || !movedIds.get(node.id), () -> describe(node) + " came back from H2");
        if (inH2) {
            movedIds.set(node.id);
        }
        return inH2;
    }
}
