// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;

/**
 * Transforms persistent classes, and classes that use their fields (J-NVM, section 3). Fields move off-heap, and accesses to them
 * become calls of accessors. Constructors allocate, and methods become failure-atomic blocks where this is declared. Thread-safe.
 */
public final class Transformer {
    private static final int FIELD_REFERENCE = 9;

    private final Classes classes;
    private final Consumer<String> warnings;

    /**
     * @param locator finds the classes to transform and all classes to which they refer
     * @param listed names of classes without annotation that must be transformed too
     * @param warnings receives one line for each warning, with file and line number
     */
    public Transformer(ClassFileLocator locator, Set<String> listed, Consumer<String> warnings) {
        this.classes = new Classes(locator, listed);
        this.warnings = warnings;
    }

    /**
     * @return the new class file, or null if the class does not use persistent fields or was transformed before
     * @throws TransformException if it cannot be transformed, with all reasons
     */
    public byte[] transform(byte[] classFile) throws TransformException {
        ClassReader reader = OpenedClassReader.of(classFile);
        ClassInfo info = classes.scan(classFile);
        boolean isNew = classes.isPersistent(info) && !info.isTransformed();
        if (isNew) {
            refuse(Checks.of(info, classes));
            Checks.warnings(info, classes).forEach(warnings);
        } else if (!classes.isPersistent(info) && info.superName != null && classes.isPersistentObject(info.superName)) {
            refuse(List.of(info.at(info.line) + ": error: " + info.dottedName() + " extends the persistent class "
                    + Names.dotted(info.superName) + ": annotate it with @Persistent too"));
        }
        if (!isNew && !usesPersistentFields(reader)) {
            return null;
        }
        List<String> errors = new ArrayList<>();
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassRewriter(writer, info, classes, errors), 0);
        refuse(errors);
        return writer.toByteArray();
    }

    /** Whether a class of this name exists and was transformed before. */
    boolean isTransformed(String name) {
        ClassInfo info = classes.find(name.replace('.', '/'));
        return info != null && info.isTransformed();
    }

    private static void refuse(List<String> errors) throws TransformException {
        if (!errors.isEmpty()) {
            throw new TransformException(errors);
        }
    }

    /** Checks only the constant pool, because this check runs for every class. */
    private boolean usesPersistentFields(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int at = reader.getItem(i);
            if (at == 0 || reader.readByte(at - 1) != FIELD_REFERENCE) {
                continue;
            }
            int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
            if (classes.declaringClass(reader.readClass(at, buffer), reader.readUTF8(nameAndType, buffer),
                    reader.readUTF8(nameAndType + 2, buffer)) != null) {
                return true;
            }
        }
        return false;
    }

    /** A class whose initialization fails with the message. Used by class loaders that have no other way to reject a class. */
    static byte[] refused(byte[] classFile, String message) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        OpenedClassReader.of(classFile).accept(new net.bytebuddy.jar.asm.ClassVisitor(Names.API, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                return name.equals("<clinit>") ? null : super.visitMethod(access, name, descriptor, signature, exceptions);
            }
        }, 0);
        MethodVisitor m = writer.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        m.visitCode();
        m.visitTypeInsn(Opcodes.NEW, "org/terrace/persist/HeapException");
        m.visitInsn(Opcodes.DUP);
        m.visitLdcInsn(message);
        m.visitMethodInsn(Opcodes.INVOKESPECIAL, "org/terrace/persist/HeapException", "<init>", "(Ljava/lang/String;)V", false);
        m.visitInsn(Opcodes.ATHROW);
        m.visitMaxs(0, 0);
        m.visitEnd();
        return writer.toByteArray();
    }
}
