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
#include "gc/shared/concurrentGCThread.hpp"
#include "gc/terrace/terrace_globals.hpp"
#include "gc/terrace/terraceFlags.hpp"
#include "gc/terrace/threads/gangBinding.hpp"
#include "logging/log.hpp"
#include "runtime/atomic.hpp"
#include "runtime/orderAccess.hpp"
#include "runtime/os.hpp"
#include "runtime/semaphore.hpp"
#include "runtime/thread.hpp"

GangBinding* volatile GangBinding::_first = NULL;
GangBinding::Watcher* GangBinding::_watcher = NULL;

// The thread that binds GC threads. It cannot be a task of the VM's periodic thread, because gangs are created
// under locks that forbid to enroll one. The coordinator of a task wakes it by a semaphore, because that may happen
// at a safepoint. So the thread sleeps while no collection runs.
class GangBinding::Watcher : public ConcurrentGCThread {
  static const jlong Interval = 100;    // milliseconds

  Semaphore    _wake;
  volatile int _is_waiting;

  static bool has_new_task() {
    for (GangBinding* b = Atomic::load_acquire(&_first); b != NULL; b = b->_next) {
      if (b->has_new_task()) {
        return true;
      }
    }
    return false;
  }

  // A task that begins meanwhile is either found here, or raises the semaphore.
  void await_task() {
    Atomic::store(&_is_waiting, 1);
    OrderAccess::fence();
    if ((!has_new_task() && !should_terminate()) || Atomic::cmpxchg(&_is_waiting, 1, 0) != 1) {
      _wake.wait();
    }
  }

 protected:
  virtual void run_service() {
    while (!should_terminate()) {
      await_task();
      os::naked_short_sleep(Interval);
      for (GangBinding* b = Atomic::load_acquire(&_first); b != NULL; b = b->_next) {
        b->look();
      }
    }
  }
  virtual void stop_service()           { wake(); }

 public:
  Watcher() : _wake(0), _is_waiting(0) {
    set_name("GC Binding");
    create_and_start(NormPriority);
  }

  void wake() {
    if (Atomic::load(&_is_waiting) != 0 && Atomic::cmpxchg(&_is_waiting, 1, 0) == 1) {
      _wake.signal();
    }
  }
};

static bool mode_is(const char* mode) {
  return strcmp(TerraceFlags::text(GCThreadBinding), mode) == 0;
}

bool GangBinding::is_valid() {
  return mode_is("none") || mode_is("static") || mode_is("dynamic");
}

bool GangBinding::is_requested() {
  return !mode_is("none");
}

void GangBinding::begin_task() {
  Atomic::store(&_tasks, _tasks + 1);
  OrderAccess::fence();
  _watcher->wake();
}

void GangBinding::free_child() {
  const GangBinding* const binding = Atomic::load_acquire(&_first);
  const ::Thread* const thread = ::Thread::current_or_null_safe();
  if (binding != NULL && thread != NULL && thread->is_Worker_thread()) {
    Processors::restrict(0, binding->_allowed);      // if this fails, the program runs on the current processors
  }
}

GangBinding* GangBinding::create(const char* gang, uint max_threads) {
  if (!is_requested()) {
    return NULL;
  }
  const bool is_dynamic = mode_is("dynamic");
  jlong run, wait;
  // Test the call as look() uses it. In a pid namespace with /proc of another one, thread numbers mean other
  // threads. Some kernels have the file but do not count.
  if (is_dynamic && (!Processors::run_and_wait((int)os::current_thread_id(), run, wait) || run + wait == 0)) {
    log_warning(gc)("GCThreadBinding=dynamic: this system does not say how long threads wait for processors "
                    "(/proc/self/task/%d/schedstat); GC threads are not bound", (int)os::current_thread_id());
    return NULL;
  }
  GangBinding* const binding = new GangBinding(gang, max_threads, is_dynamic);
  if (!binding->update_processors()) {
    log_warning(gc)("GCThreadBinding=%s: cannot find out which processors may be used (%s); GC threads are not bound",
                    GCThreadBinding, os::strerror(errno));
    delete binding;
    return NULL;
  }
  log_info(gc, task)("%s: %s binding to %u processors", gang, GCThreadBinding, binding->_allowed.count());
  if (_watcher == NULL) {
    _watcher = new Watcher();
    if (_watcher->osthread() == NULL) {
      log_warning(gc)("GCThreadBinding=%s: no thread could be created that binds GC threads; they are not bound", GCThreadBinding);
    }
  }
  binding->_next = _first;
  Atomic::release_store(&_first, binding);
  return binding;
}

// In containers all process ids are similar, so the time is added.
static uint start_offset() {
  return (uint)os::current_process_id() + (uint)(os::javaTimeNanos() >> 10);
}

