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
#include "gc/terrace/far/farCalls.hpp"
#include "logging/log.hpp"

#include <errno.h>

static TerraceCalls::Rule rules[] = {
#define FAR_CALL_RULE(name, error) { #name, error, 0, false, 0 },
  FAR_CALLS(FAR_CALL_RULE)
#undef FAR_CALL_RULE
};

STATIC_ASSERT(FarCalls::PlaceCount <= 64);

TerraceCalls FarCalls::_calls("terrace.far.failCall", rules, PlaceCount);

bool FarCalls::fails_now(Place place) {
  if (!_calls.is_due(place)) {
    return false;
  }
  log_info(gc, far)("Made to fail: %s", _calls.name(place));
  errno = _calls.error(place);
  return true;
}
