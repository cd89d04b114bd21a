// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestBoundedSpace
 * @summary Groups are built and dropped until their sum is several times the size of H2, and H2 always has space for the next one.
 *          stress/TestBoundedSpaceLong is the long form
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -XX:AllocateH2At=. -XX:H2Size=192m -XX:H2RegionSize=2m -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestBoundedSpace 600
 * @run main/othervm -Xmx96m -XX:AllocateH2At=. -XX:H2Size=192m -XX:H2RegionSize=2m -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+H2UnionFind -XX:ParallelGCThreads=1 -XX:-UseCompressedOops
 *                   gc.terrace.h2.liveness.TestBoundedSpace 400 some
 */

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import gc.terrace.h2.Sample;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestBoundedSpace {

    private static final int SAMPLE = 2;
    private static final int LIVE_GROUPS = 4;
    // Number of groups that fit into H2, of which the live ones take a fifth.
    private static final int GROUPS_THAT_FIT = 20;

    /** The references between groups. */
    private enum Kind {
        PLAIN,
        /** The objects of each group have a class of a separate loader. */
        LOADERS,
        /** Each group in H2 refers to the previous one, until that one is dropped. */
        CHAIN,
        /** A part of each group refers to the previous group, and becomes garbage in H2. */
        GARBAGE,
        /** Each group is part of a cycle through H1. */
        CYCLE,
        /** Each group refers, through H1, to an array of the previous group for as long as it lives. */
        SHARING,
    }

    /** A group. For the kind LOADERS, each group has its own loader, and otherwise the test's loader loads the class. */
    public static final class Group {
        public final long number;
        public final Object[] parts;
        public volatile Object link;

        public Group(long number, Object[] parts) {
            this.number = number;
            this.parts = parts;
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(TestBoundedSpace.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Group.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = TestBoundedSpace.class.getResourceAsStream("TestBoundedSpace$Group.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private final Kind kind;
    private final Deque<Object> live = new ArrayDeque<>();
    private final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();

    private TestBoundedSpace(Kind kind) {
        this.kind = kind;
    }

    /** Takes a number of megabytes, and the names of kinds, "some" for a sample, or nothing for all. */
    public static void main(String[] args) throws Exception {
        requireH2();
        long bytes = Long.parseLong(args[0]) << 20;
        List<Kind> sample = Sample.of(List.of(Kind.values()), SAMPLE);
        for (Kind kind : Kind.values()) {
            boolean isSampled = List.of(args).contains("some") && sample.contains(kind);
            if (args.length == 1 || isSampled || List.of(args).contains(kind.name())) {
                new TestBoundedSpace(kind).run(bytes);
            }
        }
    }

    private void run(long bytes) throws Exception {
        long groupBytes = (STOCK ? 1L << 30 : SecondHeap.statistics().getCapacityBytes()) / GROUPS_THAT_FIT;
        long start = System.nanoTime();
        long groups = bytes / groupBytes;
        for (long number = 0; number < groups; number++) {
            Object group = make(number, groupBytes);
            moveOrRetry(group, number);
            link(group);
            live.addLast(group);
            if (live.size() > LIVE_GROUPS) {
                live.removeFirst();
                if (kind == Kind.CHAIN) {
                    setLink(live.getFirst(), null);
                }
            }
            check();
        }
        System.out.printf("%s: %d groups of %d MB, %.1f s, %s%n", kind, groups, groupBytes >> 20,
                          (System.nanoTime() - start) / 1e9, SecondHeap.statistics());
        checkLoaders();
    }

    private Object make(long number, long bytes) throws ReflectiveOperationException {
        // Half of the bytes are in nodes, and half in arrays.
        int count = (int) (bytes / (64 << 10));
        Object[] parts = new Object[count];
        for (int i = 0; i < count; i++) {
            parts[i] = i % 2 == 0 ? Tree.make(280, number + i) : new long[8 << 10];
        }
        if (kind != Kind.LOADERS) {
            return new Group(number, parts);
        }
        Class<?> type = new Loader().loadClass(Group.class.getName());
        loaders.add(new WeakReference<>(type.getClassLoader()));
        return type.getConstructor(long.class, Object[].class).newInstance(number, parts);
    }

    // If H2 is full, one collection detects it, and the next one frees space.
    private void moveOrRetry(Object group, long number) {
        long label = freshLabel();
        SecondHeap.tagRoot(group, label);
        SecondHeap.move(label);
        for (int attempt = 0; attempt < 3 && SecondHeap.state(group) != State.IN_H2; attempt++) {
            SecondHeap.transfer();
        }
        assertInH2(group, kind + ", group " + number);
    }

    private void link(Object group) throws ReflectiveOperationException {
        Object last = live.peekLast();
        switch (kind) {
            case CHAIN:
                setLink(group, last);
                break;
            case GARBAGE:
                if (last != null) {
                    // The node stays in H2, but becomes unreachable.
                    Tree node = (Tree) ((Group) group).parts[0];
                    node.left.left.extra = last;
                    node.left.left = null;
                }
                break;
            case CYCLE:
                setLink(group, new Object[] { group });
                break;
            case SHARING:
                setLink(group, new Object[] { last == null ? null : ((Group) last).parts[1] });
                break;
            default:
        }
    }

    private static void setLink(Object group, Object to) throws ReflectiveOperationException {
        group.getClass().getField("link").set(group, to);
    }

    private void check() throws ReflectiveOperationException {
        for (Object group : live) {
            long number = group.getClass().getField("number").getLong(group);
            Object[] parts = (Object[]) group.getClass().getField("parts").get(group);
            Tree last = (Tree) parts[(parts.length - 1) / 2 * 2];
            last.check(280, number + (parts.length - 1) / 2 * 2);
        }
    }

    private void checkLoaders() {
        if (kind != Kind.LOADERS) {
            return;
        }
        live.clear();
        majorGC();
        majorGC();
        int alive = 0;
        for (WeakReference<ClassLoader> loader : loaders) {
            alive += loader.get() == null ? 0 : 1;
        }
        System.out.println(alive + " of " + loaders.size() + " loaders are left, "
                           + ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount() + " classes unloaded");
        assertTrue(alive <= 1, alive + " of " + loaders.size() + " loaders are left");
        assertTrue(ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount() >= loaders.size() - 1,
                   "classes of dropped groups are not unloaded");
    }
}
