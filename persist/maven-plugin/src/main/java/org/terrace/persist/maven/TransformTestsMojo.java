// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.maven;

import java.io.File;
import java.util.List;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Transforms the test classes that are persistent or use fields of persistent classes. */
@Mojo(name = "transform-tests", defaultPhase = LifecyclePhase.PROCESS_TEST_CLASSES,
        requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public class TransformTestsMojo extends TransformMojo {
    @Parameter(defaultValue = "${project.build.testOutputDirectory}")
    File testClassesDirectory;

    @Parameter(defaultValue = "${project.testClasspathElements}", readonly = true)
    List<String> testClassPath;

    @Override
    File classesDirectory() {
        return testClassesDirectory;
    }

    @Override
    List<String> classPath() {
        return testClassPath;
    }
}
