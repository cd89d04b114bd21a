// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import org.terrace.persist.Persistent;

/** The top of a class hierarchy. It is abstract, has constructors that call each other, and calls a virtual method during construction. */
@Persistent
public abstract class Shape implements Comparable<Shape> {
    private static int made;

    protected String name = "unnamed";
    protected boolean isVisible = true;
    private final long area;

    protected Shape() {
        this("default " + describe(new Object()), 1);
    }

    protected Shape(String name, long area) {
        this.name = name;
        this.area = area;
        made++;
        started();
    }

    private static String describe(Object any) {
        return any == null ? "nothing" : "shape";
    }

    protected abstract void started();

    public static int made() {
        return made;
    }

    public long area() {
        return area;
    }

    @Override
    public int compareTo(Shape other) {
        return Long.compare(area, other.area);
    }
}
