// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Chooses a tier for each RDD. The rules are from Panthera (Chen et al., TOCS '22, 3.1). An RDD is fast if its variable is used,
 * but not defined, in a loop that contains or follows its materialization. All others are slow, and if all RDDs of a
 * program are slow, all are fast. Three rules are new. An RDD that a loop unpersists in each iteration stays in the first heap.
 * A use of an unpersisted RDD that was derived from an RDD counts as a use of the latter. The tier of an RDD that is passed to
 * unknown code is determined at run time, by measurement.
 */
final class Placement {

    /** The names of the parts of a tuple. */
    private static final Pattern PART = Pattern.compile("_\\d+");

    private final Findings findings;
    private final Map<Rdd, Map<Event.Kind, List<Event>>> eventsOf = new HashMap<>();
    private final Map<Rdd, List<Rdd>> derived = new HashMap<>();
    private final Map<Rdd, List<Variable>> variablesOf = new HashMap<>();
    private final Map<Rdd, List<Readings.Reading>> readings = new HashMap<>();

    /** The result of the rules for one RDD. If several RDDs are created at one place, the strongest verdict wins. */
    record Verdict(Tier tier, Strength strength, String why, Variable variable) {

        enum Strength {
            READ_IN_LOOP, DIES_IN_LOOP, ALL_ARE_SLOW, UNKNOWN, WEAKEST
        }
    }

    private Placement(Findings findings) {
        this.findings = findings;
    }

    static Plan of(Findings findings) {
        Placement placement = new Placement(findings);
        placement.index();
        return placement.plan();
    }

    private void index() {
        for (Event event : findings.events()) {
            for (Rdd rdd : Findings.rdds(event.values())) {
                eventsOf.computeIfAbsent(rdd, key -> new EnumMap<>(Event.Kind.class))
                        .computeIfAbsent(event.kind(), key -> new ArrayList<>()).add(event);
            }
            if ((event.kind() == Event.Kind.USE || event.kind() == Event.Kind.ACTION || event.kind() == Event.Kind.ESCAPE)
                    && !event.at().loops().isEmpty()) {
                Readings.of(event).forEach(reading -> reading.rdds().forEach(rdd ->
                        readings.computeIfAbsent(rdd, key -> new ArrayList<>()).add(reading)));
            }
        }
        for (Rdd rdd : findings.rdds()) {
            for (Rdd parent : Findings.rdds(rdd.parents)) {
                derived.computeIfAbsent(parent, key -> new ArrayList<>()).add(rdd);
            }
        }
        for (Variable variable : findings.variables()) {
            for (Atom atom : variable.objects) {
                if (atom instanceof Rdd rdd && variable.whole == null) {
                    variablesOf.computeIfAbsent(rdd, key -> new ArrayList<>()).add(variable);
                }
            }
        }
    }

    private List<Event> events(Rdd rdd, Event.Kind kind) {
        return eventsOf.getOrDefault(rdd, Map.of()).getOrDefault(kind, List.of());
    }

    private boolean isPersisted(Rdd rdd) {
        return !events(rdd, Event.Kind.PERSIST).isEmpty();
    }

    private boolean isMaterialized(Rdd rdd) {
        return isPersisted(rdd) || !events(rdd, Event.Kind.ACTION).isEmpty();
    }

    private Plan plan() {
        Map<Object, List<Rdd>> programs = new LinkedHashMap<>();
        findings.rdds().stream().filter(this::isMaterialized)
                .forEach(rdd -> programs.computeIfAbsent(findings.program(rdd.made.walk()), key -> new ArrayList<>()).add(rdd));
        Map<Rdd, Verdict> verdicts = new LinkedHashMap<>();
        for (List<Rdd> rdds : programs.values()) {
            Map<Rdd, Verdict> ofProgram = new LinkedHashMap<>();
            rdds.forEach(rdd -> ofProgram.put(rdd, verdict(rdd)));
            if (rdds.stream().filter(this::isPersisted).map(ofProgram::get)
                    .noneMatch(verdict -> verdict.tier == Tier.FAST || verdict.tier == Tier.HEAP)) {
                ofProgram.replaceAll((rdd, verdict) -> isPersisted(rdd) && verdict.tier == Tier.SLOW && levelWithoutTier(rdd) == null
                        ? new Verdict(Tier.FAST,
                        Verdict.Strength.ALL_ARE_SLOW, verdict.why + "; but so it is with all that this program persists, so "
                                + "fast memory is free for it", verdict.variable) : verdict);
            }
            verdicts.putAll(ofProgram);
        }
        Map<String, List<Rdd>> bySite = new LinkedHashMap<>();
        verdicts.keySet().forEach(rdd -> bySite.computeIfAbsent(site(rdd), key -> new ArrayList<>()).add(rdd));
        List<Plan.Entry> entries = new ArrayList<>();
        bySite.forEach((site, rdds) -> entries.add(entry(site, rdds, verdicts)));
        entries.sort(Comparator.comparing((Plan.Entry entry) -> entry.place().file()).thenComparing(entry -> entry.place().line())
                .thenComparing(Plan.Entry::site));
        return new Plan(entries, ofCallers(entries), findings.persistCalls(), findings.unpersistCalls());
    }

