/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin of two devices that are host memory. Takes images that begin with RECORDING_LETTER, and writes down what it
 * is asked, one word per call. RECORDING_FAILS=init in the environment: device 0 cannot be initialised. An image whose
 * second letter is X cannot be loaded. RECORDING_LASTS: it has no driver; RECORDING_HANGS: the end of a device hangs;
 * RECORDING_PRINTS: kernels and ends are printed. A kernel whose name has "exiting" in it calls exit. Each variable of
 * an image has memory of its own, filled with the device's number. RECORDING_SIDE_BY_SIDE: several threads may load and
 * unload at once, which takes a moment. With RECORDING_QUEUES work is queued: a copy to the host happens when its queue
 * is waited for, and the second one cannot be queued if RECORDING_FAILS=retrieve.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omptarget/plugin.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char events[1 << 20];
static size_t length;

__attribute__((format(printf, 1, 2))) static void record(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  pthread_mutex_lock(&mutex);
  if (length < sizeof events - 256)
    length += (size_t)vsnprintf(events + length, 256, pattern, arguments);
  pthread_mutex_unlock(&mutex);
  va_end(arguments);
}

__attribute__((format(printf, 1, 2))) static void print(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  vdprintf(STDERR_FILENO, pattern, arguments);
  va_end(arguments);
}

/* Copies the record since the last call to the buffer. */
OMPTARGET_PLUGIN_API void recording_take(char *buffer, size_t size) {
  pthread_mutex_lock(&mutex);
  snprintf(buffer, size, "%.*s", (int)length, events);
  length = 0;
  pthread_mutex_unlock(&mutex);
}

static _Thread_local const char *failure = "";

int32_t __tgt_rtl_number_of_devices(void) { return 2; }

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) {
  return image->ImageEnd != image->ImageStart && *(const char *)image->ImageStart == RECORDING_LETTER;
}

static int is_used;

int32_t __tgt_rtl_init_device(int32_t ID) {
  is_used = 1;
  record("init:%d ", ID);
  const char *fails = getenv("RECORDING_FAILS");
  if (ID == 0 && fails && strcmp(fails, "init") == 0) {
    failure = "the fan is stuck";
    return -1;
  }
  return 0;
}

/* Its own lock, which whoever loads an image takes, too. */
void __tgt_rtl_fork_phase(int32_t phase) {
  if (phase == OMPTARGET_FORK_BEFORE)
    pthread_mutex_lock(&mutex);
  else if (phase != OMPTARGET_FORK_ANNOUNCED)
    pthread_mutex_unlock(&mutex);
}

int32_t __tgt_rtl_set_device_offset(int32_t first) {
  record("offset:%d ", first);
  return 0;
}

static void take_a_moment(void) {
  if (getenv("RECORDING_SIDE_BY_SIDE"))
    usleep(50);
}

__tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image) {
  record("load:%d ", ID);
  take_a_moment();
  const char *const bytes = image->ImageStart;
  if ((const char *)image->ImageEnd - bytes > 1 && bytes[1] == 'X') {
    failure = "the image is crossed out";
    return NULL;
  }
  const size_t count = (size_t)(image->EntriesEnd - image->EntriesBegin);
  __tgt_target_table *table = malloc(sizeof *table);
  table->EntriesBegin = calloc(count + 1, sizeof(__tgt_offload_entry));
  table->EntriesEnd = table->EntriesBegin + count;
  for (size_t i = 0; i < count; ++i) {
    __tgt_offload_entry *entry = table->EntriesBegin + i;
    *entry = image->EntriesBegin[i];
    if (strstr(entry->name, "missing")) {
      entry->addr = NULL;
      continue;
    }
    /* A kernel's handle is its name, so that launches can be told apart after the program's names are gone. */
    entry->addr = entry->size == 0 ? strdup(entry->name) : malloc(entry->size);
    if (entry->size != 0)
      memset(entry->addr, ID, entry->size);
  }
  return table;
}

int32_t __tgt_rtl_unload_binary(int32_t ID, __tgt_target_table *table) {
  record("unload:%d ", ID);
  take_a_moment();
  for (__tgt_offload_entry *entry = table->EntriesBegin; entry != table->EntriesEnd; ++entry)
    free(entry->addr);
  free(table->EntriesBegin);
  free(table);
  return 0;
}

void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host, int32_t kind) {
  return aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
}
int32_t __tgt_rtl_data_delete(int32_t ID, void *pointer, int32_t kind) {
  free(pointer);
  return 0;
}
int32_t __tgt_rtl_data_submit(int32_t ID, void *target, void *host, int64_t size) {
  record("submit:%d:%d ", ID, (int)size);
  memcpy(target, host, (size_t)size);
  return 0;
}
int32_t __tgt_rtl_data_retrieve(int32_t ID, void *host, void *target, int64_t size) {
  memcpy(host, target, (size_t)size);
  return 0;
}

int32_t __tgt_rtl_launch_kernel(int32_t ID, void *kernel, void **arguments, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  record("run:%d:%s ", ID, (const char *)kernel);
  if (getenv("RECORDING_PRINTS"))
    print("run %s on %d\n", (const char *)kernel, ID);
  if (strstr((const char *)kernel, "exiting"))
    exit(3);
  if (strstr((const char *)kernel, "failing")) {
    failure = "the kernel gave up";
    return -1;
  }
  return 0;
}

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  info->version = OMPTARGET_PLUGIN_ABI_VERSION;
  info->features = OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | (getenv("RECORDING_LASTS") ? OMPTARGET_PLUGIN_LASTS : 0) |
                   (getenv("RECORDING_SIDE_BY_SIDE") ? OMPTARGET_PLUGIN_LOADS_SIDE_BY_SIDE : 0);
  return 0;
}

int32_t __tgt_rtl_deinit_device(int32_t ID) {
  record("deinit:%d ", ID);
  while (getenv("RECORDING_HANGS"))
    pause();
  if (getenv("RECORDING_PRINTS"))
    print("deinit %d\n", ID);
  return 0;
}
int32_t __tgt_rtl_deinit_plugin(void) {
  if (is_used && getenv("RECORDING_PRINTS"))
    print("deinit plugin\n");
  return 0;
}
size_t __tgt_rtl_last_error(char *buffer, size_t size) { return (size_t)snprintf(buffer, size, "%s", failure); }

#if RECORDING_QUEUES
static struct {
  void *host, *target;
  int64_t size;
} queued[16];
static int queued_count;

int32_t __tgt_rtl_data_submit_async(int32_t ID, void *target, void *host, int64_t size, __tgt_async_info *async) {
  return __tgt_rtl_data_submit(ID, target, host, size);
}
int32_t __tgt_rtl_data_retrieve_async(int32_t ID, void *host, void *target, int64_t size, __tgt_async_info *async) {
  const char *fails = getenv("RECORDING_FAILS");
  if (queued_count == 1 && fails && strcmp(fails, "retrieve") == 0) {
    failure = "the line is busy";
    return -1;
  }
  async->Queue = queued;
  record("queue:%d ", ID);
  queued[queued_count].host = host;
  queued[queued_count].target = target;
  queued[queued_count++].size = size;
  return 0;
}
int32_t __tgt_rtl_synchronize(int32_t ID, __tgt_async_info *async) {
  for (int i = 0; i < queued_count; ++i)
    memcpy(queued[i].host, queued[i].target, (size_t)queued[i].size);
  queued_count = 0;
  async->Queue = NULL;
  record("wait:%d ", ID);
  return 0;
}
#endif
