// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.tree.AbstractInsnNode;

/** The place of a call: an instruction, perhaps inside loops that a library runs. */
record Site(Call call, int index, List<LoopVisit> loops) {

    static Site of(Call call, int index) {
        return new Site(call, index, call.loopsAt(index));
    }

    AbstractInsnNode instruction() {
        return call.code.instructions.get(index);
    }

    Site in(LoopVisit loop) {
        List<LoopVisit> all = new ArrayList<>(loops);
        all.add(loop);
        return new Site(call, index, all);
    }
}
