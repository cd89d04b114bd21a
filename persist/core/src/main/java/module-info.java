// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** Persistent objects: durable objects outside of the Java heap, used through ordinary Java classes. */
module org.terrace.persist {
    requires com.sun.jna;
    requires java.management;
    requires jdk.nio.mapmode;
    requires jdk.unsupported;
    requires static com.fasterxml.jackson.core;   // only the tools
    requires static info.picocli;                 // only the tools
    requires static jdk.jfr;

    exports org.terrace.persist;
    exports org.terrace.persist.types;
}
