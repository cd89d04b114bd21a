// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.terrace.persist.PersistentObject;

/** A step in the build of the tests that transforms a copy of the model's classes. Arguments: the classes, the copy. */
public final class ModelBuild {
    private ModelBuild() {
    }

    public static void main(String[] args) throws Exception {
        Path from = Path.of(args[0]);
        Path to = Path.of(args[1]);
        copy(from, to);
        Path library = Path.of(PersistentObject.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        new FolderTransformer(List.of(to), List.of(library), Set.of("org.terrace.persist.transform.model.Listed"),
                warning -> { }).transform();
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
