// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;

import static gc.terrace.h2.stress.Mismatch.check;
import static gc.terrace.h2.stress.Mismatch.describe;

/** Weak and soft references of a thread to its nodes. Each must refer to its node as long as the node lives. */
final class WeakReferences {

    static final int COUNT = 256;

    private final Reference<?>[] references = new Reference<?>[COUNT];
    private final int[] ids = new int[COUNT];
    private final long[] serials = new long[COUNT];

    void set(int slot, Node node) {
        references[slot] = slot % 8 == 0 ? new SoftReference<>(node) : new WeakReference<>(node);
        ids[slot] = node.id;
        serials[slot] = node.serial;
    }

    /**
     * Checks the references, and drops the cleared ones.
     *
     * @param live all nodes that live, by their id
     * @return the number of references that were cleared
     */
    int verify(Partition partition, Node[] live) {
        int cleared = 0;
        for (int i = 0; i < COUNT; i++) {
            if (references[i] == null) {
                continue;
            }
            long serial = serials[i];
            Node referent = (Node) references[i].get();
            Node expected = partition.isCurrent(ids[i], serial) ? live[ids[i]] : null;
            if (expected != null) {
                check(referent == expected,
                      () -> "a weak reference to the live " + describe(expected) + " holds " + referent);
            } else if (referent == null) {
                cleared++;
                references[i] = null;
            } else {
                String wrong = referent.checkIdentity();
                check(wrong == null && referent.serial == serial,
                      () -> "a weak reference to serial " + serial + " holds " + referent + ": " + wrong);
            }
        }
        return cleared;
    }
}
