// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import net.bytebuddy.dynamic.ClassFileLocator;

/**
 * Transforms classes when they are loaded ({@code -javaagent:terrace-persist-agent.jar}). The agent's argument may list classes
 * without an annotation, separated by commas.
 */
public final class Agent implements ClassFileTransformer {
    private static final String OWN_PACKAGE = Agent.class.getPackageName().replace('.', '/') + "/";

    private final Set<String> listed;
    private final Map<ClassLoader, Transformer> transformers = Collections.synchronizedMap(new WeakHashMap<>());

    private Agent(String arguments) {
        listed = arguments == null || arguments.isBlank() ? Set.of()
                : Arrays.stream(arguments.split(",")).map(String::strip).collect(Collectors.toUnmodifiableSet());
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new Agent(arguments));
    }

    /**
     * Attaches to a running program and transforms the classes that it loads from then on. A loaded class cannot get another
     * superclass.
     */
    public static void agentmain(String arguments, Instrumentation instrumentation) {
        Agent agent = new Agent(arguments);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (agent.isLate(loaded)) {
                System.err.println("terrace: " + loaded.getName() + " was loaded before the agent and is not transformed: start "
                        + "the program with -javaagent, or transform the class when it is built");
            }
        }
        instrumentation.addTransformer(agent);
    }

    private boolean isLate(Class<?> loaded) {
        boolean isMarked = listed.contains(loaded.getName()) || Arrays.stream(loaded.getDeclaredAnnotations())
                .anyMatch(a -> a.annotationType().getName().equals("org.terrace.persist.Persistent"));
        return isMarked && Arrays.stream(loaded.getDeclaredFields()).noneMatch(f -> f.getName().equals(Names.CLASS_FIELD));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] classFile) {
        if (loader == null || loader == ClassLoader.getPlatformClassLoader() || redefined != null || name == null
                || isOwn(name)) {
            return null;
        }
        try {
            return transformers.computeIfAbsent(loader, this::transformer).transform(classFile);
        } catch (TransformException e) {
            System.err.println(e.getMessage());
            return Transformer.refused(classFile, e.getMessage());
        } catch (Throwable e) {
            // The VM would ignore an exception and use the class unchanged, so its objects would not be durable.
            String message = "terrace: " + name.replace('/', '.') + " cannot be transformed: " + e;
            System.err.println(message);
            return Transformer.refused(classFile, message);
        }
    }

    /** Whether a class belongs to the agent, which loads such classes during a transformation. */
    private static boolean isOwn(String name) {
        return name.startsWith("net/bytebuddy/") || name.startsWith(OWN_PACKAGE) && name.indexOf('/', OWN_PACKAGE.length()) < 0;
    }

    private Transformer transformer(ClassLoader loader) {
        return new Transformer(ClassFileLocator.ForClassLoader.WeaklyReferenced.of(loader), listed, System.err::println);
    }
}
