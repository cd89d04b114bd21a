package org.terrace.persist.types;

/** An object that stands for a Java value, and is freed with the place that holds it. */
interface Copy {
    Object value();
}
