package org.terrace.persist.medium;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The disks that a crash of the machine can leave at one moment. All of them when they are few; otherwise the newest and the oldest
 * versions, each sector alone new, each sector alone old, and random choices.
 */
public final class CrashStates {
    private static final int EXHAUSTIVE = 64;

    private record Choice(String file, int sector, List<byte[]> versions) {
    }

    private final Disk disk;
    private final List<Choice> choices = new ArrayList<>();
    private final List<String> growing = new ArrayList<>();

    public CrashStates(Disk disk) {
        this.disk = disk;
        for (Map.Entry<String, Disk.Inode> file : new TreeMap<>(disk.files()).entrySet()) {
            new TreeMap<>(file.getValue().versions).forEach((sector, versions) -> {
                List<byte[]> distinct = new ArrayList<>();
                for (byte[] version : versions) {
                    if (distinct.stream().noneMatch(other -> Arrays.equals(other, version))) {
                        distinct.add(version);
                    }
                }
                if (distinct.size() > 1) {
                    choices.add(new Choice(file.getKey(), sector, distinct));
                }
            });
            if (file.getValue().durableSize < file.getValue().content.length) {
                growing.add(file.getKey());
            }
        }
    }

    /** Shows at most {@code budget} disks. */
    public void forEach(int budget, Random random, Consumer<Disk> visitor) {
        long all = 1;
        for (Choice choice : choices) {
            all = Math.min(EXHAUSTIVE + 1, all * choice.versions.size());
        }
        if (all <= Math.min(budget, EXHAUSTIVE)) {
            exhaustively(new int[choices.size()], 0, visitor);
        } else {
            sample(budget, random, visitor);
        }
    }

    private void exhaustively(int[] chosen, int index, Consumer<Disk> visitor) {
        if (index == chosen.length) {
            show(chosen, false, visitor);
            if (!growing.isEmpty()) {
                show(chosen, true, visitor);
            }
            return;
        }
        for (int v = 0; v < choices.get(index).versions.size(); v++) {
            chosen[index] = v;
            exhaustively(chosen, index + 1, visitor);
        }
    }

    private void sample(int budget, Random random, Consumer<Disk> visitor) {
        int[] oldest = new int[choices.size()];
        int[] newest = choices.stream().mapToInt(c -> c.versions.size() - 1).toArray();
        show(oldest, !growing.isEmpty(), visitor);
        show(newest, false, visitor);
        int left = budget - 2;
        int start = choices.isEmpty() ? 0 : random.nextInt(choices.size());
        for (int k = 0; k < choices.size() && left > budget / 3; k++, left -= 2) {
            int i = (start + k) % choices.size();
            int[] onlyOne = oldest.clone();
            onlyOne[i] = newest[i];
            show(onlyOne, false, visitor);
            int[] allButOne = newest.clone();
            allButOne[i] = 0;
            show(allButOne, false, visitor);
        }
        for (; left > 0; left--) {
            int share = 1 + random.nextInt(9);
            int[] chosen = new int[choices.size()];
            for (int i = 0; i < chosen.length; i++) {
                chosen[i] = random.nextInt(10) < share ? random.nextInt(newest[i] + 1) : newest[i];
            }
            show(chosen, random.nextBoolean(), visitor);
        }
    }

    private void show(int[] chosen, boolean loseGrowth, Consumer<Disk> visitor) {
        Disk crashed = disk.copy();
        for (Disk.Inode inode : crashed.files().values()) {
            inode.versions.clear();
        }
        for (int i = 0; i < chosen.length; i++) {
            Choice choice = choices.get(i);
            byte[] version = choice.versions.get(chosen[i]);
            System.arraycopy(version, 0, crashed.files().get(choice.file).content, choice.sector * Disk.SECTOR, Disk.SECTOR);
        }
        for (Disk.Inode inode : crashed.files().values()) {
            if (loseGrowth) {
                inode.content = Arrays.copyOf(inode.content, inode.durableSize);
            }
            inode.durableSize = inode.content.length;
        }
        try {
            visitor.accept(crashed);
        } finally {
            crashed.dispose();
        }
    }
}
