// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.testng.annotations.Test;

/** Runs Infinispan's own tests of a store without segments. */
@Test(groups = "unit", testName = "UnsegmentedStoreKitTest")
public class UnsegmentedStoreKitTest extends StoreKitTest {
    @Override
    boolean isSegmented() {
        return false;
    }
}