    /** Returns the creation site by which Spark identifies the cached RDD. */
    private String site(Rdd rdd) {
        if (rdd.sql && isPersisted(rdd)) {
            Event first = firstAction(rdd);
            return first == null ? Plan.NO_SITE + rdd.site() : first.detail() + " at " + first.at().place();
        }
        return rdd.library == null ? rdd.site() : Plan.NO_SITE + rdd.site() + ", in " + rdd.library;
    }

    /**
     * Returns the action at which Spark builds the cached RDD of a Dataset, the first action on it or on an RDD derived from it.
     * Null if there is none, or if unknown code may run an earlier one.
     */
    private Event firstAction(Rdd dataset) {
        Set<Rdd> all = new LinkedHashSet<>(Set.of(dataset));
        addDerived(dataset, dataset, all, false);
        int persisted = events(dataset, Event.Kind.PERSIST).stream().mapToInt(event -> event.at().position()).min().orElse(0);
        return all.stream()
                .flatMap(rdd -> Stream.of(Event.Kind.ACTION, Event.Kind.ESCAPE).flatMap(kind -> events(rdd, kind).stream()))
                .filter(event -> event.at().walk() == dataset.made.walk() && event.at().position() > persisted)
                .min(Comparator.comparingInt(event -> event.at().position()))
                .filter(event -> event.kind() == Event.Kind.ACTION).orElse(null);
    }

    /** Adds all RDDs derived from an RDD, directly or indirectly. With notPersisted, stops where a persisted copy is read instead. */
    private void addDerived(Rdd origin, Rdd rdd, Set<Rdd> found, boolean notPersisted) {
        for (Rdd child : derived.getOrDefault(rdd, List.of())) {
            if (!(notPersisted && hides(child, origin)) && found.add(child)) {
                addDerived(origin, child, found, notPersisted);
            }
        }
    }

    /** Whether a derived RDD is certainly persisted and read instead. Libraries persist theirs unless the caller has persisted. */
    private boolean hides(Rdd child, Rdd origin) {
        List<Event> ofOrigin = events(origin, Event.Kind.PERSIST);
        return events(child, Event.Kind.PERSIST).stream()
                .anyMatch(event -> ofOrigin.stream().noneMatch(other -> other.at().canMiss(event.at())));
    }

