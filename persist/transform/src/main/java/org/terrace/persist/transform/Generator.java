// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.List;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Generates the additions to a persistent class: its layout, one constant for the offset of each field, accessors, and a
 * constructor for proxies. The code equals handwritten code, so that it is as fast.
 */
final class Generator {
    private static final int HIDDEN_STATIC = Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
    private static final String RESURRECT_PARAMETERS = "(" + Names.HEAP_TYPE + "J";

    private final ClassVisitor into;
    private final ClassInfo info;
    private final Classes classes;
    private final boolean isTopmost;

    Generator(ClassVisitor into, ClassInfo info, Classes classes) {
        this.into = into;
        this.info = info;
        this.classes = classes;
        this.isTopmost = info.superName.equals(Names.OBJECT);
    }

    void generate() {
        into.visitField(HIDDEN_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL, Names.CLASS_FIELD, Names.PERSISTENT_CLASS_TYPE,
                null,
                null).visitEnd();
        for (ClassInfo.Field field : info.persistentFields()) {
            into.visitField(HIDDEN_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL, Names.offset(field.name()), "J", null, null)
                    .visitEnd();
            getter(field);
            setter(field);
        }
        classMethod();
        fieldsMethod();
        proxyConstructor();
        resurrectMethod();
        parts();
    }

    private MethodVisitor method(int access, String name, String descriptor) {
        MethodVisitor m = into.visitMethod(access, name, descriptor, null, null);
        m.visitCode();
        return m;
    }

    private static void end(MethodVisitor m, int returnOpcode) {
        m.visitInsn(returnOpcode);
        m.visitMaxs(0, 0);
        m.visitEnd();
    }

    private FieldKind kind(ClassInfo.Field field) {
        return FieldKind.of(field.descriptor(), classes);
    }

