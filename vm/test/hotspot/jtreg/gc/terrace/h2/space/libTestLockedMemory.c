// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

#include <errno.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Returns 0 or an error number.
JNIEXPORT jint JNICALL Java_gc_terrace_h2_space_TestLockedMemory_lockAll(JNIEnv* env, jclass self) {
  return mlockall(MCL_CURRENT) == 0 ? 0 : errno;
}

JNIEXPORT jint JNICALL Java_gc_terrace_h2_space_TestLockedMemory_unlockAll(JNIEnv* env, jclass self) {
  return munlockall() == 0 ? 0 : errno;
}

// If the library is preloaded, it locks the memory of a program before it starts.
__attribute__((constructor)) static void preloaded(void) {
  const char* const preload = getenv("LD_PRELOAD");
  if (preload != NULL && strstr(preload, "libTestLockedMemory") != NULL && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    abort();
  }
}
