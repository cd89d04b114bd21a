// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.Dependency;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.terrace.SecondHeap.Tier;
import scala.collection.Iterator;

/**
 * Gives tiers to RDDs that have no entry in the plan (Panthera, TOCS '22, section 3.1). The nearest RDDs with an entry decide. An
 * RDD is fast if one of them that it is computed from, or that is computed from it, is fast. Otherwise it is slow if one that is
 * computed from it in the same stage is slow. Slow spreads less, because a slow input of a loop says nothing about the RDDs that the
 * loop uses instead. An entry that is neither fast nor slow ends the search, because {@code heap} tells how long an RDD lives, and
 * {@code auto} that its use is unknown.
 *
 * <p>An RDD is visited when its tier is asked for the first time, with those of its ancestors that were not visited before. Each
 * RDD is visited once, and its tier can become faster twice, so the work is linear in the number of dependencies of the program.
 * Ancestors of an RDD with a cached partition have been scheduled, so Spark knows their dependencies. Dependencies of other RDDs must
 * not be asked for, because some classes list their input files for the answer, which a program may write later.
 *
 * <p>A visited RDD may become faster when a later one is computed from it. Such changes of answers are numbered, so that an
 * executor gets those that it does not know.
 *
 * <p>RDDs are referenced weakly, and a collected one ends the search. All state is guarded by {@code this}.
 */
final class Lineage {

    private static final Method DEPENDENCIES = Sequences.method(RDD.class, "dependencies");

    /** The tier of an RDD, and why. */
    static final class Answer {

        final int rddId;
        final String site;
        final Tier tier;
        final String reason;

        private Answer(Node node) {
            rddId = node.id;
            site = node.site;
            tier = node.tier();
            reason = node.reason();
        }
    }

    private static final class Node {

        private static final List<Node> NONE = Collections.emptyList();

        final int id;
        final String site;
        final Tier entry; // null without an entry in the plan
        List<Node> parents = NONE;
        BitSet shuffled = new BitSet(); // the parents behind a shuffle, by their index
        Node from;                      // fast in the plan, and this RDD is computed from it
        Node into;                      // fast or slow in the plan, and computed from this RDD
        boolean answered;

        Node(RDD<?> rdd, Tier entry) {
            id = rdd.id();
            site = rdd.getCreationSite();
            this.entry = entry;
        }

        /** Returns the nearest RDD with an entry on the way through this one to its ancestors if it is fast, or null. */
        Node source() {
            return entry == null ? from : entry == Tier.FAST ? this : null;
        }

        boolean isPlaced() {
            return entry == Tier.FAST || entry == Tier.SLOW;
        }

        Node decisive() {
            return faster(from, into);
        }

        Tier tier() {
            return entry != null ? entry : decisive() == null ? Tier.AUTO : decisive().entry;
        }

        String reason() {
            Node other = decisive();
            if (entry != null) {
                return "its entry in the plan";
            }
            if (other == null) {
                return "no entry of the plan decides";
            }
            return (other == from ? "computed from " : "computed into ") + other.name();
        }

        private String name() {
            return "RDD " + id + ", " + site;
        }

        /** Returns the one with the faster tier, or the first one. */
        static Node faster(Node a, Node b) {
            return a == null || b != null && a.entry == Tier.SLOW && b.entry == Tier.FAST ? b : a;
        }
    }

    /** An RDD whose parents are being visited. */
    private static final class Visit {

        final RDD<?> rdd;
        final Iterator<Dependency<?>> dependencies;
        final Node node;

        Visit(RDD<?> rdd, Node node) {
            this.rdd = rdd;
            this.node = node;
            dependencies = Sequences.iterator(DEPENDENCIES, rdd);
            node.parents = new ArrayList<>(2);
        }
    }

    private static final class Handle extends WeakReference<RDD<?>> {

        final Node node;

