// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Rewrites a constructor of a persistent class. The topmost constructor allocates the object before any field is stored. It uses
 * the heap from its parameter, or otherwise the current heap.
 */
final class ConstructorRewriter extends AccessRewriter {
    private final ClassInfo info;
    private final Classes classes;
    private final List<String> errors;
    /** The variable of the first parameter of type {@code Heap}, or 0 if there is none. */
    private final int heap;
    /**
     * Number of objects by class whose constructor was not called yet. Their constructor calls are distinguished from calls of
     * {@code super} or {@code this}.
     */
    private final Map<String, Integer> pending = new HashMap<>();
    private boolean isAllocated;
    private int line;

    ConstructorRewriter(MethodVisitor next, ClassInfo info, Classes classes, String descriptor, List<String> errors) {
        super(next, classes, true);
        this.info = info;
        this.classes = classes;
        this.errors = errors;
        this.heap = heapParameter(descriptor);
    }

    private static int heapParameter(String descriptor) {
        int variable = 1;
        for (Type type : Type.getArgumentTypes(descriptor)) {
            if (type.getDescriptor().equals(Names.HEAP_TYPE)) {
                return variable;
            }
            variable += type.getSize();
        }
        return 0;
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
        super.visitLineNumber(number, start);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            pending.merge(type, 1, Integer::sum);
        }
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (isAllocated || opcode != Opcodes.INVOKESPECIAL || !name.equals("<init>")) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else if (pending.getOrDefault(owner, 0) > 0) {
            pending.merge(owner, -1, Integer::sum);
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else {
            isAllocated = true;
            visitAllocation(owner, descriptor);
        }
    }

    /** Rewrites the call of {@code super} or {@code this}. */
    private void visitAllocation(String owner, String descriptor) {
        if (owner.equals(Names.OBJECT)) {
            if (heap != 0) {
                super.visitVarInsn(Opcodes.ALOAD, heap);
            } else {
                super.visitInsn(Opcodes.ACONST_NULL);
            }
            super.visitMethodInsn(Opcodes.INVOKESPECIAL, Names.TRANSFORMED_OBJECT, "<init>", "(" + Names.HEAP_TYPE + ")V", false);
            return;
        }
        super.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, "<init>", descriptor, false);
        if (heap != 0) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitVarInsn(Opcodes.ALOAD, heap);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Names.TRANSFORMED_OBJECT, "checkHeap",
                    "(" + Names.TRANSFORMED_TYPE + Names.HEAP_TYPE + ")V", false);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        if (!isAllocated && opcode == Opcodes.PUTFIELD && owner.equals(info.name)
                && classes.declaringClass(owner, name, descriptor) != null) {
            errors.add(info.at(line) + ": error: " + info.dottedName() + "." + name
                    + " is stored before the constructor calls super, where the object is allocated: store it afterwards");
        }
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }
}
