/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#include "precompiled.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.hpp"
#include "gc/terrace/h2/space/h2Region.hpp"
#include "jni.h"

// The table through which the serviceability agent (jdk/agent) reads H2 in a stopped process or a
// core file. It contains addresses of members of objects, offsets of fields, and values of constants.
class H2AgentTable : public AllStatic {
  struct Entry {
    const char* name;                   // NULL in the last entry
    uint64_t    value;
  };

  static const Entry _entries[];

 public:
  static const void* entries() { return _entries; }
};

#define H2_AGENT_MEMBER(klass, object, field) { #klass "::" #field, (uint64_t)(uintptr_t)&klass::object.field }
#define H2_AGENT_FIELD(klass, field)   { #klass "::" #field, (uint64_t)offset_of(klass, field) }
#define H2_AGENT_CONSTANT(constant)    { #constant, (uint64_t)(constant) }

const H2AgentTable::Entry H2AgentTable::_entries[] = {
  H2_AGENT_MEMBER(H2Heap, _heap, _bottom),
  H2_AGENT_MEMBER(H2Heap, _heap, _end),
  H2_AGENT_MEMBER(H2Heap, _heap, _region_words),
  H2_AGENT_MEMBER(H2Heap, _heap, _committed_count),
  H2_AGENT_MEMBER(H2Heap, _heap, _regions),
  H2_AGENT_CONSTANT(sizeof(H2Region)),
  H2_AGENT_FIELD(H2Region, _state),
  H2_AGENT_FIELD(H2Region, _head_index),
  H2_AGENT_FIELD(H2Region, _top),
  H2_AGENT_FIELD(H2Region, _marked_top),
  H2_AGENT_MEMBER(H2LiveMap, _of_h2, _marks),
  H2_AGENT_FIELD(H2Marks, _scratch),          // begins with the address of the bits
  H2_AGENT_CONSTANT(H2Marks::WordsPerBit),
  H2_AGENT_CONSTANT(H2Region::Head),
  H2_AGENT_CONSTANT(H2Region::Continuation),
  { NULL, 0 }
};

// Upstream's build exports symbols with this prefix, which is that of its own tables for the agent.
extern "C" {
  JNIEXPORT const void* gHotSpotVMTerraceH2 = H2AgentTable::entries();
}
