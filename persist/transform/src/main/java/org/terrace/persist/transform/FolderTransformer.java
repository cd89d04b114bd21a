// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Transforms the class files of folders in place. Files that are already transformed are not changed. */
public final class FolderTransformer {
    private final List<Path> folders;
    private final Set<String> listed;
    private final ClassFileLocator locator;
    private final Consumer<String> warnings;

    /**
     * @param classPath folders and jars with the classes to which the class files refer
     * @param listed names of classes without annotation in the folders that must be transformed too
     */
    public FolderTransformer(List<Path> folders, Collection<Path> classPath, Set<String> listed, Consumer<String> warnings)
            throws IOException {
        this.folders = folders;
        this.listed = listed;
        this.warnings = warnings;
        List<ClassFileLocator> locators = new ArrayList<>();
        for (Path folder : folders) {
            locators.add(new ClassFileLocator.ForFolder(folder.toFile()));
        }
        for (Path entry : classPath) {
            File file = entry.toFile();
            if (file.isDirectory()) {
                locators.add(new ClassFileLocator.ForFolder(file));
            } else if (file.isFile()) {
                locators.add(ClassFileLocator.ForJarFile.of(file));
            }
        }
        locators.add(ClassFileLocator.ForClassLoader.ofPlatformLoader());
        this.locator = new ClassFileLocator.Compound(locators);
    }

    /**
     * Transforms the folders. It writes nothing if any class is rejected. Can be called once, because it closes the jars of the
     * class path.
     *
     * @return names of the classes that were changed
     * @throws TransformException with the reasons for all classes
     */
    public List<String> transform() throws IOException, TransformException {
        try (locator) {
            return transformAll();
        }
    }

    private List<String> transformAll() throws IOException, TransformException {
        Transformer transformer = new Transformer(locator, listed, warnings);
        Map<Path, byte[]> changed = new LinkedHashMap<>();
        List<String> names = new ArrayList<>();
        List<String> errors = new ArrayList<>();
        Set<String> missing = new TreeSet<>(listed);
        for (Path folder : folders) {
            for (Path file : classFiles(folder)) {
                String name = folder.relativize(file).toString().replaceFirst("\\.class$", "").replace(File.separatorChar, '.');
                missing.remove(name);
                try {
                    byte[] after = transformer.transform(Files.readAllBytes(file));
                    if (after != null) {
                        changed.put(file, after);
                        names.add(name);
                    }
                } catch (TransformException e) {
                    errors.add(e.getMessage());
                }
            }
        }
        // The build of another folder may have transformed it.
        missing.removeIf(transformer::isTransformed);
        missing.forEach(name -> errors.add("error: class " + name + ", which is listed, is not in " + folders));
        if (!errors.isEmpty()) {
            throw new TransformException(errors);
        }
        for (Map.Entry<Path, byte[]> entry : changed.entrySet()) {
            replace(entry.getKey(), entry.getValue());
        }
        return names;
    }

    private static List<Path> classFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(".class") && !f.endsWith("module-info.class")).sorted().toList();
        }
    }

    /** Replaces the file atomically, so that an interrupted build leaves no partial class. */
    private static void replace(Path file, byte[] content) throws IOException {
        Path other = file.resolveSibling(file.getFileName() + ".transformed");
        Files.write(other, content);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
