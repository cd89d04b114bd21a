// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.agent;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import sun.jvm.hotspot.debugger.Address;
import sun.jvm.hotspot.debugger.AddressException;
import sun.jvm.hotspot.memory.MemRegion;
import sun.jvm.hotspot.oops.ObjectHeap;
import sun.jvm.hotspot.runtime.VM;
import sun.jvm.hotspot.utilities.CStringUtilities;

/** H2 of a stopped process or a core file, as the VM's table describes it ({@code h2AgentTable.cpp}). */
final class SecondHeap {

    private static final String TABLE = "gHotSpotVMTerraceH2";
    private static final int WORD = 8;

    private static VM seen;
    private static SecondHeap ofSeen;

    /** Where the value of an entry is: an address, an offset or a number. */
    private final Map<String, Address> entries = new HashMap<>();
    private final Map<String, Long> numbers = new HashMap<>();
    /** Null if the VM has no H2. */
    private final Address bottom;
    private final Address end;
    private final Address regions;
    private final long regionBytes;
    private final int committed;
    private boolean warned;

    private SecondHeap(VM vm) {
        Address table = vm.getDebugger().lookup("libjvm.so", TABLE);
        for (Address at = table == null ? null : table.getAddressAt(0); at != null && at.getAddressAt(0) != null;
                at = at.addOffsetTo(2 * WORD)) {
            entries.put(CStringUtilities.getString(at.getAddressAt(0)), at.addOffsetTo(WORD));
        }
        bottom = entries.isEmpty() ? null : variable("H2Heap::_bottom").getAddressAt(0);
        end = bottom == null ? null : variable("H2Heap::_end").getAddressAt(0);
        regions = bottom == null ? null : variable("H2Heap::_regions").getAddressAt(0);
        regionBytes = bottom == null ? 0 : variable("H2Heap::_region_words").getCIntegerAt(0, WORD, true) * WORD;
        committed = bottom == null ? 0 : variable("H2Heap::_committed_count").getJIntAt(0);
    }

    /** H2 of the VM that the agent is attached to, which does not run meanwhile. */
    static synchronized SecondHeap of(VM vm) {
        if (vm != seen) {
            ofSeen = new SecondHeap(vm);
            seen = vm;
        }
        return ofSeen;
    }

    boolean isThere() {
        return bottom != null;
    }

    /** Bytes. */
    long capacity() {
        return end.minus(bottom);
    }

    /** Bytes, from the bottom of each region to its top. */
    long used() {
        return IntStream.range(0, committed).mapToObj(this::inUse).filter(Objects::nonNull).mapToLong(MemRegion::byteSize).sum();
    }

    boolean isInReserved(Address address) {
        return address.greaterThanOrEqual(bottom) && address.lessThan(end);
    }

    boolean isIn(Address address) {
        if (!isInReserved(address)) {
            return false;
        }
        int index = (int) (address.minus(bottom) / regionBytes);
        if (index < committed && state(index) == number("H2Region::Continuation")) {
            index = field(index, "H2Region::_head_index").getJIntAt(0);
        }
        return index < committed && state(index) == number("H2Region::Head") && address.lessThan(top(index));
    }

    /** Returns the ranges that are in use, are no garbage, and can be read. A core file may lack some: this says so then. */
    List<MemRegion> readable() {
        List<MemRegion> found = new ArrayList<>();
        long missing = 0;
        for (int i = 0; i < committed; i++) {
            MemRegion region = inUse(i);
            if (region != null && isReadable(region)) {
                addLive(region, field(i, "H2Region::_marked_top").getAddressAt(0), found);
            } else if (region != null) {
                missing += region.byteSize();
            }
        }
        if (missing > 0 && !warned) {
            warned = true;
            System.err.println("WARNING: " + (missing >> 10) + " KB of H2 are not in the core file, and what refers there leads "
                               + "nowhere: the VM ran with -XX:-DumpSharedMappingsInCore, or its coredump_filter lacks bit 1.");
        }
        return found;
    }

    void printOn(PrintStream to) {
        to.printf("H2 [ [%s,%s), %d bytes used ] ", bottom, end, used());
    }

    /** Null if the region is free, empty, or continues another one. */
    private MemRegion inUse(int index) {
        Address start = bottom.addOffsetTo(index * regionBytes);
        return state(index) == number("H2Region::Head") && top(index).greaterThan(start) ? new MemRegion(start, top(index)) : null;
    }

    /** Adds the ranges of a region between its garbage, whose references lead nowhere ({@code h2LiveMap.hpp}). */
    private void addLive(MemRegion region, Address markedTop, List<MemRegion> found) {
        Address marks = variable("H2LiveMap::_marks").getAddressAt(number("H2Marks::_scratch"));
        ObjectHeap heap = VM.getVM().getObjectHeap();
        Address start = region.start();
        for (Address at = start; markedTop != null && at.lessThan(markedTop); ) {
            Address next = at.addOffsetTo(heap.newOop(at.addOffsetToAsOopHandle(0)).getObjectSize());
            long bit = at.minus(bottom) / WORD / number("H2Marks::WordsPerBit");
            if ((marks.getJByteAt(bit / Byte.SIZE) >> bit % Byte.SIZE & 1) == 0) {
                if (at.greaterThan(start)) {
                    found.add(new MemRegion(start, at));
                }
                start = next;
            }
            at = next;
        }
        if (region.end().greaterThan(start)) {
            found.add(new MemRegion(start, region.end()));
        }
    }

    private static boolean isReadable(MemRegion region) {
        try {
            region.start().getJLongAt(0);
            region.end().getJLongAt(-WORD);
            return true;
        } catch (AddressException e) {
            return false;
        }
    }

    private int state(int index) {
        return field(index, "H2Region::_state").getJByteAt(0);
    }

    private Address top(int index) {
        return field(index, "H2Region::_top").getAddressAt(0);
    }

    private Address field(int index, String name) {
        return regions.addOffsetTo(index * number("sizeof(H2Region)") + number(name));
    }

    private Address variable(String name) {
        return entry(name).getAddressAt(0);
    }

    private long number(String name) {
        return numbers.computeIfAbsent(name, missing -> entry(missing).getCIntegerAt(0, WORD, false));
    }

    private Address entry(String name) {
        Address found = entries.get(name);
        if (found == null) {
            throw new IllegalStateException("the VM does not tell of " + name + ": it is not of this agent's version");
        }
        return found;
    }
}
