// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests fields of transformed classes with an enumeration constant that the next program lacks. */
class MissingConstantTest {
    private static final String AGENT = System.getProperty("model.agent");
    private static final String PROGRAM = """
            @Persistent record Paint(Color color, int number) { }
            @Persistent class Car {
                Color color = Color.valueOf("RED");
                Optional<Color> optional = Optional.of(Color.valueOf("RED"));
                Object any = Color.valueOf("RED");
                Comparable<?> comparable = Color.valueOf("RED");
                Paint paint = new Paint(Color.valueOf("RED"), 1);
                Record record = new Paint(Color.valueOf("RED"), 2);
                Optional<Paint> inside = Optional.of(new Paint(Color.valueOf("RED"), 3));
                String other = "other";
            }
            class Sample {
                private static String of(java.util.function.Supplier<?> field) {
                    try {
                        return String.valueOf(field.get());
                    } catch (HeapException e) {
                        return e.getMessage();
                    }
                }
                private static void print(Car car) {
                    for (java.util.function.Supplier<?> field : List.<java.util.function.Supplier<?>>of(() -> car.color,
                            () -> car.optional, () -> car.any, () -> car.comparable, () -> car.paint, () -> car.record,
                            () -> car.inside, () -> car.other)) {
                        System.out.println(of(field));
                    }
                }
                public static void main(String[] args) {
                    try (Heap heap = Heap.open(java.nio.file.Path.of(args[0]))) {
                        Car car = heap.root("car", Car.class, Car::new);
                        print(car);
                        if (args.length > 1) {
                            car.color = Color.valueOf("BLUE");
                            car.optional = Optional.of(Color.valueOf("BLUE"));
                            car.any = "any";
                            car.comparable = 1;
                            car.paint = new Paint(Color.valueOf("BLUE"), 1);
                            car.record = null;
                            car.inside = Optional.empty();
                            print(car);
                            System.out.println(heap.check() + " " + heap.checkCollections());
                        }
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    private String run(String constants, String... arguments) throws Exception {
        new Sources(folder).compile("enum Color { " + constants + " }\n" + PROGRAM);
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "-javaagent:" + AGENT, "-cp", folder + ":" + System.getProperty("java.class.path"), "Sample",
                folder.resolve("sample.heap").toString()));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "the program does not end");
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    @Test
    void aFieldThatHasItSaysSoAndTakesAnother() throws Exception {
        run("RED, BLUE");
        String[] lines = run("BLUE", "write").split("\n");
        int from = lines.length - 17;
        for (int i = 0; i < 7; i++) {
            String line = lines[from + i];
            assertTrue(line.contains("a field of a Car has") && line.contains("Color.RED") && line.contains("@Was(\"RED\")")
                    && line.contains("store another value"), line);
        }
        assertEquals("other", lines[from + 7]);
        assertEquals("BLUE", lines[from + 8]);
        assertEquals("Optional[BLUE]", lines[from + 9]);
        assertEquals("Paint[color=BLUE, number=1]", lines[from + 12]);
        assertEquals("Optional.empty", lines[from + 14]);
        assertEquals("[] []", lines[from + 16]);
    }

    @Test
    void aConstantThatSaysWhatItWasIsRead() throws Exception {
        run("RED, BLUE");
        String output = run("BLUE, @Was(\"RED\") CRIMSON");
        assertTrue(output.endsWith("""
                CRIMSON
                Optional[CRIMSON]
                CRIMSON
                CRIMSON
                Paint[color=CRIMSON, number=1]
                Paint[color=CRIMSON, number=2]
                Optional[Paint[color=CRIMSON, number=3]]
                other
                """), output);
    }
}
