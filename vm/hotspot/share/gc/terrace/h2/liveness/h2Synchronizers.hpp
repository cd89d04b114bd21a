/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_LIVENESS_H2SYNCHRONIZERS_HPP
#define SHARE_GC_TERRACE_H2_LIVENESS_H2SYNCHRONIZERS_HPP

#include "memory/allStatic.hpp"
#include "utilities/bitMap.hpp"
#include "utilities/globalDefinitions.hpp"

class Klass;
class ObjectClosure;

// Records where in H2 the ownable synchronizers are (instances of subclasses of
// java.util.concurrent.locks.AbstractOwnableSynchronizer). A thread dump with locks
// searches for the owned ones, and must not read all of H2 for that.
//
// Each region that contains a synchronizer has a bitmap with one bit per card. The bit tells
// whether a synchronizer may begin on that card. Transfers and evacuations set bits, and freeing
// the region drops the bitmap. It takes 4 KB for a region of 16 MB, independent of the number of
// synchronizers.
//
// An owner is a thread, and threads stay in H1. An owned synchronizer therefore lies on
// a card that is not clean, and pages with other synchronizers need not be read.
class H2Synchronizers : public AllStatic {
  static BitMap::bm_word_t* volatile* _cards;   // by region, NULL if it contains no synchronizer

  static BitMap::idx_t cards_per_region();
  static BitMap::bm_word_t* make_cards(uint index);

 public:
  static void initialize(uint region_count);

  static bool is_one(const Klass* k);
  // A synchronizer is being copied to this address. Called by any number of workers.
  static void add(const HeapWord* obj);
  static void closed(uint index);

  static bool may_begin_on_card_of(const HeapWord* obj);
  // Applies cl to the objects of H1, and to each synchronizer of H2 that a thread may own, at a safepoint. Returns
  // false if k is not the class of synchronizers. Called for a thread dump with locks.
  static bool find(const Klass* k, ObjectClosure* cl);
  // Applies cl to each synchronizer that a thread may own, at a safepoint.
  static void maybe_owned_do(ObjectClosure* cl);
};

#endif // SHARE_GC_TERRACE_H2_LIVENESS_H2SYNCHRONIZERS_HPP
