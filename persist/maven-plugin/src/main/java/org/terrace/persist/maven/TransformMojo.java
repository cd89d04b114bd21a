// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;
import org.terrace.persist.transform.FolderTransformer;
import org.terrace.persist.transform.TransformException;

/** Transforms the persistent classes of a project in place. Classes that are already transformed are not changed. */
@Mojo(name = "transform", defaultPhase = LifecyclePhase.PROCESS_CLASSES, requiresDependencyResolution = ResolutionScope.COMPILE,
        threadSafe = true)
public class TransformMojo extends AbstractMojo {
    /** Directory of the class files. */
    @Parameter(defaultValue = "${project.build.outputDirectory}")
    File classesDirectory;

    /** The classes to which the class files refer. */
    @Parameter(defaultValue = "${project.compileClasspathElements}", readonly = true)
    List<String> classPath;

    /** Names of classes to transform that are not annotated with {@code @Persistent}. */
    @Parameter
    List<String> classes;

    @Parameter(property = "terrace.persist.skip", defaultValue = "false")
    boolean skip;

    File classesDirectory() {
        return classesDirectory;
    }

    List<String> classPath() {
        return classPath;
    }

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        File folder = classesDirectory();
        if (skip || !folder.isDirectory()) {
            getLog().debug(skip ? "skipped" : folder + " does not exist");
            return;
        }
        try {
            List<Path> path = classPath().stream().map(Path::of).toList();
            List<String> changed = new FolderTransformer(List.of(folder.toPath()), path,
                    classes == null ? java.util.Set.of() : new LinkedHashSet<>(classes), getLog()::warn).transform();
            getLog().info("Transformed " + changed.size() + " classes");
            changed.forEach(name -> getLog().debug(name));
        } catch (TransformException e) {
            throw new MojoFailureException("classes cannot be persistent:\n" + e.getMessage(), e);
        } catch (IOException e) {
            throw new MojoExecutionException("class files of " + folder + " cannot be read or written: " + e.getMessage(), e);
        }
    }
}
