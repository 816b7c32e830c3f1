// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An OMPT tool that keeps a list of device memory: each delete must name memory that is there, and at the end none is.

#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>

enum { kMost = 4096 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *memory[kMost];
static long allocations, twice, unknown;

static int find(const void *address) {
  for (int i = 0; i < kMost; i++)
    if (memory[i] == address)
      return i;
  return -1;
}

static void on_operation(ompt_scope_endpoint_t endpoint, ompt_data_t *task, ompt_data_t *target, ompt_id_t *id,
                         ompt_target_data_op_t type, void *source, int source_device, void *destination, int device,
                         size_t bytes, const void *code) {
  pthread_mutex_lock(&mutex);
  if (type == ompt_target_data_alloc && endpoint == ompt_scope_end && destination) {
    allocations++;
    twice += find(destination) >= 0;
    memory[find(NULL)] = destination;
  } else if (type == ompt_target_data_delete && endpoint == ompt_scope_begin) {
    const int place = find(source);
    if (place < 0)
      unknown++;
    else
      memory[place] = NULL;
  }
  pthread_mutex_unlock(&mutex);
}

static int initialise(ompt_function_lookup_t look_up, int device, ompt_data_t *data) {
  ((ompt_set_callback_t)look_up("ompt_set_callback"))(ompt_callback_target_data_op_emi, (ompt_callback_t)on_operation);
  return 1;
}

static void finalise(ompt_data_t *data) {
  int left = 0;
  for (int i = 0; i < kMost; i++)
    left += memory[i] != NULL;
  fprintf(stderr, "%s allocations: %ld twice, %ld deletes of nothing, %d left\n", allocations ? "some" : "no", twice,
          unknown, left);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialise, finalise, {0}};
  return &result;
}
