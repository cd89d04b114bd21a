// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.List;

/** Classes cannot be transformed. The message has one line for each reason, with file and line number. */
public final class TransformException extends Exception {
    private static final long serialVersionUID = 1;

    TransformException(List<String> reasons) {
        super(String.join("\n", reasons));
    }
}
