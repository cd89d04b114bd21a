// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;

/**
 * Ensures free stack space for code that must not be interrupted by an error. A {@code StackOverflowError} can occur at each call,
 * including between the acquisition of a lock and the {@code try} that releases it, and in a {@code finally}. Therefore code checks
 * the stack before it acquires a lock, or before it makes a visible change in several steps. Then the error occurs at the check, or
 * not before the code has ended.
 *
 * <p>The frame of an interpreted method contains all of its local variables, and a compiled method first touches the stack as far
 * as its interpreted frame would reach. Therefore calling a method with many variables is a probe, which is cheap once it is
 * compiled. The class of this method is generated, because readable source would not declare so many variables.
 *
 * <p>Compilers must not inline the probe. Otherwise the caller would touch the stack at its own entry, on each of its paths, and
 * possibly in the middle of code that must not be interrupted. So the method has more bytecode than HotSpot inlines
 * (FreqInlineSize, 325 bytes).
 */
public final class StackRoom {
    private static final int BYTES = 64 << 10;
    private static final int CODE_BYTES = 1000;
    private static final int JAVA_8 = 52;
    /** Never true, but not a constant. Otherwise a compiler would remove the code that depends on it, and the variables too. */
    static boolean recursive;
    private static final Runnable PROBE = probe();

    private StackRoom() {
    }

    /** @throws StackOverflowError if the stack has too little space for the work of a library method under a lock */
    public static void ensure() {
        PROBE.run();
    }

    private static Runnable probe() {
        try {
            return (Runnable) MethodHandles.lookup().defineHiddenClass(classOfProbe(), true).lookupClass().getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@code public final class Probe implements Runnable { public void run() { if (StackRoom.recursive) run(); } } } */
    private static byte[] classOfProbe() throws IOException {
        String name = StackRoom.class.getName().replace('.', '/');
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(JAVA_8);
        out.writeShort(22);
        for (String text : new String[] {name + "$Probe", "java/lang/Object", "java/lang/Runnable", name, "<init>", "()V", "run",
                "recursive", "Z", "Code", "StackMapTable"}) {
            out.writeByte(1);
            out.writeUTF(text);
        }
        constant(out, 7, 1);
        constant(out, 7, 2);
        constant(out, 7, 3);
        constant(out, 7, 4);
        constant(out, 12, 5, 6);
        constant(out, 10, 13, 16);
        constant(out, 12, 7, 6);
        constant(out, 10, 12, 18);
        constant(out, 12, 8, 9);
        constant(out, 9, 15, 20);
        // Access flags, class, superclass, one interface, no fields, two methods.
        shorts(out, 0x31, 12, 13, 1, 14, 0, 2);
        // aload_0, invokespecial Object.<init>, return
        method(out, 5, 1, new int[] {0x2a, 0xb7, 0, 17, 0xb1}, new int[0]);
        // getstatic recursive, ifeq to the end, aload_0, invokevirtual run, nop instructions, return. At 10, the frame is as at the
        // start.
        int[] code = Arrays.copyOf(new int[] {0xb2, 0, 21, 0x99, 0, 7, 0x2a, 0xb6, 0, 19}, CODE_BYTES);
        code[CODE_BYTES - 1] = 0xb1;
        method(out, 7, BYTES / Long.BYTES, code, new int[] {0, 11, 0, 0, 0, 3, 0, 1, 10});
        shorts(out, 0);
        return bytes.toByteArray();
    }

    private static void constant(DataOutputStream out, int tag, int... indices) throws IOException {
        out.writeByte(tag);
        shorts(out, indices);
    }

    private static void method(DataOutputStream out, int name, int variables, int[] code, int[] stackMap) throws IOException {
        shorts(out, 1, name, 6, 1, 10);
        out.writeInt(12 + code.length + stackMap.length);
        shorts(out, 1, variables);
        out.writeInt(code.length);
        bytes(out, code);
        shorts(out, 0, stackMap.length == 0 ? 0 : 1);
        bytes(out, stackMap);
    }

    private static void shorts(DataOutputStream out, int... values) throws IOException {
        for (int value : values) {
            out.writeShort(value);
        }
    }

    private static void bytes(DataOutputStream out, int... values) throws IOException {
        for (int value : values) {
            out.writeByte(value);
        }
    }
}
