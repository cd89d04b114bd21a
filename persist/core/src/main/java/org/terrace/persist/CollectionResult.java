// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The result of {@link Heap#collect}.
 *
 * @param live number of objects that roots reach, including the objects of the heap's directory
 * @param freed number of freed objects and empty pool pages
 * @param cleared number of references to freed or never validated objects, which were set to null
 */
public record CollectionResult(long live, long freed, long cleared) {
}
