// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that no packages of this library use each other in a cycle. From the lowest to the highest, they are {@code medium},
 * {@code log}, {@code heap}, {@code heap.liveness}, {@code heap.files}, {@code fa}, {@code blocks},
 * {@code org.terrace.persist}, {@code types} and {@code tools}. All may use {@code events} and {@link #COMMON}. Both lists of
 * exceptions may only become shorter.
 */
class PackagesTest {
    private static final String OURS = "org.terrace.persist";
    /**
     * Classes of {@code org.terrace.persist} that lower packages use, because programs know them by these names. They use only each
     * other.
     */
    private static final Set<String> COMMON = Set.of("CorruptHeapException", "Durability", "FieldType",
            "FreedObjectException", "HeapException", "HeapFullException", "HeapMedium", "HeapOptions", "NotDurableException",
            "Promises", "Was");
    private static final String COMMON_NAMES = "the common classes of " + OURS;
    /** Classes of {@code org.terrace.persist} that use a higher package, with this package. */
    private static final Set<String> UPWARDS = Set.of("Maintenance -> tools", "TransformedObject -> types");

    private record Use(String user, String used) {
        String userName() {
            return user.substring(user.lastIndexOf('.') + 1);
        }

        /** The use as {@link #UPWARDS} lists it. */
        String upwards() {
            return userName() + " -> " + packageOf(used).substring(OURS.length()).replaceFirst("^[.]", "");
        }

        boolean isException() {
            return packageOf(user).equals(OURS) && UPWARDS.contains(upwards());
        }

        @Override
        public String toString() {
            return user + " uses " + used;
        }
    }

    private static Set<Use> uses;

    /** Finds the uses of other top-level classes in the compiled library. */
    @BeforeAll
    static void findUses() throws URISyntaxException {
        Path classes = Path.of(Heap.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        // Given the whole folder, jdeps would need the other modules.
        String folder = classes.resolve("org").toString();
        assertEquals(0, jdeps.run(writer, writer, "-verbose:class", "-filter:none", "--ignore-missing-deps", folder), out::toString);
        uses = new HashSet<>();
        String name = "(" + Pattern.quote(OURS) + "[.\\w]*)(?:[$]\\S*)?";
        Matcher lines = Pattern.compile("^\\s+" + name + "\\s+-> " + name + "\\s", Pattern.MULTILINE).matcher(out.toString());
        while (lines.find()) {
            uses.add(new Use(lines.group(1), lines.group(2)));
        }
        assertTrue(uses.contains(new Use(OURS + ".Heap", OURS + ".heap.files.Store")), () -> "jdeps printed:\n" + out);
    }

    private static String packageOf(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }

    private static boolean isCommon(String type) {
        return packageOf(type).equals(OURS) && COMMON.contains(type.substring(OURS.length() + 1));
    }

    private static String unitOf(String type) {
        return isCommon(type) ? COMMON_NAMES : packageOf(type);
    }

    /** One use for each pair of units, by the using and the used unit. */
    private static Map<String, Map<String, Use>> units(Stream<Use> all) {
        Map<String, Map<String, Use>> units = new TreeMap<>();
        all.filter(use -> !unitOf(use.user).equals(unitOf(use.used)) && !use.isException())
                .forEach(use -> units.computeIfAbsent(unitOf(use.user), u -> new TreeMap<>()).put(unitOf(use.used), use));
        return units;
    }

    /** Uses that form a cycle, or an empty list if there is none. */
    private static List<Use> cycle(Map<String, Map<String, Use>> units) {
        Set<String> done = new HashSet<>();
        List<Use> path = new ArrayList<>();
        for (String unit : units.keySet()) {
            if (closes(unit, units, path, done)) {
                return path.stream().dropWhile(use -> !unitOf(use.user).equals(unitOf(path.get(path.size() - 1).used))).toList();
            }
        }
        return List.of();
    }

    private static boolean closes(String unit, Map<String, Map<String, Use>> units, List<Use> path, Set<String> done) {
        if (path.stream().anyMatch(use -> unitOf(use.user).equals(unit))) {
            return true;
        }
        if (done.add(unit)) {
            for (Use use : units.getOrDefault(unit, Map.of()).values()) {
                path.add(use);
                if (closes(unitOf(use.used), units, path, done)) {
                    return true;
                }
                path.remove(path.size() - 1);
            }
        }
        return false;
    }

    @Test
    void noPackagesUseEachOtherInACycle() {
        assertEquals(List.of(), cycle(units(uses.stream())), "these uses close a cycle among packages: remove one of them");
    }

    @Test
    void aUseThatClosesACycleIsFound() {
        Use upward = new Use(OURS + ".medium.Medium", OURS + ".heap.files.Store");
        List<Use> found = cycle(units(Stream.concat(uses.stream(), Stream.of(upward))));
        assertTrue(found.contains(upward), found::toString);
        assertTrue(found.stream().allMatch(use -> found.stream().anyMatch(next -> unitOf(next.user).equals(unitOf(use.used)))),
                found::toString);
    }

    @Test
    void aCommonClassThatUsesAPackageIsFound() {
        Use upward = new Use(OURS + ".HeapOptions", OURS + ".medium.Medium");
        List<Use> found = cycle(units(Stream.concat(uses.stream(), Stream.of(upward))));
        assertTrue(found.contains(upward), found::toString);
    }

    @Test
    void eachExceptionIsNeeded() {
        Set<String> common = new TreeSet<>();
        Set<String> upwards = new TreeSet<>();
        for (Use use : uses) {
            if (isCommon(use.used) && !packageOf(use.user).equals(OURS) && !isAbove(packageOf(use.user))) {
                common.add(use.used.substring(OURS.length() + 1));
            }
            if (use.isException()) {
                upwards.add(use.upwards());
            }
        }
        assertEquals(new TreeSet<>(COMMON), common, "shorten the list COMMON");
        assertEquals(new TreeSet<>(UPWARDS), upwards, "shorten the list UPWARDS");
    }

    /** Whether a package may use all of {@code org.terrace.persist}. */
    private static boolean isAbove(String name) {
        return name.equals(OURS + ".types") || name.equals(OURS + ".tools");
    }
}
