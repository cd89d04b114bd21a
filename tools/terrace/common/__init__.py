# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""What more than one package needs: paths, steps and failures, Maven, system packages, this machine, logs of collections."""
