/** TPC-B's bank, served over HTTP, killed and started again (J-NVM, section 5.3.3). */
package org.terrace.bench.persist.bank;
