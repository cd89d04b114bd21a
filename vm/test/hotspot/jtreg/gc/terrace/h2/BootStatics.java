// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

/** For the boot class path. */
public class BootStatics {
    public static Object[] array;
}
