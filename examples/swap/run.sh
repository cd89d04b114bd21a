#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
# A key-value service under G1 with a quarter of its heap in memory and the remainder in swap: on OpenJDK and on Terrace with far memory.
# Needs root and a checkout with build/jdk. Makes a control group and a swap file, leaves 4 GB of memory and disk free, and removes both at
# the end, also when it is interrupted. Takes two minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" != 0 ]; then
    echo "run.sh: control groups and swap need root: sudo $0" >&2
    exit 1
fi
exec timeout --kill-after=60 1200 "$root/terrace" bench far --quick --only keyvalue --side stock,far --out "$root/build/examples/swap"
