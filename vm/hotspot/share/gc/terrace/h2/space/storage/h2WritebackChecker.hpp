/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2WRITEBACKCHECKER_HPP
#define SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2WRITEBACKCHECKER_HPP

#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/h2/space/storage/h2Scratch.hpp"
#include "utilities/growableArray.hpp"

class Monitor;

// The thread that asks the kernel about once a second whether the writeback of pages of H2 failed.
// The pages were written by transfers, or changed by the program through the mapping. No writing
// call reports this error. Once the kernel drops such a page, H2 contains stale data. So the first
// error stops the VM.
//
// The thread also unmaps tables that a marking through H2 does not need any more. It takes long,
// because it waits for the device and frees many pages.
class H2WritebackChecker : public ConcurrentGCThread {
  typedef const char* (*ErrorOf)();

  static H2WritebackChecker* _instance;

  Monitor* _monitor;
  GrowableArray<H2Scratch> _retired;
  const ErrorOf _error_of_marks;

  H2WritebackChecker(ErrorOf error_of_marks);

  bool next_retired(H2Scratch* scratch);
  void release_retired();

 protected:
  virtual void run_service();
  virtual void stop_service();

 public:
  // error_of_marks: returns an error message if marks that are in use failed to reach the device.
  static void start(ErrorOf error_of_marks);
  static void retire(const H2Scratch& scratch);
  // Ends the VM if error is not NULL.
  static void check(const char* error);
};

#endif // SHARE_GC_TERRACE_H2_SPACE_STORAGE_H2WRITEBACKCHECKER_HPP
