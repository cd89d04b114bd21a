// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code terrace place}. */
@Command(name = "place", mixinStandardHelpOptions = true,
        description = {
            "Reads the bytecode of a Spark program and prints where its cached RDDs belong: fast for DRAM, slow for slower memory, "
            + "heap to stay in the first heap, auto where the program does not determine it. spark.terrace.plan makes the Spark plugin "
            + "follow a plan that --out wrote."},
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:a plan is printed", "1:there is nothing to plan, and a message says why", "2:wrong usage, or unreadable input"},
        footerHeading = "%n",
        footer = {
            "  prints   variable, creation site, tier and reason for each cached RDD",
            "  takes    a second for a program, some seconds with the jars of Spark",
            "  example  ./terrace place app.jar --out plan.txt"})
public final class Main implements Callable<Integer> {

    private static final String UNITS = " kmgt"; // the empty unit is at 0
    private static final Pattern SIZE = Pattern.compile("0*(\\d{1,18})([kmgtKMGT]?)");

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "JAR",
            description = "Jars or folders of classes: first the program, then libraries that it passes RDDs to, such as GraphX.")
    private List<Path> paths;

    @Option(names = "--main", paramLabel = "CLASS",
            description = "Plans only what the main method of this class can reach.")
    private String main;

    @Option(names = "--explain", paramLabel = "SITE",
            description = "Explains the tier of one RDD, named by site or variable.")
    private String explain;

    @Option(names = "--all", description = "Prints also RDDs that are computed but not cached.")
    private boolean all;

    @Option(names = "--profile", paramLabel = "FILE",
            description = "Makes fast what an earlier run read most. The run had the setting spark.terrace.profile=FILE.")
    private Path profile;

    @Option(names = "--fast", paramLabel = "SIZE",
            description = "With --profile, the fast memory of all executors together, such as 8g (default: that of the earlier run).")
    private String fast;

    @Option(names = "--out", paramLabel = "FILE",
            description = "Writes the plan to a file. Tiers that you changed in it stay as you left them.")
    private Path out;

    private Main() {
    }

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine place = new CommandLine(new Main()).setExecutionExceptionHandler((e, line, parsed) -> {
            if (!(e instanceof InputException)) {
                throw e;
            }
            line.getErr().println("place: " + e.getMessage());
            return 2;
        });
        place.getCommandSpec().version("Terrace " + Main.class.getPackage().getImplementationVersion());
        return place;
    }

    @Override
    public Integer call() throws InputException {
        PrintWriter output = spec.commandLine().getOut();
        PrintWriter errors = spec.commandLine().getErr();
        long start = System.nanoTime();
        if (fast != null && profile == null) {
            throw new InputException("--fast: only with --profile");
        }
        long fastBytes = fast == null ? 0 : size(fast);
        Profile earlier = profile == null ? null : Profile.read(profile);
        Program program = Program.read(paths.subList(0, 1), paths.subList(1, paths.size()));
        String mainClass = main == null ? null : mainClass(program);
        Plan plan = DeepStack.run(() -> Placement.of(Findings.of(program, mainClass)));
        String sources = Report.names(paths);
        program.warnings().forEach(warning -> errors.println("place: " + warning));
        Report.withoutDebugInformation(program, errors);
        if (plan.entries().isEmpty() && plan.ofCallers().isEmpty()) {
            if (program.withoutDebugInformation().isEmpty()) {
                errors.println("place: no RDD or Dataset is made, persisted or computed in " + sources);
            }
            return 1;
        }
        String measured = null;
        if (earlier != null) {
            Profile.Merged merged = earlier.mergedInto(plan, fastBytes, sources);
            plan = merged.plan();
            measured = merged.summary();
            sources += " and " + profile.getFileName();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        Report report = new Report(plan, output);
        if (explain != null) {
            if (!report.explain(explain)) {
                errors.println("place: no RDD is made at '" + explain + "', and no variable of that name holds one; "
                        + "without --explain, all are printed");
                return 1;
            }
            return 0;
        }
        if (out != null) {
            plan = PlanFile.write(out, plan, sources, errors);
            report = new Report(plan, output);
        }
        report.table(all);
        report.summary(seconds, all);
        if (measured != null) {
            output.println(measured);
            output.flush();
        }
        return 0;
    }

    private static long size(String text) throws InputException {
        Matcher size = SIZE.matcher(text);
        int shift = size.matches() ? 10 * UNITS.indexOf(size.group(2).toLowerCase(Locale.ROOT)) : 0;
        long number = size.matches() ? Long.parseLong(size.group(1)) : 0;
        if (number == 0 || number > Long.MAX_VALUE >> shift) {
            throw new InputException("--fast: '" + text + "' is not a size, such as 512m or 8g");
        }
        return number << shift;
    }

    private String mainClass(Program program) throws InputException {
        String name = main.replace('.', '/');
        if (program.methods(name, method -> method.name.equals("main")).isEmpty()
                && program.methods(name + "$", method -> method.name.equals("main")).isEmpty()) {
            throw new InputException("--main: no class " + main + " with a method main is in " + paths.get(0)
                    + "; name it as spark-submit --class does");
        }
        return name;
    }
}
