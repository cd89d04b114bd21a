// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

/** Names of the store's element in configuration files. */
enum Names {
    ELEMENT;

    static final String NAMESPACE = "urn:terrace:infinispan:1.0";
    static final String STORE = "persistent-heap-store";

    @Override
    public String toString() {
        return STORE;
    }
}
