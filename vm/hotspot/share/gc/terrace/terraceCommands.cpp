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
#include "gc/shared/gc_globals.hpp"
#include "gc/terrace/far/g1/farMarking.hpp"
#include "gc/terrace/far/shenandoah/farShenandoahMarking.hpp"
#include "gc/terrace/h2/report/h2Report.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "gc/terrace/terraceCommands.hpp"
#include "runtime/vmThread.hpp"
#include "services/diagnosticArgument.hpp"
#include "services/diagnosticFramework.hpp"

class H2DCmd : public DCmdWithParser {
  DCmdArgument<bool>  _objects;
  DCmdArgument<jlong> _labels;

 public:
  H2DCmd(outputStream* output, bool heap) :
    DCmdWithParser(output, heap),
    _objects("-objects", "Run a major collection that marks through H2 first, so that all garbage there is found. It frees "
             "regions in which nothing is alive, so the report does not count them. Then name the largest classes of each "
             "label, and the classes in H1 whose objects refer to it. The program stands still while all of H2 is read.", "BOOLEAN", false, "false"),
    _labels("-labels", "Number of labels to show, the largest ones first.", "INT", false, "20") {
    _dcmdparser.add_dcmd_option(&_objects);
    _dcmdparser.add_dcmd_option(&_labels);
  }

  static const char* name()        { return "Terrace.h2"; }
  static const char* description() {
    return "Print what the second heap contains, label by label: how much of it is in memory or known to be garbage, "
           "and which references keep it alive.";
  }
  static const char* impact() {
    return "Low: reads tables. High with -objects: a major collection, and all of H2 is read.";
  }
  static const JavaPermission permission() {
    JavaPermission p = { "java.lang.management.ManagementPermission", "monitor", NULL };
    return p;
  }

  virtual void execute(DCmdSource source, TRAPS) {
    const jlong labels = _labels.value();
    if (H2Range::is_empty()) {
      output()->print_cr("H2 is off: start with -XX:AllocateH2At=DIR");
    } else if (labels < 1 || labels > max_jint) {
      output()->print_cr("-labels=" JLONG_FORMAT ": at least 1", labels);
    } else if (_objects.value()) {
      VM_H2ReportObjects report(output(), (int)labels);
      VMThread::execute(&report);
    } else {
      H2Report::print(output(), (int)labels, THREAD);
    }
  }
};

class FarDCmd : public DCmd {
 public:
  FarDCmd(outputStream* output, bool heap) : DCmd(output, heap) {}

  static const char* name()        { return "Terrace.far"; }
  static const char* description() {
    return "Print how much of the heap is swapped out, what concurrent cycles did about it, and which threads waited for pages.";
  }
  static const char* impact()      { return "Low: reads from the system which pages of the heap are swapped out."; }
  static const JavaPermission permission() {
    JavaPermission p = { "java.lang.management.ManagementPermission", "monitor", NULL };
    return p;
  }

  virtual void execute(DCmdSource source, TRAPS) {
    if (UseShenandoahGC) {
      FarShenandoahMarking::print_on(output(), THREAD);
    } else {
      FarMarking::print_on(output(), THREAD);
    }
  }
};

static const uint32_t everywhere = DCmd_Source_Internal | DCmd_Source_AttachAPI | DCmd_Source_MBean;

void TerraceCommands::register_all() {
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<H2DCmd>(everywhere, true, false));
  DCmdFactory::register_DCmdFactory(new DCmdFactoryImpl<FarDCmd>(everywhere, true, false));
}
