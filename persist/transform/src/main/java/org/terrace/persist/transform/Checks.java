// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.Opcodes;

/** Checks whether a class can be transformed. Each obstacle is one line of text with file and line number. */
final class Checks {
    private final ClassInfo info;
    private final Classes classes;
    private final List<String> errors = new ArrayList<>();

    private Checks(ClassInfo info, Classes classes) {
        this.info = info;
        this.classes = classes;
    }

    /** The obstacles. Empty if the class can be transformed. */
    static List<String> of(ClassInfo info, Classes classes) {
        Checks checks = new Checks(info, classes);
        checks.check();
        return checks.errors;
    }

    private void error(int line, String text) {
        errors.add(info.at(line) + ": error: " + text);
    }

    private void check() {
        if (info.is(Opcodes.ACC_INTERFACE) || classes.isEnum(info)) {
            error(info.line, info.dottedName() + " cannot be @Persistent: only classes and records can. Interfaces need no "
                    + "annotation, and enums are stored by name");
            return;
        }
        if (info.version < Opcodes.V1_8) {
            error(info.line, info.dottedName() + " was compiled for Java 7 or older: compile it for 8 or newer");
        }
        if (info.isRecord()) {
            if (info.isFailureAtomic) {
                error(info.line, "record " + info.dottedName()
                        + " never changes and has no failure-atomic methods: remove fa from @Persistent");
            }
        } else {
            checkSuperclass();
            checkMethods();
            if (info.interfaces.contains("java/lang/Cloneable")) {
                error(info.line, info.dottedName() + " cannot be Cloneable: clone() would make another proxy of the same object. "
                        + "Copy the fields into a new one");
            }
        }
        info.persistentFields().forEach(this::checkField);
    }

    private void checkSuperclass() {
        if (!info.superName.equals(Names.OBJECT) && !classes.isPersistentObject(info.superName)) {
            error(info.line, info.dottedName() + " extends " + Names.dotted(info.superName)
                    + (info.superName.equals(Names.PERSISTENT_OBJECT)
                            ? ": the transformation adds this superclass, so remove it or drop @Persistent"
                            : ", which is not persistent: annotate or list the superclass too"));
        }
    }

    private void checkField(ClassInfo.Field field) {
        String what = info.dottedName() + "." + field.name();
        if ((field.access() & Opcodes.ACC_SYNTHETIC) != 0) {
            error(info.line, info.dottedName() + " is an inner class and refers to its outer object in " + field.name()
                    + ": make it a static class");
            return;
        }
        try {
            FieldKind.of(field.descriptor(), classes);
        } catch (IllegalArgumentException e) {
            error(field.line(), what + " cannot be persistent: " + e.getMessage());
        }
        for (ClassInfo s = superclass(info); s != null; s = superclass(s)) {
            ClassInfo.Field hidden = s.fields.get(field.name());
            if (!info.isRecord() && (hidden != null && hidden.isPersistent()
                    || s.fields.containsKey(Names.offset(field.name())))) {
                error(field.line(), what + " has the name of a field of its superclass " + s.dottedName()
                        + ": rename one of them");
            }
        }
    }

    /** The persistent superclass, or null if there is none. */
    private ClassInfo superclass(ClassInfo of) {
        return classes.isPersistentObject(of.superName) ? classes.find(of.superName) : null;
    }

    private void checkMethods() {
        ClassInfo base = classes.find(Names.PERSISTENT_OBJECT);
        if (base == null) {
            error(0, "the library terrace-persist is not on the class path");
            return;
        }
        for (ClassInfo.Method method : info.methods.values()) {
            if (Names.HOOKS.contains(method.name() + method.descriptor()) && method.is(Opcodes.ACC_PRIVATE)) {
                error(method.line(), info.dottedName() + "." + method.name()
                        + " is called by the library: make it protected, or rename it");
            }
            ClassInfo.Method inherited = base.methods.get(method.name() + method.descriptor());
            boolean isTaken = inherited != null && inherited.is(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)
                    && (inherited.is(Opcodes.ACC_FINAL) || List.of("hasParts", "freeParts").contains(method.name()));
            if (isTaken && !method.is(Opcodes.ACC_STATIC) && !method.name().equals("<init>")) {
                error(method.line(), info.dottedName() + "." + method.name()
                        + " has the name and the parameters of a method that every persistent object has: rename it");
            }
        }
    }

    /** Warnings about code that works, but differently than before. */
    static List<String> warnings(ClassInfo info, Classes classes) {
        List<String> warnings = new ArrayList<>();
        info.warnings.forEach(w -> warnings.add(info.at(w.getKey()) + ": warning: " + w.getValue()));
        for (ClassInfo.Field field : info.persistentFields()) {
            if ((field.access() & Opcodes.ACC_VOLATILE) != 0) {
                warnings.add(info.at(field.line()) + ": warning: volatile has no effect on persistent field " + info.dottedName()
                        + "." + field.name() + ": order accesses by failure-atomic blocks and Heap.read");
            }
        }
        for (ClassInfo.Method method : info.methods.values()) {
            String name = info.dottedName() + "." + method.name();
            if (method.is(Opcodes.ACC_NATIVE)) {
                warnings.add(info.at(info.line) + ": warning: native method " + name + " cannot access persistent fields");
            }
            if (method.is(Opcodes.ACC_SYNCHRONIZED) && !method.is(Opcodes.ACC_STATIC)) {
                warnings.add(info.at(method.line()) + ": warning: synchronized method " + name
                        + " locks a proxy, and an object may have several proxies: use another lock");
            }
        }
        if (!info.isRecord() && info.interfaces.contains("java/io/Serializable")) {
            warnings.add(info.at(info.line) + ": warning: serialization of " + info.dottedName() + " omits its persistent fields");
        }
        return warnings;
    }
}
