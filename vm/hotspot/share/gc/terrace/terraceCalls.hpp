/*
 * Copyright (c) 2026, the Terrace authors.
 * DO NOT ALTER OR REMOVE COPYRIGHT NOTICES OR THIS FILE HEADER.
 *
 * This code is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License version 2 only, as
 * published by the Free Software Foundation, with the Classpath exception
 * described in the LICENSE file that accompanied this code.
 */

#ifndef SHARE_GC_TERRACE_TERRACECALLS_HPP
#define SHARE_GC_TERRACE_TERRACECALLS_HPP

#include "utilities/globalDefinitions.hpp"

// Simulates failures of system calls for tests. They are requested by the property
//
//   -D<property>=NAME:N[+][:ERRNO][,...]
//
// and need -XX:+UnlockDiagnosticVMOptions. The call with the number N at the place NAME fails. With + all later
// calls fail, too. Each place has at most one rule.
class TerraceCalls {
 public:
  struct Rule {
    const char*    name;
    int            error;
    unsigned long  first;         // 0 if the place has no rule
    bool           later_ones;
    volatile uintx count;
  };

 private:
  const char* const _property;
  Rule* const       _rules;
  const int         _count;

  const char* parse(const char* text);

 public:
  constexpr TerraceCalls(const char* property, Rule* rules, int count) :
    _property(property), _rules(rules), _count(count) {}

  // Returns NULL, or an error message about the property.
  const char* initialize();

  bool has_rule(int place) const    { return _rules[place].first != 0; }
  // Counts a call at a place that has a rule, and returns whether it must fail.
  bool is_due(int place);
  const char* name(int place) const { return _rules[place].name; }
  int error(int place) const        { return _rules[place].error; }
};

#endif // SHARE_GC_TERRACE_TERRACECALLS_HPP
