// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.agent;

import java.io.PrintStream;
import java.util.List;

import sun.jvm.hotspot.debugger.Address;
import sun.jvm.hotspot.gc.parallel.ParallelScavengeHeap;
import sun.jvm.hotspot.gc.shared.LiveRegionsClosure;
import sun.jvm.hotspot.gc.shared.LiveRegionsProvider;
import sun.jvm.hotspot.memory.MemRegion;
import sun.jvm.hotspot.runtime.VM;

/** ParallelGC's generations, H1, and H2. */
public final class HeapWithH2 extends ParallelScavengeHeap {

    private final SecondHeap h2 = SecondHeap.of(VM.getVM());

    /** Called by the agent, with the address of the VM's heap. */
    public HeapWithH2(Address address) {
        super(address);
    }

    @Override
    public long capacity() {
        return super.capacity() + h2.capacity();
    }

    @Override
    public long used() {
        return super.used() + h2.used();
    }

    @Override
    public boolean isIn(Address address) {
        return super.isIn(address) || h2.isIn(address);
    }

    @Override
    public boolean isInReserved(Address address) {
        return super.isInReserved(address) || h2.isInReserved(address);
    }

    @Override
    public void liveRegionsIterate(LiveRegionsClosure closure) {
        super.liveRegionsIterate(closure);
        closure.doLiveRegions(new LiveRegionsProvider() {
            @Override
            public List<MemRegion> getLiveRegions() {
                return h2.readable();
            }

            @Override
            public String toString() {
                return "H2";
            }
        });
    }

    @Override
    public void printOn(PrintStream to) {
        super.printOn(to);
        h2.printOn(to);
    }
}
