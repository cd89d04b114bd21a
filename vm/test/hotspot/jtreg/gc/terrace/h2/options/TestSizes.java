// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestSizes
 * @summary Sizes, region sizes and thresholds are accepted, rounded or rejected
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestSizes
 */

import java.nio.file.Files;
import java.nio.file.Path;

import jdk.test.lib.process.OutputAnalyzer;

import static gc.terrace.h2.options.VM.*;

public class TestSizes {

    private static final long M = 1 << 20;

    private static Path directory;

    public static void main(String[] args) throws Exception {
        directory = freshDirectory("sizes");
        capacities();
        moreThanTheDeviceHas();
        regionSizes();
        thresholds();
        assertEmpty(directory);
    }

    private static OutputAnalyzer with(String... flags) throws Exception {
        String[] all = new String[flags.length + 1];
        all[0] = "-XX:AllocateH2At=" + directory;
        System.arraycopy(flags, 0, all, 1, flags.length);
        return run(all);
    }

    private static void capacities() throws Exception {
        assertH2(with("-XX:H2Size=0")).shouldNotContain("capacity 0");
        assertH2(with("-XX:H2Size=256m")).shouldContain("capacity " + 256 * M).shouldContain("moved true");
        // Sizes are rounded up to whole regions.
        assertH2(with("-XX:H2Size=2m", "-XX:H2RegionSize=2m")).shouldContain("capacity " + 2 * M);
        assertH2(with("-XX:H2Size=" + (64 * M + 1), "-XX:H2RegionSize=2m")).shouldContain("capacity " + 66 * M);
        assertH2(with("-XX:H2Size=2m")).shouldContain("capacity " + 16 * M).shouldContain("moved true");
        for (String value : new String[] { "1", "1k", "1m", Long.toString(2 * M - 1) }) {
            assertRefused(with("-XX:H2Size=" + value), "H2Size", "at least 2m");
            assertRefused(with("-XX:H2Size=" + value, "-XX:H2RegionSize=2m"), "H2Size", "at least 2m");
        }
        for (String value : new String[] { "-1", "x", "", "1gg", "99999999999999999999999" }) {
            assertRefused(with("-XX:H2Size=" + value), "H2Size");
        }
        assertRefused(with("-XX:H2Size=" + Long.toUnsignedString(-1)), "H2Size");
        assertRefused(with("-XX:H2Size=16384p"), "H2Size");
    }

    private static void moreThanTheDeviceHas() throws Exception {
        long free = Files.getFileStore(directory).getUsableSpace();
        assertRefused(with("-XX:H2Size=" + (free + free / 4)), "H2Size", directory.toString());
        assertRefused(with("-XX:H2Size=8192t"), "H2Size");
    }

    private static void regionSizes() throws Exception {
        for (long size : new long[] { 2, 4, 8, 16, 64, 256 }) {
            assertH2(with("-XX:H2Size=512m", "-XX:H2RegionSize=" + size + "m"))
                .shouldContain("region size " + size * M).shouldContain("moved true");
        }
        assertH2(with("-XX:H2Size=512m")).shouldContain("region size " + 16 * M);
        // A small H2 has enough regions that one can stay free.
        assertH2(with("-XX:H2Size=256m")).shouldContain("region size " + 8 * M);
        assertH2(with("-XX:H2Size=64m")).shouldContain("region size " + 2 * M);
        for (String size : new String[] { "0", "1", "4k", "1m", "3m", "24m", "255m", "512m", "1g", "2097153", "-2m" }) {
            assertRefused(with("-XX:H2Size=512m", "-XX:H2RegionSize=" + size), "H2RegionSize");
        }
    }

    private static void thresholds() throws Exception {
        assertH2(with("-XX:H2HighThreshold=100", "-XX:H2LowThreshold=0"));
        assertH2(with("-XX:H2HighThreshold=60", "-XX:H2LowThreshold=60"));
        assertH2(with("-XX:H2HighThreshold=1", "-XX:H2LowThreshold=0"));
        for (String value : new String[] { "101", "-1", "0", "x" }) {
            assertRefused(with("-XX:H2HighThreshold=" + value), "H2HighThreshold");
        }
        for (String value : new String[] { "101", "-1", "x" }) {
            assertRefused(with("-XX:H2LowThreshold=" + value), "H2LowThreshold");
        }
        assertRefused(with("-XX:H2HighThreshold=40", "-XX:H2LowThreshold=60"), "H2HighThreshold", "H2LowThreshold");
        assertH2(with("-XX:H2HighThreshold=40"));
        assertRefused(with("-XX:H2LowThreshold=90"), "H2HighThreshold", "H2LowThreshold");
    }
}
