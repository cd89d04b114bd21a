// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.events;

import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/**
 * Events of persistent heaps for the JDK's flight recorder. Each method returns an event that has begun, or null if the event is
 * not being recorded. It is also null if this runtime has no module {@code jdk.jfr}. In that case no class of that module is
 * loaded, because the verifier needs none for fields and methods of the nested classes. Therefore the event classes must not appear
 * in signatures elsewhere.
 */
public final class HeapEvents {
    private static final boolean HAVE_RECORDER = hasRecorder();

    private HeapEvents() {
    }

    // Checked first, because the first event class initializes much of the recorder, which takes a tenth of a second.
    private static boolean isOn() {
        return HAVE_RECORDER && FlightRecorder.isInitialized();
    }

    private static boolean hasRecorder() {
        try {
            Class.forName("jdk.jfr.Event", false, HeapEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    public static Commit commit() {
        return isOn() ? Commit.begun() : null;
    }

    public static Checkpoint checkpoint() {
        return isOn() ? Checkpoint.begun() : null;
    }

    public static Open open() {
        return isOn() ? Open.begun() : null;
    }

    public static Replay replay() {
        return isOn() ? Replay.begun() : null;
    }

    public static Collection collection() {
        return isOn() ? Collection.begun() : null;
    }

    public static Recover recover() {
        return isOn() ? Recover.begun() : null;
    }

    public static Conversion conversion() {
        return isOn() ? Conversion.begun() : null;
    }

    public static LogWait logWait() {
        return isOn() ? LogWait.begun() : null;
    }

    public static Failure failure() {
        return isOn() ? Failure.begun() : null;
    }

    /** The common fields of all events. */
    @Category({"Terrace", "Persistent heap"})
    abstract static class HeapEvent extends Event {
        @Label("Heap")
        @Description("Path of the heap file")
        public String heap;

        final boolean begins() {
            boolean on = isEnabled();
            if (on) {
                begin();
            }
            return on;
        }

        /** Ends the event, and records it if it exceeds the threshold of the recording. */
        public final void end(Path of) {
            end();
            if (shouldCommit()) {
                heap = of.toString();
                commit();
            }
        }
    }

    @Name("org.terrace.persist.Commit")
    @Label("Commit")
    @Description("A failure-atomic block that changed something, from its end until it is as durable as promised")
    @Threshold("20 ms")
    public static final class Commit extends HeapEvent {
        @Label("Durability") public String durability;
        @Label("Bytes") @Description("Of the record in the log") @DataAmount public long bytes;
        @Label("Blocks") @Description("Blocks of the heap of 256 bytes that it writes to") public long blocks;
        @Label("Waited for the Log")
        @Description("Until the record was as durable as promised: with SYNC, for a sync, own or another thread's")
        @Timespan
        public long waitedForLog;

        static Commit begun() {
            Commit event = new Commit();
            return event.begins() ? event : null;
        }

        /** Notes that the changes are visible. The wait for durability follows. */
        public void committed(long inBytes, long inBlocks) {
            bytes = inBytes;
            blocks = inBlocks;
            waitedForLog = System.nanoTime();
        }

        public void end(Path of, String promised) {
            waitedForLog = System.nanoTime() - waitedForLog;
            durability = promised;
            end(of);
        }
    }

    @Name("org.terrace.persist.Checkpoint")
    @Label("Checkpoint")
    @Description("Changed pages were written to the heap file, so that the log's space is free again")
    @StackTrace(false)
    public static final class Checkpoint extends HeapEvent {
        @Label("Pages") @Description("Of 4096 bytes") public long pages;
        @Label("Bytes") @DataAmount public long bytes;
        @Label("Freed in the Log") @DataAmount public long freedInLog;

        static Checkpoint begun() {
            Checkpoint event = new Checkpoint();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Open")
    @Label("Open")
    @Description("A heap was opened, or was not; replay, conversion, collection and recover() have events of their own within")
    public static final class Open extends HeapEvent {
        @Label("Durability") public String durability;
        @Label("Read-Only") public boolean readOnly;
        @Label("Crashed") @Description("It had not been closed, or its recovery had not ended") public boolean crashed;
        @Label("Failure") @Description("Why it could not be opened") public String failure;

        static Open begun() {
            Open event = new Open();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Replay")
    @Label("Replay")
    @Description("The log of a heap that had not been closed was replayed")
    @StackTrace(false)
    public static final class Replay extends HeapEvent {
        @Label("Records") public long records;
        @Label("Bytes") @Description("Of these records") @DataAmount public long bytes;

        static Replay begun() {
            Replay event = new Replay();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Collection")
    @Label("Collection")
    @Description("Unreachable objects were freed, after a crash or because the program requested it")
    public static final class Collection extends HeapEvent {
        @Label("Live") @Description("Objects that roots reach, those of the directory included") public long live;
        @Label("Freed") @Description("Objects, and empty pool pages") public long freed;
        @Label("Cleared") @Description("References to objects that were freed or never validated") public long cleared;

        static Collection begun() {
            Collection event = new Collection();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Recover")
    @Label("Recover")
    @Description("Objects were told of a crash by recover()")
    @StackTrace(false)
    public static final class Recover extends HeapEvent {
        @Label("Objects") public long objects;

        static Recover begun() {
            Recover event = new Recover();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Conversion")
    @Label("Conversion")
    @Description("Objects were rewritten, as their classes have other fields than those of the program that wrote the heap")
    @StackTrace(false)
    public static final class Conversion extends HeapEvent {
        @Label("Classes") @Description("That changed") public String classes;
        @Label("Objects") @Description("That were rewritten") public long objects;
        @Label("Moved") @Description("Objects that became too large for their place") public long moved;
        @Label("Size") @Description("Of the new heap file") @DataAmount public long size;

        static Conversion begun() {
            Conversion event = new Conversion();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.LogWait")
    @Label("Log Full")
    @Description("A commit waited for a checkpoint, because the log was full; a larger logSize makes this rarer")
    @Threshold("20 ms")
    public static final class LogWait extends HeapEvent {
        @Label("Bytes") @Description("Of the record that did not fit") @DataAmount public long bytes;

        static LogWait begun() {
            LogWait event = new LogWait();
            return event.begins() ? event : null;
        }
    }

    @Name("org.terrace.persist.Failure")
    @Label("Failure")
    @Description("The heap can only be read from now on: an error of the device, or of the VM in the middle of a commit")
    public static final class Failure extends HeapEvent {
        @Label("Reason") public String reason;

        static Failure begun() {
            Failure event = new Failure();
            return event.begins() ? event : null;
        }
    }
}
