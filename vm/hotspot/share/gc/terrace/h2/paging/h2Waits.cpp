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
#include "gc/terrace/h2/base/h2Statistics.hpp"
#include "gc/terrace/h2/base/h2ThreadState.hpp"
#include "gc/terrace/h2/paging/h2FaultAddress.hpp"
#include "gc/terrace/h2/paging/h2ReadModes.hpp"
#include "gc/terrace/h2/paging/h2Waits.hpp"
#include "gc/terrace/h2/space/h2Heap.hpp"
#include "gc/terrace/h2/space/h2LabelSpans.inline.hpp"
#include "gc/terrace/h2/space/h2Range.hpp"
#include "logging/log.hpp"
#include "runtime/mutexLocker.hpp"
#include "runtime/os.hpp"
#include "runtime/osThread.hpp"
#include "runtime/thread.inline.hpp"
#include "runtime/threadSMR.hpp"

static const jlong IntervalMillis = 50;
// The interval while H2 is empty.
static const jlong EmptyIntervalMillis = 1000;
// The number of samples after the last major fault. A fault is counted only when it is over.
static const int SamplesAfterFault = 20;
// The maximum number of threads to check per sample. Each check reads a file in /proc.
static const uint MaxThreads = 64;
// The maximum number of attempts to interrupt a thread. They fail until its page has arrived.
static const int  MaxAttempts = 20;
// Programs may use very many labels. The time of labels beyond this number counts only in the sum.
static const size_t MaxLabels = 64 * 1024;
static const jlong PauseNanos = NANOSECS_PER_MILLISEC;

H2Waits* H2Waits::_instance = NULL;

H2Waits::H2Waits() :
  _lock(new Mutex(Mutex::leaf, "H2Waits_lock", true, Mutex::_safepoint_check_never)), _nanos(new H2LabelMap<jlong>()),
  _monitor(new Monitor(Mutex::leaf, "H2Waits monitor", true, Monitor::_safepoint_check_never)), _first(0),
  _random((uint)os::javaTimeNanos()) {
  set_name("H2 Waits");
  create_and_start();
}

void H2Waits::start() {
  if (!H2ThreadState::is_known()) {
    log_info(gc, h2)("Waits for pages are not known: /proc does not say which threads are asleep");
    return;
  }
  H2Waits* const waits = new H2Waits();
  if (waits->osthread() == NULL) {
    log_warning(gc, h2)("Waits for pages are not known: no thread could be created");
    return;
  }
  _instance = waits;
}

static bool is_empty() {
  return H2Heap::heap().free_count() == H2Heap::region_count();
}

bool H2Waits::wait_for_next() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  if (!should_terminate()) {
    ml.wait(is_empty() ? EmptyIntervalMillis : IntervalMillis);
  }
  return !should_terminate();
}

void H2Waits::stop_service() {
  MonitorLocker ml(_monitor, Mutex::_no_safepoint_check_flag);
  ml.notify();
}

void H2Waits::run_service() {
  jlong last = os::javaTimeNanos();
  jlong last_faults = 0;
  int samples = 0;
  while (wait_for_next()) {
    const jlong now = os::javaTimeNanos();
    const jlong faults = H2ThreadState::major_faults();
    samples = faults != last_faults ? SamplesAfterFault : MAX2(samples - 1, 0);
    last_faults = faults;
    H2ReadModes::of_h2().look();
    if (samples > 0 && !is_empty()) {
      // The time is limited, because it is longer if this thread waited for a processor or for
      // the end of a pause. In a pause the program does not wait for pages.
      sample(MIN2(now - last, 2 * IntervalMillis * NANOSECS_PER_MILLISEC));
    }
    last = now;
  }
}

static bool may_wait_for_page(const JavaThread* thread) {
  const JavaThreadState state = thread->thread_state();
  return state != _thread_blocked && state != _thread_new && thread->osthread() != NULL &&
         !thread->is_hidden_from_external_view() && !thread->is_exiting();
}

void H2Waits::sample(jlong nanos) {
  ThreadsListHandle threads;
  const uint count = threads.length();
  uint looked_at = 0;
  uint waiting = 0;
  uint passed = 0;
  JavaThread* chosen = NULL;
  uintptr_t chosen_pc = 0;
  for (; passed < count && looked_at < MaxThreads; passed++) {
    JavaThread* const thread = threads.list()->thread_at((_first + passed) % count);
    if (!may_wait_for_page(thread)) {
      continue;
    }
    looked_at++;
    uintptr_t pc;
    if (H2ThreadState::waits_for_page(thread->osthread()->thread_id(), &pc)) {
      waiting++;
      _random = (uint)os::next_random(_random);
      if (_random % waiting == 0) {
        chosen = thread;
        chosen_pc = pc;
      }
    }
  }
  _first += passed;
  if (chosen != NULL) {
    // The same fraction of the other threads is assumed to wait.
    resolve(chosen, chosen_pc, nanos * waiting * count / passed);
  }
}

