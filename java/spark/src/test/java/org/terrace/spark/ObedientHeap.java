// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.apache.spark.util.SizeEstimator;
import org.terrace.SecondHeap.Tier;

/** A mock of the second heap that counts objects as moved as soon as they are due, unless it is set to be full. */
final class ObedientHeap implements Heap {

    private final Map<Object, Long> tags = new IdentityHashMap<>();
    private final Set<Long> due = new HashSet<>();
    private final Set<Object> inH2 = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Long, Tier> tiers = new HashMap<>();
    private boolean full;
    private long capacity = 1L << 30;
    private double share = 1;
    private long transfers;
    private long movedBytes;
    private int transferMillis;

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public synchronized void tagRoot(Object root, long label) {
        if (!inH2.contains(root)) {
            tags.put(root, label);
        }
    }

    @Override
    public synchronized void untag(Object root) {
        tags.remove(root);
    }

    @Override
    public synchronized void move(long label) {
        due.add(label);
    }

    @Override
    public synchronized void hold(long label) {
        due.remove(label);
    }

    @Override
    public boolean hasTiers() {
        return true;
    }

    @Override
    public synchronized void place(long label, Tier tier) {
        if (tier == Tier.AUTO) {
            tiers.remove(label);
        } else {
            tiers.put(label, tier);
        }
    }

    @Override
    public long fastBytes() {
        return 8L << 20;
    }

    /** Returns the tiers of all placed labels, except labels that were reset to auto. */
    synchronized Map<Long, Tier> tiers() {
        return new HashMap<>(tiers);
    }

    @Override
    public synchronized boolean isInH2(Object object) {
        return inH2.contains(object);
    }

    @Override
    public synchronized void transfer() {
        pause();
        if (full) {
            return;
        }
        for (Iterator<Map.Entry<Object, Long>> i = tags.entrySet().iterator(); i.hasNext();) {
            Map.Entry<Object, Long> tag = i.next();
            if (due.contains(tag.getValue())) {
                inH2.add(tag.getKey());
                movedBytes += (long) (SizeEstimator.estimate(tag.getKey()) * share);
                i.remove();
            }
        }
        transfers++;
    }

    @Override
    public void prefetch(Object root) {
        // All data is in memory.
    }

    @Override
    public void dismiss(Object root) {
        // There is always enough memory.
    }

    @Override
    public synchronized long transfers() {
        return transfers;
    }

    @Override
    public synchronized long movedBytes() {
        return movedBytes;
    }

    @Override
    public long transferMillis() {
        return 0;
    }

    @Override
    public synchronized long capacityBytes() {
        return capacity;
    }

    @Override
    public long usedBytes() {
        return movedBytes();
    }

    synchronized void setCapacity(long bytes) {
        capacity = bytes;
    }

    synchronized void setFull(boolean full) {
        this.full = full;
    }

    /** Sets the real size of partitions as a share of the estimates, as if partitions referred to the same objects. */
    synchronized void setShare(double share) {
        this.share = share;
    }

    /** Makes each transfer take some time, like a collection. */
    synchronized void setTransferMillis(int millis) {
        transferMillis = millis;
    }

    synchronized int tags() {
        return tags.size();
    }

    synchronized int dueLabels() {
        return due.size();
    }

    synchronized int objectsInH2() {
        return inH2.size();
    }

    private void pause() {
        try {
            Thread.sleep(transferMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
