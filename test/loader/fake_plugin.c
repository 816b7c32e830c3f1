/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin for a device that is memory and remembers its calls, in the form of any generation of the plugin ABI and
 * with any one defect. FAKE_GENERATION: 14, 15, 16, 17 or 18 for what LLVM of that version expects, 1 for version 1 of
 * omptarget's own. FAKE_QUEUES 1: work is queued. FAKE_DEFECT_...: what is wrong with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_plugin.h"

#ifndef FAKE_GENERATION
#define FAKE_GENERATION 1
#endif
#define AT_LEAST(version) (FAKE_GENERATION == 1 || FAKE_GENERATION >= (version))
#define EXACTLY(version) (FAKE_GENERATION == (version))

/* The declarations of omptarget's own header are those of LLVM 16; others are spelled out where they differ. */
#if EXACTLY(14) || EXACTLY(15) || EXACTLY(18)
#define __tgt_rtl_data_delete fake_other_data_delete
#define __tgt_rtl_load_binary fake_other_load_binary
#endif
#include "omptarget/plugin.h"
#undef __tgt_rtl_data_delete
#undef __tgt_rtl_load_binary

OMPTARGET_PLUGIN_API FakeRecord fake_record;

static char last_error[128];
static int32_t fail(const char *text) {
#if !defined(FAKE_SILENT)
  snprintf(last_error, sizeof last_error, "%s", text);
#endif
  return -1;
}

#if defined(FAKE_NEEDS_STOI)
/* A function that plugins need which read numbers with std::stoi. */
__attribute__((weak)) void _ZSt24__throw_invalid_argumentPKc(const char *text);
OMPTARGET_PLUGIN_API int fake_has_stoi(void) { return _ZSt24__throw_invalid_argumentPKc != NULL; }
#endif

/* ---- queues: copies that are made when somebody waits ----------------------------------------------------------- */

typedef struct Copy {
  struct Copy *next;
  void *to;
  const void *from;
  size_t size;
} Copy;
typedef struct FakeQueue {
  Copy *first;
  Copy **end;
} FakeQueue;

__attribute__((unused)) static int32_t queue_copy(__tgt_async_info *async, void *to, const void *from, int64_t size) {
  fake_record.had_queue = async != NULL;
  if (!async)
    return fail("no queue was given");
  FakeQueue *queue = async->Queue;
  if (!queue) {
    queue = async->Queue = calloc(1, sizeof *queue);
    queue->end = &queue->first;
  }
  Copy *copy = malloc(sizeof *copy);
  *copy = (Copy){NULL, to, from, (size_t)size};
  *queue->end = copy;
  queue->end = &copy->next;
  return 0;
}

__attribute__((unused)) static int32_t finish_queue(__tgt_async_info *async) {
  ++fake_record.synchronizes;
#if defined(FAKE_DEFECT_SYNC_FAILS)
  return fail("the queue is lost"); /* and forgets to say that it is not the caller's any more */
#endif
  FakeQueue *queue = async->Queue;
  if (!queue)
    return 0;
  while (queue->first) {
    Copy *copy = queue->first;
#if defined(FAKE_DEFECT_LOSES_COPIES)
    if (copy->next) /* the last one is lost */
#endif
      memcpy(copy->to, copy->from, copy->size);
    queue->first = copy->next;
    free(copy);
  }
  free(queue);
  async->Queue = NULL;
  return 0;
}

/* ---- required by every generation ------------------------------------------------------------------------------- */

int32_t __tgt_rtl_number_of_devices(void) {
#if defined(FAKE_DEFECT_NEGATIVE_DEVICES)
  return -3;
#elif defined(FAKE_DEFECT_NO_DEVICES)
  return 0;
#elif defined(FAKE_DEFECT_HUGE_DEVICES)
  return 2000000000;
#else
  return 2;
#endif
}

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) {
  return image->ImageEnd > image->ImageStart && *(const char *)image->ImageStart == 'F';
}

