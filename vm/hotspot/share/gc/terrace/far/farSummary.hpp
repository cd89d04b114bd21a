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

// Tells a summary how the heap is divided, and which targets of references are marked. Targets count
// units of the object alignment from the start of the heap.
class FarTargets : public StackObj {
 public:
  static const size_t PartsPerPage = 8;

  const size_t _slots_per_part;
  const int    _log_page;              // of a page and of a region, in units of targets
  const int    _log_region;

  FarTargets(size_t slots_per_part, int log_page, int log_region) :
    _slots_per_part(slots_per_part), _log_page(log_page), _log_region(log_region) {}

  // Whether the page of the target may stand for it. Other targets are written one by one.
  virtual bool is_marked(size_t target) const = 0;
};

// The summary of a page. It describes the live objects that start on the page, so that the collector
// can mark their targets and rebuild remembered sets without reading the page. On a page inside a
// humongous array of references, it counts no object and describes the slots on the page. A
// reference consists of a slot and a target. A slot counts 4-byte units from the start of the page.
// A target counts units of the object alignment from the start of the heap.
//
// A summary also has the starts of the objects if the collector does not keep the marks of the previous
// cycle. A start counts like a target.
//
// The referents of java.lang.ref.Reference objects follow in the same form, apart from the other
// targets: marking does not mark them, but must know whether they are marked.
//
// Values are written as differences to the previous value, so a reference takes only a few bytes.
//
// Many references take less space by page. The summary then names the pages of the targets, in
// address order as runs of pages. For each region of targets it has the parts of the page, each an
// eighth of a page, that refer to the region. A page of targets stands for all marked objects that
// start on it. So targets on a page with a referent are written one by one, because their page would
// keep the referent alive.
class FarPageSummary {
  struct Reference {
    size_t slot;
    size_t target;
  };

  size_t _first_target;                // base of the first difference
  size_t _objects;
  size_t _words;
  bool   _crosses;
  bool   _refused;
  typedef GrowableArrayCHeap<Reference, mtGC> References;

  GrowableArrayCHeap<ClassLoaderData*, mtGC> _loaders;
  GrowableArrayCHeap<size_t, mtGC> _starts;
  References _references;
  References _referents;
  References _paged;                   // references that are written by page
  GrowableArrayCHeap<size_t, mtGC> _sorted; // targets or pages of the referents

  static int compare(const Reference& a, const Reference& b);
  void sort_referents(int shift);
  bool is_sorted_referent(size_t value) const;
  void write_head(GrowableArrayCHeap<u1, mtGC>& bytes, size_t references, bool has_pages) const;
  template <typename Filter>
  void select_paged(const References& references, const FarTargets& targets, BitMap& paged, Filter may_be_paged);
  void write_paged(GrowableArrayCHeap<u1, mtGC>& bytes, const References& references, const FarTargets& targets, const BitMap& paged) const;
  void write_runs(GrowableArrayCHeap<u1, mtGC>& bytes, int first, int end, size_t& page, int log_page) const;

 public:
  FarPageSummary() : _first_target(0), _objects(0), _words(0), _crosses(false), _refused(false) {}

  void reset(size_t first_target);

  void add_object(size_t words)  { _objects++; _words += words; }
  // Called for each object or for none.
  void add_start(size_t start)   { _starts.append(start); }
  // The loader keeps the classes of the page's objects alive.
  void add_loader(ClassLoaderData* loader);
  void add_reference(size_t slot, size_t target) { _references.append(Reference { slot, target }); }
  void add_referent(size_t slot, size_t target)  { _referents.append(Reference { slot, target }); }
  // Called if a slot of the last object lies on the next page.
  void set_crosses()             { _crosses = true; }
  // Called if the page cannot be summarized.
  void refuse()                  { _refused = true; }

  bool is_refused() const        { return _refused; }
  // Whether an object on the page also refers to a referent. If that object has died, marking the page
  // would keep the referent alive.
  bool keeps_referent();
  bool crosses() const           { return _crosses; }
  size_t objects() const         { return _objects; }

