/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin of the days when the plugin ABI was first written down, compiled with the headers beside it: this CPU as four devices that
 * run what clang makes for CPUs. It knows nothing that came later, and it is strict: what the first contract does not allow fails by
 * name. All work of a queue waits until somebody synchronizes or asks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <omptarget/plugin.h>

enum { DEVICES = 4, MOST_ARGUMENTS = 24 };

static _Thread_local char last_error[256];
static int is_ready[DEVICES];
static int64_t allocations, queues, launches; /* there now; launches: so far */

static int32_t fail(const char *what, const char *why) {
  snprintf(last_error, sizeof last_error, "%s: %s", what, why);
  return -1;
}

static void count(int64_t *number, int64_t change) { __atomic_fetch_add(number, change, __ATOMIC_SEQ_CST); }

static size_t copy_text(const char *text, char *buffer, size_t size) {
  if (buffer && size)
    snprintf(buffer, size, "%s", text);
  return strlen(text);
}

size_t __tgt_rtl_last_error(char *buffer, size_t size) { return copy_text(last_error, buffer, size); }

/* ---- the plugin and its devices ---- */

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  if (info->size < 16)
    return fail("abi", "the description is too small");
  info->version = 1;
  info->features =
      OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT | OMPTARGET_PLUGIN_COPIES_IMAGES;
  return 0;
}

int32_t __tgt_rtl_init_plugin(void) { return 0; }
int32_t __tgt_rtl_number_of_devices(void) { return DEVICES; }

int32_t __tgt_rtl_init_device(int32_t ID) {
  if (ID < 0 || ID >= DEVICES || is_ready[ID])
    return fail("init_device", "there is no such device, or it is ready");
  is_ready[ID] = 1;
  return 0;
}

int32_t __tgt_rtl_deinit_device(int32_t ID) {
  if (!is_ready[ID])
    return fail("deinit_device", "the device is not ready");
  is_ready[ID] = 0;
  return 0;
}

int32_t __tgt_rtl_deinit_plugin(void) {
  if (getenv("FIRST_PLUGIN_REPORT"))
    printf("first plugin: launches %s, devices %d, queues %ld, allocations %ld\n", launches ? "some" : "none",
           is_ready[0] + is_ready[1] + is_ready[2] + is_ready[3], (long)queues, (long)allocations);
  return 0;
}

size_t __tgt_rtl_device_arch(int32_t ID, char *buffer, size_t size) { return copy_text("first", buffer, size); }

size_t __tgt_rtl_device_uid(int32_t ID, char *buffer, size_t size) {
  const char text[] = {'f', 'i', 'r', 's', 't', '-', (char)('0' + ID), 0};
  return copy_text(text, buffer, size);
}

/* ---- memory ---- */

void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host_ptr, int32_t kind) {
  if (!is_ready[ID] || kind < OMPTARGET_ALLOC_DEVICE || kind > OMPTARGET_ALLOC_DEFAULT || size < 0) {
    fail("data_alloc", "the device is not ready, or the kind or the size is unknown");
    return NULL;
  }
  void *memory = malloc(size ? (size_t)size : 1);
  if (memory)
    count(&allocations, 1);
  else
    fail("data_alloc", "there is not that much memory");
  return memory;
}

int32_t __tgt_rtl_data_delete(int32_t ID, void *tgt_ptr, int32_t kind) {
  if (!tgt_ptr)
    return fail("data_delete", "there is nothing at null");
  count(&allocations, -1);
  free(tgt_ptr);
  return 0;
}

static int32_t copy(void *to, void *from, int64_t size) {
  if (size < 0)
    return fail("copy", "the size is negative");
  memcpy(to, from, (size_t)size);
  return 0;
}

int32_t __tgt_rtl_data_submit(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size) {
  return copy(tgt_ptr, hst_ptr, size);
}
int32_t __tgt_rtl_data_retrieve(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size) {
  return copy(hst_ptr, tgt_ptr, size);
}

