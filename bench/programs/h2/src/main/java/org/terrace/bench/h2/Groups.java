// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves groups of objects, drops some of them, and reports the remaining objects in each region. */
@Command(name = "groups", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Moves groups of objects to the second heap, drops some of them, and reports the remaining objects in each region. "
            + "H1 and H2 together must be larger than 4 GB.")
final class Groups implements Callable<Integer> {

    private static final int OBJECT_BYTES = 1 << 10;
    // The VM moves at most 255 labels at a time.
    private static final int BATCH_GROUPS = 128;
    private static final long BATCH_BYTES = 128 << 20;

    enum Links {
        /** No links. */
        NONE {
            @Override
            Group target(Group previous, int index, Group hub) {
                return null;
            }
        },
        /** Each group refers to the previous one. */
        CHAIN {
            @Override
            Group target(Group previous, int index, Group hub) {
                return previous;
            }
        },
        /** Every second group refers to the previous one. */
        PAIRS {
            @Override
            Group target(Group previous, int index, Group hub) {
                return index % 2 == 1 ? previous : null;
            }
        },
        /** All groups refer to the first one. */
        HUB {
            @Override
            Group target(Group previous, int index, Group hub) {
                return hub;
            }
        };

        abstract Group target(Group previous, int index, Group hub);
    }

    enum Keep { OLDEST, MIDDLE, NEWEST, RANDOM }

    private static final class Group {

        final byte[][] objects;
        final Group target;

        Group(long bytes, Group target) {
            objects = new byte[(int) Math.max(1, bytes / (OBJECT_BYTES + 4))][];
            for (int i = 0; i < objects.length; i++) {
                objects[i] = new byte[OBJECT_BYTES - 16];
            }
            this.target = target;
        }
    }

    @Option(names = "--count", paramLabel = "N", defaultValue = "64", description = "Number of groups.")
    private int count;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "4m", converter = H2Programs.Size.class,
            description = "Size of each group.")
    private long size;

    @Option(names = "--shared-label", description = "Give all groups one label. Otherwise each group has a label of its own.")
    private boolean sharedLabel;

    @Option(names = "--links", paramLabel = "LINKS", defaultValue = "none",
            description = "How groups refer to each other: ${COMPLETION-CANDIDATES}.")
    private Links links;

    @Option(names = "--keep", paramLabel = "WHICH", defaultValue = "random",
            description = "Which groups the program keeps: ${COMPLETION-CANDIDATES}. RANDOM keeps --fraction of them.")
    private Keep keep;

    @Option(names = "--fraction", paramLabel = "F", defaultValue = "0.5", description = "Fraction of the groups that --keep random keeps.")
    private double fraction;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Random seed of the choice.")
    private long seed;

    private final List<Group> groups = new ArrayList<>();

    @Override
    public Integer call() {
        build();
        boolean[] kept = choose();
        List<long[]> regions = regions(kept);
        SecondHeapStatistics before = SecondHeap.statistics();
        for (int i = 0; i < count; i++) {
            if (!kept[i]) {
                groups.set(i, null);
            }
        }
        System.gc();
        SecondHeapStatistics after = SecondHeap.statistics();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "groups");
        report.put("groups", count);
        report.put("keptGroups", kept(kept));
        report.put("bytesPerGroup", size);
        report.put("regionBytes", before.getRegionSizeBytes());
        report.put("usedBytesBefore", before.getUsedBytes());
        report.put("usedBytesAfter", after.getUsedBytes());
        report.put("regionsBefore", before.getRegionsInUse());
        report.put("regionsAfter", after.getRegionsInUse());
        report.put("regions", regions);
        H2Programs.print(report);
        return 0;
    }

    private void build() {
        int batch = (int) Math.max(1, Math.min(BATCH_GROUPS, BATCH_BYTES / size));
        for (int i = 0; i < count; i++) {
            Group previous = i == 0 ? null : groups.get(i - 1);
            Group group = new Group(size, links.target(previous, i, i == 0 ? null : groups.get(0)));
            groups.add(group);
            long label = sharedLabel ? 0 : i;
            SecondHeap.tagRoot(group, label);
            SecondHeap.move(label);
            if ((i + 1) % batch == 0 || i == count - 1) {
                SecondHeap.transfer();
            }
        }
    }

    private boolean[] choose() {
        boolean[] kept = new boolean[count];
        switch (keep) {
            case OLDEST:
                kept[0] = true;
                break;
            case MIDDLE:
                kept[count / 2] = true;
                break;
            case NEWEST:
                kept[count - 1] = true;
                break;
            default:
                Random random = new Random(seed);
                for (int i = 0; i < count; i++) {
                    kept[i] = random.nextDouble() < fraction;
                }
                break;
        }
        return kept;
    }

    private static int kept(boolean[] kept) {
        int n = 0;
        for (boolean one : kept) {
            n += one ? 1 : 0;
        }
        return n;
    }

    /** Returns for each region the number of objects of these groups, and the number that the program will keep. */
    private List<long[]> regions(boolean[] kept) {
        long regionBytes = SecondHeap.statistics().getRegionSizeBytes();
        if (regionBytes == 0) {
            return List.of();
        }
        // The first object that ever moved is at the start of the first region.
        long bottom = Long.MAX_VALUE;
        for (Group group : groups) {
            bottom = Math.min(bottom, Arrays.stream(group.objects).mapToLong(Addresses::of).min().getAsLong());
            bottom = Math.min(bottom, Math.min(Addresses.of(group), Addresses.of(group.objects)));
        }
        Map<Long, long[]> found = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            for (byte[] object : groups.get(i).objects) {
                long[] region = found.computeIfAbsent((Addresses.of(object) - bottom) / regionBytes, r -> new long[2]);
                region[0]++;
                region[1] += kept[i] ? 1 : 0;
            }
        }
        return new ArrayList<>(found.values());
    }
}
