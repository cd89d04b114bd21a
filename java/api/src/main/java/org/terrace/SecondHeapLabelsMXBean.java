// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.List;

/** The usage of the second heap by each label. See {@link SecondHeapManagement#register}. */
public interface SecondHeapLabelsMXBean {

    /**
     * The labels that have regions in use, by number. Empty without a second heap. This asks the system for every page
     * of H2 whether it is in memory, which takes about 20 milliseconds per GB.
     */
    List<SecondHeapLabelUsage> getLabels();
}
