// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The disks that a crash of the machine can leave at one moment. If there are few, all are used. Otherwise a sample is used, with
 * the newest and the oldest versions, each sector or line alone new, each alone old or torn, and random choices.
 *
 * <p>A torn line contains the first words of a store, the last words, or every other word. The order in which the VM copies bytes
 * is unknown, and hardware guarantees only words of eight bytes.
 */
public final class CrashStates {
    private static final int EXHAUSTIVE = 64;
    private static final int WORDS = 8;
    /** Masks of the new words in a torn line. */
    private static final int[] TORN = {0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0x80, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc, 0xfe, 0x55,
        0xaa};

    private record Choice(String file, int position, List<byte[]> versions) {
    }

    private final Disk disk;
    private final List<Choice> choices = new ArrayList<>();
    private final List<String> growing = new ArrayList<>();

    public CrashStates(Disk disk) {
        this.disk = disk;
        // Computes hashes that all states share.
        disk.files().values().forEach(Inode::hashOfContent);
        for (Map.Entry<String, Inode> file : new TreeMap<>(disk.files()).entrySet()) {
            new TreeMap<>(file.getValue().versions).forEach((sector, versions) -> {
                List<byte[]> distinct = distinct(disk.hasLines() ? withTorn(versions) : versions);
                if (distinct.size() > 1) {
                    choices.add(new Choice(file.getKey(), sector * file.getValue().grain, distinct));
                }
            });
            if (file.getValue().durableSize < file.getValue().size()) {
                growing.add(file.getKey());
            }
        }
    }

    private static List<byte[]> distinct(List<byte[]> versions) {
        List<byte[]> distinct = new ArrayList<>();
        for (byte[] version : versions) {
            if (distinct.stream().noneMatch(other -> Arrays.equals(other, version))) {
                distinct.add(version);
            }
        }
        return distinct;
    }

    private static List<byte[]> withTorn(List<byte[]> versions) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i + 1 < versions.size(); i++) {
            all.add(versions.get(i));
            for (int words : TORN) {
                all.add(torn(versions.get(i), versions.get(i + 1), words));
            }
        }
        // The newest version comes last and only once, so that all versions differ.
        byte[] newest = versions.get(versions.size() - 1);
        all.removeIf(version -> Arrays.equals(version, newest));
        all.add(newest);
        return all;
    }

    private static byte[] torn(byte[] before, byte[] after, int newWords) {
        byte[] torn = before.clone();
        for (int word = 0; word < WORDS; word++) {
            if ((newWords & 1 << word) != 0) {
                System.arraycopy(after, word * Long.BYTES, torn, word * Long.BYTES, Long.BYTES);
            }
        }
        return torn;
    }

    /** Passes at most {@code budget} disks to the visitor. */
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
            allButOne[i] = disk.hasLines() ? random.nextInt(newest[i]) : 0;
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
        Disk crashed = disk.copy(false);
        for (int i = 0; i < chosen.length; i++) {
            Choice choice = choices.get(i);
            byte[] version = choice.versions.get(chosen[i]);
            crashed.files().get(choice.file).patch(choice.position, version, 0, version.length);
        }
        crashed.reboot();
        for (Inode inode : crashed.files().values()) {
            if (loseGrowth) {
                inode.resize(inode.durableSize);
            }
            inode.durableSize = inode.size();
        }
        try {
            visitor.accept(crashed);
        } finally {
            crashed.dispose();
        }
    }
}
