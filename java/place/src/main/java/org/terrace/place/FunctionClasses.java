// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/** The classes of a program that implement a function: anonymous classes of Java, closures of Scala before 2.12, and named ones. */
final class FunctionClasses {

    private static final Pattern INTERFACE = Pattern.compile("java/util/function/.*|java/lang/Runnable|java/util/concurrent/Callable"
            + "|scala/(Partial)?Function\\d*(\\$.*)?|scala/runtime/Abstract(Partial)?Function\\d*(\\$.*)?"
            + "|org/apache/spark/api/java/function/.*");

    private static final Pattern METHOD = Pattern.compile("(apply|accept|call|run|get|test)([A-Z$].*)?");

    private final Program program;
    private final Map<String, List<Program.Member>> methods = new HashMap<>();

    FunctionClasses(Program program) {
        this.program = program;
    }

    /** Returns the methods by which a library calls the objects of a class, or nothing if the class is no function. */
    Collection<Program.Member> methods(String type) {
        return methods.computeIfAbsent(type, key -> {
            ClassNode node = program.has(type) && program.inherits(type, name -> INTERFACE.matcher(name).matches())
                    ? program.node(type) : null;
            List<Program.Member> found = new ArrayList<>();
            if (node != null && node.name != null) {
                for (MethodNode method : node.methods) {
                    if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT)) == 0 && METHOD.matcher(method.name).matches()) {
                        found.add(new Program.Member(node, method));
                    }
                }
            }
            return found;
        });
    }

    /** Returns the method that has the code of the function, or null if the class is no function. */
    Handle of(String type) {
        return methods(type).stream().filter(member -> (member.method().access & Opcodes.ACC_BRIDGE) == 0).findFirst()
                .map(member -> new Handle(Opcodes.H_INVOKEVIRTUAL, type, member.method().name, member.method().desc, false)).orElse(null);
    }
}
