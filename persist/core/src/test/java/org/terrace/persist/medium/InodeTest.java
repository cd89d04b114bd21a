// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that the hashes that copies of a file share stay those of its contents. */
class InodeTest {
    private static final int STEPS = 3000;
    private final Random random = new Random(7);

    /** The hash of a file with the same contents that shares nothing. */
    private static long expected(Inode inode) {
        byte[] content = new byte[inode.size()];
        inode.read(0, content, 0, content.length);
        Inode fresh = new Inode(inode.grain);
        fresh.resize(content.length);
        fresh.patch(0, content, 0, content.length);
        return fresh.hashOfContent();
    }

    private void change(Inode inode) {
        int at = random.nextInt(inode.size());
        byte[] bytes = new byte[random.nextInt(Math.min(6000, inode.size() - at) + 1)];
        random.nextBytes(bytes);
        switch (random.nextInt(5)) {
            case 0 -> inode.write(at, bytes, 0, bytes.length);
            case 1 -> inode.write(inode.size() - 1, bytes, 0, bytes.length);
            case 2 -> inode.patch(at, bytes, 0, bytes.length);
            case 3 -> inode.resize(1 + random.nextInt(30_000));
            default -> {
                if (random.nextInt(20) == 0) {
                    inode.expose()[at]++;
                }
            }
        }
    }

    @Test
    void theHashIsThatOfTheContents() {
        List<Inode> inodes = new ArrayList<>(List.of(new Inode(512), new Inode(64)));
        inodes.forEach(inode -> inode.resize(20_000));
        for (int step = 0; step < STEPS; step++) {
            Inode inode = inodes.get(random.nextInt(inodes.size()));
            if (random.nextInt(3) == 0) {
                inodes.add(inode.copy(random.nextBoolean()));
            }
            if (inodes.size() > 8) {
                inodes.remove(random.nextInt(inodes.size()));
            }
            change(inode);
            // Some are hashed late, after they have been copied.
            inodes.stream().filter(each -> random.nextBoolean()).forEach(each -> assertEquals(expected(each), each.hashOfContent()));
        }
    }

    /** Each byte counts, also what a test changes in the array after a first hash. */
    @Test
    void otherContentsHaveOtherHashes() {
        Inode inode = new Inode(512);
        inode.write(0, new byte[9000], 0, 9000);
        long before = inode.hash();
        Inode longer = inode.copy(true);
        longer.resize(9001);
        assertNotEquals(before, longer.hash());
        Inode copy = inode.copy(true);
        byte[] bytes = copy.expose();
        assertEquals(before, copy.hash());
        for (int at : new int[] {0, 4095, 4096, 8999}) {
            bytes[at]++;
            assertNotEquals(before, copy.hash());
            bytes[at]--;
        }
        assertEquals(before, inode.hash());
        inode.sync();
        assertNotEquals(before, inode.hash());
    }
}
