#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
# Runs a key-value service under G1 on OpenJDK and on Terrace with far memory. A quarter of its heap is in memory, and the rest in swap.
# Needs root and a checkout with build/jdk. Makes a control group and a swap file, and removes both at the end, also when it is interrupted.
# Leaves 4 GB of memory and disk free. Takes two minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" != 0 ]; then
    echo "run.sh: control groups and swap need root: sudo $0" >&2
    exit 1
fi
exec timeout --kill-after=60 1200 "$root/terrace" bench far --quick --only keyvalue --side stock,far --out "$root/build/examples/swap"
