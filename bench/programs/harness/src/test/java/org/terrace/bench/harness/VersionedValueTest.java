// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class VersionedValueTest {

    @Test
    void whatIsNotTheValueOfTheKeyIsSeen() {
        byte[] value = VersionedValue.make(-70_000, 1_000_000, new SplittableRandom(1));
        assertEquals(1_000_000, VersionedValue.version(value));
        assertTrue(VersionedValue.isOf(-70_000, value));
        assertFalse(VersionedValue.isOf(70_000, value));
        value[value.length - 1]++;
        assertFalse(VersionedValue.isOf(-70_000, value), "begins and ends with different versions");
    }
}
