// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The expected plan from comments in the sources: {@code // place: TIER VARIABLE OPERATION}, on the line of the creation site. */
final class Truth {

    private static final Pattern LINE = Pattern.compile("// (place|only computed): (\\S+) (\\S+) (\\S+)");

    private Truth() {
    }

    static Set<String> of(List<Path> sources, boolean persisted) throws IOException {
        Set<String> all = new TreeSet<>();
        for (Path source : sources) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                Matcher matcher = LINE.matcher(lines.get(i));
                if (matcher.find() && matcher.group(1).equals("place") == persisted) {
                    all.add(matcher.group(2) + " " + matcher.group(3) + " " + matcher.group(4) + " at " + source.getFileName() + ":"
                            + (i + 1));
                }
            }
        }
        return all;
    }

    /** Converts a plan to the same notation. */
    static Set<String> in(Plan plan) {
        return plan.entries().stream().filter(entry -> entry.persisted() && entry.hasSite())
                .map(entry -> entry.tier() + " " + entry.variable() + " " + entry.site())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
