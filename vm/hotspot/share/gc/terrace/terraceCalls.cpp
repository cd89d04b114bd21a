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
#include "gc/terrace/terraceCalls.hpp"
#include "runtime/arguments.hpp"
#include "runtime/atomic.hpp"
#include "runtime/globals.hpp"
#include "utilities/formatBuffer.hpp"
#include "utilities/ostream.hpp"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const unsigned long MaxErrno = 4095;

// Returns the end of the number, or NULL if there is none or it is too large.
static const char* parse_number(const char* text, unsigned long* result) {
  char* end;
  errno = 0;
  *result = strtoul(text, &end, 10);
  return isdigit((unsigned char)*text) && errno == 0 ? end : NULL;
}

// Returns the end of the rule, or NULL if it is invalid.
const char* TerraceCalls::parse(const char* text) {
  const size_t length = strcspn(text, ":");
  int i = 0;
  while (i < _count && (strncmp(_rules[i].name, text, length) != 0 || _rules[i].name[length] != 0)) {
    i++;
  }
  if (i == _count || text[length] != ':') {
    return NULL;
  }
  Rule& rule = _rules[i];
  const char* end = parse_number(text + length + 1, &rule.first);
  rule.later_ones = end != NULL && *end == '+';
  end += rule.later_ones ? 1 : 0;
  if (end != NULL && *end == ':') {
    unsigned long error;
    end = parse_number(end + 1, &error);
    rule.error = end == NULL || error > MaxErrno ? 0 : (int)error;
  }
  return end != NULL && rule.first > 0 && rule.error > 0 ? end : NULL;
}

const char* TerraceCalls::initialize() {
  const char* const value = Arguments::get_property(_property);
  if (value == NULL) {
    return NULL;
  }
  stringStream text;
  if (!UnlockDiagnosticVMOptions) {
    text.print("%s is for tests: it needs -XX:+UnlockDiagnosticVMOptions", _property);
    return text.as_string(true);               // threads do not exist yet
  }
  const char* end = parse(value);
  while (end != NULL && *end == ',') {
    end = parse(end + 1);
  }
  if (end != NULL && *end == 0) {
    return NULL;
  }
  text.print("%s=%.80s: must be NAME:N, NAME:N+, NAME:N:ERRNO or NAME:N+:ERRNO, or several, with commas; the names are",
             _property, value);
  for (int i = 0; i < _count; i++) {
    text.print(" %s", _rules[i].name);
  }
  return text.as_string(true);
}

bool TerraceCalls::is_due(int place) {
  Rule& rule = _rules[place];
  const uintx number = Atomic::add(&rule.count, (uintx)1);
  return number == rule.first || (rule.later_ones && number > rule.first);
}
