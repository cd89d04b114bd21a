// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** The classes of some jars and class folders, except Spark's own, and their hierarchy. Classes are parsed on demand. */
final class Program {

    private static final String MENTIONS_SPARK = "org/apache/spark";

    private final Map<String, Header> headers = new LinkedHashMap<>();
    private final Map<String, ClassNode> parsed = new HashMap<>();
    private final Map<MethodNode, MethodCode> codes = new HashMap<>();
    private final Map<String, List<String>> subclasses = new HashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private final Set<String> withoutDebugInformation = new TreeSet<>();
    private int internal;

    private record Header(ClassReader reader, String parent, List<String> interfaces, boolean mentionsSpark, boolean own) {
    }

    /** A method and its class. */
    record Member(ClassNode owner, MethodNode method) {
    }

    private Program() {
    }

    /** Reads jars and folders of classes of a program. */
    static Program read(List<Path> paths) throws InputException {
        return read(paths, List.of());
    }

    /** Reads jars and folders of classes, of a program and of its libraries. */
    static Program read(List<Path> paths, List<Path> libraries) throws InputException {
        Program program = new Program();
        program.read(paths, true);
        program.read(libraries, false);
        program.headers.forEach((name, header) -> {
            program.inherits(header.parent, name);
            header.interfaces.forEach(parent -> program.inherits(parent, name));
        });
        return program;
    }

    private void read(List<Path> paths, boolean own) throws InputException {
        for (Path path : paths) {
            int before = headers.size() + internal;
            try {
                if (Files.isDirectory(path)) {
                    addFolder(path, own);
                } else if (Files.exists(path)) {
                    addJar(path, own);
                } else {
                    throw new InputException(path + " does not exist");
                }
            } catch (ZipException e) {
                throw new InputException(path + " is not a jar: " + e.getMessage());
            } catch (IOException | UncheckedIOException e) {
                throw new InputException(InputException.about(path, "cannot be read", e));
            }
            if (headers.size() + internal == before) {
                throw new InputException(path + " has no classes that can be read" + firstWarning());
            }
        }
    }

    private String firstWarning() {
        return warnings.isEmpty() ? "" : "; the first: " + warnings.get(0);
    }

    private void inherits(String parent, String child) {
        subclasses.computeIfAbsent(parent, name -> new ArrayList<>()).add(child);
    }

