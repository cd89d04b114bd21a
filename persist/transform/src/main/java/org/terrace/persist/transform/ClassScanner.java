// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;

/** Reads a class file into a {@link ClassInfo}. */
final class ClassScanner extends ClassVisitor {
    private final ClassInfo info = new ClassInfo();
    private final Map<String, Integer> fieldLines = new HashMap<>();

    private ClassScanner() {
        super(Names.API);
    }

    static ClassInfo scan(byte[] classFile) {
        ClassScanner scanner = new ClassScanner();
        OpenedClassReader.of(classFile).accept(scanner, ClassReader.SKIP_FRAMES);
        return scanner.finish();
    }

    private ClassInfo finish() {
        info.fields.replaceAll((name, f) -> new ClassInfo.Field(name, f.descriptor(), f.access(), f.formerNames(),
                fieldLines.getOrDefault(name, info.line)));
        return info;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        info.version = version & 0xffff;
        info.access = access;
        info.name = name;
        info.superName = superName;
        info.interfaces = interfaces == null ? List.of() : List.of(interfaces);
    }

    @Override
    public void visitSource(String source, String debug) {
        info.sourceFile = source;
    }

    @Override
    public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
        if (descriptor.equals(Names.PERSISTENT_ANNOTATION)) {
            info.isAnnotated = true;
            return new AnnotationVisitor(Names.API) {
                @Override
                public void visitEnum(String name, String type, String value) {
                    info.isFailureAtomic |= name.equals("fa") && value.equals("NON_PRIVATE");
                }
            };
        }
        if (descriptor.equals(Names.WAS_ANNOTATION)) {
            info.formerNames = new ArrayList<>();
            return strings(info.formerNames);
        }
        return null;
    }

    /** Adds the strings of an array to a list. */
    private static AnnotationVisitor strings(List<String> into) {
        return new AnnotationVisitor(Names.API) {
            @Override
            public AnnotationVisitor visitArray(String name) {
                return this;
            }

            @Override
            public void visit(String name, Object value) {
                into.add((String) value);
            }
        };
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
        List<String> formerNames = new ArrayList<>();
        info.fields.put(name, new ClassInfo.Field(name, descriptor, access, formerNames, 0));
        return new FieldVisitor(Names.API) {
            @Override
            public AnnotationVisitor visitAnnotation(String annotation, boolean visible) {
                return annotation.equals(Names.WAS_ANNOTATION) ? strings(formerNames) : null;
            }
        };
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        return new MethodScanner(new ClassInfo.Method(name, descriptor, access, 0, false));
    }

    private final class MethodScanner extends MethodVisitor {
        private final ClassInfo.Method method;
        private int firstLine;
        private int line;
        private boolean changesNothing = true;
        /** True for a compiler-generated method of a record. */
        private boolean isOfCompiler;
        /**
         * The last three instructions, to detect {@code synchronized (this)}, which loads the object, duplicates it, and stores it
         * for the exit.
         */
        private int recent;

        MethodScanner(ClassInfo.Method method) {
            super(Names.API);
            this.method = method;
        }

        private void warn(String text) {
            info.warnings.add(Map.entry(line, text));
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            firstLine = firstLine == 0 ? number : firstLine;
            if (method.name().equals("<init>") && (info.line == 0 || number < info.line)) {
                info.line = number;
            }
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            note(opcode == Opcodes.ALOAD && variable == 0 && !method.is(Opcodes.ACC_STATIC) ? 1 : opcode == Opcodes.ASTORE ? 3
                    : 0);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.MONITORENTER) {
                changesNothing = false;
                if (recent == 0x123) {
                    warn("synchronized (this) locks a proxy, and an object may have several proxies: use another lock");
                }
            }
            // The instruction stores an array element or throws an exception.
            changesNothing &= opcode != Opcodes.ATHROW && (opcode < Opcodes.IASTORE || opcode > Opcodes.SASTORE);
            note(opcode == Opcodes.DUP ? 2 : 0);
        }

        private void note(int what) {
            recent = (recent << 4 | what) & 0xfff;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            note(0);
            changesNothing &= opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
            if (owner.equals(info.name) && opcode == Opcodes.PUTFIELD && line > 0) {
                fieldLines.putIfAbsent(name, line);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            note(0);
            changesNothing = false;
            if (name.equals("newUpdater") && owner.startsWith("java/util/concurrent/atomic/")
                    || name.equals("findVarHandle") && owner.startsWith("java/lang/invoke/")) {
                warn(name + " finds no persistent field, because the transformation removes such fields from the Java object");
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, net.bytebuddy.jar.asm.Handle bootstrap,
                Object... arguments) {
            note(0);
            changesNothing = false;
            isOfCompiler |= bootstrap.getOwner().equals("java/lang/runtime/ObjectMethods");
        }

        @Override
        public void visitEnd() {
            if (info.isRecord() && !isOfCompiler && (method.name() + method.descriptor()).equals("equals(Ljava/lang/Object;)Z")) {
                line = firstLine;
                warn("hash maps and sets in a heap hash record " + info.dottedName() + " by its components, so they may not find"
                        + " records that are equal only by the record's own equals");
            }
            info.methods.put(method.name() + method.descriptor(), new ClassInfo.Method(method.name(), method.descriptor(),
                    method.access(), firstLine, changesNothing));
        }
    }
}
