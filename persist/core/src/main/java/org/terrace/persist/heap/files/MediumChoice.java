// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.io.IOException;
import java.nio.file.Files;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Promises;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.medium.FileSystem;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;

/** Determines the guarantees of a heap's medium, and rejects an opening that requires more. */
final class MediumChoice {

    private MediumChoice() {
    }

    /**
     * The guarantees of the files.
     *
     * @param log the log, or null if there is none
     * @throws HeapException if the options require more
     */
    static Promises check(MediumFile heap, LogFile log, HeapOptions options) {
        Promises promises = of(heap, log, options.isReadOnly() ? HeapMedium.AUTO : options.medium());
        if (!options.isReadOnly() && !promises.allows(options.durability())) {
            throw new HeapException(heap.path() + " is on " + promises.fileSystem() + ", whose files are lost with the machine, so "
                    + options.durability() + " cannot be promised: put the heap on a disk, or open it with"
                    + " HeapOptions.durability(Durability.PROCESS)");
        }
        return promises;
    }

    /** The same check for a heap that is being created. If it fails, the file is deleted. */
    static void checkNew(MediumFile heap, HeapOptions options) {
        try {
            check(heap, null, options);
        } catch (HeapException e) {
            try {
                Files.deleteIfExists(heap.path());
            } catch (IOException undeleted) {
                e.addSuppressed(undeleted);
            }
            throw e;
        }
    }

    static Promises of(MediumFile heap, LogFile log, HeapMedium wanted) {
        FileSystem weaker = Medium.MEDIUM.fileSystem(heap);
        if (log != null) {
            FileSystem other = Medium.MEDIUM.fileSystem(log.file());
            weaker = other.survives().compareTo(weaker.survives()) < 0 ? other : weaker;
        }
        boolean mapped = wanted != HeapMedium.FILE && isMappable(heap, wanted) && (log == null || isMappable(log.file(), wanted));
        return new Promises(mapped ? HeapMedium.DAX : HeapMedium.FILE, weaker.name(), weaker.survives());
    }

    private static boolean isMappable(MediumFile file, HeapMedium wanted) {
        String obstacle = Medium.MEDIUM.obstacleToMapping(file);
        if (obstacle != null && wanted == HeapMedium.DAX) {
            throw new HeapException("HeapOptions.medium(DAX) asks for memory that persists, but " + file.path() + " on "
                    + Medium.MEDIUM.fileSystem(file).name() + " cannot be mapped with MAP_SYNC (" + obstacle
                    + "): put the heap on a file system that is mounted with -o dax on such memory, or open it with medium(AUTO)");
        }
        return obstacle == null;
    }
}
