// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestCoreDumps
 * @summary A core dump contains the used regions of H2, or none if it excludes shared mappings, and never all of H2Size
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   gc.terrace.h2.report.TestCoreDumps regions
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:-DumpSharedMappingsInCore
 *                   gc.terrace.h2.report.TestCoreDumps nothing
 */

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestCoreDumps {

    private static final long REGION = 2 << 20;

    public static void main(String[] args) throws IOException {
        requireH2();
        boolean regions = args[0].equals("regions");
        assertEquals(dumped(), 0, "bytes of an empty H2 in a core dump");
        List<byte[]> kept = new ArrayList<>();
        for (int inUse = 3; inUse <= 30; inUse += 3) {
            kept.add(moveToH2(new byte[5 << 20]));      // three regions
            assertEquals(dumped(), regions ? inUse * REGION : 0, "bytes of H2 in a core dump");
        }
        kept.clear();
        majorGC();
        assertEquals(dumped(), regions ? 30 * REGION : 0, "bytes of what was in use once");
        assertTrue(SecondHeap.isAvailable(), "H2 is there");
    }

    /** Returns the bytes of H2's mapping that a core dump contains. VmFlags has "dd" for excluded mappings. */
    private static long dumped() throws IOException {
        String directory = Path.of(".").toRealPath() + "/";
        long bytes = 0, mapped = 0, size = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                String[] range = line.substring(0, line.indexOf(' ')).split("-");
                size = line.contains(directory) ? Long.parseLong(range[1], 16) - Long.parseLong(range[0], 16) : 0;
                mapped += size;
            } else if (line.startsWith("VmFlags:") && !(line + " ").contains(" dd ")) {
                bytes += size;
            }
        }
        assertTrue(mapped >= 1L << 30, "bytes of H2 and its tables that are mapped: " + mapped);
        return bytes;
    }
}