    private Verdict verdict(Rdd rdd) {
        Variable variable = variable(rdd);
        List<Event> materialized = isPersisted(rdd) ? events(rdd, Event.Kind.PERSIST) : events(rdd, Event.Kind.ACTION);
        Level level = levelWithoutTier(rdd);
        if (level != null && !level.isSerialized()) {
            return new Verdict(Tier.AUTO, Verdict.Strength.UNKNOWN, level.withoutTier(), variable);
        }
        Set<Rdd> read = new LinkedHashSet<>(List.of(rdd));
        addDerived(rdd, rdd, read, true);
        Readings.Reading oneOfSeveral = null;
        for (Rdd reader : read) {
            for (Readings.Reading reading : readings.getOrDefault(reader, List.of())) {
                if (materialized.stream().anyMatch(event -> event.at().precedesOrIsIn(reading.loop(), reading.use().at()))) {
                    if (!reading.isOneOfSeveral()) {
                        return level == null ? fast(rdd, reader, reading, variable) : new Verdict(Tier.AUTO, Verdict.Strength.UNKNOWN,
                                level.withoutTier() + ", although the loop at " + reading.loop() + " uses it", variable);
                    }
                    oneOfSeveral = oneOfSeveral == null ? reading : oneOfSeveral;
                }
            }
        }
        for (Event unpersist : events(rdd, Event.Kind.UNPERSIST)) {
            for (LoopVisit loop : unpersist.at().loops()) {
                if (rdd.made.loops().contains(loop) || unpersist.values().stream()
                        .anyMatch(atom -> atom instanceof Variable other && other.isDefinedIn(loop) && !other.visits(loop))) {
                    return new Verdict(Tier.HEAP, Verdict.Strength.DIES_IN_LOOP, "the loop at " + loop + " unpersists the one before "
                            + "(" + unpersist.detail() + " at " + unpersist.at().place() + ")", variable);
                }
            }
        }
        for (Rdd reader : read) {
            for (Event escape : events(reader, Event.Kind.ESCAPE)) {
                return new Verdict(Tier.AUTO, Verdict.Strength.UNKNOWN,
                        "given at " + escape.at().place() + " to " + escape.detail(), variable);
            }
        }
        if (oneOfSeveral != null) {
            return new Verdict(Tier.AUTO, Verdict.Strength.UNKNOWN, "the loop at " + oneOfSeveral.loop() + " uses "
                    + oneOfSeveral.variable().root() + ", and the program does not determine which of its values",
                    variable != null || !isNamed(oneOfSeveral.variable().root()) ? variable : oneOfSeveral.variable().root());
        }
        if (!rdd.made.loops().isEmpty()) {
            List<LoopVisit> loops = rdd.made.loops();
            return new Verdict(Tier.SLOW, Verdict.Strength.WEAKEST, "made in each iteration of the loop at " + loops.get(loops.size() - 1)
                    + ", not unpersisted there", variable);
        }
        return new Verdict(Tier.SLOW, Verdict.Strength.WEAKEST, whyNoLoop(rdd, materialized), variable);
    }

    private static Verdict fast(Rdd rdd, Rdd reader, Readings.Reading reading, Variable variable) {
        Variable root = reading.variable().root();
        String through = reader == rdd ? "" : ", through " + reading.variable() + " (" + reader.site() + ", not persisted)";
        return new Verdict(Tier.FAST, Verdict.Strength.READ_IN_LOOP, "used in the loop at " + reading.loop() + ", not made in it"
                + through, reader == rdd && isNamed(root) && !root.ofInstance ? root : variable);
    }

    /** Returns the level of a persisted RDD if it keeps no objects in the heap. Null if another one does, or if they are unknown. */
    private Level levelWithoutTier(Rdd rdd) {
        Level found = null;
        for (Event event : events(rdd, Event.Kind.PERSIST)) {
            Set<Level> levels = Level.among(event.level());
            if (levels.isEmpty() || levels.stream().anyMatch(level -> level.withoutTier() == null)) {
                return null;
            }
            found = levels.iterator().next();
        }
        return found;
    }

    private String whyNoLoop(Rdd rdd, List<Event> materialized) {
        for (Event use : events(rdd, Event.Kind.USE)) {
            for (LoopVisit loop : use.at().loops()) {
                if (materialized.stream().noneMatch(event -> event.at().precedesOrIsIn(loop, use.at()))) {
                    return "the loop at " + loop + " ends before it is " + (isPersisted(rdd) ? "persisted" : "computed");
                }
                return "the loop at " + loop + " uses its variable, but assigns it in each iteration";
            }
        }
        return "no loop uses it";
    }

    private static boolean isNamed(Variable variable) {
        return variable.base == null && Character.isJavaIdentifierStart(variable.name.charAt(0)) && !variable.name.contains("$")
                && !PART.matcher(variable.name).matches();
    }

    /**
     * Returns the variable to show to the user: one on which persist is called if possible, otherwise one that holds the RDD, a field,
     * a container, or a variable for the elements of a container.
     */
    private Variable variable(Rdd rdd) {
        Stream<Variable> persisted = events(rdd, Event.Kind.PERSIST).stream().flatMap(event -> event.values().stream())
                .filter(atom -> atom instanceof Variable && Findings.rdds(Set.of(atom)).contains(rdd))
                .map(atom -> ((Variable) atom).root());
        List<Variable> all = Stream.concat(persisted, variablesOf.getOrDefault(rdd, List.of()).stream())
                .filter(variable -> isNamed(variable.root())).toList();
        return all.stream().min(Comparator.comparingInt(variable -> variable.visitsElements() ? 3 : variable.base != null ? 2
                : variable.ofInstance ? 1 : 0)).map(Variable::root).orElse(null);
    }

