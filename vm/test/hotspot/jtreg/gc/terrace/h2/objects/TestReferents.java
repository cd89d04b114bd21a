// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestReferents
 * @summary Collections that encounter references do not read their referents in H2
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-H2HugePages
 *                   gc.terrace.h2.objects.TestReferents
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-H2HugePages -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.objects.TestReferents
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-H2HugePages -XX:ParallelGCThreads=1
 *                   -XX:-UseCompressedOops
 *                   gc.terrace.h2.objects.TestReferents
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.Platform;

import static gc.terrace.h2.H2Test.*;

public class TestReferents {

    private static final int COUNT = 10_000;
    private static final int PAGE = 4096;

    private static Object[] rows;

    public static void main(String[] args) throws Exception {
        requireH2();
        rows = new Object[COUNT];
        for (int i = 0; i < COUNT; i++) {
            rows[i] = new byte[PAGE - 16];
        }
        Reference<?>[] references = new Reference<?>[COUNT];
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        for (int i = 0; i < COUNT; i++) {
            references[i] = reference(i, queue);
        }
        moveToH2(rows);
        // Pages that the transfer wrote are not mapped. A fault maps at most 16 pages.
        long before = mappedBytes();
        majorGC();
        majorGC();
        references = references.clone();
        for (int i = 0; i < COUNT; i += 2) {
            references[i] = reference(i, queue);
        }
        minorGC(2);
        majorGC();
        // Phantom references may belong to owners of resources in H2. One more collection would therefore mark through H2.
        List<Reference<?>> phantoms = new ArrayList<>();
        for (Object row : rows) {
            phantoms.add(new PhantomReference<>(row, queue));
        }
        majorGC();
        long after = mappedBytes();
        System.out.println(before + " bytes are mapped, then " + after);
        // In a debug build, discovery also checks referents in regions that no worker has found alive yet.
        assertTrue(STOCK || (Platform.isDebugBuild() && majorWorkers() > 1) || after - before < COUNT * (long) PAGE / 8,
                   (after - before) + " bytes were read");
        for (int i = 0; i < COUNT; i++) {
            assertTrue(references[i].get() == rows[i], "reference " + i);
        }
        assertTrue(queue.poll() == null && phantoms.size() == COUNT, "a reference to what is alive was queued");
    }

    private static int majorWorkers() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:ParallelGCThreads=1") ? 1 : 2;
    }

    private static Reference<?> reference(int i, ReferenceQueue<Object> queue) {
        return i % 3 == 0 ? new WeakReference<>(rows[i], queue) : new SoftReference<>(rows[i], queue);
    }

    /** Returns the bytes of H2 that this process has mapped. */
    private static long mappedBytes() throws IOException {
        String directory = Path.of("").toAbsolutePath().toString();
        boolean isH2 = false;
        long bytes = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isH2 = line.contains(directory) && line.endsWith(" (deleted)");
            } else if (isH2 && line.startsWith("Rss:")) {
                bytes += Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        return bytes;
    }
}
