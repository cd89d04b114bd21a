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
#include "gc/terrace/h2/base/h2Calls.hpp"
#include "logging/log.hpp"

#include <errno.h>

static TerraceCalls::Rule rules[] = {
#define H2_CALL_RULE(name, error) { #name, error, 0, false, 0 },
  H2_CALLS(H2_CALL_RULE)
#undef H2_CALL_RULE
};

STATIC_ASSERT(H2Calls::PlaceCount <= 64);

TerraceCalls H2Calls::_calls("terrace.h2.failCall", rules, PlaceCount);

bool H2Calls::fails_now(Place place) {
  if (!_calls.is_due(place)) {
    return false;
  }
  log_info(gc, h2)("Made to fail: %s", _calls.name(place));
  errno = _calls.error(place);
  return true;
}
