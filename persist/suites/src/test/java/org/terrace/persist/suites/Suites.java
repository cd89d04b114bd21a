// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicTest;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;

/** The heap with the collections of all suites, and a runner for JUnit 3 suites. */
public final class Suites {
    static final boolean THOROUGH = Boolean.getBoolean("persist.thorough");
    private static final int SHOWN = 10;
    private static final int LINES = 15;
    private static final Heap HEAP = openHeap();
    /** The seed of random numbers. It also selects alternatives unless {@link #THOROUGH} is set. The build sets one for each commit. */
    static final long SEED = Long.getLong("persist.seed", 0);
    /** The collections of the running test. */
    private static final List<PersistentObject> MADE = new ArrayList<>();
    /** The number of collections so far. */
    private static long made;

    private Suites() {
    }

    private static Heap openHeap() {
        try {
            Path directory = Files.createTempDirectory("terrace-persist");
            Path file = directory.resolve("collections.heap");
            Heap heap = Heap.open(file, HeapOptions.defaults().maxSize(1L << 30).logSize(1 << 20).durability(Durability.PROCESS));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                heap.close();
                file.toFile().delete();
                file.resolveSibling("collections.heap.log").toFile().delete();
                directory.toFile().delete();
            }));
            return heap;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All alternatives, or one that the seed selects. */
    @SafeVarargs
    static <T> Stream<T> chosen(T... alternatives) {
        return THOROUGH ? Stream.of(alternatives) : Stream.of(alternatives[Math.floorMod(SEED, alternatives.length)]);
    }

    /** Creates an empty collection that exists until the test ends. */
    public static <T> T made(Function<Heap, T> maker) {
        T collection = HEAP.atomic(() -> maker.apply(HEAP));
        synchronized (MADE) {
            MADE.add((PersistentObject) collection);
            made++;
        }
        return collection;
    }

    /** A collection whose methods are called on several of its proxies in turn, or the collection itself for one proxy. */
    @SuppressWarnings("unchecked")
    static <T> T through(int proxies, Class<? super T> type, T collection) {
        if (proxies == 1) {
            return collection;
        }
        List<Object> found = new ArrayList<>();
        HEAP.setRoot("collection", (PersistentObject) collection);
        for (int i = 0; i < proxies; i++) {
            found.add(HEAP.root("collection", PersistentObject.class));
        }
        HEAP.setRoot("collection", null);
        AtomicInteger calls = new AtomicInteger();
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            if (arguments != null) {
                // An argument may be the collection itself, as in equals.
                Arrays.setAll(arguments, i -> arguments[i] == self ? found.get(0) : arguments[i]);
            }
            try {
                return method.invoke(found.get(calls.getAndIncrement() % proxies), arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    /** Runs tests and returns how many have passed. A suite that creates no persistent collection has tested none. */
    static int running(Callable<Integer> suite) throws Exception {
        long before = made;
        int tests = suite.call();
        assertTrue(made > before, "no persistent collection was made");
        return tests;
    }

    /** Frees the collections of a test at its end. */
    static void freeMade() {
        synchronized (MADE) {
            MADE.forEach(made -> HEAP.atomic(() -> HEAP.free(made)));
            MADE.clear();
        }
    }

    /** Runs each suite as one test, because suites have tens of thousands of tests whose reports take longer than the tests. */
    static Stream<DynamicTest> tests(Stream<? extends Test> suites) {
        return suites.map(suite -> DynamicTest.dynamicTest(((TestSuite) suite).getName(), () -> run(suite)));
    }

    private static void run(Test suite) throws Exception {
        TestResult result = new TestResult();
        result.addListener(new FreeingListener());
        int tests = running(() -> {
            suite.run(result);
            return result.runCount();
        });
        StringBuilder problems = new StringBuilder();
        Stream.concat(Collections.list(result.errors()).stream(), Collections.list(result.failures()).stream()).limit(SHOWN)
                .forEach(failure -> problems.append(failure.failedTest()).append(": ")
                        .append(beginning(failure.trace())).append('\n'));
        assertTrue(result.wasSuccessful(), () -> result.errorCount() + result.failureCount() + " tests failed, the first are\n"
                + problems);
        ran(suite.toString(), tests);
    }

    /** The start of a stack trace, without the frames of the test runner. */
    private static String beginning(String trace) {
        return trace.lines().takeWhile(line -> !line.contains("NativeMethodAccessorImpl")).limit(LINES).collect(Collectors.joining("\n"));
    }

    /** Reports how many tests of a suite have passed, and checks the heap. */
    static void ran(String suite, long tests) {
        assertTrue(tests > 0, "no test has run");
        System.out.println("tests of suites, " + suite + ": " + tests);
        assertEquals(List.of(), HEAP.check());
    }

    private static final class FreeingListener implements TestListener {
        @Override
        public void startTest(Test test) {
            // Nothing to do.
        }

        @Override
        public void addError(Test test, Throwable problem) {
            // The result contains it.
        }

        @Override
        public void addFailure(Test test, AssertionFailedError problem) {
            // The result contains it.
        }

        @Override
        public void endTest(Test test) {
            freeMade();
        }
    }
}
