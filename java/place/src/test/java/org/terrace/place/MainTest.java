// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {

    private static final Path PAGE_RANK = Compilers.PROGRAMS.resolve("JavaPageRank.java");

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int run(Object... words) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(errors));
        String[] texts = new String[words.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = words[i].toString();
        }
        return line.execute(texts);
    }

    private Path classes(String... options) throws Exception {
        return Compilers.javac(List.of(PAGE_RANK), Files.createDirectories(folder.resolve("classes")), options);
    }

    private void assertSaid(StringWriter where, String... parts) {
        for (String part : parts) {
            assertTrue(where.toString().contains(part), "'" + part + "' is not in: " + where);
        }
    }

    @Test
    void printsThePlan() throws Exception {
        assertEquals(0, run(classes("-g")));
        assertSaid(out, "links     groupByKey at JavaPageRank.java:16     fast  used in the loop at JavaPageRank.java:19, not made in it",
                "contribs  flatMapToPair at JavaPageRank.java:21  slow  made in each iteration of the loop at JavaPageRank.java:19, not "
                + "unpersisted there", "2 cached RDDs at 2 calls of persist or cache and 0 of unpersist", "2 more are computed");
        assertEquals("", errors.toString());
    }

    @Test
    void explainsOne() throws Exception {
        Path classes = classes("-g");
        assertEquals(0, run("--explain", "links", classes));
        assertSaid(out, "links, groupByKey at JavaPageRank.java:16: fast", "variable links is assigned at JavaPageRank.java:17",
                "persisted by persist (MEMORY_ONLY) at JavaPageRank.java:17",
                "used by join at JavaPageRank.java:20, in the loop at JavaPageRank.java:19");
        assertEquals(0, run("--explain", "flatMapToPair at JavaPageRank.java:21", classes));
        assertSaid(out, "contribs, flatMapToPair at JavaPageRank.java:21: slow");
        assertEquals(1, run("--explain", "nothing", classes));
        assertSaid(errors, "no RDD is made at 'nothing', and no variable of that name holds one");
    }

    @Test
    void withoutDebugInformationItMakesNoGuess() throws Exception {
        for (String option : List.of("-g:none", "-g:source,lines", "-g:vars")) {
            assertEquals(1, run(classes(option)), option);
            assertSaid(errors, "have no debug information", "JavaPageRank", "javac -g or scalac -g:vars");
            assertEquals("", out.toString());
        }
        assertEquals(1, run(Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("PageRank.scala")),
                Files.createDirectories(folder.resolve("scala")), "-g:none")));
        assertSaid(errors, "PageRank$");
    }

    @Test
    void whatCannotBeReadIsNamed() throws Exception {
        assertEquals(2, run(folder.resolve("absent.jar")));
        assertSaid(errors, "absent.jar does not exist");
        Path text = Files.writeString(folder.resolve("text.jar"), "no jar");
        assertEquals(2, run(text));
        assertSaid(errors, "text.jar is not a jar");
        Path empty = folder.resolve("empty.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(empty))) {
            jar.putNextEntry(new ZipEntry("README"));
        }
        assertEquals(2, run(empty));
        assertSaid(errors, "empty.jar has no classes that can be read");
        assertEquals(2, run());
        assertSaid(errors, "Missing required parameter");
        assertEquals(2, run("--main", "Absent", classes("-g")));
        assertSaid(errors, "--main: no class Absent with a method main is in ");
    }

    @Test
    void aDamagedClassIsNamedAndLeftOut() throws Exception {
        Path classes = classes("-g");
        Files.writeString(classes.resolve("Damaged.class"), "no class");
        byte[] cut = Files.readAllBytes(classes.resolve("JavaPageRank.class"));
        Files.write(classes.resolve("Cut.class"), Arrays.copyOf(cut, cut.length / 2));
        assertEquals(0, run(classes));
        assertSaid(errors, "Damaged.class is not a class that can be read", "Cut.class is not a class that can be read");
        assertSaid(out, "links ");
    }

    @Test
    void aProgramWithoutSparkIsSaidToBeOne() throws Exception {
        Path source = Files.writeString(folder.resolve("Plain.java"), "class Plain { int one() { return 1; } }");
        assertEquals(1, run(Compilers.javac(List.of(source), Files.createDirectories(folder.resolve("plain")), "-g")));
        assertSaid(errors, "no RDD or Dataset is made, persisted or computed in plain");
    }

    /** A value passes through thousands of variables and methods. */
    @Test
    void aDeepProgramIsPlanned() throws Exception {
        int names = 5000;
        int methods = 1500;
        StringBuilder text = new StringBuilder("""
                import java.util.Arrays;
                import org.apache.spark.api.java.JavaRDD;
                import org.apache.spark.api.java.JavaSparkContext;
                class Deep {
                    static long pass0(JavaRDD<Integer> data) { return data.count(); }
                    static JavaRDD<Integer> name0;
                """);
        for (int i = 1; i <= names; i++) {
            text.append("static JavaRDD<Integer> name").append(i).append(";\n");
        }
        for (int i = 1; i <= methods; i++) {
            text.append("static long pass").append(i).append("(JavaRDD<Integer> data) { return pass").append(i - 1).append("(data); }\n");
        }
        text.append("static void run(JavaSparkContext sc, int turns) {\nname0 = sc.parallelize(Arrays.asList(1, 2)).cache();\n");
        for (int i = 1; i <= names; i++) {
            text.append("name").append(i).append(" = name").append(i - 1).append(";\n");
        }
        text.append("for (int t = 0; t < turns; t++) System.out.println(pass").append(methods)
                .append("(name").append(names).append("));}}\n");
        Path source = Files.writeString(folder.resolve("Deep.java"), text);
        assertEquals(0, run(Compilers.javac(List.of(source), Files.createDirectories(folder.resolve("deep")), "-g")), errors::toString);
        int line = 6 + names + methods + 2;
        assertSaid(out, "parallelize at Deep.java:" + line + "  fast  used in the loop at Deep.java:" + (line + names + 1));
    }

    @Test
    void aPlanKeepsWhatAPersonChanged() throws Exception {
        Path classes = classes("-g");
        Path file = folder.resolve("plan.txt");
        assertEquals(0, run("--out", file, classes));
        List<String> lines = Files.readAllLines(file);
        assertTrue(lines.contains("slow flatMapToPair at JavaPageRank.java:21 # slow: contribs, made in each iteration of the loop at "
                + "JavaPageRank.java:19, not unpersisted there"), lines.toString());
        assertEquals(Tier.FAST, PlanFile.read(file).get("groupByKey at JavaPageRank.java:16").tier());
        Files.writeString(file, String.join("\n", lines).replace("slow flatMap", "fast flatMap") + "\nslow map at Gone.java:3\n");
        assertEquals(0, run("--out", file, classes));
        assertEquals(Tier.FAST, PlanFile.read(file).get("flatMapToPair at JavaPageRank.java:21").tier());
        assertEquals(Tier.SLOW, PlanFile.read(file).get("map at Gone.java:3").tier());
        assertSaid(out, "fast  overruled in plan.txt; the analysis says slow: contribs");
        assertSaid(errors, "keeps 'map at Gone.java:3', which you changed, though it is no longer in the program");
    }

    @Test
    void aFileThatIsNoPlanIsNotOverwritten() throws Exception {
        Path classes = classes("-g");
        Path other = Files.writeString(folder.resolve("notes.txt"), "mine");
        assertEquals(2, run("--out", other, classes));
        assertSaid(errors, "notes.txt is not a placement plan of this version");
        assertEquals("mine", Files.readString(other));
        Path wrong = Files.writeString(folder.resolve("wrong.txt"), "# Terrace placement plan, version 1\n\nquick map at A.java:1\n");
        assertEquals(2, run("--out", wrong, classes));
        assertSaid(errors, "wrong.txt, line 3: a line is a tier (fast, heap, slow or auto) and a site");
        assertEquals(2, run("--out", folder.resolve("absent/plan.txt"), classes));
        assertSaid(errors, "plan.txt cannot be written: no such file or folder\n");
    }

    /** {@code ./terrace place --help} prints this file, so that the help needs no build. */
    @Test
    void theHelpIsInAFile() throws Exception {
        Path file = Path.of("src/main/usage/place.txt");
        String wanted = Main.commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF);
        if (Boolean.getBoolean("usage.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, wanted);
        }
        assertEquals(wanted, Files.readString(file), file + " is stale: mvn -f java/place test -Dtest=MainTest -Dusage.write=true");
    }
}
