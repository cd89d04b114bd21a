// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestTransferDump
 * @summary Heap dumps and class histograms see the objects in H2, and each object once
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.report.TestTransferDump
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-UseCompressedOops -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.report.TestTransferDump
 */

import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import com.sun.management.HotSpotDiagnosticMXBean;
import jdk.test.lib.hprof.model.JavaClass;
import jdk.test.lib.hprof.model.Snapshot;
import jdk.test.lib.hprof.parser.Reader;

import static gc.terrace.h2.H2Test.*;

public class TestTransferDump {

    static final class InH2 {
        Object reference;
    }

    static final class InH1 {
        Object reference;
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        InH2[] moved = new InH2[1234];
        for (int i = 0; i < moved.length; i++) {
            moved[i] = new InH2();
        }
        moveToH2(moved);
        List<InH1> kept = new ArrayList<>();
        for (int i = 0; i < 567; i++) {
            InH1 object = new InH1();
            object.reference = moved[i];
            if (i % 2 == 0) {
                moved[i].reference = object;
            } else {
                kept.add(object);
            }
        }
        byte[] large = moveToH2(new byte[5 << 20]);
        histogram(moved.length, 567);
        dump("all.hprof", false, moved.length, 567);
        dump("live.hprof", true, moved.length, 567);
        histogram(moved.length, 567);
        // Objects that only H2 refers to.
        for (int i = 0; i < 100; i++) {
            moved[1000 + i].reference = new InH1();
        }
        minorGC();
        histogram(moved.length, 667);
        dump("later.hprof", true, moved.length, 667);
        assertEquals(large.length, 5 << 20, "the length of the large array");
        assertEquals(kept.size(), 283, "kept objects");
        for (InH2 object : moved) {
            assertInH2(object, "an object");
        }
    }

    private static void histogram(int inH2, int inH1) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
        for (String[] argument : new String[][] { { }, { "-all" } }) {
            String text = (String) server.invoke(name, "gcClassHistogram", new Object[] { argument },
                                                 new String[] { String[].class.getName() });
            assertEquals(count(text, InH2.class.getName()), inH2, "H2 objects in the histogram");
            assertEquals(count(text, InH1.class.getName()), inH1, "H1 objects in the histogram");
        }
    }

    // "  12:          1234          19744  name"
    private static int count(String histogram, String className) {
        for (String line : histogram.split("\n")) {
            String[] words = line.trim().split("\\s+");
            if (words.length > 3 && words[3].equals(className)) {
                return Integer.parseInt(words[1]);
            }
        }
        return 0;
    }

    private static void dump(String file, boolean live, int inH2, int inH1) throws Exception {
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        bean.dumpHeap(new File(file).getAbsolutePath(), live);
        try (Snapshot snapshot = Reader.readFile(file, false, 0)) {
            snapshot.resolve(false);
            assertEquals(instances(snapshot, InH2.class), inH2, "H2 objects in " + file);
            assertEquals(instances(snapshot, InH1.class), inH1, "H1 objects in " + file);
        }
        assertTrue(new File(file).delete(), file + " cannot be deleted");
    }

    private static int instances(Snapshot snapshot, Class<?> type) {
        JavaClass javaClass = snapshot.findClass(type.getName());
        assertTrue(javaClass != null, type + " is not in the dump");
        return javaClass.getInstancesCount(false);
    }
}
