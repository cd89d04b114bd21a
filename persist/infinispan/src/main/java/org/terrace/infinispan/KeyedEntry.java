// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.types.Bytes;

/** A key with its entry. The entry is null if only keys were requested. */
record KeyedEntry(Bytes key, StoredEntry entry) {
}
