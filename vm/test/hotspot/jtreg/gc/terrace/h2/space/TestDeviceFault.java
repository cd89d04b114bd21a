// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestDeviceFault
 * @summary A page of H2 that the device cannot deliver stops the VM with a message that names H2. No code continues without it
 * @library / /test/lib /java/api/src/main/java
 * @modules jdk.unsupported
 *
 * @run driver gc.terrace.h2.space.TestDeviceFault
 */

import java.io.FileOutputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import sun.misc.Unsafe;

import static gc.terrace.h2.H2Test.*;

public class TestDeviceFault {

    public static void main(String[] args) throws Exception {
        for (String access : new String[] { "field", "unsafe" }) {
            for (String mode : new String[] { "-Xint", "-Xbatch" }) {
                OutputAnalyzer output = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(
                    "-Xmx128m", "-XX:AllocateH2At=.", "-XX:H2Size=64m", "-XX:H2RegionSize=2m",
                    "-XX:-CreateCoredumpOnCrash", mode, Program.class.getName(), access));
                output.shouldNotHaveExitValue(0);
                output.shouldContain("the file is gone").shouldNotContain("went on");
                output.shouldContain("SIGBUS").shouldContain("AllocateH2At=.: the device could not deliver");
            }
        }
    }

    /** Truncates the file of H2, and continues to read objects in H2. */
    public static class Program {
        static final Unsafe UNSAFE = unsafe();

        public static void main(String[] args) throws Exception {
            long[] data = moveToH2(new long[1_000_000]);
            for (int i = 0; i < 20_000; i++) {
                read(data, i, args[0]);
            }
            for (Path file : backing()) {
                new FileOutputStream(file.toFile()).close();
            }
            System.out.println("the file is gone");
            try {
                System.out.println(read(data, 500_000, args[0]));
            } catch (InternalError e) {
                System.out.println(e);
            }
            System.out.println("went on");
        }

        private static long read(long[] data, int index, String access) {
            return access.equals("field") ? data[index]
                                          : UNSAFE.getLong(data, Unsafe.ARRAY_LONG_BASE_OFFSET + 8L * index);
        }

        /** Finds the file by its descriptor, because the VM unlinks it. */
        private static List<Path> backing() throws Exception {
            String directory = Path.of(".").toRealPath().toString();
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                return descriptors.filter(fd -> {
                    try {
                        String target = Files.readSymbolicLink(fd).toString();
                        return target.startsWith(directory) && target.endsWith("(deleted)");
                    } catch (java.io.IOException e) {
                        return false;
                    }
                }).collect(Collectors.toList());
            }
        }

        private static Unsafe unsafe() {
            try {
                Field field = Unsafe.class.getDeclaredField("theUnsafe");
                field.setAccessible(true);
                return (Unsafe) field.get(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }
}