  void write(GrowableArrayCHeap<u1, mtGC>& bytes) const;
  void write_by_page(GrowableArrayCHeap<u1, mtGC>& bytes, const FarTargets& targets);
};

// Reads a summary. Loaders come first, then starts of objects, then references, each in the order in which they were added,
// then the pages of targets in address order. If there are referents, their references and pages
// follow.
class FarSummaryReader {
  const u1* _next;
  const size_t _first_target;
  size_t    _objects;
  size_t    _words;
  size_t    _loaders;
  size_t    _starts;
  size_t    _references;
  size_t    _slot;
  size_t    _target;
  size_t    _page;
  size_t    _parts;
  size_t    _runs;
  bool      _has_pages;
  bool      _has_referents;

  size_t read();
  void begin_references(size_t number);
  size_t read_after(size_t before);

 public:
  FarSummaryReader(const u1* bytes, size_t first_target);

  size_t objects() const    { return _objects; }
  size_t words() const      { return _words; }
  size_t references() const { return _references; }
  // Whether referents follow that were not begun yet.
  bool has_referents() const { return _has_referents; }

  // Returns NULL after the last one.
  ClassLoaderData* next_loader();
  // To be called after all loaders are read. Returns false after the last start, or if there are none.
  bool next_start(size_t& start);
  // To be called before anything is read.
  void skip_to_references();
  // To be called after all loaders and starts are read. Returns false after the last reference.
  bool next_reference(size_t& slot, size_t& target);
  // To be called after all references are read. A run of count pages from the page first contains
  // targets. The parts are a set of bits. Returns false after the last run.
  bool next_pages(size_t& first, size_t& count, size_t& parts);
  // To be called after all pages are read. Returns true if referents follow, which are then read like
  // references.
  bool begin_referents();
  // To be called after everything is read.
  const u1* end() const     { return _next; }
};

// The summaries of a region's pages in address order. A table grows until complete() is called.
class FarRegionSummaries : public CHeapObj<mtGC> {
  const size_t _pages;
  u4* const    _entries;               // twice the offset of the page's summary, plus 1 if it crosses; 0 if none
  u1*          _bytes;                 // set by complete()
  size_t       _length;
  uint         _cycle;
  bool         _open;                  // writes to the next pages are watched
  FarRegionSummaries* _next;           // in a list of FarSummaries
  GrowableArrayCHeap<u1, mtGC> _growing;

 public:
  FarRegionSummaries(size_t pages, uint cycle);
  ~FarRegionSummaries();

  // Adds a summary to a growing table. Returns false if it is larger than limit.
  bool add(size_t page, const FarPageSummary& summary, size_t limit, size_t& size);
  // Likewise, but writes the references by page if they are larger than exact_limit one by one.
  bool add(size_t page, FarPageSummary& summary, const FarTargets& targets, size_t exact_limit, size_t limit, size_t& size,
           bool& is_by_page);
  // Likewise, but copies the encoded summary of another table.
  bool copy(size_t page, const u1* start, const u1* end, bool crosses, size_t limit);
  void complete();
  void set_open(bool open)          { _open = open; }
  bool is_open() const              { return _open; }

  uint cycle() const                { return _cycle; }
  void set_cycle(uint cycle)        { _cycle = cycle; }
  FarRegionSummaries* next() const  { return _next; }
  void set_next(FarRegionSummaries* next) { _next = next; }
  size_t size_in_bytes() const      { return _length + _pages * sizeof(u4); }
  bool has(size_t page) const       { return _entries[page] != 0; }
  bool crosses(size_t page) const   { return (_entries[page] & 1) != 0; }
  const u1* bytes(size_t page) const { assert(has(page), "no summary"); return _bytes + (_entries[page] >> 1); }
  void drop(size_t page)            { _entries[page] = 0; }
  // Called if the page was written. Also drops the summary of the page before, if its last object
  // reaches here.
  void drop_written(size_t page);
};

#endif // SHARE_GC_TERRACE_FAR_FARSUMMARY_HPP
