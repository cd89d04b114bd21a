// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Creates the static call graph of all classes in this JDK and in the jars of the local Maven repository. A vertex is a
 * method, named as at a call site or at its declaration. Lambdas and method references count as calls.
 */
@Command(name = "callgraph", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Writes the static call graph of the JDK's and the local Maven repository's classes as an edge list.")
final class CallGraph implements Callable<Integer> {

    @Parameters(paramLabel = "OUT", description = "The edge list to write. The names of the methods are written to OUT.names.")
    private Path out;

    @Option(names = "--jars", paramLabel = "DIR", description = "Folder that is searched for jars, with its subfolders.",
            defaultValue = "${sys:user.home}/.m2/repository")
    private Path jars;

    @Option(names = "--jdk", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "Include the classes of the running JDK.")
    private boolean jdk;

    private long classes;
    private long skipped;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        EdgeList graph = new EdgeList(out);
        try (graph) {
            if (jdk) {
                readModules(graph);
            }
            for (Path jar : sorted(jars, ".jar")) {
                readJar(jar, graph);
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("workload", "callgraph");
        report.put("result", Map.of("vertices", graph.vertices(), "edges", graph.edges(), "classes", classes,
                "skipped", skipped));
        report.put("seconds", Map.of("total", Workbench.secondsSince(start)));
        Workbench.print(report);
        return 0;
    }

    private void readModules(EdgeList graph) throws IOException {
        for (Path file : sorted(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules"), ".class")) {
            read(Files.readAllBytes(file), graph);
        }
    }

    private void readJar(Path jar, EdgeList graph) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        read(in.readAllBytes(), graph);
                    }
                }
            }
        } catch (ZipException e) {
            skipped++; // an incomplete download
        }
    }

    /** Returns sorted paths, so that the same files give the same graph with the same numbers. */
    private static List<Path> sorted(Path root, String suffix) throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().collect(Collectors.toList());
        }
    }

    private void read(byte[] bytes, EdgeList graph) {
        try {
            new ClassReader(bytes).accept(new Calls(graph),
                    ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            classes++;
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            skipped++; // a class file that is newer than ASM, or another kind of file
        }
    }

    private static final class Calls extends ClassVisitor {

        private final EdgeList graph;
        private String owner;

        Calls(EdgeList graph) {
            super(Opcodes.ASM9);
            this.graph = graph;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
            owner = name;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            int caller = graph.vertex(owner + '.' + name + descriptor);
            return new MethodVisitor(Opcodes.ASM9) {

                private final Set<Integer> callees = new LinkedHashSet<>();

                @Override
                public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
                    callees.add(graph.vertex(owner + '.' + name + descriptor));
                }

                @Override
                public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle && ((Handle) argument).getTag() >= Opcodes.H_INVOKEVIRTUAL) {
                            Handle handle = (Handle) argument;
                            callees.add(graph.vertex(handle.getOwner() + '.' + handle.getName() + handle.getDesc()));
                        }
                    }
                }

                @Override
                public void visitEnd() {
                    try {
                        graph.edges(caller, callees);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
        }
    }
}