GangBinding::GangBinding(const char* gang, uint max_threads, bool is_dynamic) :
  _gang(gang), _max_threads(max_threads), _is_dynamic(is_dynamic),
  _placement(max_threads, is_dynamic, start_offset()), _threads(NEW_C_HEAP_ARRAY(Thread, max_threads, mtGC)),
  _tasks(0), _tasks_seen(0), _was_refused(false), _last_look(os::javaTimeNanos()), _last_process_time(Processors::process_time()),
  _last_busy(NEW_C_HEAP_ARRAY(jlong, ProcessorSet::Max, mtGC)), _next(NULL) {
  memset(_threads, 0, max_threads * sizeof(Thread));
  memset(_last_busy, 0, ProcessorSet::Max * sizeof(jlong));
}

GangBinding::~GangBinding() {
  FREE_C_HEAP_ARRAY(Thread, _threads);
  FREE_C_HEAP_ARRAY(jlong, _last_busy);
}

// Reads which processors may be used, and how much of them other programs used since the last look. The VM's own
// use is assumed to be spread evenly.
bool GangBinding::update_processors() {
  if (!Processors::allowed(0, _allowed)) {
    return false;
  }
  const uint count = _allowed.count();
  const jlong now = os::javaTimeNanos();
  const jlong process_time = Processors::process_time();
  const double elapsed = (double)MAX2(now - _last_look, (jlong)1);
  const double own = (process_time - _last_process_time) / elapsed / count;
  GCThreadPlacement::Processor* const processors = NEW_C_HEAP_ARRAY(GCThreadPlacement::Processor, count, mtGC);
  jlong* const busy = NEW_C_HEAP_ARRAY(jlong, ProcessorSet::Max, mtGC);
  const bool is_known = _is_dynamic && Processors::busy_times(busy, ProcessorSet::Max);
  uint n = 0;
  for (uint id = 0; id < ProcessorSet::Max; id++) {
    if (_allowed.contains(id)) {
      processors[n].id = (int)id;
      processors[n].others = is_known ? clamp((busy[id] - _last_busy[id]) / elapsed - own, 0.0, 1.0) : 0.0;
      n++;
    }
  }
  _placement.set_processors(processors, count);
  if (is_known) {
    memcpy(_last_busy, busy, ProcessorSet::Max * sizeof(jlong));
  }
  _last_look = now;
  _last_process_time = process_time;
  FREE_C_HEAP_ARRAY(jlong, busy);
  FREE_C_HEAP_ARRAY(GCThreadPlacement::Processor, processors);
  return true;
}

void GangBinding::enter_first(uint thread) {
  Atomic::release_store(&_threads[thread].number, (int)os::current_thread_id());
}

ProcessorSet GangBinding::wanted(uint thread) const {
  const int processor = _placement.processor(thread);
  if (processor == GCThreadPlacement::Free) {
    return _allowed;
  }
  ProcessorSet set;
  set.add((uint)processor);
  return set;
}

// Called even if nothing was decided. A change of the cpuset frees all threads, and free threads may use new
// processors.
void GangBinding::apply(uint thread) {
  const int number = _threads[thread].number;
  const ProcessorSet set = wanted(thread);
  ProcessorSet now;
  if (!Processors::allowed(number, now) || now == set) {
    return;
  }
  if (!Processors::restrict(number, set)) {
    if (!_was_refused) {
      log_warning(gc)("GCThreadBinding=%s: the system refuses processor %d to %s#%u (%s), and perhaps others; such threads are "
                      "not bound", GCThreadBinding, _placement.processor(thread), _gang, thread, os::strerror(errno));
      _was_refused = true;
    }
    _placement.set_free(thread);
    Processors::restrict(number, _allowed);
    return;
  }
  if (_placement.processor(thread) == GCThreadPlacement::Free) {
    log_debug(gc, task, thread)("%s#%u is free", _gang, thread);
  } else {
    log_debug(gc, task, thread)("%s#%u is bound to processor %d", _gang, thread, _placement.processor(thread));
  }
}

// With less work than this, the share of waiting is not meaningful.
static const jlong LeastWork = 2 * NANOSECS_PER_MILLISEC;

void GangBinding::judge(uint thread) {
  Thread& t = _threads[thread];
  jlong run, wait;
  if (!Processors::run_and_wait(t.number, run, wait)) {
    return;
  }
  const jlong work = run - t.run + wait - t.wait;
  if (work < LeastWork) {
    return;
  }
  const double wait_share = (double)(wait - t.wait) / work;
  t.run = run;
  t.wait = wait;
  const int before = _placement.processor(thread);
  if (_placement.judge(thread, wait_share) != before) {
    log_debug(gc, task, thread)("%s#%u waited for %.0f%% of %.1fms of work", _gang, thread, 100 * wait_share, work / 1e6);
  }
}

void GangBinding::look() {
  const uint tasks = _tasks;
  const bool is_new = tasks != _tasks_seen;
  _tasks_seen = tasks;
  if (!is_new || !update_processors()) {
    return;
  }
  for (uint i = 0; i < _max_threads; i++) {
    const int number = Atomic::load_acquire(&_threads[i].number);
    if (number == 0) {
      continue;
    }
    if (!_threads[i].is_placed || _placement.must_be_placed(i)) {
      _placement.place(i);
      Processors::run_and_wait(number, _threads[i].run, _threads[i].wait);
      _threads[i].is_placed = true;
    } else if (_is_dynamic) {
      judge(i);
    }
    apply(i);
  }
}
