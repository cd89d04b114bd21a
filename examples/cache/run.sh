#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
# Runs a Java cache with hints, which has 256 MB of values with -Xmx64m. JAVA_HOME is a Terrace JDK (default build/jdk). Takes some seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
java_home=${JAVA_HOME:-$root/build/jdk}
# A packed JDK contains the API. In a checkout it is a module.
api=$(find "$java_home/terrace" "$root/java/api/target" -name 'terrace-api-[0-9]*.jar' ! -name '*-sources.jar' ! -name '*-javadoc.jar' 2> /dev/null | head -n 1)
if [ -z "$api" ]; then
    echo "run.sh: the API is not built: mvn -f $root/java/pom.xml -pl api -DskipTests package" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$java_home/bin/javac" -cp "$api" -d "$work" "$here/Cache.java"
timeout 120 "$java_home/bin/java" -Xmx64m -XX:AllocateH2At="$work" -XX:H2Size=1g -cp "$api:$work" Cache
