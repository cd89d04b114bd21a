/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_FAR_FARSUMMARY_HPP
#define SHARE_GC_TERRACE_FAR_FARSUMMARY_HPP

#include "memory/allocation.hpp"
#include "utilities/globalDefinitions.hpp"
#include "utilities/growableArray.hpp"

class ClassLoaderData;

// The summary of a page: what the collector needs to know of the objects that
// start on it, to mark what they refer to and to rebuild remembered sets without
// reading the page. A reference is a slot, in units of 4 bytes from the start of
// the page, and a target, counted from the start of the heap by object alignment.
//
// A few bytes per reference: all is written as differences to what came before.
class FarPageSummary {
  struct Reference {
    size_t slot;
    size_t target;
  };

  size_t _first_target;                // differences start with it
  size_t _objects;
  size_t _words;
  bool   _crosses;
  bool   _refused;
  GrowableArrayCHeap<ClassLoaderData*, mtGC> _loaders;
  GrowableArrayCHeap<Reference, mtGC>        _references;

 public:
  FarPageSummary() : _first_target(0), _objects(0), _words(0), _crosses(false), _refused(false) {}

  void reset(size_t first_target);

  void add_object(size_t words)  { _objects++; _words += words; }
  // Its classes are needed as long as the page is in use.
  void add_loader(ClassLoaderData* loader);
  void add_reference(size_t slot, size_t target) { _references.append(Reference { slot, target }); }
  // A slot of the last object lies on the next page.
  void set_crosses()             { _crosses = true; }
  // There is something on the page that a summary cannot tell.
  void refuse()                  { _refused = true; }

  bool is_refused() const        { return _refused; }
  bool crosses() const           { return _crosses; }
  size_t objects() const         { return _objects; }

  void write(GrowableArrayCHeap<u1, mtGC>& bytes) const;
};

// Reads a summary: loaders, then references, in the order they were added.
class FarSummaryReader {
  const u1* _next;
  size_t    _objects;
  size_t    _words;
  size_t    _loaders;
  size_t    _references;
  size_t    _slot;
  size_t    _target;

  size_t read();
  size_t read_after(size_t before);

 public:
  FarSummaryReader(const u1* bytes, size_t first_target);

  size_t objects() const    { return _objects; }
  size_t words() const      { return _words; }
  size_t references() const { return _references; }

  // NULL: there are no more.
  ClassLoaderData* next_loader();
  // After the loaders. False: there are no more.
  bool next_reference(size_t& slot, size_t& target);
  // After the references.
  const u1* end() const     { return _next; }
};

// The summaries of a region's pages, in the order of addresses, as they are made.
class FarRegionSummaries : public CHeapObj<mtGC> {
  const size_t _pages;
  u4* const    _entries;               // where the page's summary starts, times 2, plus 1 if it crosses; 0: none
  u1*          _bytes;                 // when it is complete
  size_t       _length;
  uint         _cycle;
  bool         _open;                  // writes to the pages that are next are seen
  GrowableArrayCHeap<u1, mtGC> _growing;

 public:
  FarRegionSummaries(size_t pages, uint cycle);
  ~FarRegionSummaries();

  // While it is made. True: there is a summary of page now, at most as large as limit.
  bool add(size_t page, const FarPageSummary& summary, size_t limit, size_t& size);
  // The same, of another table: what lies between start and end.
  bool copy(size_t page, const u1* start, const u1* end, bool crosses, size_t limit);
  void complete();
  void set_open(bool open)          { _open = open; }
  bool is_open() const              { return _open; }

  uint cycle() const                { return _cycle; }
  size_t size_in_bytes() const      { return _length + _pages * sizeof(u4); }
  bool has(size_t page) const       { return _entries[page] != 0; }
  bool crosses(size_t page) const   { return (_entries[page] & 1) != 0; }
  const u1* bytes(size_t page) const { assert(has(page), "no summary"); return _bytes + (_entries[page] >> 1); }
  void drop(size_t page)            { _entries[page] = 0; }
  // The page was written: its summary, and that of a page whose last object reaches here.
  void drop_written(size_t page);
};

#endif // SHARE_GC_TERRACE_FAR_FARSUMMARY_HPP
