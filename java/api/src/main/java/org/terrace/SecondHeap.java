// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Hints for the second heap (H2) of a Terrace JDK, and what became of them.
 *
 * <p>A Terrace JDK can extend the Java heap (H1) with a second one on storage. Objects that live long move there,
 * keep being ordinary objects, and are no longer scanned by the collector. The program says <em>what</em> belongs
 * together and lives long, by tagging the root of a data structure with a label, and <em>when</em> that structure has
 * stopped changing, by declaring its label due. The collector then moves, at a major collection, everything that is
 * reachable from the tagged roots of due labels and still in H1. This is the hint interface of the TeraHeap paper
 * (section 3.2: {@code h2_tag_root}, {@code h2_move}), with labels that stay due until they are held again.
 *
 * <pre>{@code
 * SecondHeap.tagRoot(partition, rddId);   // remember the root, nothing happens yet
 * SecondHeap.move(rddId);                 // it is complete: move it, and what is tagged with rddId later
 * SecondHeap.transfer();                  // optional: do it now instead of at the next major collection
 * assert SecondHeap.state(partition) == SecondHeap.State.IN_H2;
 * }</pre>
 *
 * <h2>Contracts</h2>
 * <ul>
 * <li>Hints are never needed for correctness. An object means the same in either heap: identity, identity hash,
 *     monitors, fields and reachability do not change, and an object in H2 may be written.</li>
 * <li>A tag does not keep its object alive; it vanishes with it.</li>
 * <li>An object has at most one label. The last label wins.</li>
 * <li>Labels are program-wide. Two libraries that use the same label use the same group; any {@code long} is a
 *     label, and none has a meaning of its own.</li>
 * <li>Tagging an object that is in H2, or untagging one, has no effect. Objects do not come back from H2; their storage
 *     is given back when they, and those that were placed with them, are unreachable.</li>
 * <li>What an object in H2 owns outside of the heap (a descriptor, a mapping, the memory of a direct buffer) is given back
 *     by its cleaner or finalizer, but later than without H2: when the object's region dies, or when a collection
 *     marks through H2 because many such objects may have been dropped, because memory for direct buffers or
 *     mappings is short, or because {@code System.gc()} was called twice. Close what is scarce.</li>
 * <li>A structure may grow after it has moved. What it gets later stays in H1 until that is nearly full (more than
 *     {@code -XX:H2HighThreshold} of the old generation live); then it follows, after all that is tagged.</li>
 * <li>A transfer can fail, for example because the device is full. What was due then stays in H1, stays tagged and
 *     stays due.</li>
 * <li>The VM leaves some objects in H1 even if they are reachable from a due root: classes, class loaders, threads,
 *     references of {@code java.lang.ref} and what only they reach, interned strings, and objects that static
 *     fields refer to.</li>
 * <li>All methods may be called by any thread at any time. A hint given by one thread is visible to every
 *     collection that starts after the call has returned.</li>
 * </ul>
 *
 * <p><strong>Without H2</strong>, that is on any other JDK or if no second heap was asked for, {@link #isAvailable}
 * is false, hints do nothing, {@link #state} is {@link State#IN_H1 IN_H1}, and {@link #statistics} are empty.
 * Null arguments are refused just the same.
 */
public final class SecondHeap {

    /** Where an object is. */
    public enum State {
        /** In H1, and no hint asks for it to be moved. Also the state of every object where there is no H2. */
        IN_H1,
        /** In H1, tagged with a label that is due: a root of a coming transfer. */
        DUE,
        /** In H2. */
        IN_H2;
    }

    /**
     * Where the pages of a label's objects belong, once they are in H2. A tier changes how long an access takes, never what
     * it finds.
     */
    public enum Tier {
        /** The VM finds out what can stay in memory, as it does without tiers. The tier of a label that was not placed. */
        AUTO,
        /**
         * In memory: the VM never takes the label's regions out itself, and reads them in if they are not there. So many
         * regions are fast as {@code -XX:H2FastSize} has room for; others are slow until there is room. The system may
         * still evict pages when memory is short.
         */
        FAST,
        /** On the device: what the program does not use is taken out of memory, so that it leaves that to others. */
        SLOW,
        /** What is tagged with the label stays in H1, even if H1 is nearly full. What had moved before stays in H2. */
        HEAP;
    }

    // The VM sets this property while it starts, before any class of the program runs.
    private static final boolean AVAILABLE = "true".equals(System.getProperty("terrace.h2"));

    // Set with H2FastSize; "false" where pages stay where they are, whatever the tier of their label.
    private static final String TIERS = AVAILABLE ? System.getProperty("terrace.tiers") : null;

    private SecondHeap() {
    }

    /**
     * Whether this VM has a second heap. This is a constant of the process: the VM announces H2 by the system property
     * {@code terrace.h2}, read once; no library is loaded to find out.
     *
     * @return true if hints have an effect
     */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * Whether some regions of H2 are fast and others are not. That takes {@code -XX:H2FastSize}, a {@code -XX:H2TierPolicy} other
     * than {@code lru} and {@code slow}, and, with {@code -XX:AllocateH2OnNode}, another node that the process may use. A
     * constant of the process, as {@link #isAvailable}.
     *
     * @return true if pages of labels are kept in different places
     */
    public static boolean hasTiers() {
        return "true".equals(TIERS);
    }

    /**
     * Tags an object as the root of a structure that belongs to {@code label}. If that label is due, now or later,
     * the structure is moved: the root and all it reaches that is still in H1 at that time. If the root already has
     * a label, this one replaces it. If the root is in H2, nothing happens.
     *
     * @param root  the object from which the structure is reachable
     * @param label any number that names the group; see {@link #move}
     * @throws NullPointerException if {@code root} is null
     */
    public static void tagRoot(Object root, long label) {
        Objects.requireNonNull(root, "root");
        if (AVAILABLE) {
            tagRoot0(root, label);
        }
    }

    /**
     * Removes the tag of an object, whichever label it has. No effect on an object without a tag or in H2. What the
     * object reaches may still be moved as part of another tagged structure.
     *
     * @param root the object to forget
     * @throws NullPointerException if {@code root} is null
     */
    public static void untag(Object root) {
        Objects.requireNonNull(root, "root");
        if (AVAILABLE) {
            untag0(root);
        }
    }

    /**
     * Declares a label due: what is tagged with exactly this label, or will be, moves at the next major collection
     * that can take it. As long as less than {@code -XX:H2LowThreshold} of the old generation is in use, that is one
     * that was asked for: by {@link #transfer}, {@link System#gc}, {@code jcmd}, or an allocation that did not fit.
     * Sticky until {@link #hold}. Returns at once.
     *
     * @param label the label of the structures that are complete; it need not have been used yet
     */
    public static void move(long label) {
        if (AVAILABLE) {
            move0(label);
        }
    }

    /**
     * Takes {@link #move} back: what is tagged with this label, and still in H1, stays there. The tags remain. The
     * VM may nevertheless move tagged structures, due or not, when H1 is nearly full.
     *
     * @param label the label that is no longer due
     */
    public static void hold(long label) {
        if (AVAILABLE) {
            hold0(label);
        }
    }

    /**
     * Says where the pages of a label's objects belong: those that are in H2 now, and those that come later. The last call
     * for a label wins. Objects keep their addresses, and nothing waits: what is in H2 already is read in or taken out of
     * memory in the background. A root of a fast label takes what it shares with roots of other labels along, if they move
     * in the same transfer. Where {@link #hasTiers} is false, pages stay where they are. {@link Tier#HEAP HEAP} has an effect
     * with {@code -XX:H2FastSize} all the same.
     *
     * @param label the label to place; it need not have been used yet
     * @param tier  where it belongs; {@link Tier#AUTO AUTO} takes an earlier call back
     * @throws NullPointerException if {@code tier} is null
     */
    public static void place(long label, Tier tier) {
        Objects.requireNonNull(tier, "tier");
        if (AVAILABLE) {
            place0(label, tier.ordinal());
        }
    }

    /**
     * Where an object is at the time of the call. Only {@link State#IN_H2 IN_H2} is final for as long as the caller
     * holds the object.
     *
     * @param object the object to look up
     * @return its place; {@link State#DUE DUE} only for an object that was itself tagged
     * @throws NullPointerException if {@code object} is null
     */
    public static State state(Object object) {
        Objects.requireNonNull(object, "object");
        if (!AVAILABLE) {
            return State.IN_H1;
        }
        switch (state0(object)) {
            case 1:
                return State.DUE;
            case 2:
                return State.IN_H2;
            default:
                return State.IN_H1;
        }
    }

    /**
     * Runs a major collection that moves what is due, and returns when it is done. The calling thread waits; all
     * others are stopped as for any major collection. If pauses have a goal ({@code -XX:H2TransferMillis}), several
     * collections move a part each, and the program runs in between. There is no promise that everything due was moved: look at
     * {@link #state} or {@link #statistics}.
     */
    public static void transfer() {
        if (AVAILABLE) {
            transfer0();
        }
    }

    /**
     * Asks the VM to read a structure from storage into memory, in the background, because the program is about to
     * need it. Meant for programs that know what comes next in a pass over more data than memory holds. What was
     * moved with the root is read, up to 64 MB; not what the structure refers to elsewhere in H2. Returns at once;
     * a hint too many is dropped.
     *
     * @param root a root that was moved; no effect on an object in H1
     * @throws NullPointerException if {@code root} is null
     */
    public static void prefetch(Object root) {
        Objects.requireNonNull(root, "root");
        if (AVAILABLE) {
            prefetch0(root);
        }
    }

    /**
     * Tells the VM that the program has read a structure and will read others before it comes back to this one. A
     * program that reads more than memory holds, pass after pass, would find nothing there when it comes back: each
     * page makes room for another before its turn. So the VM keeps a part of what is dismissed in memory, and takes
     * the rest out at once. It finds out how much can stay by looking, at {@link #prefetch}, whether what it kept is
     * still there; and as long as everything is, it takes nothing out. Returns at once.
     *
     * @param root a root that was moved; no effect on an object in H1
     * @throws NullPointerException if {@code root} is null
     */
    public static void dismiss(Object root) {
        Objects.requireNonNull(root, "root");
        if (AVAILABLE) {
            dismiss0(root);
        }
    }

    /**
     * The VM's counters, taken together.
     *
     * @return a snapshot; empty (see {@link SecondHeapStatistics}) without H2
     */
    public static SecondHeapStatistics statistics() {
        return new SecondHeapStatistics(AVAILABLE ? statistics0() : null);
    }

    /**
     * What H2 holds of each label now. Asks the system for every page of H2 whether it is in memory, which takes some
     * 20 milliseconds per GB.
     *
     * @return the labels that have regions in use, by number; empty without H2
     */
    public static List<SecondHeapLabelUsage> labels() {
        return AVAILABLE ? SecondHeapLabelUsage.of(labels0(), waits(), TIERS != null ? tiers0() : null, heats()) : Collections.emptyList();
    }

    /** As {@link #waits0}, or null if this VM does not tell. */
    static long[] waits() {
        return AVAILABLE && statistics().getWaitedNanos() >= 0 ? waits0() : null;
    }

    /** As {@link #heats0}, or null if this VM does not look at accesses. */
    private static long[] heats() {
        return TIERS != null && statistics().getSamples() >= 0 ? heats0() : null;
    }

    // Bound by the VM to this class by name, in whichever loader it is; no library has to be found.

    private static native void tagRoot0(Object root, long label);

    private static native void untag0(Object root);

    private static native void move0(long label);

    private static native void hold0(long label);

    /** The tier by its ordinal number. */
    private static native void place0(long label, int tier);

    /** 0 in H1, 1 due, 2 in H2. */
    private static native int state0(Object object);

    private static native void transfer0();

    private static native void prefetch0(Object root);

    private static native void dismiss0(Object root);

    /** In the order of the constants of {@link SecondHeapStatistics}; may be longer, never shorter. */
    private static native long[] statistics0();

    /** The next event after {@code after} that the VM remembers, or null; see {@link SecondHeapEvents}. */
    static native long[] event0(long after);

    /** Of an event, or null. */
    static native String eventReason0(long id);

    /** Six numbers per label, for ever, in the order of the first constructor of {@link SecondHeapLabelUsage}. */
    private static native long[] labels0();

    /** Label, ordinal number of its tier, and bytes in fast regions, in turn, of all labels. Older VMs have none. */
    private static native long[] tiers0();

    /** Label and thousandths, in turn, of all labels. Older VMs have none. */
    private static native long[] heats0();

    /** Label and nanoseconds, in turn, of all labels for which a thread was seen to wait. Older VMs have none. */
    private static native long[] waits0();
}
