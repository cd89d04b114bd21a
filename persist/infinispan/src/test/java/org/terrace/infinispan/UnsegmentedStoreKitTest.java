// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.testng.annotations.Test;

/** Infinispan's own tests of a store that is configured without segments. */
@Test(groups = "unit", testName = "UnsegmentedStoreKitTest")
public class UnsegmentedStoreKitTest extends StoreKitTest {
    @Override
    boolean isSegmented() {
        return false;
    }
}
