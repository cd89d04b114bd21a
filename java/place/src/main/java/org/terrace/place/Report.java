// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Prints a plan in readable form. */
final class Report {

    private static final int CLASSES_NAMED = 3;
    private static final int PLACES_NAMED = 10;

    private final Plan plan;
    private final PrintWriter out;

    Report(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    static String names(List<Path> paths) {
        return paths.stream().map(path -> path.getFileName() == null ? path.toString() : path.getFileName().toString())
                .collect(Collectors.joining(", "));
    }

    void table(boolean all) {
        List<Plan.Entry> shown = plan.entries().stream().filter(entry -> all || entry.persisted()).toList();
        int variable = shown.stream().mapToInt(entry -> entry.variable().length()).max().orElse(0);
        int site = shown.stream().mapToInt(entry -> entry.site().length()).max().orElse(0);
        for (Plan.Entry entry : shown) {
            out.println(pad(entry.variable(), variable) + "  " + pad(entry.site(), site) + "  " + pad(entry.tier().toString(), 4)
                    + "  " + entry.why() + (entry.persisted() ? "" : "; not cached"));
        }
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    void summary(double seconds, boolean all) {
        long persisted = plan.entries().stream().filter(Plan.Entry::persisted).count();
        long computed = plan.entries().size() - persisted;
        out.println();
        out.printf("%d cached RDDs at %d calls of persist or cache and %d of unpersist, %.1f s.%n", persisted, plan.persistCalls(),
                plan.unpersistCalls(), seconds);
        if (computed > 0 && !all) {
            out.printf("%d more are computed by actions but not cached: --all prints them.%n", computed);
        }
        if (!plan.ofCallers().isEmpty()) {
            out.printf("At %d places, the persisted RDD is made by callers that were not read: %s%n", plan.ofCallers().size(),
                    some(plan.ofCallers(), PLACES_NAMED));
        }
        out.flush();
    }

    private static String some(Collection<?> things, int most) {
        return things.stream().limit(most).map(Object::toString).collect(Collectors.joining(", "))
                + (things.size() > most ? " and " + (things.size() - most) + " more" : "");
    }

    /** Prints the explanation of an RDD. Returns false if none has this name. */
    boolean explain(String name) {
        List<Plan.Entry> found = plan.entries().stream().filter(entry -> entry.site().equals(name)
                || entry.place().toString().equals(name) || entry.variable().equals(name)
                || entry.otherVariables().contains(name)).toList();
        for (Plan.Entry entry : found) {
            out.println(entry.variable() + ", " + entry.site() + ": " + entry.tier() + (entry.persisted() ? "" : ", but not cached"));
            out.println("  " + entry.why());
            entry.explanation().forEach(line -> out.println("    " + line));
        }
        out.flush();
        return !found.isEmpty();
    }

    static void withoutDebugInformation(Program program, PrintWriter errors) {
        Collection<String> classes = program.withoutDebugInformation();
        if (!classes.isEmpty()) {
            errors.println("place: " + classes.size() + " classes that use Spark have no debug information, so that their lines and "
                    + "variables have no names; they are left out: " + some(classes, CLASSES_NAMED)
                    + ". Compile them with javac -g or scalac -g:vars, and do not strip the jar.");
        }
    }
}
