// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Replaces accesses to persistent fields by calls of the accessors, in any class. */
class AccessRewriter extends MethodVisitor {
    private final Classes classes;
    private final boolean isInPersistentClass;

    /** @param isInPersistentClass whether {@code ==} compares objects in the heap instead of proxies */
    AccessRewriter(MethodVisitor next, Classes classes, boolean isInPersistentClass) {
        super(Names.API, next);
        this.classes = classes;
        this.isInPersistentClass = isInPersistentClass;
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        boolean isInstance = opcode == Opcodes.GETFIELD || opcode == Opcodes.PUTFIELD;
        String declaring = isInstance ? classes.declaringClass(owner, name, descriptor) : null;
        if (declaring == null) {
            super.visitFieldInsn(opcode, owner, name, descriptor);
        } else if (opcode == Opcodes.GETFIELD) {
            visitMethodInsn(Opcodes.INVOKESTATIC, owner, Names.getter(name), Names.getterDescriptor(declaring, descriptor),
                    false);
        } else {
            visitMethodInsn(Opcodes.INVOKESTATIC, owner, Names.setter(name), Names.setterDescriptor(declaring, descriptor),
                    false);
        }
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        if (isInPersistentClass && (opcode == Opcodes.IF_ACMPEQ || opcode == Opcodes.IF_ACMPNE)) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Names.PERSISTENT_OBJECT, "same",
                    "(Ljava/lang/Object;Ljava/lang/Object;)Z",
                    false);
            super.visitJumpInsn(opcode == Opcodes.IF_ACMPEQ ? Opcodes.IFNE : Opcodes.IFEQ, label);
        } else {
            super.visitJumpInsn(opcode, label);
        }
    }
}