        Handle(RDD<?> rdd, Node node, ReferenceQueue<RDD<?>> collected) {
            super(rdd, collected);
            this.node = node;
        }
    }

    private final Function<String, Tier> plan;
    private final boolean inherits;
    private final Map<Integer, Handle> handles = new HashMap<>();
    private final ReferenceQueue<RDD<?>> collected = new ReferenceQueue<>();
    private final List<Answer> changes = new ArrayList<>();
    private long steps;

    /**
     * @param plan     maps a creation site to its tier, or to null if the plan does not contain it
     * @param inherits whether RDDs without an entry take the tier of others
     */
    Lineage(Function<String, Tier> plan, boolean inherits) {
        this.plan = plan;
        this.inherits = inherits;
    }

    /** Returns the tier of an RDD of which a partition has been cached. */
    synchronized Answer ask(RDD<?> rdd) {
        forgetCollected();
        Node node = inherits ? visited(rdd) : new Node(rdd, plan.apply(rdd.getCreationSite()));
        node.answered = true;
        return new Answer(node);
    }

    /** Number of answers that have changed so far. */
    synchronized int changes() {
        return changes.size();
    }

    /** Returns the answers that have changed since the number of changes was {@code known}. */
    synchronized List<Answer> changesSince(int known) {
        return new ArrayList<>(changes.subList(known, changes.size()));
    }

    /** Number of dependencies followed so far. */
    synchronized long steps() {
        return steps;
    }

    /** Number of RDDs that are remembered. */
    synchronized int size() {
        forgetCollected();
        return handles.size();
    }

    /** Visits parents before their children, without recursion, because a program with iterations has long chains. */
    private Node visited(RDD<?> asked) {
        Handle known = handles.get(asked.id());
        if (known != null) {
            return known.node;
        }
        Deque<Visit> path = new ArrayDeque<>();
        path.push(begin(asked));
        while (true) {
            Visit visit = path.peek();
            if (!visit.dependencies.hasNext()) {
                finish(visit.node);
                path.pop();
                if (path.isEmpty()) {
                    return visit.node;
                }
                continue;
            }
            steps++;
            Dependency<?> dependency = visit.dependencies.next();
            visit.node.shuffled.set(visit.node.parents.size(), dependency instanceof ShuffleDependency);
            RDD<?> parent = dependency.rdd();
            Handle handle = handles.get(parent.id());
            if (handle != null) {
                visit.node.parents.add(handle.node);
            } else {
                Visit next = begin(parent);
                visit.node.parents.add(next.node);
                path.push(next);
            }
        }
    }

    private Visit begin(RDD<?> rdd) {
        Node node = new Node(rdd, plan.apply(rdd.getCreationSite()));
        handles.put(rdd.id(), new Handle(rdd, node, collected));
        return new Visit(rdd, node);
    }

    private void finish(Node node) {
        for (Node parent : node.parents) {
            node.from = node.from == null ? parent.source() : node.from;
        }
        if (node.isPlaced()) {
            spread(node);
        }
    }

    /** Tells the ancestors of an RDD with a tier that it is computed from them. */
    private void spread(Node placed) {
        Deque<Node> work = new ArrayDeque<>();
        work.push(placed);
        while (!work.isEmpty()) {
            Node node = work.pop();
            for (int i = 0; i < node.parents.size(); i++) {
                steps++;
                Node parent = node.parents.get(i);
                boolean reaches = placed.entry == Tier.FAST || !node.shuffled.get(i);
                if (reaches && parent.entry == null && parent.into != Node.faster(parent.into, placed)) {
                    Tier before = parent.tier();
                    parent.into = placed;
                    if (parent.answered && parent.tier() != before) {
                        changes.add(new Answer(parent));
                    }
                    work.push(parent);
                }
            }
        }
    }

    private void forgetCollected() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            Node node = ((Handle) gone).node;
            node.parents = Node.NONE; // or the chain behind it would stay for ever
            handles.remove(node.id);
        }
    }
}
