// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.Opcodes;

/** The properties of a class file that the transformation needs. Line numbers are 0 if the file has none. */
final class ClassInfo {
    /** @param line the first line that uses the field, because a class file has no line for the field itself */
    record Field(String name, String descriptor, int access, List<String> formerNames, int line) {
        boolean isStatic() {
            return (access & Opcodes.ACC_STATIC) != 0;
        }

        boolean isPersistent() {
            return (access & (Opcodes.ACC_STATIC | Opcodes.ACC_TRANSIENT)) == 0;
        }
    }

    /** @param changesNothing whether the method contains no call and no store */
    record Method(String name, String descriptor, int access, int line, boolean changesNothing) {
        boolean is(int flag) {
            return (access & flag) != 0;
        }
    }

    String name;
    int version;
    int access;
    String superName;
    List<String> interfaces = List.of();
    String sourceFile;
    boolean isAnnotated;
    boolean isFailureAtomic;
    List<String> formerNames = List.of();
    int line;
    final Map<String, Field> fields = new LinkedHashMap<>();
    final Map<String, Method> methods = new TreeMap<>();
    /** Warnings about code that works differently in a persistent class, with its line. */
    final List<Map.Entry<Integer, String>> warnings = new ArrayList<>();

    boolean is(int flag) {
        return (access & flag) != 0;
    }

    boolean isRecord() {
        return Names.RECORD.equals(superName);
    }

    boolean isTransformed() {
        return fields.containsKey(Names.CLASS_FIELD);
    }

    List<Field> persistentFields() {
        return fields.values().stream().filter(Field::isPersistent).toList();
    }

    String dottedName() {
        return Names.dotted(name);
    }

    /** A source position in the format of compilers. */
    String at(int atLine) {
        String file = sourceFile != null ? sourceFile : dottedName();
        return atLine > 0 ? file + ":" + atLine : file;
    }
}
