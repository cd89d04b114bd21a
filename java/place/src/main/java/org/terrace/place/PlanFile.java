// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes a plan as a file of lines {@code TIER SITE # TIER-OF-THE-ANALYSIS: VARIABLE, WHY}. A user overrules the
 * analysis by changing the first word. Lines that begin with # are comments.
 */
final class PlanFile {

    private static final String TITLE = "# Terrace placement plan, version 1";
    private static final String COMMENT = " # ";

    /** A line of a file, with the tier in effect and the tier that the analysis chose, or null if the user added the line. */
    record Line(Tier tier, Tier analyzed, String text) {

        boolean isOverruled() {
            return tier != analyzed;
        }
    }

    private PlanFile() {
    }

    /** Returns the lines by site. */
    static Map<String, Line> read(Path file) throws InputException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InputException(InputException.about(file, "cannot be read", e));
        }
        if (lines.isEmpty() || !lines.get(0).strip().equals(TITLE)) {
            throw new InputException(file + " is not a placement plan of this version: its first line is not '" + TITLE + "'");
        }
        Map<String, Line> found = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String text = lines.get(i).strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            String[] words = text.split("\\s+", 2);
            Tier tier = Tier.named(words[0]);
            if (tier == null || words.length < 2 || words[1].startsWith("#")) {
                throw new InputException(file + ", line " + (i + 1) + ": a line is a tier (fast, heap, slow or auto) and a site, such "
                        + "as 'fast groupByKey at PageRank.scala:11', but this one is '" + text + "'");
            }
            String[] parts = (words[1] + " ").split(COMMENT, 2);
            String site = parts[0].strip();
            String analyzed = parts.length < 2 ? "" : parts[1].strip();
            Line before = found.put(site, new Line(tier, Tier.named(analyzed.split(":", 2)[0]), text));
            if (before != null && before.tier() != tier) {
                throw new InputException(file + ", line " + (i + 1) + ": '" + site + "' has two tiers; remove one of the lines");
            }
        }
        return found;
    }

    /** Writes a plan, and keeps the tiers that a user changed in the existing file. Returns the plan that the file now contains. */
    static Plan write(Path file, Plan plan, String source, PrintWriter notes) throws InputException {
        Map<String, Line> before = Files.exists(file) ? read(file) : Map.of();
        Map<String, Line> overruled = new LinkedHashMap<>();
        before.forEach((site, line) -> {
            if (line.isOverruled()) {
                overruled.put(site, line);
            }
        });
        List<String> lines = new ArrayList<>(List.of(TITLE, "# Of " + source + ". Each line: tier, creation site, # what the "
                + "analysis chose: variable, why. To overrule it, change the first word.", ""));
        List<Plan.Entry> entries = new ArrayList<>();
        for (Plan.Entry entry : plan.entries()) {
            String why = entry.tier() + ": " + entry.variable() + ", " + entry.why();
            if (!entry.persisted()) {
                entries.add(entry);
            } else if (entry.site().contains(COMMENT)) {
                notes.println("place: " + file + " leaves '" + entry.site() + "' out: what follows '" + COMMENT + "' is a comment there");
                entries.add(entry);
            } else if (!entry.hasSite()) {
                lines.add("# " + entry.site().substring(Plan.NO_SITE.length()) + COMMENT + why);
                entries.add(entry);
            } else {
                Line kept = overruled.remove(entry.site());
                Tier tier = kept == null ? entry.tier() : kept.tier;
                lines.add(tier + " " + entry.site() + COMMENT + why);
                entries.add(kept == null ? entry
                        : entry.with(tier, "overruled in " + file.getFileName() + "; the analysis says " + why));
            }
        }
        overruled.forEach((site, line) -> {
            lines.add(line.text);
            notes.println("place: " + file + " keeps '" + site + "', which you changed, though it is no longer in the program");
        });
        try {
            Files.write(file, lines, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InputException(InputException.about(file, "cannot be written", e));
        }
        return new Plan(entries, plan.ofCallers(), plan.persistCalls(), plan.unpersistCalls());
    }
}