    private Plan.Entry entry(String site, List<Rdd> rdds, Map<Rdd, Verdict> verdicts) {
        boolean persisted = rdds.stream().anyMatch(this::isPersisted);
        List<Rdd> relevant = rdds.stream().filter(rdd -> isPersisted(rdd) == persisted).toList();
        Verdict strongest = relevant.stream().map(verdicts::get).min(Comparator.comparing(Verdict::strength)).orElseThrow();
        Set<Tier> tiers = relevant.stream().map(rdd -> verdicts.get(rdd).tier).collect(Collectors.toSet());
        Rdd first = relevant.stream().filter(rdd -> verdicts.get(rdd) == strongest).findFirst().orElseThrow();
        String why = strongest.why;
        Tier tier = strongest.tier;
        if (site.startsWith(Plan.NO_SITE)) {
            tier = Tier.AUTO;
            why = first.library != null ? "made at a line of " + first.library + ", whose jar was not given"
                    : "a Dataset is known by the first action on it, which is not seen";
        } else if (first.sql && tiers.size() > 1) {
            tier = Tier.AUTO;
            why = "several Datasets are computed here first, of which not all are alike";
        }
        Set<String> names = new LinkedHashSet<>();
        relevant.stream().map(verdicts::get).filter(verdict -> verdict.variable != null)
                .forEach(verdict -> names.add(verdict.variable.name));
        String name = strongest.variable != null ? strongest.variable.name : names.isEmpty() ? "-" : names.iterator().next();
        names.remove(name);
        return new Plan.Entry(name, List.copyOf(names), site, first.made.place(), tier, why,
                persisted, explanation(first, relevant.size()));
    }

    private List<Place> ofCallers(Collection<Plan.Entry> entries) {
        Set<Place> known = new HashSet<>();
        Set<Place> unknown = new LinkedHashSet<>();
        for (Event event : findings.events()) {
            if (event.kind() == Event.Kind.PERSIST) {
                (Findings.rdds(event.values()).isEmpty() ? unknown : known).add(event.at().place());
            }
        }
        unknown.removeAll(known);
        return unknown.stream().sorted(Comparator.comparing(Place::file).thenComparing(Place::line)).toList();
    }

    /** Describes the definitions, uses and loops of one RDD to the user. */
    private List<String> explanation(Rdd rdd, int times) {
        List<String> lines = new ArrayList<>();
        lines.add("made by " + rdd.site() + loops(rdd.made) + (times > 1 ? "; the program comes there in " + times
                + " ways, this is the one that decides" : "") + ", seen from " + rdd.made.walk().root.owner().name.replace('/', '.')
                + "." + rdd.made.walk().root.method().name);
        for (Variable variable : variablesOf.getOrDefault(rdd, List.of())) {
            if (isNamed(variable)) {
                variable.definitions().forEach(definition ->
                        lines.add("variable " + variable + " is assigned at " + definition.at().place() + loops(definition.at())));
            }
        }
        Set<Rdd> read = new LinkedHashSet<>(List.of(rdd));
        addDerived(rdd, rdd, read, true);
        Map<Event, String> events = new IdentityHashMap<>();
        List<Event> ordered = new ArrayList<>();
        for (Rdd reader : read) {
            eventsOf.getOrDefault(reader, Map.of()).forEach((kind, list) -> list.forEach(event -> {
                if (events.putIfAbsent(event, reader == rdd ? "" : ", on " + reader.site()) == null) {
                    ordered.add(event);
                }
            }));
        }
        ordered.sort(Comparator.comparingInt(event -> event.at().position()));
        for (Event event : ordered) {
            String what = switch (event.kind()) {
                case USE -> "used by ";
                case ACTION -> "computed by ";
                case PERSIST -> "persisted by ";
                case UNPERSIST -> "unpersisted by ";
                case ESCAPE -> "given to ";
            };
            Set<Level> levels = event.kind() == Event.Kind.PERSIST ? Level.among(event.level()) : Set.of();
            String level = levels.isEmpty() ? "" : levels.stream().map(Level::name).collect(Collectors.joining(" or ", " (", ")"));
            lines.add(what + event.detail() + level + " at " + event.at().place() + events.get(event) + loops(event.at()));
        }
        return List.copyOf(new LinkedHashSet<>(lines));
    }

    private static String loops(Moment moment) {
        return moment.loops().isEmpty() ? "" : moment.loops().stream().map(LoopVisit::toString)
                .collect(Collectors.joining(", ", ", in the loop at ", ""));
    }
}
