// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** TPC-B's bank, which is served over HTTP, killed and restarted (J-NVM, section 5.3.3). */
package org.terrace.bench.persist.bank;
