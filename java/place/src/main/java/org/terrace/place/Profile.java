// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often the tasks of an earlier run read its cached RDDs, by creation site. The Spark plugin wrote the file. In a plan with a
 * profile, the sites with the most reads of each byte are fast, as many as fit into fast memory. Panthera (TOCS '22, section 5) does this
 * with chunks of memory.
 *
 * <p>The tier of the program stays for sites that the run read too little, and for those in the first heap, because a profile does not
 * tell how long an RDD lives.
 */
final class Profile {

    private static final String TITLE = "# Terrace profile of cached RDDs, version 1";
    private static final Pattern FAST = Pattern.compile("fast (\\d{1,18})");
    private static final Pattern SITE =
            Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\S.*)");
    private static final Pattern PLACE = Pattern.compile(".* at (.+):(\\d{1,9})");

    /**
     * The counts of one creation site.
     *
     * @param partitions number of partitions that were cached, of all RDDs of the site
     * @param mostBytes  most bytes that were cached at a time
     * @param reads      reads of partitions by tasks, without those by the tasks that cached them
     */
    private record Counts(String site, long partitions, long mostBytes, long reads, long readBytes) {

        boolean isEnough() {
            return reads > 0 && reads >= partitions && mostBytes > 0;
        }

        /** Returns how often the average byte was read. */
        double heat() {
            return (double) readBytes / mostBytes;
        }
    }

    private final Path file;
    private final Map<String, Counts> sites;
    private final long fastBytes;

    /** A plan with a profile, and one sentence about it. */
    record Merged(Plan plan, String summary) {
    }

    private Profile(Path file, Map<String, Counts> sites, long fastBytes) {
        this.file = file;
        this.sites = sites;
        this.fastBytes = fastBytes;
    }

    static Profile read(Path file) throws InputException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InputException("--profile: " + InputException.about(file, "cannot be read", e));
        }
        if (lines.isEmpty() || !lines.get(0).strip().equals(TITLE)) {
            throw new InputException("--profile: " + file + " is not a profile of this version: its first line is not '" + TITLE
                    + "'. A run with spark.terrace.profile=FILE writes one");
        }
        Map<String, Counts> sites = new LinkedHashMap<>();
        long fastBytes = 0;
        String end = null;
        for (int i = 1; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            Matcher fast = FAST.matcher(line);
            Matcher site = SITE.matcher(line);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (fast.matches()) {
                fastBytes = Long.parseLong(fast.group(1));
            } else if (line.startsWith("end ")) {
                end = line;
            } else if (site.matches() && sites.putIfAbsent(site.group(6), counts(site)) == null) {
                end = null;
            } else {
                throw new InputException("--profile: " + file + ", line " + (i + 1) + " is damaged: it is '" + line
                        + "', but should be five numbers and a creation site that is on no other line");
            }
        }
        if (!("end " + sites.size()).equals(end)) {
            throw new InputException("--profile: " + file + " is incomplete: it has " + sites.size() + " creation sites, but "
                    + (end == null ? "no last line 'end " + sites.size() + "'" : "its last line is '" + end + "'"));
        }
        return new Profile(file, sites, fastBytes);
    }

    private static Counts counts(Matcher line) {
        return new Counts(line.group(6), Long.parseLong(line.group(1)), Long.parseLong(line.group(3)),
                Long.parseLong(line.group(4)), Long.parseLong(line.group(5)));
    }

    /**
     * Merges the profile into a plan.
     *
     * @param fast     bytes of fast memory for all executors together, or 0 for those of the profiled run
     * @param analyzed the names of what was analyzed, for a message
     */
    Merged mergedInto(Plan plan, long fast, String analyzed) throws InputException {
        long capacity = fast > 0 ? fast : fastBytes;
        if (sites.isEmpty()) {
            throw new InputException("--profile: " + file + " has no cached RDD. Either its run cached none, or no executor had a "
                    + "second heap");
        }
        Map<String, Plan.Entry> known = new HashMap<>();
        plan.entries().forEach(entry -> known.put(entry.site(), entry));
        if (sites.keySet().stream().noneMatch(known::containsKey)) {
            throw new InputException("--profile: " + file + " is of another program or version: none of its " + sites.size()
                    + " creation sites is in " + analyzed + ". The first is '" + sites.keySet().iterator().next()
                    + "'. If it is in a library, name its jar, too");
        }
        if (capacity == 0) {
            throw new InputException("--profile: the run of " + file + " had no fast memory, so --fast SIZE must give the size for "
                    + "which to plan, such as --fast 8g");
        }
        Set<String> fitting = fitting(known, capacity);
        List<Plan.Entry> entries = new ArrayList<>();
        int measured = 0;
        int kept = 0;
        for (Plan.Entry entry : plan.entries()) {
            Counts counts = sites.get(entry.site());
            if (decides(counts, entry)) {
                measured++;
                entries.add(entry(entry, counts, whySlow(counts, fitting, capacity),
                        "the program says " + entry.tier() + ", " + entry.why()));
            } else {
                kept += entry.persisted() ? 1 : 0;
                entries.add(entry.persisted() ? entry.with(entry.tier(), entry.why() + "; " + whyKept(counts, entry)) : entry);
            }
        }
        int added = 0;
        for (Counts counts : sites.values()) {
            if (!known.containsKey(counts.site) && counts.isEnough()) {
                added++;
                entries.add(entry(added(counts.site), counts, whySlow(counts, fitting, capacity), "the program does not say where"));
            }
        }
        return new Merged(new Plan(entries, plan.ofCallers(), plan.persistCalls(), plan.unpersistCalls()), String.format(Locale.ROOT,
                "%s decides the tiers of %d cached RDDs, %d of which were not found in the program. %d keep the tier of the program. "
                + "Fast memory is %s.", file.getFileName(), measured + added, added, kept, megabytes(capacity)));
    }

    private static boolean decides(Counts counts, Plan.Entry entry) {
        return counts != null && counts.isEnough() && !(entry.persisted() && entry.tier() == Tier.HEAP);
    }

    /**
     * Returns the sites that fit into fast memory beside those that the program keeps there, beginning with the hottest, and the hottest
     * in any case. One that does not fit would take space from those that are cached later.
     */
    private Set<String> fitting(Map<String, Plan.Entry> known, long capacity) {
        Set<String> found = new HashSet<>();
        long free = capacity - known.values().stream()
                .filter(entry -> entry.persisted() && entry.tier() == Tier.FAST && !decides(sites.get(entry.site()), entry))
                .mapToLong(entry -> sites.containsKey(entry.site()) ? sites.get(entry.site()).mostBytes : 0).sum();
        for (Counts counts : sites.values().stream()
                .filter(counts -> known.containsKey(counts.site) ? decides(counts, known.get(counts.site)) : counts.isEnough())
                .sorted(Comparator.comparingDouble(Counts::heat).reversed()).toList()) {
            if (found.isEmpty() || counts.mostBytes <= free) {
                found.add(counts.site);
                free -= counts.mostBytes;
            }
        }
        return found;
    }

    /** Returns why a site does not fit into fast memory, or null if it fits. */
    private static String whySlow(Counts counts, Set<String> fitting, long capacity) {
        if (fitting.contains(counts.site)) {
            return null;
        }
        return counts.mostBytes > capacity ? "and it is larger than the fast memory" : "and other RDDs take the fast memory";
    }

    private Plan.Entry entry(Plan.Entry of, Counts counts, String whySlow, String program) {
        String measured = String.format(Locale.ROOT, "each of its %s was read %.1f times in %s", megabytes(counts.mostBytes), counts.heat(),
                file.getFileName());
        return of.with(whySlow == null ? Tier.FAST : Tier.SLOW, measured + (whySlow == null ? "" : ", " + whySlow) + "; " + program);
    }

    private static Plan.Entry added(String site) {
        Matcher place = PLACE.matcher(site);
        return new Plan.Entry("-", List.of(), site, place.matches() ? new Place(place.group(1), Integer.parseInt(place.group(2)))
                : new Place(site, 0), Tier.AUTO, "", true, List.of());
    }

    private String whyKept(Counts counts, Plan.Entry entry) {
        if (counts == null) {
            return "not in " + file.getFileName();
        }
        return !counts.isEnough()
                ? "too few reads in " + file.getFileName() + " (" + counts.reads + " of " + counts.partitions + " partitions)"
                : "read in " + file.getFileName() + ", which does not tell how long it lives";
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1048576.0);
    }
}
