// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

class LogHeaderTest {
    private static final int WORD = Long.BYTES;
    private static final UUID HEAP = new UUID(3, 4);

    private final Disk disk = new Disk();
    private final MediumFile file = Medium.MEDIUM.open(disk.path("a.log"), Medium.Mode.CREATE);

    @AfterEach
    void close() {
        file.close();
        disk.dispose();
    }

    private static LogHeader header(long life, long start) {
        return new LogHeader(LogHeader.VERSION, HEAP, 1 << 16, life, null, start);
    }

    private byte[] written(LogHeader header) {
        header.write(file, 0, Site.LIFE);
        byte[] bytes = new byte[(int) file.size()];
        file.read(0, bytes, 0, bytes.length);
        return bytes;
    }

    /** Persistent memory may contain any mixture of old and new words after a crash during the write of a header. */
    @Test
    void aPartOfOneHeaderIsNotTakenForThatOfAnother() {
        file.extend(0, 96);
        byte[] former = written(header(1, 0));
        byte[] next = written(header(2, 1200));
        for (int words = 0; words <= next.length / WORD; words++) {
            byte[] torn = former.clone();
            System.arraycopy(next, 0, torn, 0, Math.min(torn.length, words * WORD));
            file.write(0, torn, 0, torn.length, Site.LIFE);
            LogHeader read = LogHeader.read(file, 0);
            if (read != null) {
                long whole = read.life() == 1 ? 0 : 1200;
                assertEquals(read.start() == LogHeader.NOT_TOLD ? LogHeader.NOT_TOLD : whole, read.start(), words + " words of the next");
            }
        }
        assertEquals(1200, LogHeader.read(file, 0).start());
    }
}
