// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.Opcodes;

/** The classes that a transformation can inspect without loading them. Thread-safe. */
final class Classes {
    private final ClassFileLocator locator;
    private final Set<String> listed;
    private final Map<String, Optional<ClassInfo>> known = new ConcurrentHashMap<>();

    /** @param listed names of classes that are persistent without an annotation */
    Classes(ClassFileLocator locator, Set<String> listed) {
        this.locator = locator;
        this.listed = listed;
    }

    /** The class as it was before its transformation, if that is known. Null if there is no such class. */
    ClassInfo find(String internalName) {
        // computeIfAbsent is not possible here, because reading may load classes and call this method recursively.
        Optional<ClassInfo> info = known.get(internalName);
        if (info == null) {
            try {
                ClassFileLocator.Resolution resolution = locator.locate(Names.dotted(internalName));
                info = resolution.isResolved() ? Optional.of(ClassScanner.scan(resolution.resolve())) : Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            known.put(internalName, info);
        }
        return info.orElse(null);
    }

    /** Reads a class that is about to be transformed. */
    ClassInfo scan(byte[] classFile) {
        ClassInfo info = ClassScanner.scan(classFile);
        known.put(info.name, Optional.of(info));
        return info;
    }

    /** Whether the class must be transformed or is transformed already. */
    boolean isPersistent(ClassInfo info) {
        return info != null && (info.isAnnotated || info.isTransformed() || listed.contains(info.dottedName()));
    }

    private static boolean isOfJdk(String internalName) {
        return internalName.startsWith("java/") || internalName.startsWith("[");
    }

    /** Whether objects of the class have fields in the heap. Records do not. */
    boolean isPersistentObject(String internalName) {
        ClassInfo info = isOfJdk(internalName) ? null : find(internalName);
        return isPersistent(info) && !info.isRecord();
    }

    /** Whether the class extends {@code PersistentObject}. Includes classes of the library and classes written by hand. */
    boolean extendsPersistentObject(String internalName) {
        for (String name = internalName; name != null && !isOfJdk(name);) {
            if (name.equals(Names.PERSISTENT_OBJECT)) {
                return true;
            }
            ClassInfo info = find(name);
            name = info == null ? null : info.superName;
        }
        return false;
    }

    /** The persistent class that declares a field according to the rules of the language. Null if the field is not persistent. */
    String declaringClass(String owner, String field, String descriptor) {
        for (String name = owner; name != null && !isOfJdk(name);) {
            ClassInfo info = find(name);
            if (info == null) {
                return null;
            }
            if (isPersistentObject(name)) {
                if (info.isTransformed()
                        && info.methods.containsKey(Names.getter(field) + Names.getterDescriptor(name, descriptor))) {
                    return name;
                }
                ClassInfo.Field declared = info.fields.get(field);
                if (declared != null) {
                    return declared.isPersistent() && !info.isTransformed() ? name : null;
                }
            } else if (info.fields.containsKey(field)) {
                return null;
            }
            name = info.superName;
        }
        return null;
    }

    boolean isEnum(ClassInfo info) {
        return info.is(Opcodes.ACC_ENUM) || "java/lang/Enum".equals(info.superName);
    }
}
