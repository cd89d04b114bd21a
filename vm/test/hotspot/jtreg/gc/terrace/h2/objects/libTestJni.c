// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// The native methods of TestJni. A jlong is a global or weak global reference.

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_gc_terrace_h2_objects_TestJni_##name

static jobject reference(jlong value) {
  return (jobject)(intptr_t)value;
}

// Returns false with an exception pending.
static jboolean run(JNIEnv* env, jobject runnable) {
  jclass type = (*env)->GetObjectClass(env, runnable);
  jmethodID method = (*env)->GetMethodID(env, type, "run", "()V");
  if (method == NULL) {
    return JNI_FALSE;
  }
  (*env)->CallVoidMethod(env, runnable, method);
  return !(*env)->ExceptionCheck(env);
}

// --- references ---

NATIVE(jlong, global)(JNIEnv* env, jclass self, jobject object) {
  return (jlong)(intptr_t)(*env)->NewGlobalRef(env, object);
}

NATIVE(jlong, weakGlobal)(JNIEnv* env, jclass self, jobject object) {
  return (jlong)(intptr_t)(*env)->NewWeakGlobalRef(env, object);
}

NATIVE(void, deleteGlobal)(JNIEnv* env, jclass self, jlong global) {
  (*env)->DeleteGlobalRef(env, reference(global));
}

NATIVE(void, deleteWeakGlobal)(JNIEnv* env, jclass self, jlong weak) {
  (*env)->DeleteWeakGlobalRef(env, (jweak)reference(weak));
}

NATIVE(jobject, resolve)(JNIEnv* env, jclass self, jlong either) {
  return (*env)->NewLocalRef(env, reference(either));
}

NATIVE(jboolean, isSame)(JNIEnv* env, jclass self, jlong one, jlong other) {
  return (*env)->IsSameObject(env, reference(one), reference(other));
}

NATIVE(jobjectArray, holdLocals)(JNIEnv* env, jclass self, jobjectArray objects, jobject between) {
  const jsize count = (*env)->GetArrayLength(env, objects);
  jobject* const locals = malloc(count * sizeof(jobject));
  if (locals == NULL || (*env)->PushLocalFrame(env, count + 8) != JNI_OK) {
    free(locals);
    return NULL;
  }
  for (jsize i = 0; i < count; i++) {
    locals[i] = (*env)->GetObjectArrayElement(env, objects, i);
  }
  jobjectArray result = NULL;
  if (run(env, between)) {
    result = (*env)->NewObjectArray(env, count, (*env)->FindClass(env, "java/lang/Object"), NULL);
    for (jsize i = 0; i < count && !(*env)->ExceptionCheck(env); i++) {
      (*env)->SetObjectArrayElement(env, result, i, locals[i]);
    }
  }
  free(locals);
  return (*env)->PopLocalFrame(env, result);
}

// --- new objects, and stores of them ---

NATIVE(jobject, make)(JNIEnv* env, jclass self, jclass type, jint id) {
  jmethodID constructor = (*env)->GetMethodID(env, type, "<init>", "(I)V");
  return constructor == NULL ? NULL : (*env)->NewObject(env, type, constructor, id);
}

NATIVE(void, storeInField)(JNIEnv* env, jclass self, jobject node, jint id) {
  jclass type = (*env)->GetObjectClass(env, node);
  jfieldID next = (*env)->GetFieldID(env, type, "next", "Ljava/lang/Object;");
  jobject made = next == NULL ? NULL : Java_gc_terrace_h2_objects_TestJni_make(env, self, type, id);
  if (made != NULL) {
    (*env)->SetObjectField(env, node, next, made);
  }
}

NATIVE(void, storeInElement)(JNIEnv* env, jclass self, jobjectArray array, jint index, jclass type, jint id) {
  jobject made = Java_gc_terrace_h2_objects_TestJni_make(env, self, type, id);
  if (made != NULL) {
    (*env)->SetObjectArrayElement(env, array, index, made);
  }
}

NATIVE(jobject, getShared)(JNIEnv* env, jclass self, jclass type) {
  jfieldID shared = (*env)->GetStaticFieldID(env, type, "shared", "Ljava/lang/Object;");
  return shared == NULL ? NULL : (*env)->GetStaticObjectField(env, type, shared);
}

NATIVE(void, setShared)(JNIEnv* env, jclass self, jclass type, jobject value) {
  jfieldID shared = (*env)->GetStaticFieldID(env, type, "shared", "Ljava/lang/Object;");
  if (shared != NULL) {
    (*env)->SetStaticObjectField(env, type, shared, value);
  }
}

// --- arrays ---

NATIVE(void, addToElements)(JNIEnv* env, jclass self, jintArray array, jint summand, jboolean discard,
                            jobject between) {
  jint* const elements = (*env)->GetIntArrayElements(env, array, NULL);
  if (elements != NULL) {
    const jsize length = (*env)->GetArrayLength(env, array);
    run(env, between);
    for (jsize i = 0; i < length; i++) {
      elements[i] += summand;
    }
    (*env)->ReleaseIntArrayElements(env, array, elements, discard ? JNI_ABORT : 0);
  }
}

static volatile int is_held = 0;
static volatile int is_transfer_asked_for = 0;

NATIVE(jboolean, isHeld)(JNIEnv* env, jclass self) {
  return is_held;
}

NATIVE(void, askingForTransfer)(JNIEnv* env, jclass self) {
  is_transfer_asked_for = 1;
}

NATIVE(jboolean, fillDuringTransfer)(JNIEnv* env, jclass self, jintArray array, jint first) {
  const jsize length = (*env)->GetArrayLength(env, array);
  is_transfer_asked_for = 0;
  jint* const elements = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
  if (elements == NULL) {
    return JNI_FALSE;
  }
  is_held = 1;
  for (int tenths = 0; tenths < 600 && !is_transfer_asked_for; tenths++) {
    usleep(100 * 1000);
  }
  // Gives the transfer time to begin if nothing prevents it.
  sleep(1);
  // If the array had moved, it would not receive these values.
  for (jsize i = 0; i < length; i++) {
    elements[i] = first + i;
  }
  is_held = 0;
  (*env)->ReleasePrimitiveArrayCritical(env, array, elements, 0);
  return is_transfer_asked_for;
}

// --- monitors ---

NATIVE(void, enter)(JNIEnv* env, jclass self, jobject object) {
  (*env)->MonitorEnter(env, object);
}

NATIVE(void, exit)(JNIEnv* env, jclass self, jobject object) {
  (*env)->MonitorExit(env, object);
}
