// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

/** A class that is persistent because it is listed, like a class of another project. It has no annotation. */
public class Listed {
    private long sum;
    private boolean isEven = true;

    public void add(long number) {
        sum += number;
        isEven = sum % 2 == 0;
    }

    public long sum() {
        return sum;
    }

    public boolean isEven() {
        return isEven;
    }
}
