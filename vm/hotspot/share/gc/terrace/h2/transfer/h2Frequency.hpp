/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_TRANSFER_H2FREQUENCY_HPP
#define SHARE_GC_TERRACE_H2_TRANSFER_H2FREQUENCY_HPP

#include "utilities/globalDefinitions.hpp"

// Whether major collections follow each other so closely that transfers should move
// more. If the live data stays just below the high threshold, collections free little
// and move nothing. If each transfer ends at the low threshold, a heap that is small
// for its program is full again soon. Both cost a major collection each time.
//
// A collection is frequent if the one before took more than H2OverheadThreshold
// percent of the time since that one began (H2TransferPolicy uses this). Only
// collections that an allocation needs count.
class H2Frequency {
  jlong _start;
  jlong _last_end;
  jlong _last_nanos;
  uint  _in_a_row;
  bool  _counts;                   // whether the current collection counts

 public:
  H2Frequency() : _start(0), _last_end(0), _last_nanos(0), _in_a_row(0), _counts(false) {}

  // Called around a major collection.
  void begin_collection();
  void end_collection();

  // The frequent collections in a row, up to this one. 0 if this one is not frequent, or does not count.
  uint in_a_row() const           { return _counts ? _in_a_row : 0; }
};

#endif // SHARE_GC_TERRACE_H2_TRANSFER_H2FREQUENCY_HPP
