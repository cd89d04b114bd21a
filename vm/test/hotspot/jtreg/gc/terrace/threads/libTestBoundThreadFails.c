// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <jni.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Returns 0 or an error number.
JNIEXPORT jint JNICALL Java_gc_terrace_threads_TestBoundThreadFails_00024Program_fail(JNIEnv* env, jclass self, jint thread) {
  return syscall(SYS_tgkill, getpid(), thread, SIGSEGV) == 0 ? 0 : errno;
}