class H2FindOperand : public os::SuspendedThreadTask {
  const uintptr_t _pc;
  bool            _interrupted;
  bool            _is_same;
  int             _count;
  uintptr_t       _operands[2];

 public:
  H2FindOperand(JavaThread* thread, uintptr_t pc) :
    os::SuspendedThreadTask(thread), _pc(pc), _interrupted(false), _is_same(false), _count(0) {}

  bool interrupted() const             { return _interrupted; }
  // Whether the thread was still at the instruction.
  bool is_same() const                 { return _is_same; }

  // The thread may hold any lock, so this function must not take one.
  virtual void do_task(const os::SuspendedThreadTaskContext& context) {
    _interrupted = true;
    _is_same = H2FaultAddress::pc_of(context.ucontext()) == _pc;
    if (_is_same) {
      _count = H2FaultAddress::operands_of(context.ucontext(), _operands);
    }
  }

  // Returns the operand that is an address in H2, or NULL.
  const void* address() const {
    for (int i = 0; i < _count; i++) {
      const void* const p = (const void*)_operands[i];
      if (H2Range::contains(p) && H2Heap::index_of(p) < H2Heap::heap().committed_count()) {
        return H2Heap::head_of(p)->is_head() ? p : NULL;
      }
    }
    return NULL;
  }
};

// Native code that has continued meanwhile may be in a system call, and may not handle the
// interruption of that call by a signal.
static bool is_elsewhere_in_native(const JavaThread* thread, uintptr_t pc) {
  const JavaThreadState state = thread->thread_state();
  uintptr_t still;
  return state != _thread_in_Java && state != _thread_in_vm &&
         !(H2ThreadState::waits_for_page(thread->osthread()->thread_id(), &still) && still == pc);
}

void H2Waits::resolve(JavaThread* thread, uintptr_t pc, jlong nanos) {
  for (int i = 0; i < MaxAttempts && !should_terminate(); i++) {
    jlong label = 0;
    jlong region_label = 0;             // a region is read in one mode, even if it is shared
    const void* address = NULL;
    MemRegion used;
    H2FindOperand task(thread, pc);
    {
      // Excludes other samplers, safepoints and thread exits until the thread is interrupted, for
      // at most two milliseconds.
      MutexLocker ml(Threads_lock);
      ThreadsListHandle threads;
      if (!threads.includes(thread) || !H2ThreadState::is_signal_of_vm() || is_elsewhere_in_native(thread, pc)) {
        break;
      }
      task.run();
      address = task.address();
      if (address != NULL) {
        const H2Region* const r = H2Heap::head_of(address);
        label = H2LabelSpans::label_at(r, address);
        region_label = r->label();
        used = MemRegion(H2Heap::bottom_of(r), r->top());
      }
    }
    if (task.interrupted()) {
      if (address != NULL) {
        add(label, nanos);
        H2ReadModes::of_h2().waited(address, used, region_label);
      } else if (!task.is_same()) {
        break;
      }
      return;
    }
    // Other threads can take the lock meanwhile.
    os::naked_short_nanosleep(PauseNanos);
  }
  H2Statistics::add(H2Statistics::UnplacedWaitNanos, nanos);
}

void H2Waits::add(jlong label, jlong nanos) {
  H2Statistics::add(H2Statistics::WaitNanos, nanos);
  MutexLocker ml(_lock, Mutex::_no_safepoint_check_flag);
  if (_nanos->count() < MaxLabels || _nanos->contains(label)) {
    *_nanos->put_if_absent(label, 0) += nanos;
  }
}

jlong H2Waits::nanos_of(jlong label) {
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  const jlong* const nanos = _instance->_nanos->get(label);
  return nanos == NULL ? 0 : *nanos;
}

void H2Waits::labels(GrowableArray<Label>* result) {
  if (!is_active()) {
    return;
  }
  MutexLocker ml(_instance->_lock, Mutex::_no_safepoint_check_flag);
  _instance->_nanos->each_do([=](jlong label, jlong nanos) {
    const Label l = { label, nanos };
    result->append(l);
  });
}
