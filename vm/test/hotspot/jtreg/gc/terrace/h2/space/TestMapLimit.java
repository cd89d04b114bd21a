// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestMapLimit
 * @summary A process without free mappings (vm.max_map_count) is collected, H2 included. Either mapped buffers that the program
 *          dropped are unmapped and it continues, or a transfer fails and objects stay in H1
 * @requires os.family == "linux"
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver/timeout=600 gc.terrace.h2.space.TestMapLimit
 */

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jdk.test.lib.process.ProcessTools;
import jtreg.SkippedException;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestMapLimit {

    private static final int PAGE = 4096, PAGES = 16;
    private static final int MOST = 300_000;
    private static final long LIMIT_SECONDS = 180;
    private static final int ATTEMPTS = 6;
    private static final String END = "the end";
    private static final Pattern REPORT = Pattern.compile("^# (/.*/hs_err_pid\\d+\\.log)$", Pattern.MULTILINE);

    public static void main(String[] args) throws Exception {
        if (limit() > MOST) {
            throw new SkippedException("vm.max_map_count is " + limit() + ", and each mapping takes memory of the system");
        }
        List<List<String>> ways = List.of(
            List.of("-Xmx48m"),
            List.of("-Xmx256m", "-XX:ParallelGCThreads=4"),
            List.of("-Xmx64m", "-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead"),
            List.of("-Xmx64m", "-XX:-UseCompressedOops", "-XX:H2FastSize=16m"));
        for (List<String> way : ways) {
            run(Turns.class, way);
        }
        // HotSpot ends the VM if the code cache grows and there is no mapping for it, so all of it is committed at start.
        run(AtTheLimit.class, List.of("-Xmx96m", "-XX:H2RegionSize=2m", "-XX:InitialCodeCacheSize=64m", "-XX:ReservedCodeCacheSize=64m"));
    }

    // Reads the file in one call, because the system returns nothing to a second one.
    static int limit() throws Exception {
        return Integer.parseInt(Files.readAllLines(Path.of("/proc/sys/vm/max_map_count")).get(0).trim());
    }

    private static void run(Class<?> program, List<String> flags) throws Exception {
        List<String> command = new ArrayList<>(List.of("-XX:AllocateH2At=.", "-XX:H2Size=256m", "-Xlog:gc+h2",
                                                       "-XX:-CreateCoredumpOnCrash"));
        command.addAll(flags);
        command.add(program.getName());
        Path output = Path.of("output.txt");
        boolean isStocks = true;
        for (int attempt = 1; isStocks; attempt++) {
            Process vm = ProcessTools.createLimitedTestJavaProcessBuilder(command)
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
            boolean hasEnded = vm.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!hasEnded) {
                vm.destroyForcibly().waitFor();
            }
            String text = Files.readString(output);
            System.out.println(program.getSimpleName() + " " + flags + "\n" + text);
            isStocks = hasEnded && vm.exitValue() != 0 && isMetaspace(text);
            assertTrue(!isStocks || attempt < ATTEMPTS, "the metaspace had no mapping in each of " + ATTEMPTS + " runs");
            if (!isStocks) {
                assertTrue(hasEnded && vm.exitValue() == 0 && text.contains(END), hasEnded ? "exit " + vm.exitValue() : "it does not end");
                assertTrue(!text.contains("H2 is not marked through"), "marks had no mapping");
            }
        }
    }

    /** Tells whether HotSpot ended the VM because the metaspace grew without a mapping. That depends on what is compiled by then. */
    private static boolean isMetaspace(String output) throws Exception {
        Matcher report = REPORT.matcher(output);
        return output.contains("committing reserved memory") && report.find()
               && Files.readString(Path.of(report.group(1))).contains("Metaspace::allocate(");
    }

    /** Maps pages of a file. */
    private static final class Pages implements AutoCloseable {
        private final FileChannel file;

        Pages() throws Exception {
            Path path = Files.createTempFile(Path.of(""), "pages", ".bin");
            Files.write(path, new byte[PAGES * PAGE]);
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }

        MappedByteBuffer map(int number) throws IOException {
            return file.map(MapMode.READ_WRITE, number % PAGES * (long) PAGE, PAGE);
        }

        /** Maps a page as soon as there is a mapping. The JDK itself waits 100 ms for dropped ones to be unmapped. */
        MappedByteBuffer mapLater(int number) throws Exception {
            MappedByteBuffer[] page = new MappedByteBuffer[1];
            waitFor(() -> {
                try {
                    page[0] = map(number);
                } catch (IOException e) {
                    System.out.println("page " + number + ": " + e.getMessage());
                }
                return page[0] != null;
            });
            return page[0];
        }

        @Override
        public void close() throws Exception {
            file.close();
        }
    }

    static final class Entry {
        MappedByteBuffer page;
    }

    static long mappings() throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.count();
        }
    }

    /** A cache in H2 that owns nearly all mappings is dropped and filled again. The program itself requests no collection. */
    public static final class Turns {
        static Object anchor;
        static Entry[] cache;

        public static void main(String[] args) throws Exception {
            requireH2();
            int count = limit() - 600;
            anchor = moveToH2(new byte[16][1000], 1);    // other objects of the label, which stay alive
            try (Pages pages = new Pages()) {
                for (int turn = 1; turn <= 3; turn++) {
                    cache = new Entry[count];
                    SecondHeap.tagRoot(cache, 1);
                    for (int i = 0; i < count; i++) {
                        cache[i] = new Entry();
                        cache[i].page = pages.mapLater(i);
                    }
                    SecondHeap.transfer();
                    System.out.println("turn " + turn + ": " + SecondHeap.state(cache) + ", mappings " + mappings());
                    assertInH2(cache, "the cache");
                    assertEquals(cache[count - 1].page.get(0), 0, "a byte");
                    cache = null;
                }
            }
            System.out.println(END);
        }
    }

    /** All mappings stay in use. Collections work without new ones, and objects stay in place or move. */
    public static final class AtTheLimit {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree[] trees = new Tree[4];
            for (int i = 0; i < trees.length; i++) {
                trees[i] = moveToH2(Tree.make(500, i));
            }
            Tree[] more = { Tree.make(3000, 10), Tree.make(3000, 11) };    // loads classes while there are mappings for them
            long label = freshLabel();
            SecondHeap.state(more);
            List<MappedByteBuffer> all = new ArrayList<>();
            try (Pages pages = new Pages()) {
                boolean isFull = false;
                while (!isFull) {
                    try {
                        all.add(pages.map(all.size()));
                    } catch (IOException e) {
                        isFull = true;
                    }
                }
                for (int i = 0; i < more.length; i++) {
                    SecondHeap.tagRoot(more[i], label + i);
                    SecondHeap.move(label + i);
                    SecondHeap.transfer();
                    trees[i] = null;
                    System.gc();
                }
                all.subList(0, all.size() / 2).clear();
                System.gc();
                System.gc();
                Reference.reachabilityFence(all);
            }
            for (int i = 0; i < trees.length; i++) {
                if (trees[i] != null) {
                    trees[i].check(500, i);
                }
            }
            more[0].check(3000, 10);
            more[1].check(3000, 11);
            System.out.println(SecondHeap.state(more[0]) + " " + SecondHeap.state(more[1]) + ", marked through H2 "
                               + SecondHeap.statistics().getDeepMarkings());
            System.out.println(END);
        }
    }
}
