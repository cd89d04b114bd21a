/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_BASE_H2JOURNAL_HPP
#define SHARE_GC_TERRACE_H2_BASE_H2JOURNAL_HPP

#include "utilities/globalDefinitions.hpp"

// The latest events of H2, from which org.terrace.SecondHeapEvents makes events of the flight
// recorder. Native events would need an entry in the metadata of the image's jdk.jfr, which belongs
// to the distribution.
//
// Entries are written only at safepoints, so a thread in the VM reads complete entries.
class H2Journal {
 public:
  // SecondHeapEvents relies on this order, so only append.
  enum Kind { Transfer, TransferAbandoned, RegionsFreed, MarkedThrough, HighThreshold };

  struct Entry {
    jlong       id;           // starts with 1
    jlong       millis;       // time of the end, since the epoch
    Kind        kind;
    jlong       nanos;        // duration
    jlong       objects;
    jlong       bytes;
    const char* reason;       // a constant, or NULL
  };

 private:
  static const int Capacity = 256;

  static H2Journal _of_h2;

  Entry _entries[Capacity];
  jlong _last_id;

  NONCOPYABLE(H2Journal);

 public:
  H2Journal() : _entries(), _last_id(0) {}

  static H2Journal& of_h2() { return _of_h2; }

  void add(Kind kind, jlong nanos, size_t objects, size_t bytes, const char* reason = NULL);
  // Returns the oldest retained entry after this id, or NULL.
  const Entry* next(jlong id) const;
};

#endif // SHARE_GC_TERRACE_H2_BASE_H2JOURNAL_HPP