int32_t __tgt_rtl_init_device(int32_t ID) { return ID == 1 ? fail("device 1 is on fire") : 0; }

__attribute__((unused)) static __tgt_target_table *make_table(const __tgt_device_image *image, size_t count) {
  __tgt_target_table *table = malloc(sizeof *table);
  table->EntriesBegin = calloc(count + 1, sizeof(__tgt_offload_entry));
  table->EntriesEnd = table->EntriesBegin + count;
  for (size_t i = 0; i < count; ++i) {
    table->EntriesBegin[i] = image->EntriesBegin[i];
    table->EntriesBegin[i].addr = (void *)(uintptr_t)(0x1000 + i);
#if defined(FAKE_DEFECT_WILD_NAMES)
    table->EntriesBegin[i].name = (char *)(uintptr_t)0x10;
#endif
  }
  return table;
}

#if EXACTLY(18)
typedef struct {
  uintptr_t handle;
} FakeBinary;
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image, FakeBinary *binary) {
  binary->handle = 18;
  return *(const char *)image->ImageStart == 'F' ? 0 : -1;
}
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_get_global(FakeBinary binary, uint64_t size, const char *name, void **address) {
  if (binary.handle != 18 || strcmp(name, "variable") != 0)
    return -1;
  *address = (void *)(uintptr_t)(0x2000 + size);
  return 0;
}
#ifndef FAKE_DEFECT_NO_GET_FUNCTION
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_get_function(FakeBinary binary, const char *name, void **kernel) {
  if (binary.handle != 18 || strcmp(name, "kernel") != 0)
    return -1;
  *kernel = (void *)(uintptr_t)0x3000;
  return 0;
}
#endif
#else
OMPTARGET_PLUGIN_API __tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image) {
  const size_t count = (size_t)(image->EntriesEnd - image->EntriesBegin);
  if (!__tgt_rtl_is_valid_binary(image)) {
    fail("the image does not please");
    return NULL;
  }
#if FAKE_GENERATION >= 14
  /* The plugins of LLVM 16 take no entry without a host address. */
  for (size_t i = 0; i < count; ++i)
    if (!image->EntriesBegin[i].addr)
      return NULL;
#endif
#if defined(FAKE_DEFECT_NULL_TABLE)
  fail("the image did not please");
  return NULL;
#elif defined(FAKE_DEFECT_SHORT_TABLE)
  return make_table(image, count - 1);
#elif defined(FAKE_DEFECT_NO_TABLE_MEMORY)
  return (__tgt_target_table *)(uintptr_t)0x10;
#elif defined(FAKE_DEFECT_NO_ENTRY_MEMORY)
  __tgt_target_table *table = make_table(image, count);
  table->EntriesBegin = (__tgt_offload_entry *)(uintptr_t)0x1000;
  table->EntriesEnd = table->EntriesBegin + count;
  return table;
#elif defined(FAKE_DEFECT_HOST_TABLE)
  __tgt_target_table *table = make_table(image, count);
  table->EntriesBegin = image->EntriesBegin;
  table->EntriesEnd = image->EntriesEnd;
  return table;
#elif defined(FAKE_DEFECT_BACKWARD_TABLE)
  __tgt_target_table *table = make_table(image, count);
  --table->EntriesBegin;
  table->EntriesEnd = table->EntriesBegin - 1;
  return table;
#elif FAKE_GENERATION == 14
  /* The image's own table: another order, and without what the device does not have. */
  __tgt_target_table *table = make_table(image, count - 1);
  for (size_t i = 0; i < count - 1; ++i) {
    table->EntriesBegin[i] = image->EntriesBegin[count - 1 - i];
    table->EntriesBegin[i].addr = (void *)(uintptr_t)(0x1000 + count - 1 - i);
  }
  return table;
#else
  return make_table(image, count);
#endif
}
#endif

