// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** YCSB on the persistent heap, on other stores, and on caches of Infinispan. */
package org.terrace.bench.persist.ycsb;
