/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_H2JOURNAL_HPP
#define SHARE_GC_TERRACE_H2_H2JOURNAL_HPP

#include "memory/allStatic.hpp"
#include "utilities/globalDefinitions.hpp"

// What happened to H2 last, for org.terrace.SecondHeapEvents, which makes
// events of the flight recorder of it: native ones would need an entry in the
// metadata of the image's jdk.jfr, which is the distribution's.
//
// Written at safepoints only, so that a reader who is in the VM sees whole
// entries.
class H2Journal : public AllStatic {
 public:
  // The order is what SecondHeapEvents knows; append only.
  enum Kind { Transfer, TransferAbandoned, RegionsFreed, MarkedThrough, HighThreshold };

  struct Entry {
    jlong       id;           // 1 is the first one
    jlong       millis;       // since the epoch, when it was over
    Kind        kind;
    jlong       nanos;        // that it took
    jlong       objects;
    jlong       bytes;
    const char* reason;       // a constant, or NULL
  };

 private:
  static const int Capacity = 256;
  static Entry _entries[Capacity];
  static jlong _last_id;

 public:
  static void add(Kind kind, jlong nanos, size_t objects, size_t bytes, const char* reason = NULL);
  // The oldest entry after that one that is still known, or NULL.
  static const Entry* next(jlong id);
};

#endif // SHARE_GC_TERRACE_H2_H2JOURNAL_HPP
