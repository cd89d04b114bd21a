// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.terrace.SecondHeap;

/** A cache of four times the heap. Each shard is a group of objects, which moves to the second heap once the shard is full. */
public class Cache {

    private static final int SHARDS = 64;
    private static final int VALUES = 4096; // of 1 KB each, so 4 MB per shard and 256 MB in total

    public static void main(String[] args) {
        List<byte[][]> shards = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            byte[][] values = new byte[VALUES][];
            SecondHeap.tagRoot(values, shard);      // this array and all that it refers to are group `shard`
            for (int i = 0; i < VALUES; i++) {
                values[i] = new byte[1024];
                values[i][0] = (byte) (shard + i);
            }
            shards.add(values);
            SecondHeap.move(shard);                 // the group does not change any more, so it may move
        }
        Random random = new Random(7);
        long found = 0;
        for (int i = 0; i < 2_000_000; i++) {
            int shard = random.nextInt(SHARDS);
            int key = random.nextInt(VALUES);
            found += shards.get(shard)[key][0] == (byte) (shard + key) ? 1 : 0;
        }
        System.out.println(found + " of 2000000 values are right, -Xmx is " + (Runtime.getRuntime().maxMemory() >> 20) + " MB, H2 has "
                + (SecondHeap.statistics().getUsedBytes() >> 20) + " MB");
    }
}
