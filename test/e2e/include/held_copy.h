// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops copies of the runtime half-way: they have read and have not written yet, or they have just written. The
// program's own memcpy takes the place of the C library's in the plugins. Only one file of a program includes this.
#ifndef HELD_COPY_H
#define HELD_COPY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COPY_UNKNOWN, COPY_EXPECTED, COPY_TAKEN, COPY_HELD };
enum { HELD_COPIES = 3, PATIENCE = 100 }; // milliseconds

// The copies that are held now. The first one that is expected and fits takes a copy.
static struct held_copy {
  const char *to, *from; // the copy writes, or reads, this byte; null: any
  size_t least;          // and has so many bytes, or more
  int is_written;        // it is held when it has written all; else when it has read, and has not written
  atomic_int state;
  atomic_int may_go_on;
} held_copies[HELD_COPIES];

// How long a copy is held at most, in milliseconds, in case that nobody can let it go on.
static int patience = PATIENCE;

static inline int covers(const void *begin, size_t size, const char *byte) {
  return !byte || ((const char *)begin <= byte && byte < (const char *)begin + size);
}

// Returns whether the flag has the value within so many milliseconds.
static inline int wait_for_flag(atomic_int *flag, int value, int milliseconds) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (atomic_load(flag) != value) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 >= milliseconds)
      return 0;
    usleep(50);
  }
  return 1;
}

// Holds the next copy of at least so many bytes that covers a byte of the host's, at its end or at its begin.
static inline void hold_copy(int number, const void *to, const void *from, size_t least) {
  struct held_copy *const copy = &held_copies[number];
  copy->to = (const char *)to;
  copy->from = (const char *)from;
  copy->least = least;
  copy->is_written = 0;
  atomic_store(&copy->may_go_on, 0);
  atomic_store(&copy->state, COPY_EXPECTED);
}
// The same, once it has written.
static inline void hold_written_copy(int number, const void *to, const void *from, size_t least) {
  hold_copy(number, to, from, least);
  held_copies[number].is_written = 1;
}
// Returns whether there is such a copy, and it has read.
static inline int is_copy_held(int number, int milliseconds) {
  return wait_for_flag(&held_copies[number].state, COPY_HELD, milliseconds);
}
static inline void let_copy_go_on(int number) { atomic_store(&held_copies[number].may_go_on, 1); }

static inline int takes_copy(struct held_copy *held, const void *to, const void *from, size_t size) {
  int expected = COPY_EXPECTED;
  return atomic_load(&held->state) == COPY_EXPECTED && size >= held->least && covers(to, size, held->to) &&
         covers(from, size, held->from) && atomic_compare_exchange_strong(&held->state, &expected, COPY_TAKEN);
}

// memmove by a pointer that compilers know nothing of: where ends cannot overlap, they would make a memcpy of it.
static void *(*volatile const move_bytes)(void *, const void *, size_t) = memmove;

// A runtime that lets the other threads wait for the copy is right, too. Then no thread lets it go on, and it does
// after a while. So no run fails for want of time.
__attribute__((visibility("default"))) void *memcpy(void *to, const void *from, size_t size) {
  for (int i = 0; i < HELD_COPIES; i++)
    if (takes_copy(&held_copies[i], to, from, size)) {
      void *const read = malloc(size);
      move_bytes(read, from, size);
      if (held_copies[i].is_written)
        move_bytes(to, read, size);
      atomic_store(&held_copies[i].state, COPY_HELD);
      wait_for_flag(&held_copies[i].may_go_on, 1, patience);
      if (!held_copies[i].is_written)
        move_bytes(to, read, size);
      free(read);
      return to;
    }
  return move_bytes(to, from, size);
}

#endif
