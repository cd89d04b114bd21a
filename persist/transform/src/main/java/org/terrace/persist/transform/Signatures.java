// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import net.bytebuddy.jar.asm.signature.SignatureReader;
import net.bytebuddy.jar.asm.signature.SignatureVisitor;
import net.bytebuddy.jar.asm.signature.SignatureWriter;
import net.bytebuddy.jar.asm.Type;

/** Generic signatures of classes. */
final class Signatures {
    private Signatures() {
    }

    /** Replaces the superclass {@code java.lang.Object} in a signature. */
    static String withSuperclass(String signature, String superclass) {
        SignatureWriter writer = new SignatureWriter() {
            private boolean isSuperclass;

            @Override
            public SignatureVisitor visitSuperclass() {
                isSuperclass = true;
                return super.visitSuperclass();
            }

            @Override
            public void visitClassType(String name) {
                super.visitClassType(isSuperclass ? Type.getType(superclass).getInternalName() : name);
                isSuperclass = false;
            }
        };
        new SignatureReader(signature).accept(writer);
        return writer.toString();
    }
}
