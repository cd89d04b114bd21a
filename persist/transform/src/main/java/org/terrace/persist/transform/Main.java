// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Transforms folders of class files from the command line. */
public final class Main {
    private static final String USAGE = """
            usage: java -jar terrace-persist-agent.jar [options] FOLDER...
            Transforms the persistent classes in folders of class files, in place. What was transformed stays as it is.
              -cp PATH         folders and jars with what the classes refer to, the library terrace-persist among them
              -c NAME[,NAME]   classes to transform that are not annotated with @Persistent
              -q               names no classes
              -h               this help
            Exits with 1 if a class is refused, and changes nothing then.""";

    private final List<Path> folders = new ArrayList<>();
    private final List<Path> classPath = new ArrayList<>();
    private final Set<String> listed = new LinkedHashSet<>();
    private boolean isQuiet;

    private Main() {
    }

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** @return the exit code: 0, 1 if a class is rejected, 2 if the arguments are wrong or a file cannot be used */
    static int run(String... args) {
        Main main = new Main();
        try {
            if (!main.parse(args)) {
                System.out.println(USAGE);
                return 0;
            }
            List<String> changed = new FolderTransformer(main.folders, main.classPath, main.listed,
                    System.err::println).transform();
            if (!main.isQuiet) {
                changed.forEach(System.out::println);
            }
            return 0;
        } catch (TransformException e) {
            System.err.println(e.getMessage());
            return 1;
        } catch (IllegalArgumentException | IOException e) {
            System.err.println("terrace-persist: " + e.getMessage());
            return 2;
        }
    }

    /** @return false if help is requested */
    private boolean parse(String[] args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "-h", "--help" -> {
                    return false;
                }
                case "-q" -> isQuiet = true;
                case "-cp" -> {
                    for (String entry : value(args, ++i).split(File.pathSeparator)) {
                        classPath.add(Path.of(entry));
                    }
                }
                case "-c" -> listed.addAll(List.of(value(args, ++i).split(",")));
                default -> folders.add(folder(args[i]));
            }
        }
        if (folders.isEmpty()) {
            throw new IllegalArgumentException("no folder of class files is given; -h helps");
        }
        return true;
    }

    private static String value(String[] args, int i) {
        if (i == args.length) {
            throw new IllegalArgumentException(args[i - 1] + " needs a value; -h helps");
        }
        return args[i];
    }

    private static Path folder(String name) {
        if (name.startsWith("-")) {
            throw new IllegalArgumentException("there is no option " + name + "; -h helps");
        }
        Path folder = Path.of(name);
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException(name + " is no folder");
        }
        return folder;
    }
}
