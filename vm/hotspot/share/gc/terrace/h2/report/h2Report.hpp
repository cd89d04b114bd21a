/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_REPORT_H2REPORT_HPP
#define SHARE_GC_TERRACE_H2_REPORT_H2REPORT_HPP

#include "gc/shared/gcVMOperations.hpp"
#include "gc/terrace/h2/report/h2Usage.hpp"
#include "memory/allStatic.hpp"

class JavaThread;
class outputStream;

// The report that jcmd Terrace.h2 prints.
class H2Report : public AllStatic {
  friend class VM_H2ReportObjects;

  // Reduces the usage to the max_labels largest labels.
  static void print_tables(outputStream* out, H2Usage& usage, int max_labels);

 public:
  static void print(outputStream* out, int max_labels, JavaThread* thread);
};

// Prints the same report after a collection that found all garbage, with additional facts from a
// walk over the objects.
class VM_H2ReportObjects : public VM_GC_HeapInspection {
  outputStream* const _out;
  const int           _max_labels;

  void collect_and_mark_through();

 public:
  VM_H2ReportObjects(outputStream* out, int max_labels) :
    VM_GC_HeapInspection(out, true), _out(out), _max_labels(max_labels) {}

  virtual void doit();
};

#endif // SHARE_GC_TERRACE_H2_REPORT_H2REPORT_HPP
