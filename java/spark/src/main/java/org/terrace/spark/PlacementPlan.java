// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.terrace.SecondHeap.Tier;

/** A plan with the tier of each creation site of cached RDDs, read from a file that {@code ./terrace place --out} wrote. */
final class PlacementPlan {

    static final String OPTION = "spark.terrace.plan";

    private static final String TITLE = "# Terrace placement plan, version 1";
    private static final String COMMENT = " # ";

    private final Map<String, Tier> tiers;

    private PlacementPlan(Map<String, Tier> tiers) {
        this.tiers = Collections.unmodifiableMap(tiers);
    }

    /** @throws IllegalArgumentException if the file is not a plan; the message says what to do */
    static PlacementPlan read(String file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(Path.of(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException(OPTION + "=" + file + " cannot be read by the driver (" + e
                    + "); name a file that ./terrace place --out wrote", e);
        }
        if (lines.isEmpty() || !lines.get(0).strip().equals(TITLE)) {
            throw new IllegalArgumentException(OPTION + "=" + file + ": its first line is not '" + TITLE
                    + "'; name a file that ./terrace place --out wrote");
        }
        Map<String, Tier> tiers = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(tiers, line, file + ", line " + (i + 1));
            }
        }
        return new PlacementPlan(tiers);
    }

    private static void add(Map<String, Tier> tiers, String line, String where) {
        String[] words = line.split("\\s+", 2);
        String site = words.length < 2 ? "" : (words[1] + " ").split(COMMENT, 2)[0].strip();
        Tier tier = named(words[0]);
        if (tier == null || site.isEmpty() || site.startsWith("#")) {
            throw new IllegalArgumentException(OPTION + "=" + where + ": a line is a tier (fast, slow, heap or auto) and a "
                    + "creation site, such as 'fast groupByKey at PageRank.scala:11', but this one is '" + line + "'");
        }
        Tier before = tiers.put(site, tier);
        if (before != null && before != tier) {
            throw new IllegalArgumentException(OPTION + "=" + where + ": '" + site + "' has two tiers; remove one of the lines");
        }
    }

    private static Tier named(String word) {
        for (Tier tier : Tier.values()) {
            if (tier.name().toLowerCase(Locale.ROOT).equals(word)) {
                return tier;
            }
        }
        return null;
    }

    int size() {
        return tiers.size();
    }

    /** Returns the tier for a creation site {@code operation at File:line}, or null if the plan does not contain it. */
    Tier tierOf(String creationSite) {
        return tiers.get(creationSite);
    }
}
