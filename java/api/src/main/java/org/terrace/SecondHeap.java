// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Hints for the second heap (H2) of a Terrace JDK, and queries about their effect.
 *
 * <p>A Terrace JDK can extend the Java heap (H1) with a second heap on storage. Long-lived objects move there. They remain
 * ordinary objects, but the collector no longer scans them. The program says <em>which</em> objects belong together and live
 * long, by tagging the root of a data structure with a label. It says <em>when</em> that structure has stopped changing, by
 * declaring its label due. At a major collection, the collector then moves all objects in H1 that are reachable from the
 * tagged roots of due labels. This is the hint interface of the TeraHeap paper (section 3.2: {@code h2_tag_root},
 * {@code h2_move}), except that a label stays due until it is held again.
 *
 * <pre>{@code
 * SecondHeap.tagRoot(partition, rddId);   // remember the root, nothing happens yet
 * SecondHeap.move(rddId);                 // the structure is complete: move it, and later all roots tagged with rddId
 * SecondHeap.transfer();                  // optional: do it now instead of at the next major collection
 * assert SecondHeap.state(partition) == SecondHeap.State.IN_H2;
 * }</pre>
 *
 * <h2>Contracts</h2>
 * <ul>
 * <li>Hints are never needed for correctness. An object behaves the same in either heap. Its identity, identity hash,
 *     monitor, fields and reachability do not change, and an object in H2 may be written.</li>
 * <li>A tag does not keep its object alive. It vanishes with the object.</li>
 * <li>An object has at most one label. The last label wins.</li>
 * <li>Labels are program-wide. Two libraries that use the same label use the same group. Any {@code long}
 *     from {@link #MIN_LABEL} is a valid label, and none of them has a special meaning. The VM uses the sixteen smaller values
 *     for objects that moved without a hint and for regions that labels share. Methods that take a label reject them by an
 *     {@link IllegalArgumentException}.</li>
 * <li>Tagging or untagging an object that is in H2 has no effect. Objects do not return from H2. Their storage is reclaimed
 *     when all objects of the region are unreachable.</li>
 * <li>An object in H2 may own a resource outside the heap, such as a descriptor, a mapping or the memory of a direct buffer.
 *     Its cleaner or finalizer releases the resource later than without H2. It runs when the object's region dies, or when a
 *     collection marks through H2. A collection does so because many such objects may have been dropped, because memory
 *     for direct buffers or mappings is short, or because {@code System.gc()} was called twice. Close scarce resources
 *     explicitly.</li>
 * <li>A structure may grow after it has moved. Objects that are added later stay in H1 until H1 is nearly full, when more than
 *     {@code -XX:H2HighThreshold} of the old generation is live. They then move, after all tagged structures.</li>
 * <li>A transfer can fail, for example because the device is full. The scheduled objects then stay in H1, and remain tagged
 *     and due.</li>
 * <li>The VM leaves some objects in H1 even if they are reachable from a due root. They are classes, class loaders, threads,
 *     {@code java.lang.ref} references and objects that only those references reach. An interned string, or an object that a
 *     static field refers to, stays too, unless it is itself a due root: then it moves, as the program asked for it.</li>
 * <li>All methods may be called by any thread at any time. A hint given by one thread is visible to every
 *     collection that starts after the call has returned.</li>
 * </ul>
 *
 * <p><strong>Without H2</strong>, on any other JDK or if no second heap was requested, {@link #isAvailable} is false, hints have
 * no effect, {@link #state} is {@link State#IN_H1 IN_H1}, and {@link #statistics} are empty. Null arguments and reserved labels are
 * rejected nevertheless.
 */
public final class SecondHeap {

    /** The location of an object, and whether the object is scheduled for a transfer. */
    public enum State {
        /** In H1, and not due. Also the state of every object where there is no H2. */
        IN_H1,
        /** In H1 and tagged with a label that is due, so a root of the next transfer. */
        DUE,
        /** In H2. */
        IN_H2;
    }

    /**
     * The memory in which the pages of a label's objects are kept while the objects are in H2. A tier changes how long an access
     * takes, never its result.
     */
    public enum Tier {
        /** The VM decides which pages stay in memory, as it does without tiers. The tier of a label that was not placed. */
        AUTO,
        /**
         * In memory. The VM reads the label's regions if they are absent. Regions are fast as long as
         * {@code -XX:H2FastSize} has free space. The others are slow until space becomes free. The system may still
         * evict pages when memory is short. The VM then pages out a part of the fast regions after use, so that the others stay.
         */
        FAST,
        /** On the device. The VM pages out what the program does not use, unless all of H2 fits into memory. */
        SLOW,
        /** Objects with the label stay in H1, even if H1 is nearly full. Objects that moved before stay in H2. */
        HEAP;
    }

    /** The smallest label that a program may use. The VM uses the sixteen values below it. */
    public static final long MIN_LABEL = Long.MIN_VALUE + 16;

    // The VM sets this property while it starts, before any class of the program runs.
    private static final boolean AVAILABLE = "true".equals(System.getProperty("terrace.h2"));

    // The VM sets this property with H2FastSize. It is "false" where the tier of a label does not move pages.
    private static final String TIERS = AVAILABLE ? System.getProperty("terrace.tiers") : null;

    private SecondHeap() {
    }

    /**
     * Whether this VM has a second heap. This is a constant of the process, read once from the system property
     * {@code terrace.h2}, which the VM sets. No native library is loaded.
     *
     * @return true if hints have an effect
     */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * Whether H2 has fast and slow regions. This requires {@code -XX:H2FastSize} and a {@code -XX:H2TierPolicy} other
     * than {@code lru} and {@code slow}. With {@code -XX:AllocateH2OnNode} it also requires another node that the process may
     * use. A constant of the process, as {@link #isAvailable}.
     *
     * @return true if pages of labels are kept in different places
     */
    public static boolean hasTiers() {
        return "true".equals(TIERS);
    }

    /**
     * Tags an object as the root of a structure that belongs to {@code label}. If that label is due, now or later,
     * the structure is moved. The structure consists of the root and all objects reachable from it that are in H1 at that
     * time. If the root already has a label, this one replaces it. If the root is in H2, nothing happens.
     *
     * @param root  the object from which the structure is reachable
     * @param label any number from {@link #MIN_LABEL} that names the group, see {@link #move}
     * @throws NullPointerException if {@code root} is null
     * @throws IllegalArgumentException if {@code label} is less than {@link #MIN_LABEL}
     */
    public static void tagRoot(Object root, long label) {
        Objects.requireNonNull(root, "root");
        checkLabel(label);
        if (AVAILABLE) {
            tagRoot0(root, label);
        }
    }

    /**
     * Removes the tag of an object, whichever label it has. Has no effect on an object without a tag or in H2. Objects
     * reachable from this one may still be moved as part of another tagged structure.
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
     * Declares a label due. Objects that are or will be tagged with exactly this label move at the next major collection that
     * can take them. While less than {@code -XX:H2LowThreshold} of the old generation is in use, only a requested collection
     * does so: one for {@link #transfer}, {@link System#gc}, {@code jcmd}, or an allocation that did not fit. The label stays
     * due until {@link #hold}. Returns at once.
     *
     * @param label the label of the structures that are complete, even if no object has it yet
     * @throws IllegalArgumentException if {@code label} is less than {@link #MIN_LABEL}
     */
    public static void move(long label) {
        checkLabel(label);
        if (AVAILABLE) {
            move0(label);
        }
    }

    /**
     * Revokes {@link #move}. Objects with this label that are still in H1 stay there, and keep their tags. The VM may
     * nevertheless move tagged structures, due or not, when H1 is nearly full.
     *
     * @param label the label that is no longer due
     * @throws IllegalArgumentException if {@code label} is less than {@link #MIN_LABEL}
     */
    public static void hold(long label) {
        checkLabel(label);
        if (AVAILABLE) {
            hold0(label);
        }
    }

    /**
     * Sets the tier of a label. It applies to the label's objects that are in H2 now and to objects that move later. The last
     * call for a label wins. Objects keep their addresses, and no thread waits, because data that is already in H2 is read or
     * paged out in the background. If roots of several labels move in the same transfer, the objects that they share follow
     * a root of a fast label. Where {@link #hasTiers} is false, pages stay where they are. {@link Tier#HEAP HEAP} has an
     * effect with {@code -XX:H2FastSize} nevertheless.
     *
     * @param label the label to place, even if no object has it yet
     * @param tier  the new tier; {@link Tier#AUTO AUTO} revokes an earlier call
     * @throws NullPointerException if {@code tier} is null
     * @throws IllegalArgumentException if {@code label} is less than {@link #MIN_LABEL}
     */
    public static void place(long label, Tier tier) {
        Objects.requireNonNull(tier, "tier");
        checkLabel(label);
        if (AVAILABLE) {
            place0(label, tier.ordinal());
        }
    }

    /**
     * Returns the state of an object at the time of the call. Only {@link State#IN_H2 IN_H2} is final for as long as the
     * caller holds the object.
     *
     * @param object the object to look up
     * @return its state; {@link State#DUE DUE} only for an object that was itself tagged
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
     * Runs a major collection that moves the structures of due labels, and returns when it has finished. The calling thread
     * waits. All other threads are stopped as for any major collection. If pauses have a goal ({@code -XX:H2TransferMillis}),
     * several collections move one part each, and the program runs in between. The method does not guarantee that all due
     * structures were moved. Check {@link #state} or {@link #statistics}.
     */
    public static void transfer() {
        if (AVAILABLE) {
            transfer0();
        }
    }

    /**
     * Asks the VM to read a structure from storage into memory, in the background, because the program is about to
     * need it. Meant for programs that make passes over more data than memory holds, and know which structure they read next.
     * The VM reads up to 64 MB of the objects that moved with the root. It does not read other objects in H2 to which the
     * structure refers. Returns at once. Excess hints are dropped.
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
     * Tells the VM that the program has read a structure and will read others before it returns to this one. Meant for
     * programs that repeatedly read more data than memory holds. They would find nothing in memory when they return, because
     * each page is evicted for another one before it is read again. The VM therefore keeps a part of the dismissed
     * structures in memory, and pages out the rest at once. To determine how much memory can keep, it checks at each
     * {@link #prefetch} whether the kept pages are still resident. While all of them are, it pages nothing out. Returns at
     * once.
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
     * Returns a consistent snapshot of the VM's counters.
     *
     * @return a snapshot; empty (see {@link SecondHeapStatistics}) without H2
     */
    public static SecondHeapStatistics statistics() {
        return new SecondHeapStatistics(AVAILABLE ? statistics0() : null);
    }

    /**
     * Returns the current usage of H2 by each label. This asks the system for every page of H2 whether it is in memory, which
     * takes about 20 milliseconds per GB. Labels below {@link #MIN_LABEL} have the objects that moved without a hint.
     *
     * @return the labels that have regions in use, by number; empty without H2
     */
    public static List<SecondHeapLabelUsage> labels() {
        return AVAILABLE ? SecondHeapLabelUsage.of(labels0(), waits(), TIERS != null ? tiers0() : null, heats()) : Collections.emptyList();
    }

    private static void checkLabel(long label) {
        if (label < MIN_LABEL) {
            throw new IllegalArgumentException("label " + label + " is reserved for the VM: the smallest label of a program is "
                                               + MIN_LABEL);
        }
    }

    /** As {@link #waits0}, or null if this VM does not measure waits. */
    static long[] waits() {
        return AVAILABLE && statistics().getWaitedNanos() >= 0 ? waits0() : null;
    }

    /** As {@link #heats0}, or null if this VM does not sample accesses. */
    private static long[] heats() {
        return TIERS != null && statistics().getSamples() >= 0 ? heats0() : null;
    }

    // The VM binds these methods to this class by name, in any class loader, so no native library is loaded.

    private static native void tagRoot0(Object root, long label);

    private static native void untag0(Object root);

    private static native void move0(long label);

    private static native void hold0(long label);

    /** Takes the tier by its ordinal. */
    private static native void place0(long label, int tier);

    /** Returns 0 for H1, 1 for due, 2 for H2. */
    private static native int state0(Object object);

    private static native void transfer0();

    private static native void prefetch0(Object root);

    private static native void dismiss0(Object root);

    /** Returns the counters in the order of the constants of {@link SecondHeapStatistics}. May be longer, never shorter. */
    private static native long[] statistics0();

    /** Returns the next event after {@code after} that the VM remembers, or null. See {@link SecondHeapEvents}. */
    static native long[] event0(long after);

    /** Returns the reason of an event, or null. */
    static native String eventReason0(long id);

    /** Returns six numbers per label, in the order of the first constructor of {@link SecondHeapLabelUsage}. This never changes. */
    private static native long[] labels0();

    /** Returns label, ordinal of its tier, and bytes in fast regions, in turn, for all labels. Missing in older VMs. */
    private static native long[] tiers0();

    /** Returns label and heat in thousandths, in turn, for all labels. Missing in older VMs. */
    private static native long[] heats0();

    /** Returns label and nanoseconds, in turn, for each label on which a thread was seen to wait. Missing in older VMs. */
    private static native long[] waits0();
}
