/** YCSB on the persistent heap, on other stores, and on caches of Infinispan. */
package org.terrace.bench.persist.ycsb;
