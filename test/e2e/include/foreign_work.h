// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Foreign work: what a program puts into the native queue of an interoperability object by the driver's own functions.
#ifndef FOREIGN_WORK_H
#define FOREIGN_WORK_H

#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 1000 };
static void *driver;

static inline void *function(const char *name) {
  void *found = dlsym(driver, name);
  if (!found) {
    printf("the driver has no %s\n", name);
    exit(1);
  }
  return found;
}
#define CALL(name, ...) ((int (*)(__VA_ARGS__))function(name))

// ---- CUDA: fills of a stream. The stand-in begins none before somebody waits (SIM_CUDA_HOLD=2); a GPU may.

struct Fills {
  omp_interop_t object;
  int device;
  unsigned char *memory;
};

static inline void *stream_of(const struct Fills *fills) {
  return omp_get_interop_ptr(fills->object, omp_ipr_targetsync, NULL);
}

static inline void add_fill(const struct Fills *fills, unsigned char value) {
  void *context = omp_get_interop_ptr(fills->object, omp_ipr_device_context, NULL), *popped;
  CHECK_EQ(CALL("cuCtxPushCurrent_v2", void *)(context), 0);
  CHECK_EQ(CALL("cuMemsetD8Async", uint64_t, unsigned char, size_t, void *)((uint64_t)(uintptr_t)fills->memory, value,
                                                                            kBytes, stream_of(fills)),
           0);
  CHECK_EQ(CALL("cuCtxPopCurrent_v2", void **)(&popped), 0);
}

static inline void is_complete(void *context, void *stream) {
  void *popped;
  CALL("cuCtxPushCurrent_v2", void *)(context);
  CHECK_EQ(CALL("cuStreamQuery", void *)(stream), 0);
  CALL("cuCtxPopCurrent_v2", void **)(&popped);
}

static inline void has_value(const struct Fills *fills, unsigned char value) {
  unsigned char bytes[kBytes];
  CHECK_EQ(omp_target_memcpy(bytes, fills->memory, kBytes, 0, 0, omp_get_initial_device(), fills->device), 0);
  CHECK(bytes[0] == value && bytes[kBytes - 1] == value);
}

// ---- HSA: a barrier packet in the queue, which another signal holds up.

struct Queue {
  uint32_t type, features;
  char *base;
  uint64_t doorbell;
  uint32_t size, reserved;
  uint64_t id;
};
struct Barrier {
  uint16_t header, reserved0;
  uint32_t reserved1;
  uint64_t waits_for[5], reserved2, completion;
};
struct Gate {
  uint64_t gate, done; // signals
};

static inline struct Gate add_gate(struct Queue *queue) {
  struct Gate signals;
  CHECK_EQ(CALL("hsa_amd_signal_create", int64_t, uint32_t, void *, uint64_t, uint64_t *)(1, 0, NULL, 0, &signals.gate),
           0);
  CHECK_EQ(CALL("hsa_amd_signal_create", int64_t, uint32_t, void *, uint64_t, uint64_t *)(1, 0, NULL, 0, &signals.done),
           0);
  const uint64_t index =
      ((uint64_t (*)(struct Queue *, uint64_t))function("hsa_queue_add_write_index_relaxed"))(queue, 1);
  struct Barrier packet = {0, 0, 0, {signals.gate}, 0, signals.done};
  char *slot = queue->base + (index & (queue->size - 1)) * sizeof packet;
  memcpy(slot + 4, (char *)&packet + 4, sizeof packet - 4);
  __atomic_store_n((uint32_t *)slot, 3u | 1u << 8, __ATOMIC_RELEASE); // barrier-AND, behind what came before
  ((void (*)(uint64_t, int64_t))function("hsa_signal_store_screlease"))(queue->doorbell, (int64_t)index);
  return signals;
}

static inline int64_t value_of(uint64_t signal) {
  return ((int64_t (*)(uint64_t))function("hsa_signal_load_scacquire"))(signal);
}

static inline void *open_gate(void *of) {
  usleep(30000);
  CHECK(value_of(((struct Gate *)of)->done) == 1);
  ((void (*)(uint64_t, int64_t))function("hsa_signal_store_screlease"))(((struct Gate *)of)->gate, 0);
  return NULL;
}

#endif
