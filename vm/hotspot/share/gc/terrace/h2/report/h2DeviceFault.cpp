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
#include "gc/terrace/h2/liveness/marking/h2DeepMarking.hpp"
#include "gc/terrace/h2/report/h2DeviceFault.hpp"
#include "gc/terrace/h2/space/h2LiveMap.hpp"
#include "gc/terrace/h2/space/h2Marks.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/h2/space/storage/h2File.hpp"
#include "gc/terrace/h2/space/storage/h2Storage.hpp"
#include "utilities/vmError.hpp"

void H2DeviceFault::check(Thread* thread, int sig, address pc, void* siginfo, void* context) {
  const void* const failed = H2File::failed_address(sig, siginfo);
  if (failed != NULL && (H2Range::contains(failed) || H2DeepMarking::is_in_marks(failed) ||
                         H2LiveMap::of_h2().marks().contains(failed))) {
    VMError::report_and_die(thread, sig, pc, siginfo, context,
                            "H2: %s: the device could not deliver or store a page. "
                            "Check its free space, the device and its kernel messages", H2Storage::of_h2().flag());
  }
}
