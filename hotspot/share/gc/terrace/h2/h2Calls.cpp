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
#include "gc/terrace/h2/h2Calls.hpp"
#include "logging/log.hpp"
#include "runtime/arguments.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals.hpp"
#include "runtime/os.hpp"
#include "utilities/ostream.hpp"

#include <errno.h>
#include <stdlib.h>

static const char* const Property = "terrace.h2.failCall";

static struct Rule {
  const char*    name;
  int            error;
  unsigned long  first;
  bool           later_ones;
  volatile uintx count;
} rules[] = {
#define H2_CALL_RULE(name, error) { #name, error, 0, false, 0 },
  H2_CALLS(H2_CALL_RULE)
#undef H2_CALL_RULE
};

STATIC_ASSERT(H2Calls::PlaceCount <= 64);

uint64_t H2Calls::_places = 0;

// Where the rule ends, or NULL if it is none.
const char* H2Calls::parse(const char* text) {
  const size_t length = strcspn(text, ":");
  int i = 0;
  while (i < PlaceCount && (strncmp(rules[i].name, text, length) != 0 || rules[i].name[length] != 0)) {
    i++;
  }
  if (i == PlaceCount || text[length] != ':') {
    return NULL;
  }
  Rule& rule = rules[i];
  char* end;
  rule.first = strtoul(text + length + 1, &end, 10);
  rule.later_ones = *end == '+';
  end += rule.later_ones ? 1 : 0;
  if (*end == ':') {
    rule.error = (int)strtoul(end + 1, &end, 10);
  }
  _places |= (uint64_t)1 << i;
  return rule.first > 0 && rule.error > 0 ? end : NULL;
}

const char* H2Calls::initialize() {
  const char* const value = Arguments::get_property(Property);
  if (value == NULL) {
    return NULL;
  }
  if (!UnlockDiagnosticVMOptions) {
    return "terrace.h2.failCall is for tests: it needs -XX:+UnlockDiagnosticVMOptions";
  }
  const char* end = parse(value);
  while (end != NULL && *end == ',') {
    end = parse(end + 1);
  }
  if (end != NULL && *end == 0) {
    return NULL;
  }
  stringStream text;
  text.print("%s=%s: must be NAME:N, NAME:N+, NAME:N:ERRNO or NAME:N+:ERRNO, or several, with commas; the names are",
             Property, value);
  for (int i = 0; i < PlaceCount; i++) {
    text.print(" %s", rules[i].name);
  }
  return text.as_string(true);                 // there is no thread yet
}

bool H2Calls::fails_now(Place place) {
  Rule& rule = rules[place];
  const uintx number = Atomic::add(&rule.count, (uintx)1);
  if (number != rule.first && !(rule.later_ones && number > rule.first)) {
    return false;
  }
  log_info(gc, h2)("Made to fail: %s", rule.name);
  errno = rule.error;
  return true;
}
