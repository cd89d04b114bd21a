// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.EnumVersions;
import org.terrace.persist.types.MissingConstant;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests programs whose classes are in a loader other than the thread's context class loader. */
class ClassLookupTest {
    private static final String PROGRAM = """
            import java.nio.file.Path;
            import org.terrace.persist.*;
            import org.terrace.persist.types.PersistentList;
            public class Program {
                enum Colour { RED }
                static final class Item extends PersistentObject {
                    static final PersistentClass<Item> CLASS = PersistentClass.of(Item.class, Item::new)
                            .field("list", FieldType.REFERENCE).build();
                    Item(Heap heap) {
                        super(CLASS, heap);
                        PersistentList<Object> list = new PersistentList<>(heap);
                        list.add(Colour.RED);
                        setReference(0, list);
                    }
                    Item(Heap heap, long offset) { super(heap, offset); }
                    Object colour() { return ((PersistentList<?>) getReference(0)).get(0); }
                }
                public static void main(String[] args) {
                    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
                    try (Heap heap = Heap.open(Path.of(args[0]))) {
                        Item item = heap.root("item", Item.class, () -> new Item(heap));
                        System.out.print(item.colour() == Colour.RED);
                    }
                }
            }
            """;

    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).durability(Durability.PROCESS);

    @TempDir
    private Path directory;
    private final Disk disk = new Disk();
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();
    /** The library does not keep loaders. */
    private final List<Loader> loaders = new ArrayList<>();

    @AfterEach
    void end() {
        Thread.currentThread().setContextClassLoader(context);
        disk.dispose();
    }

    /** Has the classes of some packages, and counts how often it is asked for a class that its parent lacks. */
    private static final class Loader extends ClassLoader {
        private final Path classes;
        private final Set<String> packages = ConcurrentHashMap.newKeySet();
        private final Map<String, Integer> asked = new ConcurrentHashMap<>();

        Loader(Path classes) {
            super(ClassLookupTest.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            asked.merge(name, 1, Integer::sum);
            if (!packages.contains(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                throw new ClassNotFoundException(name);
            }
            try {
                byte[] bytes = Files.readAllBytes(classes.resolve(name.replace('.', '/') + ".class"));
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        /** Lets this loader find the classes of a package, and uses the persistent one. */
        void use(String inPackage) throws ClassNotFoundException {
            packages.add(inPackage);
            Class.forName(inPackage + ".Paint", true, this);
        }
    }

    /** A loader whose persistent class, of a package of this name, was used. */
    private Loader usedLoader(String inPackage) throws IOException, ClassNotFoundException {
        compile(inPackage).close();
        Loader loader = new Loader(directory.resolve("0"));
        loaders.add(loader);
        loader.use(inPackage);
        return loader;
    }

    /** Compiles an enumeration and a record into the same directory as those of other packages. */
    private EnumVersions.Version compile(String inPackage) throws IOException {
        try (EnumVersions versions = new EnumVersions(directory, inPackage)) {
            return versions.version(List.of("RED"));
        }
    }

    private Heap open() {
        return Heap.open(disk.path("test.heap"), OPTIONS);
    }

    @SuppressWarnings("unchecked")
    private static PersistentList<Object> list(Heap heap) {
        return heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
    }

    @SuppressWarnings("unchecked")
    private static PersistentTreeMap<Object, String> map(Heap heap) {
        return heap.root("map", PersistentTreeMap.class, () -> new PersistentTreeMap<>(heap));
    }

    /** Makes a heap with a constant of an enumeration that no loader so far has. */
    private void storeConstant(String inPackage) throws IOException {
        try (EnumVersions.Version version = compile(inPackage); Heap heap = open()) {
            list(heap).add(version.constants().get("RED"));
        }
    }

    private static ClassLoader loaderOfConstant(Heap heap) {
        return assertInstanceOf(Enum.class, list(heap).get(0)).getClass().getClassLoader();
    }

    @Test
    void noLoaderIsAskedForNamesThatNoClassHas() throws Exception {
        Loader other = usedLoader("lookup.names");
        try (Heap heap = open()) {
            map(heap).put(Thread.State.NEW, "new");
        }
        other.asked.clear();
        try (Heap heap = open()) {
            assertEquals("new", map(heap).get(Thread.State.NEW));
        }
        assertEquals(Map.of(), other.asked);
    }

    @Test
    void otherLoadersAreAskedOnceForWhatTheyLack() throws Exception {
        Loader other = usedLoader("lookup.once");
        String gone = Cell.class.getName().replace("Cell", "Gone");
        storeConstant("lookup.gone");
        try (Heap heap = open()) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 7, null));
        }
        disk.renameClass("test.heap", Cell.class.getName(), gone);
        for (int life = 0; life < 2; life++) {
            other.asked.clear();
            try (Heap heap = open()) {
                for (int i = 0; i < 20; i++) {
                    assertInstanceOf(MissingConstant.class, list(heap).get(0));
                    assertEquals(gone, heap.root("cell", OpaqueObject.class).className());
                }
            }
            assertEquals(Map.of(gone, 1, "lookup.gone.Color", 1), other.asked);
        }
    }

    @Test
    void aWarningNamesTheLoadersThatLackTheClass() {
        String gone = Cell.class.getName().replace("Cell", "Gone");
        try (Heap heap = open()) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 7, null));
        }
        disk.renameClass("test.heap", Cell.class.getName(), gone);
        Loader later = new Loader(directory);
        Thread.currentThread().setContextClassLoader(later);
        List<String> told = new ArrayList<>();
        try (Heap heap = open()) {
            LoggedWarnings.during(told, () -> heap.root("cell", OpaqueObject.class));
        }
        assertEquals(1, told.size());
        assertTrue(told.get(0).contains(gone + ", which this program lacks (asked were [" + later), told.get(0));
    }

    @Test
    void aWarningNamesALoaderThatFails() {
        try (Heap heap = open()) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 7, null));
        }
        disk.renameClass("test.heap", Cell.class.getName(), Cell.class.getName().replace("Cell", "Gone"));
        Thread.currentThread().setContextClassLoader(new ClassLoader("old", null) {
            @Override
            protected Class<?> findClass(String name) {
                throw new IllegalStateException("stopped");
            }
        });
        List<String> told = new ArrayList<>();
        try (Heap heap = open()) {
            LoggedWarnings.during(told, () -> heap.root("cell", OpaqueObject.class));
        }
        assertEquals(1, told.size());
        assertTrue(told.get(0).contains(" failed: java.lang.IllegalStateException: stopped"), told.get(0));
    }

    @Test
    void theContextLoaderIsAskedEachTime() throws Exception {
        storeConstant("lookup.context");
        Loader later = new Loader(directory.resolve("0"));
        Thread.currentThread().setContextClassLoader(later);
        try (Heap heap = open()) {
            assertInstanceOf(MissingConstant.class, list(heap).get(0));
            later.packages.add("lookup.context");
            assertSame(later, loaderOfConstant(heap));
        }
    }

    @Test
    void aNewLoaderIsAsked() throws Exception {
        usedLoader("lookup.before");
        storeConstant("lookup.added");
        try (Heap heap = open()) {
            assertInstanceOf(MissingConstant.class, list(heap).get(0));
            Loader added = usedLoader("lookup.after");
            added.packages.add("lookup.added");
            assertSame(added, loaderOfConstant(heap));
        }
    }

    @Test
    void anOtherLoaderIsAskedAgainWhenItHasDefinedAnotherClass() throws Exception {
        Loader other = usedLoader("lookup.first");
        compile("lookup.second").close();
        storeConstant("lookup.then");
        try (Heap heap = open()) {
            assertInstanceOf(MissingConstant.class, list(heap).get(0));
            other.packages.add("lookup.then");
            other.use("lookup.second");
            assertSame(other, loaderOfConstant(heap));
        }
    }

    @Test
    void theNextOpeningAsksAllLoaders() throws Exception {
        Loader other = usedLoader("lookup.used");
        storeConstant("lookup.next");
        try (Heap heap = open()) {
            assertInstanceOf(MissingConstant.class, list(heap).get(0));
        }
        other.packages.add("lookup.next");
        try (Heap heap = open()) {
            assertSame(other, loaderOfConstant(heap));
        }
    }

    /** Stores a record of a program that ends. */
    private WeakReference<ClassLoader> loaderOfEndedProgram(String inPackage) throws IOException {
        try (EnumVersions.Version version = compile(inPackage); Heap heap = open()) {
            list(heap).clear();
            list(heap).add(version.paint("RED", 5));
            return new WeakReference<>(version.loader());
        }
    }

    @Test
    void theLoaderOfAProgramThatHasEndedIsFreed() throws Exception {
        try (EnumVersions.Version other = compile("lookup.ended")) {
            Object paint = other.paint("RED", 5);
            WeakReference<ClassLoader> loader = loaderOfEndedProgram("lookup.ended");
            for (int i = 0; i < 100 && loader.get() != null; i++) {
                System.gc();
            }
            assertNull(loader.get());
            try (Heap heap = open()) {
                assertEquals(paint, list(heap).get(0));
            }
        }
    }

    /** The loader here is that of {@code java Program.java}. */
    @Test
    void theLoaderOfARootsTypeIsAsked() throws IOException, InterruptedException {
        Path source = Files.writeString(directory.resolve("Program.java"), PROGRAM);
        for (int life = 0; life < 2; life++) {
            Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                    System.getProperty("java.class.path"), source.toString(), directory.resolve("program.heap").toString())
                    .redirectErrorStream(true).start();
            assertEquals("true", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertEquals(0, process.waitFor());
        }
    }
}
