// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.types.Bytes;

/** An entry with its key; the entry is null where only keys were asked for. */
record KeyedEntry(Bytes key, StoredEntry entry) {
}
