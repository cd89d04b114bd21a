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
#include "runtime/flags/flagSetting.hpp"
#include "runtime/globals.hpp"
#include "unittest.hpp"

TEST_VM(TerraceCalls, may_have_more_places_than_a_word_has_bits) {
  static const int Count = 130;
  static char names[Count][8];
  static TerraceCalls::Rule rules[Count];
  for (int i = 0; i < Count; i++) {
    jio_snprintf(names[i], sizeof(names[i]), "p%d", i);
    rules[i].name = names[i];
    rules[i].error = 5;
  }
  Arguments::PropertyList_add(new SystemProperty("terrace.gtest.failCall", "p63:1,p64:2:28,p129:1+", false));
  FlagSetting diagnostic(UnlockDiagnosticVMOptions, true);
  TerraceCalls calls("terrace.gtest.failCall", rules, Count);
  ASSERT_EQ(NULL, calls.initialize());
  for (int i = 0; i < Count; i++) {
    ASSERT_EQ(i == 63 || i == 64 || i == 129, calls.has_rule(i)) << i;
  }
  ASSERT_FALSE(calls.is_due(64));
  ASSERT_TRUE(calls.is_due(64));
  ASSERT_EQ(28, calls.error(64));
  ASSERT_TRUE(calls.is_due(129));
  ASSERT_TRUE(calls.is_due(129));
  ASSERT_EQ(5, calls.error(129));
}