/* ---- queues ---- */

typedef struct Work {
  struct Work *next;
  void *kernel; /* null: a copy */
  uint64_t values[MOST_ARGUMENTS + 1];
} Work;

typedef struct Queue {
  int32_t device;
  Work *first, **last;
} Queue;

typedef void (*Kernel)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static int32_t carry_out(const Work *work) {
  const uint64_t *a = work->values;
  if (!work->kernel)
    return copy((void *)a[0], (void *)a[1], (int64_t)a[2]);
  ((Kernel)work->kernel)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
                         a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24]);
  return 0;
}

static int32_t put(int32_t ID, __tgt_async_info *async, const Work *work) {
  Queue *queue = async->Queue;
  if (!queue) {
    queue = calloc(1, sizeof *queue);
    queue->device = ID;
    queue->last = &queue->first;
    async->Queue = queue;
    count(&queues, 1);
  }
  if (queue->device != ID)
    return fail("queue", "it is of another device");
  Work *const copied = malloc(sizeof *copied);
  *copied = *work;
  *queue->last = copied;
  queue->last = &copied->next;
  return 0;
}

int32_t __tgt_rtl_data_submit_async(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size, __tgt_async_info *async) {
  const Work work = {NULL, NULL, {(uint64_t)tgt_ptr, (uint64_t)hst_ptr, (uint64_t)size}};
  return put(ID, async, &work);
}

int32_t __tgt_rtl_data_retrieve_async(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size, __tgt_async_info *async) {
  const Work work = {NULL, NULL, {(uint64_t)hst_ptr, (uint64_t)tgt_ptr, (uint64_t)size}};
  return put(ID, async, &work);
}

int32_t __tgt_rtl_synchronize(int32_t ID, __tgt_async_info *async) {
  Queue *const queue = async->Queue;
  int32_t result = 0;
  if (!queue)
    return fail("synchronize", "there is no queue");
  for (Work *work = queue->first, *next; work; work = next) {
    next = work->next;
    result = carry_out(work) ? -1 : result;
    free(work);
  }
  free(queue);
  async->Queue = NULL;
  count(&queues, -1);
  return result;
}

int32_t __tgt_rtl_query_async(int32_t ID, __tgt_async_info *async) { return __tgt_rtl_synchronize(ID, async); }

int32_t __tgt_rtl_data_fill(int32_t ID, void *tgt_ptr, int32_t value, int64_t size, __tgt_async_info *async) {
  if (async && async->Queue)
    return fail("data_fill", "not with a queue that has work");
  memset(tgt_ptr, value, (size_t)size);
  return 0;
}

int32_t __tgt_rtl_launch_kernel(int32_t ID, void *entry, void **tgt_args, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  if (!entry)
    return fail("launch_kernel", "the image does not have the kernel");
  if (args->Version != 2 && args->Version != 3)
    return fail("launch_kernel", "the block is of a version that is not known");
  if (args->NumArgs > MOST_ARGUMENTS)
    return fail("launch_kernel", "the kernel has too many arguments");
  Work work = {NULL, entry, {0}};
  uint64_t *next = work.values;
  if (args->Version == 3)
    *next++ = UINT64_MAX;
  for (uint32_t i = 0; i < args->NumArgs; ++i)
    *next++ = (uint64_t)tgt_args[i] + (uint64_t)offsets[i];
  count(&launches, 1);
  return async ? put(ID, async, &work) : carry_out(&work);
}

/* ---- images ---- */

typedef struct Loaded {
  __tgt_target_table table; /* first, so that its address is that of the whole */
  struct Loaded *next;
  void *handle;
  int32_t device;
  int file;
} Loaded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static Loaded *all_loaded;
static __omp_offloading_fptr_map_ty *functions[DEVICES];
static uint64_t function_count[DEVICES];

