// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/** A class with a static field, for the boot class path. */
public class BootStatics {
    public static Object[] array;
}