void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host, int32_t kind) {
#if defined(FAKE_DEFECT_PRINTS)
  puts("fake: an allocation");
  fflush(stdout);
#endif
#if defined(FAKE_DEFECT_CRASHES)
  *(volatile char *)16 = 1;
#elif defined(FAKE_DEFECT_HANGS)
  for (;;)
    pause();
#elif defined(FAKE_DEFECT_EXITS)
  _exit(0);
#elif defined(FAKE_DEFECT_MISALIGNED)
  return (char *)aligned_alloc(64, ((size_t)size + 127) / 64 * 64) + 8;
#endif
  if (size > (int64_t)1 << 40) {
    fail("the device has no such amount");
    return NULL;
  }
  return aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
}

#if EXACTLY(14) || EXACTLY(15)
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_delete(int32_t ID, void *pointer) {
  free(pointer);
  fake_record.delete_kind = -1;
  return 0;
}
#else
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_delete(int32_t ID, void *pointer, int32_t kind) {
#if defined(FAKE_DEFECT_MISALIGNED)
  pointer = (char *)pointer - 8;
#endif
  free(pointer);
  fake_record.delete_kind = kind;
  return 0;
}
#endif

#if defined(FAKE_DEFECT_UNDEFINED_SYMBOL)
int no_such_function_anywhere(void);
#endif
#if defined(FAKE_DEFECT_IN_DEPENDENCY) || defined(FAKE_NEEDS_DEPENDENCY)
int dependency_function(void);
OMPTARGET_PLUGIN_API int fake_needs_dependency(void) { return dependency_function(); }
#endif
#if defined(FAKE_DEFECT_IN_DEPENDENCY)
#elif !defined(FAKE_DEFECT_MISSING_FUNCTION)
int32_t __tgt_rtl_data_submit(int32_t ID, void *target, void *host, int64_t size) {
  fake_record.had_queue = 0;
  ++fake_record.submits;
#if defined(FAKE_DEFECT_FAILS_AT)
  if (fake_record.submits == FAKE_DEFECT_FAILS_AT)
    return fail("the bus is broken");
#endif
#if defined(FAKE_DEFECT_UNDEFINED_SYMBOL)
  return no_such_function_anywhere();
#endif
  memcpy(target, host, (size_t)size);
  return 0;
}
#endif

int32_t __tgt_rtl_data_retrieve(int32_t ID, void *host, void *target, int64_t size) {
  fake_record.had_queue = 0;
  memcpy(host, target, (size_t)size);
  return 0;
}

/* ---- launches ------------------------------------------------------------------------------------------------------
 */

static int32_t record_launch(int32_t form, void **values, ptrdiff_t *offsets, uint32_t count) {
  fake_record.launch_form = form;
  fake_record.count = count;
  fake_record.first = count > 0 ? (uintptr_t)values[0] + (uintptr_t)offsets[0] : 0;
  fake_record.second = count > 1 ? (uintptr_t)values[1] + (uintptr_t)offsets[1] : 0;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += (uint64_t)offsets[i];
  return sum == 0 ? 0 : fail("an offset is not zero");
}

