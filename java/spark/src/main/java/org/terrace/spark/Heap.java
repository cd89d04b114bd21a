// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.terrace.SecondHeap;

/** The operations of the second heap that the plugin needs. Tests implement them with a heap that moves objects at once. */
interface Heap {

    boolean isAvailable();

    void tagRoot(Object root, long label);

    void untag(Object root);

    void move(long label);

    void hold(long label);

    /** Whether {@link #place} has an effect. */
    boolean hasTiers();

    void place(long label, SecondHeap.Tier tier);

    /** Bytes of fast memory, or 0 without tiers. */
    long fastBytes();

    boolean isInH2(Object object);

    /** Runs a major collection that moves the structures of due labels. Returns when it has ended, even if nothing moved. */
    void transfer();

    /** Starts reading the objects that moved with a root from storage. */
    void prefetch(Object root);

    /** Releases the memory of the objects that moved with a root, unless the VM decides to keep it. */
    void dismiss(Object root);

    /** Number of completed transfers, including transfers that the VM started by itself. */
    long transfers();

    /** Bytes moved so far. */
    long movedBytes();

    /** Time that transfers took so far, in milliseconds. */
    long transferMillis();

    /** Bytes that H2 can hold. */
    long capacityBytes();

    /** Bytes in use of {@link #capacityBytes}. */
    long usedBytes();

    /** The heap of this VM. */
    Heap OF_THIS_VM = new Heap() {
        @Override
        public boolean isAvailable() {
            return SecondHeap.isAvailable();
        }

        @Override
        public void tagRoot(Object root, long label) {
            SecondHeap.tagRoot(root, label);
        }

        @Override
        public void untag(Object root) {
            SecondHeap.untag(root);
        }

        @Override
        public void move(long label) {
            SecondHeap.move(label);
        }

        @Override
        public void hold(long label) {
            SecondHeap.hold(label);
        }

        @Override
        public boolean hasTiers() {
            return SecondHeap.hasTiers();
        }

        @Override
        public void place(long label, SecondHeap.Tier tier) {
            SecondHeap.place(label, tier);
        }

        @Override
        public long fastBytes() {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return Long.parseLong(vm.getVMOption("H2FastSize").getValue());
        }

        @Override
        public boolean isInH2(Object object) {
            return SecondHeap.state(object) == SecondHeap.State.IN_H2;
        }

        @Override
        public void transfer() {
            SecondHeap.transfer();
        }

        @Override
        public void prefetch(Object root) {
            SecondHeap.prefetch(root);
        }

        @Override
        public void dismiss(Object root) {
            SecondHeap.dismiss(root);
        }

        @Override
        public long transfers() {
            return SecondHeap.statistics().getTransfers();
        }

        @Override
        public long movedBytes() {
            return SecondHeap.statistics().getMovedBytes();
        }

        @Override
        public long transferMillis() {
            return TimeUnit.NANOSECONDS.toMillis(SecondHeap.statistics().getTransferNanos());
        }

        @Override
        public long capacityBytes() {
            return SecondHeap.statistics().getCapacityBytes();
        }

        @Override
        public long usedBytes() {
            return SecondHeap.statistics().getUsedBytes();
        }
    };
}
