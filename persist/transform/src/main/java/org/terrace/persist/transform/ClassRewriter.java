// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.List;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Rewrites one class. It may be a persistent class, a persistent record, or a class that only uses persistent fields. */
final class ClassRewriter extends ClassVisitor {
    private final ClassInfo info;
    private final Classes classes;
    private final List<String> errors;
    private final boolean isPersistentObject;
    private final boolean isPersistentRecord;
    private boolean hasInitializer;

    ClassRewriter(ClassVisitor next, ClassInfo info, Classes classes, List<String> errors) {
        super(Names.API, next);
        this.info = info;
        this.classes = classes;
        this.errors = errors;
        boolean isNew = classes.isPersistent(info) && !info.isTransformed();
        this.isPersistentRecord = isNew && info.isRecord();
        this.isPersistentObject = isNew && !info.isRecord();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        if (isPersistentObject && superName.equals(Names.OBJECT)) {
            String newSignature = signature == null ? null : Signatures.withSuperclass(signature, Names.TRANSFORMED_TYPE);
            super.visit(version, access, name, newSignature, Names.TRANSFORMED_OBJECT, interfaces);
        } else {
            super.visit(version, access, name, signature, superName, interfaces);
        }
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
        if (isPersistentObject && info.fields.get(name).isPersistent()) {
            return null;
        }
        return super.visitField(access, name, descriptor, signature, value);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        ClassInfo.Method method = info.methods.get(name + descriptor);
        boolean isAtomic = isPersistentObject && AtomicMethod.isAtomic(info, method);
        int outer = isAtomic ? access & ~Opcodes.ACC_SYNCHRONIZED : access;
        MethodVisitor next = super.visitMethod(outer, name, descriptor, signature, exceptions);
        if (isPersistentObject && name.equals("<init>")) {
            return new ConstructorRewriter(next, info, classes, descriptor, errors);
        }
        if (name.equals("<clinit>") && (isPersistentObject || isPersistentRecord)) {
            hasInitializer = true;
            return new AccessRewriter(next, classes, isPersistentObject) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    initializer(mv);
                }
            };
        }
        if (isAtomic) {
            return new AccessRewriter(new AtomicMethod(next, cv, info, method, exceptions), classes, true);
        }
        return new AccessRewriter(next, classes, isPersistentObject);
    }

    private void initializer(MethodVisitor m) {
        if (isPersistentObject) {
            new Generator(cv, info, classes).initializer(m);
        } else {
            m.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/invoke/MethodHandles", "lookup",
                    "()Ljava/lang/invoke/MethodHandles$Lookup;", false);
            m.visitMethodInsn(Opcodes.INVOKESTATIC, Names.RECORDS, "define", "(Ljava/lang/invoke/MethodHandles$Lookup;)V", false);
        }
    }

    @Override
    public void visitEnd() {
        if (isPersistentObject) {
            new Generator(cv, info, classes).generate();
        } else if (isPersistentRecord) {
            // This field marks the class as transformed.
            super.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC,
                    Names.CLASS_FIELD,
                    "Z", null, 1).visitEnd();
        }
        if ((isPersistentObject || isPersistentRecord) && !hasInitializer) {
            MethodVisitor m = super.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
            m.visitCode();
            initializer(m);
            m.visitInsn(Opcodes.RETURN);
            m.visitMaxs(0, 0);
            m.visitEnd();
        }
        super.visitEnd();
    }
}