#if EXACTLY(14) || EXACTLY(15)
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_region(int32_t ID, void *entry, void **values, ptrdiff_t *offsets,
                                                         int32_t count) {
  fake_record.had_queue = 0;
  return record_launch(FAKE_REGION, values, offsets, (uint32_t)count);
}
#ifndef FAKE_DEFECT_NO_TEAM_REGION
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_team_region(int32_t ID, void *entry, void **values,
                                                              ptrdiff_t *offsets, int32_t count, int32_t teams,
                                                              int32_t threads, uint64_t trip_count) {
  fake_record.had_queue = 0;
  fake_record.teams = teams;
  fake_record.threads = threads;
  fake_record.trip_count = trip_count;
  return record_launch(FAKE_TEAM_REGION, values, offsets, (uint32_t)count);
}
#endif
#if FAKE_QUEUES
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_region_async(int32_t ID, void *entry, void **values,
                                                               ptrdiff_t *offsets, int32_t count,
                                                               __tgt_async_info *async) {
  fake_record.had_queue = async != NULL;
  return record_launch(FAKE_REGION_ASYNC, values, offsets, (uint32_t)count);
}
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_team_region_async(int32_t ID, void *entry, void **values,
                                                                    ptrdiff_t *offsets, int32_t count, int32_t teams,
                                                                    int32_t threads, uint64_t trip_count,
                                                                    __tgt_async_info *async) {
  fake_record.had_queue = async != NULL;
  return record_launch(FAKE_TEAM_REGION_ASYNC, values, offsets, (uint32_t)count);
}
#endif
#else
int32_t __tgt_rtl_launch_kernel(int32_t ID, void *entry, void **values, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  fake_record.had_queue = async != NULL;
  fake_record.version = args->Version;
  fake_record.teams = (int32_t)args->NumTeams[0];
#if EXACTLY(16) && FAKE_QUEUES
  /* As the CUDA plugin of LLVM 16: it does not do without. */
  if (!async)
    return fail("no queue was given");
  queue_copy(async, &fake_record.had_queue, &fake_record.had_queue, 0);
#endif
  return record_launch(FAKE_LAUNCH, values, offsets, args->NumArgs);
}
#endif

/* ---- optional ------------------------------------------------------------------------------------------------------
 */

#if AT_LEAST(15)
int32_t __tgt_rtl_init_plugin(void) {
#if defined(FAKE_DEFECT_INIT_FAILS)
  return fail("the driver is too old") - 6;
#elif defined(FAKE_DEFECT_CLOSES_ITSELF)
  Dl_info facts;
  dladdr(&fake_record, &facts);
  void *handle = dlopen(facts.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  dlclose(handle);
  dlclose(handle);
  return 0;
#else
  return 0;
#endif
}
int32_t __tgt_rtl_is_valid_binary_info(__tgt_device_image *image, __tgt_image_info *info) {
  fake_record.had_info = info != NULL;
  fake_record.arch = info ? info->Arch : NULL;
  return __tgt_rtl_is_valid_binary(image) && (!info || !info->Arch || strcmp(info->Arch, "fake") == 0);
}
#endif

int64_t __tgt_rtl_init_requires(int64_t mask) { return fake_record.requires_mask = mask; }

#if EXACTLY(17) || EXACTLY(18)
int32_t __tgt_rtl_set_device_offset(int32_t first) { return 0; }
int32_t __tgt_rtl_data_notify_mapped(int32_t ID, void *host, int64_t size) {
#if defined(FAKE_DEFECT_MAPPED_FAILS)
  return -5;
#endif
  return 0;
}
/* A name that nobody looks for, as a slip of the pen would make it. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_notify_maped(void) { return 0; }
int32_t __tgt_rtl_data_notify_unmapped(int32_t ID, void *host) { return 0; }
#endif

#if FAKE_QUEUES
int32_t __tgt_rtl_data_submit_async(int32_t ID, void *target, void *host, int64_t size, __tgt_async_info *async) {
  return queue_copy(async, target, host, size);
}
int32_t __tgt_rtl_data_retrieve_async(int32_t ID, void *host, void *target, int64_t size, __tgt_async_info *async) {
  return queue_copy(async, host, target, size);
}
int32_t __tgt_rtl_synchronize(int32_t ID, __tgt_async_info *async) { return finish_queue(async); }
#endif

#if EXACTLY(1)
int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  fake_record.map_count = count;
  return count == 666 ? fail("too evil a table") : 0;
}
int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
#if defined(FAKE_DEFECT_ABI_FAILS)
  return fail("I do not know") - 3;
#endif
  info->version = OMPTARGET_PLUGIN_ABI_VERSION;
#if defined(FAKE_DEFECT_NEWER_ABI)
  info->version = OMPTARGET_PLUGIN_ABI_VERSION + 41;
#endif
  info->features = OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT;
  return 0;
}
size_t __tgt_rtl_last_error(char *buffer, size_t size) {
  snprintf(buffer, size, "%s", last_error);
  return strlen(last_error);
}
#endif
