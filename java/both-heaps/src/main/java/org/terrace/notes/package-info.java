/** An example: what is to survive is in a persistent heap, what is long to build and to be read often is in the second heap. */
package org.terrace.notes;
