// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module's use of a device at one moment of a process's life. LIFETIME_MOMENT and LIFETIME_ACTION in the environment
// say when and what; the outcome is one word on stdout.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <unistd.h>

namespace lifetimes {

inline const char *variable(const char *name) {
  const char *const value = getenv(name);
  return value ? value : "";
}
inline bool is_moment(const char *moment) { return strcmp(variable("LIFETIME_MOMENT"), moment) == 0; }
inline bool is_action(const char *action) { return strcmp(variable("LIFETIME_ACTION"), action) == 0; }

inline void print_word(const char *word) {
  if (write(STDOUT_FILENO, word, strlen(word)) < 0)
    _exit(9);
}

static int values[4] = {1, 2, 3, 4};
static int *on_device = nullptr;

/// Puts on the device what only it has from then on.
static void prepare() {
#pragma omp target enter data map(to : values)
#pragma omp target map(alloc : values)
  for (int i = 0; i < 4; ++i)
    values[i] *= 10;
  const int seven = 7;
  on_device = static_cast<int *>(omp_target_alloc(sizeof seven, 0));
  omp_target_memcpy(on_device, const_cast<int *>(&seven), sizeof seven, 0, 0, 0, omp_get_initial_device());
  values[0] = 1;
}

inline void print_values() {
  print_word(values[0] == 10 && values[3] == 40 ? "kept" : values[0] == 1 ? "lost" : "WRONG");
}

static void act() {
  int is_host = -1, x = 1;
  if (is_action("target")) {
#pragma omp target map(tofrom : x) map(from : is_host)
    {
      x += 1;
      is_host = omp_is_initial_device();
    }
    print_word(x != 2 ? "WRONG" : is_host ? "host" : "device");
  } else if (is_action("nowait")) {
#pragma omp target nowait map(tofrom : x) map(from : is_host)
    {
      x += 1;
      is_host = omp_is_initial_device();
    }
#pragma omp taskwait
    print_word(x != 2 ? "WRONG" : is_host ? "host" : "device");
  } else if (is_action("data")) {
#pragma omp target exit data map(from : values)
    print_values();
  } else if (is_action("update")) {
#pragma omp target update from(values)
    print_values();
  } else if (is_action("api")) {
    x = 0;
    const int result = omp_target_memcpy(&x, on_device, sizeof x, 0, 0, omp_get_initial_device(), 0);
    omp_target_free(on_device, 0);
    print_word(result == 0 && x == 7 ? "kept" : result != 0 && x == 0 ? "lost" : "WRONG");
  }
}

/// Where nothing has happened yet.
static void prepare_and_act() {
  prepare();
  act();
}

} // namespace lifetimes
