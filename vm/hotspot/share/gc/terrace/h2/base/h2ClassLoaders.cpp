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
#include "gc/terrace/h2/base/h2ClassLoaders.hpp"

void H2ClassLoaders::make_table() {
  _table = new (ResourceObj::C_HEAP, mtGC) Table();
  for (int i = 0; i < _list.length(); i++) {
    _table->put(_list.at(i), true);
  }
}

bool H2ClassLoaders::contains(ClassLoaderData* cld) const {
  return _table != NULL ? _table->contains(cld) : _list.contains(cld);
}

bool H2ClassLoaders::add(ClassLoaderData* cld) {
  if (contains(cld)) {
    return false;
  }
  _list.append(cld);
  if (_table != NULL) {
    _table->put(cld, true);
  } else if (_list.length() > ManyCount) {
    make_table();
  }
  return true;
}

void H2ClassLoaders::truncate(int length) {
  if (length < _list.length()) {
    _list.trunc_to(length);
    delete _table;
    _table = NULL;
    if (length > ManyCount) {
      make_table();
    }
  }
}