    private MethodVisitor accessor(ClassInfo.Field field, String name, String descriptor) {
        int visibility = field.access() & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED | Opcodes.ACC_PRIVATE);
        MethodVisitor m = method(HIDDEN_STATIC | visibility, name, descriptor);
        m.visitVarInsn(Opcodes.ALOAD, 0);
        m.visitFieldInsn(Opcodes.GETSTATIC, info.name, Names.offset(field.name()), "J");
        return m;
    }

    private void getter(ClassInfo.Field field) {
        Type type = Type.getType(field.descriptor());
        MethodVisitor m = accessor(field, Names.getter(field.name()), Names.getterDescriptor(info.name, field.descriptor()));
        switch (kind(field)) {
            case PRIMITIVE -> m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, info.name, "get"
                    + FieldKind.accessorSuffix(field.descriptor()),
                    "(J)" + field.descriptor(), false);
            case REFERENCE -> {
                m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, info.name, "getReference", "(J)L" + Names.PERSISTENT_OBJECT + ";",
                        false);
                m.visitTypeInsn(Opcodes.CHECKCAST, type.getInternalName());
            }
            case VALUE -> {
                m.visitMethodInsn(Opcodes.INVOKESTATIC, Names.TRANSFORMED_OBJECT, "getValue",
                        "(" + Names.TRANSFORMED_TYPE + "J)Ljava/lang/Object;", false);
                m.visitTypeInsn(Opcodes.CHECKCAST, type.getInternalName());
            }
        }
        end(m, type.getOpcode(Opcodes.IRETURN));
    }

    private void setter(ClassInfo.Field field) {
        MethodVisitor m = accessor(field, Names.setter(field.name()), Names.setterDescriptor(info.name, field.descriptor()));
        m.visitVarInsn(Type.getType(field.descriptor()).getOpcode(Opcodes.ILOAD), 1);
        switch (kind(field)) {
            case PRIMITIVE -> m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, info.name, "set"
                    + FieldKind.accessorSuffix(field.descriptor()),
                    "(J" + field.descriptor() + ")V", false);
            case REFERENCE -> m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, info.name, "setReference",
                    "(JL" + Names.PERSISTENT_OBJECT + ";)V", false);
            case VALUE -> {
                m.visitLdcInsn(info.dottedName() + "." + field.name());
                m.visitMethodInsn(Opcodes.INVOKESTATIC, Names.TRANSFORMED_OBJECT, "setValue",
                        "(" + Names.TRANSFORMED_TYPE + "JLjava/lang/Object;Ljava/lang/String;)V", false);
            }
        }
        end(m, Opcodes.RETURN);
    }

    private void classMethod() {
        MethodVisitor m = method(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, Names.CLASS_FIELD, "()"
                + Names.PERSISTENT_CLASS_TYPE);
        m.visitFieldInsn(Opcodes.GETSTATIC, info.name, Names.CLASS_FIELD, Names.PERSISTENT_CLASS_TYPE);
        end(m, Opcodes.ARETURN);
    }

    /** Adds the fields to a layout after the fields of the superclass. Therefore inherited fields have the same offsets in subclasses. */
    private void fieldsMethod() {
        String descriptor = "(" + Names.BUILDER_TYPE + ")" + Names.BUILDER_TYPE;
        MethodVisitor m = method(HIDDEN_STATIC | Opcodes.ACC_PUBLIC, Names.FIELDS_METHOD, descriptor);
        m.visitVarInsn(Opcodes.ALOAD, 0);
        if (!isTopmost) {
            m.visitMethodInsn(Opcodes.INVOKESTATIC, info.superName, Names.FIELDS_METHOD, descriptor, false);
        }
        for (ClassInfo.Field field : info.persistentFields()) {
            m.visitLdcInsn(field.name());
            m.visitFieldInsn(Opcodes.GETSTATIC, Names.FIELD_TYPE, FieldKind.storedAs(field.descriptor()), "L" + Names.FIELD_TYPE
                    + ";");
            strings(m, field.formerNames());
            m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, Names.BUILDER, "field", "(Ljava/lang/String;L" + Names.FIELD_TYPE
                    + ";[Ljava/lang/String;)" + Names.BUILDER_TYPE, false);
        }
        end(m, Opcodes.ARETURN);
    }

    private static void strings(MethodVisitor m, List<String> strings) {
        m.visitLdcInsn(strings.size());
        m.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/String");
        for (int i = 0; i < strings.size(); i++) {
            m.visitInsn(Opcodes.DUP);
            m.visitLdcInsn(i);
            m.visitLdcInsn(strings.get(i));
            m.visitInsn(Opcodes.AASTORE);
        }
    }

    /** Generates the start of the class initializer. It comes first, because code of the initializer may create objects. */
    void initializer(MethodVisitor m) {
        m.visitLdcInsn(Type.getObjectType(info.name));
        AtomicMethod.visitLambda(m, "resurrect", RESURRECT_PARAMETERS + ")Ljava/lang/Object;", Names.RESURRECTOR_TYPE,
                new Handle(Opcodes.H_INVOKESTATIC, info.name, Names.RESURRECT_METHOD, RESURRECT_PARAMETERS + ")L" + info.name
                        + ";",
                        false),
                RESURRECT_PARAMETERS + ")L" + info.name + ";");
        m.visitMethodInsn(Opcodes.INVOKESTATIC, Names.PERSISTENT_CLASS, "of",
                "(Ljava/lang/Class;" + Names.RESURRECTOR_TYPE + ")" + Names.BUILDER_TYPE, false);
        m.visitMethodInsn(Opcodes.INVOKESTATIC, info.name, Names.FIELDS_METHOD, "(" + Names.BUILDER_TYPE + ")"
                + Names.BUILDER_TYPE,
                false);
        if (!info.formerNames.isEmpty()) {
            strings(m, info.formerNames);
            m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, Names.BUILDER, "formerly", "([Ljava/lang/String;)" + Names.BUILDER_TYPE,
                    false);
        }
        m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, Names.BUILDER, "build", "()" + Names.PERSISTENT_CLASS_TYPE, false);
        m.visitFieldInsn(Opcodes.PUTSTATIC, info.name, Names.CLASS_FIELD, Names.PERSISTENT_CLASS_TYPE);
        for (ClassInfo.Field field : info.persistentFields()) {
            m.visitFieldInsn(Opcodes.GETSTATIC, info.name, Names.CLASS_FIELD, Names.PERSISTENT_CLASS_TYPE);
            m.visitLdcInsn(field.name());
            m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, Names.PERSISTENT_CLASS, "offset", "(Ljava/lang/String;)I", false);
            m.visitInsn(Opcodes.I2L);
            m.visitFieldInsn(Opcodes.PUTSTATIC, info.name, Names.offset(field.name()), "J");
        }
    }

    /**
     * Generates a constructor without field initializers. Transient fields are 0 or null until the class's own {@code resurrect}
     * sets them.
     */
    private void proxyConstructor() {
        String descriptor = RESURRECT_PARAMETERS + Names.EXISTING_TYPE + ")V";
        MethodVisitor m = method(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, "<init>", descriptor);
        m.visitVarInsn(Opcodes.ALOAD, 0);
        m.visitVarInsn(Opcodes.ALOAD, 1);
        m.visitVarInsn(Opcodes.LLOAD, 2);
        m.visitVarInsn(Opcodes.ALOAD, 4);
        m.visitMethodInsn(Opcodes.INVOKESPECIAL, isTopmost ? Names.TRANSFORMED_OBJECT : info.superName, "<init>", descriptor,
                false);
        end(m, Opcodes.RETURN);
    }

    private void resurrectMethod() {
        MethodVisitor m = method(HIDDEN_STATIC | Opcodes.ACC_PRIVATE, Names.RESURRECT_METHOD,
                RESURRECT_PARAMETERS + ")L" + info.name + ";");
        if (info.is(Opcodes.ACC_ABSTRACT)) {
            // An abstract class has no objects.
            m.visitTypeInsn(Opcodes.NEW, "java/lang/InstantiationError");
            m.visitInsn(Opcodes.DUP);
            m.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/InstantiationError", "<init>", "()V", false);
            end(m, Opcodes.ATHROW);
            return;
        }
        m.visitTypeInsn(Opcodes.NEW, info.name);
        m.visitInsn(Opcodes.DUP);
        m.visitVarInsn(Opcodes.ALOAD, 0);
        m.visitVarInsn(Opcodes.LLOAD, 1);
        m.visitInsn(Opcodes.ACONST_NULL);
        m.visitMethodInsn(Opcodes.INVOKESPECIAL, info.name, "<init>", RESURRECT_PARAMETERS + Names.EXISTING_TYPE + ")V", false);
        end(m, Opcodes.ARETURN);
    }

    /** Generates the methods that free copies of values together with the object. */
    private void parts() {
        List<ClassInfo.Field> values = info.persistentFields().stream().filter(f -> kind(f) == FieldKind.VALUE).toList();
        if (values.isEmpty()) {
            return;
        }
        MethodVisitor has = method(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, "hasParts", "()Z");
        has.visitInsn(Opcodes.ICONST_1);
        end(has, Opcodes.IRETURN);
        MethodVisitor free = method(Opcodes.ACC_PROTECTED | Opcodes.ACC_SYNTHETIC, "freeParts", "()V");
        for (ClassInfo.Field field : values) {
            free.visitVarInsn(Opcodes.ALOAD, 0);
            free.visitFieldInsn(Opcodes.GETSTATIC, info.name, Names.offset(field.name()), "J");
            free.visitMethodInsn(Opcodes.INVOKESTATIC, Names.TRANSFORMED_OBJECT, "freeValue", "(" + Names.TRANSFORMED_TYPE
                    + "J)V",
                    false);
        }
        free.visitVarInsn(Opcodes.ALOAD, 0);
        free.visitMethodInsn(Opcodes.INVOKESPECIAL, isTopmost ? Names.TRANSFORMED_OBJECT : info.superName, "freeParts", "()V",
                false);
        end(free, Opcodes.RETURN);
    }
}
