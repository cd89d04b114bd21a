// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.List;

/** What the second heap holds, label by label. See {@link SecondHeapManagement#register}. */
public interface SecondHeapLabelsMXBean {

    /**
     * The labels that have regions in use, by number; empty without a second heap. Asks the system for every page
     * of H2 whether it is in memory: some 20 milliseconds per GB.
     */
    List<SecondHeapLabelUsage> getLabels();
}
