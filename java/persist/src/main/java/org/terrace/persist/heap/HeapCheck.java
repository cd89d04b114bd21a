package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.terrace.persist.CorruptHeapException;

/** Looks for contradictions: between bitmap and headers, references and objects, directory and checksums. */
public final class HeapCheck {
    private static final int MAX_PROBLEMS = 100;

    private HeapCheck() {
    }

    /** Problems, as sentences; at most 100. Nothing else may change the heap meanwhile. */
    public static List<String> check(Space space, Map<Integer, ClassDescriptor> classes, int threads) {
        List<String> problems = new ArrayList<>();
        try {
            Directory.classes(space);
            Directory.roots(space);
            Marker marker = new Marker(space, classes, threads);
            marker.mark();
            for (long field : marker.deadReferences()) {
                add(problems, "the reference at offset " + field + " leads to " + space.getLong(field)
                        + ", which is not a valid object");
            }
            walk(space, marker, problems);
        } catch (CorruptHeapException e) {
            add(problems, e.getMessage());
        }
        return problems;
    }

    private static void walk(Space space, Marker marker, List<String> problems) {
        long[] found = new long[1];
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                found[0] += marker.isMarked(offset) ? 1 : 0;
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long slot = Collector.slotAt(page, slotBytes, i);
                    long header = space.getLong(slot);
                    if (header != 0 && (!ObjectHeader.isIntact(header) || ObjectHeader.footprint(header) != slotBytes)) {
                        add(problems, "the slot at offset " + slot + " has a damaged header " + Long.toHexString(header));
                    }
                    found[0] += marker.isMarked(slot) ? 1 : 0;
                }
            }
        });
        if (found[0] != marker.objects()) {
            add(problems, (marker.objects() - found[0]) + " objects that roots reach are where the bitmap has no object");
        }
    }

    private static void add(List<String> problems, String problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }
}