    private void addFolder(Path folder, boolean own) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                String name = folder.relativize(file).toString();
                if (isClass(name)) {
                    add(file.toString(), Files.readAllBytes(file), own);
                }
            }
        }
    }

    private void addJar(Path jar, boolean own) throws IOException {
        try (ZipFile file = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(file.entries())) {
                if (isClass(entry.getName())) {
                    byte[] bytes;
                    try (InputStream in = file.getInputStream(entry)) {
                        bytes = in.readAllBytes();
                    } catch (ZipException e) {
                        warnings.add(jar + "!/" + entry.getName() + " cannot be read: " + e.getMessage());
                        continue;
                    }
                    add(jar + "!/" + entry.getName(), bytes, own);
                }
            }
        }
    }

    private static boolean isClass(String name) {
        return name.endsWith(".class") && !name.startsWith("META-INF") && !name.endsWith("module-info.class");
    }

    private void add(String where, byte[] bytes, boolean own) {
        String name;
        ClassReader reader;
        try {
            reader = new ClassReader(bytes);
            name = reader.getClassName();
            reader.accept(new ClassNode(), ClassReader.SKIP_CODE);
        } catch (RuntimeException e) { // ASM throws various exceptions for a damaged class
            warnings.add(where + " is not a class that can be read" + because(e));
            return;
        }
        if (SparkCalls.isInternal(name)) {
            internal++;
        } else {
            headers.putIfAbsent(name, new Header(reader, reader.getSuperName(), List.of(reader.getInterfaces()),
                    new String(bytes, StandardCharsets.ISO_8859_1).contains(MENTIONS_SPARK), own));
        }
    }

    private static String because(Exception e) {
        return e.getMessage() == null ? "" : ": " + e.getMessage();
    }

    /** Returns one sentence for each input that could not be read. */
    List<String> warnings() {
        return warnings;
    }

    /** Returns the classes that use Spark but have no line numbers or names of variables. */
    Collection<String> withoutDebugInformation() {
        return withoutDebugInformation;
    }

    /** Returns the classes that mention Spark, except classes that only forward calls. */
    List<ClassNode> sparkClasses() {
        List<ClassNode> found = new ArrayList<>();
        headers.forEach((name, header) -> {
            if (header.mentionsSpark) {
                ClassNode node = node(name);
                if (!isMirror(node)) {
                    found.add(node);
                }
            }
        });
        return found;
    }

    boolean has(String name) {
        return headers.containsKey(name);
    }

    /** Returns a class, or null if it is not part of the input. */
    ClassNode node(String name) {
        Header header = headers.get(name);
        if (header == null) {
            return null;
        }
        return parsed.computeIfAbsent(name, key -> {
            ClassNode node = new ClassNode();
            try {
                header.reader.accept(node, ClassReader.SKIP_FRAMES);
            } catch (RuntimeException e) { // as above
                warnings.add(key.replace('/', '.') + " is not a class that can be read" + because(e));
                return new ClassNode();
            }
            return node;
        });
    }

    /** Returns the analyzed code of a method, or null if it has no code or its class has no debug information. */
    MethodCode code(Member member) {
        if (member.method.instructions == null || member.method.instructions.size() == 0) {
            return null;
        }
        if (codes.containsKey(member.method)) {
            return codes.get(member.method);
        }
        MethodCode code = null;
        if (!MethodCode.hasDebugInformation(member.owner) && !isMirror(member.owner)) {
            withoutDebugInformation.add(member.owner.name.replace('/', '.'));
        } else {
            try {
                code = new MethodCode(member);
            } catch (AnalyzerException | RuntimeException e) { // damaged code
                warnings.add(member.owner.name.replace('/', '.') + "." + member.method.name + " cannot be analyzed" + because(e));
            }
        }
        codes.put(member.method, code);
        return code;
    }

    /** Whether a class is the mirror that Scala generates for an object, with static forwarders for Java and no debug names. */
    private boolean isMirror(ClassNode node) {
        return has(node.name + "$") && node.methods.stream()
                .allMatch(method -> (method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT)) != 0);
    }

    /** Whether a class is of the program, not of a library. */
    boolean isOwn(String name) {
        Header header = headers.get(name);
        return header != null && header.own;
    }

    /** Returns the methods that a class declares, or nothing if it is not part of the input. */
    List<Member> methods(String name, Predicate<MethodNode> wanted) {
        ClassNode node = name == null ? null : node(name);
        return node == null || node.name == null ? List.of()
                : node.methods.stream().filter(wanted).map(method -> new Member(node, method)).toList();
    }

    /** Whether a field is final, or of a class that is not part of the input. */
    boolean isFinal(String owner, String name) {
        ClassNode node = node(owner);
        return node == null || node.name == null || node.fields.stream()
                .allMatch(field -> !field.name.equals(name) || (field.access & Opcodes.ACC_FINAL) != 0);
    }

    /** Whether a class is that of a Scala object. */
    boolean isSingleton(String name) {
        ClassNode node = name.endsWith("$") ? node(name) : null;
        return node != null && node.name != null && node.fields.stream()
                .anyMatch(field -> field.name.equals("MODULE$") && (field.access & Opcodes.ACC_STATIC) != 0);
    }

    /** Returns the nearest superclass that is not part of the input: java/lang/Object, or a class of a library or of Spark. */
    String foreignAncestor(String name) {
        String current = name;
        while (has(current)) {
            current = headers.get(current).parent;
        }
        return current;
    }

    /** Whether a class, or a class or interface that it inherits from, satisfies a condition. */
    boolean inherits(String name, Predicate<String> wanted) {
        if (name == null) {
            return false;
        }
        if (wanted.test(name)) {
            return true;
        }
        Header header = headers.get(name);
        if (header == null) {
            return false;
        }
        return inherits(header.parent, wanted) || header.interfaces.stream().anyMatch(parent -> inherits(parent, wanted));
    }

    /** Returns the method that a class declares, or inherits from a class of the input, or null. */
    Member find(String name, String method, String descriptor) {
        ClassNode node = node(name);
        if (node == null || node.name == null) {
            return null;
        }
        for (MethodNode candidate : node.methods) {
            if (candidate.name.equals(method) && candidate.desc.equals(descriptor)
                    && (candidate.access & Opcodes.ACC_ABSTRACT) == 0) {
                return new Member(node, candidate);
            }
        }
        Member found = find(node.superName, method, descriptor);
        for (int i = 0; found == null && i < node.interfaces.size(); i++) {
            found = find(node.interfaces.get(i), method, descriptor);
        }
        return found;
    }

    /** Returns the possible targets of a virtual call: the methods of the class and of all its subclasses. */
    Collection<Member> implementations(String name, String method, String descriptor) {
        Map<MethodNode, Member> found = new LinkedHashMap<>();
        Set<String> seen = new LinkedHashSet<>();
        List<String> open = new ArrayList<>(List.of(name));
        while (!open.isEmpty()) {
            String current = open.remove(open.size() - 1);
            if (seen.add(current)) {
                ClassNode node = node(current);
                boolean made = node != null && (node.access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE)) == 0;
                Member member = made || current.equals(name) ? find(current, method, descriptor) : null;
                if (member != null) {
                    found.put(member.method, member);
                }
                open.addAll(subclasses.getOrDefault(current, List.of()));
            }
        }
        return found.values();
    }
}