static size_t size_of(const __tgt_device_image *image) {
  return (size_t)((char *)image->ImageEnd - (char *)image->ImageStart);
}

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) {
  const Elf64_Ehdr *header = image->ImageStart;
  return size_of(image) >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 && header->e_type == ET_DYN;
}

static void path_of(int file, char *path, size_t size) { snprintf(path, size, "/proc/self/fd/%d", file); }

static void *symbol(const Loaded *loaded, const char *name) {
  Dl_info facts;
  char path[64];
  path_of(loaded->file, path, sizeof path);
  void *const address = dlsym(loaded->handle, name);
  return address && dladdr(address, &facts) && strcmp(facts.dli_fname, path) == 0 ? address : NULL;
}

/* Code for the CPU looks for functions here. */
static void tell_functions(const Loaded *loaded) {
  void **const table = symbol(loaded, "__omp_offloading_fptr_map_p");
  uint64_t *const size = symbol(loaded, "__omp_offloading_fptr_map_size");
  if (table && size) {
    *table = functions[loaded->device];
    *size = function_count[loaded->device];
  }
}

static void fill_table(Loaded *loaded, const __tgt_device_image *image) {
  const size_t entries = (size_t)(image->EntriesEnd - image->EntriesBegin);
  loaded->table.EntriesBegin = calloc(entries + 1, sizeof *loaded->table.EntriesBegin);
  loaded->table.EntriesEnd = loaded->table.EntriesBegin + entries;
  for (size_t i = 0; i < entries; ++i) {
    loaded->table.EntriesBegin[i] = image->EntriesBegin[i];
    loaded->table.EntriesBegin[i].addr = symbol(loaded, image->EntriesBegin[i].name);
  }
}

__tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image) {
  if (!is_ready[ID] || !__tgt_rtl_is_valid_binary(image)) {
    fail("load_binary", "the device is not ready, or the image is for another machine");
    return NULL;
  }
  char path[64];
  Loaded *const loaded = calloc(1, sizeof *loaded);
  loaded->device = ID;
  loaded->file = memfd_create("image", MFD_CLOEXEC);
  path_of(loaded->file, path, sizeof path);
  if (write(loaded->file, image->ImageStart, size_of(image)) == (ssize_t)size_of(image))
    loaded->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!loaded->handle) {
    fail("load_binary", "the dynamic linker does not take the image");
    close(loaded->file);
    free(loaded);
    return NULL;
  }
  fill_table(loaded, image);
  pthread_mutex_lock(&lock);
  loaded->next = all_loaded;
  all_loaded = loaded;
  tell_functions(loaded);
  pthread_mutex_unlock(&lock);
  return &loaded->table;
}

int32_t __tgt_rtl_unload_binary(int32_t ID, __tgt_target_table *table) {
  Loaded *found = NULL;
  pthread_mutex_lock(&lock);
  for (Loaded **at = &all_loaded; *at && !found; at = &(*at)->next)
    if (&(*at)->table == table) {
      found = *at;
      *at = found->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  if (!found || found->device != ID)
    return fail("unload_binary", "no image of the device has that table");
  dlclose(found->handle);
  close(found->file);
  free(found->table.EntriesBegin);
  free(found);
  return 0;
}

int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t pairs, __omp_offloading_fptr_map_ty *table) {
  for (uint64_t i = 1; i < pairs; ++i)
    if (table[i - 1].host_ptr >= table[i].host_ptr)
      return fail("set_function_ptr_map", "the table is not sorted");
  __omp_offloading_fptr_map_ty *const copied = calloc(pairs + 1, sizeof *copied);
  if (pairs)
    memcpy(copied, table, pairs * sizeof *copied);
  pthread_mutex_lock(&lock);
  functions[ID] = copied; /* the former one stays: kernels may be reading it */
  function_count[ID] = pairs;
  for (Loaded *loaded = all_loaded; loaded; loaded = loaded->next)
    if (loaded->device == ID)
      tell_functions(loaded);
  pthread_mutex_unlock(&lock);
  return 0;
}
