// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.Set;
import net.bytebuddy.jar.asm.Opcodes;

/** Names of the library's classes and of the additions to a transformed class. */
final class Names {
    static final int API = Opcodes.ASM9;

    private static final String PACKAGE = "org/terrace/persist/";
    static final String HEAP = PACKAGE + "Heap";
    static final String HEAP_TYPE = "L" + HEAP + ";";
    static final String PERSISTENT_OBJECT = PACKAGE + "PersistentObject";
    static final String TRANSFORMED_OBJECT = PACKAGE + "TransformedObject";
    static final String TRANSFORMED_TYPE = "L" + TRANSFORMED_OBJECT + ";";
    static final String EXISTING_TYPE = "L" + TRANSFORMED_OBJECT + "$Existing;";
    static final String PERSISTENT_CLASS = PACKAGE + "PersistentClass";
    static final String PERSISTENT_CLASS_TYPE = "L" + PERSISTENT_CLASS + ";";
    static final String BUILDER = PERSISTENT_CLASS + "$Builder";
    static final String BUILDER_TYPE = "L" + BUILDER + ";";
    static final String RESURRECTOR = PERSISTENT_CLASS + "$Resurrector";
    static final String RESURRECTOR_TYPE = "L" + RESURRECTOR + ";";
    static final String FIELD_TYPE = PACKAGE + "FieldType";
    static final String RECORDS = PACKAGE + "types/Records";
    static final String PERSISTENT_ANNOTATION = "L" + PACKAGE + "Persistent;";
    static final String WAS_ANNOTATION = "L" + PACKAGE + "Was;";

    static final String OBJECT = "java/lang/Object";
    static final String RECORD = "java/lang/Record";

    /** The field with the layout, which also marks a transformed class. */
    static final String CLASS_FIELD = "terrace$class";
    static final String FIELDS_METHOD = "terrace$fields";
    static final String RESURRECT_METHOD = "terrace$resurrect";
    /** Methods that the library calls after a proxy was created and after a crash. */
    static final Set<String> HOOKS = Set.of("resurrect()V", "recover()V");

    private Names() {
    }

    static String getter(String field) {
        return "terrace$get$" + field;
    }

    static String setter(String field) {
        return "terrace$set$" + field;
    }

    /** The constant with the offset of a field. */
    static String offset(String field) {
        return "terrace$at$" + field;
    }

    /** The private method with the code of a failure-atomic method. */
    static String body(String method) {
        return "terrace$body$" + method;
    }

    static String getterDescriptor(String owner, String type) {
        return "(L" + owner + ";)" + type;
    }

    static String setterDescriptor(String owner, String type) {
        return "(L" + owner + ";" + type + ")V";
    }

    static String dotted(String internalName) {
        return internalName.replace('/', '.');
    }
}
