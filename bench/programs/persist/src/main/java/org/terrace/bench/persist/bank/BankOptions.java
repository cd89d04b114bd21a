// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.nio.file.Path;
import java.util.List;

/**
 * The kind, level, folder and size of a bank to open.
 *
 * @param logBytes size of a redo log
 */
record BankOptions(Bank.Kind kind, Bank.Level level, Path folder, Scale scale, long logBytes) {

    BankOptions {
        if (!kind.has(level)) {
            throw new IllegalArgumentException(kind + " has no level " + level);
        }
    }

    BankOptions with(Bank.Kind other, Bank.Level otherLevel) {
        return new BankOptions(other, otherLevel, folder, scale, logBytes);
    }

    /** Returns the arguments for a command line. */
    List<String> words() {
        return List.of(kind.name(), level.name(), folder.toString(), "" + scale.accounts(), "" + scale.accountsOfBranch(),
                "" + logBytes);
    }

    static BankOptions parse(String... words) {
        return new BankOptions(Bank.Kind.valueOf(words[0]), Bank.Level.valueOf(words[1]), Path.of(words[2]),
                new Scale(Integer.parseInt(words[3]), Integer.parseInt(words[4])), Long.parseLong(words[5]));
    }
}
