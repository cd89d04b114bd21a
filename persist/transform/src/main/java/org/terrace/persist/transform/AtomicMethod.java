// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Converts a method to a failure-atomic block. Its code becomes a private method, which the method itself runs in a block. If the
 * code changes nothing, it runs in a read. Annotations and modifiers stay with the method, except {@code synchronized}, which moves
 * with the code. Then the monitor is entered inside of the block, as it is when the method is called from a block. Otherwise two
 * threads could deadlock.
 */
final class AtomicMethod extends MethodVisitor {
    private static final Handle METAFACTORY = new Handle(Opcodes.H_INVOKESTATIC, "java/lang/invoke/LambdaMetafactory",
            "metafactory",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodType;"
                    + "Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;",
            false);

    private final ClassVisitor into;
    private final ClassInfo info;
    private final ClassInfo.Method method;
    private final String[] exceptions;

    AtomicMethod(MethodVisitor next, ClassVisitor into, ClassInfo info, ClassInfo.Method method, String[] exceptions) {
        super(Names.API, next);
        this.into = into;
        this.info = info;
        this.method = method;
        this.exceptions = exceptions;
    }

    static boolean isAtomic(ClassInfo info, ClassInfo.Method method) {
        return info.isFailureAtomic && !method.name().startsWith("<")
                && !method.is(Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE
                        | Opcodes.ACC_SYNTHETIC)
                && !Names.HOOKS.contains(method.name() + method.descriptor());
    }

    @Override
    public void visitCode() {
        visitBlock();
        mv.visitMaxs(0, 0);
        mv.visitEnd();
        int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC | method.access() & Opcodes.ACC_SYNCHRONIZED;
        mv = into.visitMethod(access, Names.body(method.name()), method.descriptor(), null, exceptions);
        mv.visitCode();
    }

    private void visitBlock() {
        Type result = Type.getReturnType(method.descriptor());
        boolean isVoid = result.getSort() == Type.VOID;
        String function = isVoid ? "Ljava/lang/Runnable;" : "Ljava/util/function/Supplier;";
        mv.visitCode();
        mv.visitVarInsn(Opcodes.ALOAD, 0);
        mv.visitVarInsn(Opcodes.ALOAD, 0);
        StringBuilder captured = new StringBuilder("(L").append(info.name).append(';');
        int variable = 1;
        for (Type argument : Type.getArgumentTypes(method.descriptor())) {
            mv.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), variable);
            variable += argument.getSize();
            captured.append(argument.getDescriptor());
        }
        Type sam = Type.getMethodType(isVoid ? "()V" : "()Ljava/lang/Object;");
        Type actual = Type.getMethodType("()" + (isVoid ? "V" : boxed(result)));
        mv.visitInvokeDynamicInsn(isVoid ? "run" : "get", captured.append(')').append(function).toString(), METAFACTORY, sam,
                new Handle(Opcodes.H_INVOKESPECIAL, info.name, Names.body(method.name()), method.descriptor(), false), actual);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, Names.TRANSFORMED_OBJECT, method.changesNothing() ? "reading" : "atomically",
                "(" + Names.TRANSFORMED_TYPE + function + ")" + (isVoid ? "V" : "Ljava/lang/Object;"), false);
        if (!isVoid) {
            String box = Type.getType(boxed(result)).getInternalName();
            mv.visitTypeInsn(Opcodes.CHECKCAST, box);
            if (result.getSort() < Type.ARRAY) {
                mv.visitMethodInsn(Opcodes.INVOKEVIRTUAL, box, result.getClassName() + "Value", "()" + result.getDescriptor(),
                        false);
            }
        }
        mv.visitInsn(result.getOpcode(Opcodes.IRETURN));
    }

    private static String boxed(Type type) {
        return switch (type.getSort()) {
            case Type.BOOLEAN -> "Ljava/lang/Boolean;";
            case Type.BYTE -> "Ljava/lang/Byte;";
            case Type.SHORT -> "Ljava/lang/Short;";
            case Type.CHAR -> "Ljava/lang/Character;";
            case Type.INT -> "Ljava/lang/Integer;";
            case Type.LONG -> "Ljava/lang/Long;";
            case Type.FLOAT -> "Ljava/lang/Float;";
            case Type.DOUBLE -> "Ljava/lang/Double;";
            default -> type.getDescriptor();
        };
    }

    /** Generates the creation of a lambda, which is used for the factory of a class's proxies. */
    static void visitLambda(MethodVisitor into, String name, String samDescriptor, String functionType, Handle target,
            String actualDescriptor) {
        into.visitInvokeDynamicInsn(name, "()" + functionType, METAFACTORY, Type.getMethodType(samDescriptor), target,
                Type.getMethodType(actualDescriptor));
    }
}
