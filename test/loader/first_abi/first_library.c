/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A host library of the days when the plugin ABI was first written down, compiled with the headers beside it: enough of one to run simple
 * programs of clang 15 to 19 on the plugin that FIRST_PLUGIN names, by no function and no record that came later. It is strict: a plugin
 * that does not keep the first contract ends the program. One thread; kernels, arrays, scalars, global variables.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omptarget/plugin.h>

#define EXPORT __attribute__((visibility("default")))

/* What both plugins of those days exported, and what that for GPUs did beside. */
#define FUNCTIONS(F)                                                                                                   \
  F(abi)                                                                                                               \
  F(data_alloc) F(data_delete) F(data_exchange) F(data_fill) F(data_lock) F(data_retrieve) F(data_submit)              \
      F(data_unlock) F(deinit_device) F(deinit_plugin) F(device_arch) F(device_uid) F(init_device) F(init_plugin)      \
          F(is_data_exchangable) F(is_valid_binary) F(is_valid_binary_info) F(last_error) F(launch_kernel)             \
              F(load_binary) F(number_of_devices) F(print_device_info) F(set_function_ptr_map)                         \
                  F(supports_empty_images) F(unload_binary)
#define FUNCTIONS_OF_GPUS(F)                                                                                           \
  F(create_event)                                                                                                      \
  F(data_exchange_async) F(data_notify_mapped) F(data_notify_unmapped) F(data_retrieve_async) F(data_submit_async)     \
      F(destroy_event) F(init_async_info) F(init_device_info) F(init_requires) F(is_device_compatible) F(query_async)  \
          F(record_event) F(release_async_info) F(set_device_offset) F(set_info_flag) F(sync_event) F(synchronize)     \
              F(use_auto_zero_copy) F(wait_event)

static struct {
#define F(name) __typeof__(&__tgt_rtl_##name) name;
  FUNCTIONS(F) FUNCTIONS_OF_GPUS(F)
#undef F
} plugin;

enum {
  MOST = 64,
  MOST_DEVICES = 16,
  TO = 1,
  FROM = 2,
  ALWAYS = 4,
  DELETE = 8,
  PARAMETER = 0x20,
  PRIVATE = 0x80,
  LITERAL = 0x100,
  IMPLICIT = 0x200
};

typedef struct Mapping {
  char *begin, *end, *target; /* target: on the device; null: a free place */
  int32_t device, uses;       /* uses < 0: for ever */
} Mapping;

static Mapping mappings[MOST];
static __tgt_bin_desc *modules[MOST];
static __tgt_target_table *tables[MOST][MOST_DEVICES];
static int32_t module_count, device_count, is_ready[MOST_DEVICES], launches;

static void require(int condition, const char *what) {
  if (condition)
    return;
  char text[256] = "no text";
  if (plugin.last_error)
    plugin.last_error(text, sizeof text);
  fprintf(stderr, "first library: %s: %s\n", what, text);
  abort();
}

/* ---- the plugin ---- */

static void read_abi(void) {
  struct {
    __tgt_rtl_abi_info info;
    uint64_t guard;
  } room = {{sizeof(__tgt_rtl_abi_info), 0, 0}, 0x5a5a5a5a5a5a5a5aul};
  require(plugin.abi(&room.info) == 0, "abi");
  require(room.guard == 0x5a5a5a5a5a5a5a5aul && room.info.size == sizeof room.info, "abi writes more than it may");
  require(room.info.version == 1, "a library of version 1 uses no plugin of a newer one");
  require((room.info.features & OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT) != 0,
          "the plugin supplies the implicit parameter");
}

static void end(void) {
  for (int32_t device = 0; device < device_count; ++device) {
    if (!is_ready[device])
      continue;
    for (int32_t i = 0; i < module_count; ++i)
      require(!tables[i][device] || plugin.unload_binary(device, tables[i][device]) == 0, "unload_binary");
    require(plugin.deinit_device(device) == 0, "deinit_device");
  }
  require(plugin.deinit_plugin() == 0, "deinit_plugin");
  printf("first library: %d launches\n", launches);
}

static void open_plugin(void) {
  if (device_count)
    return;
  void *const file = dlopen(getenv("FIRST_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
  if (!file)
    fprintf(stderr, "%s\n", dlerror());
#define F(name) plugin.name = (__typeof__(plugin.name))dlsym(file, "__tgt_rtl_" #name);
  FUNCTIONS(F)
  FUNCTIONS_OF_GPUS(F)
#undef F
      require(file != NULL, "FIRST_PLUGIN cannot be opened");
#define F(name) require(plugin.name != NULL, "the plugin has lost " #name);
  FUNCTIONS(F)
  if (strstr(getenv("FIRST_PLUGIN"), "x86_64") == NULL) {
    FUNCTIONS_OF_GPUS(F)
  }
#undef F
  read_abi();
  require(plugin.init_plugin() == 0, "init_plugin");
  device_count = plugin.number_of_devices();
  require(device_count > 0 && device_count <= MOST_DEVICES, "number_of_devices");
  if (plugin.set_device_offset)
    require(plugin.set_device_offset(0) == 0, "set_device_offset");
  if (plugin.set_info_flag)
    plugin.set_info_flag(0);
  atexit(end); /* before the handlers of a driver */
}

/* ---- images ---- */

static uint64_t read8(const char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* What is in a container of clang 16 and later, and what that says about it. */
static void open_container(__tgt_device_image *image, __tgt_image_info *info) {
  char *const file = image->ImageStart;
  if (memcmp(file, "\x10\xff\x10\xad", 4) != 0)
    return;
  const char *const entry = file + read8(file + 16);
  for (uint64_t i = 0; i < read8(entry + 16); ++i) {
    const char *const pair = file + read8(entry + 8) + 16 * i;
    if (strcmp(file + read8(pair), "arch") == 0)
      info->Arch = file + read8(pair + 8);
  }
  image->ImageStart = file + read8(entry + 24);
  image->ImageEnd = (char *)image->ImageStart + read8(entry + 32);
}

static void add_variables(int32_t device, const __tgt_bin_desc *module, const __tgt_target_table *table) {
  for (int64_t i = 0; i < module->HostEntriesEnd - module->HostEntriesBegin; ++i) {
    const __tgt_offload_entry *const entry = &module->HostEntriesBegin[i];
    int32_t at = 0;
    if (entry->size == 0)
      continue;
    while (mappings[at].target)
      ++at;
    mappings[at] = (Mapping){entry->addr, (char *)entry->addr + entry->size, table->EntriesBegin[i].addr, device, -1};
  }
}

static void load(int32_t device, int32_t number) {
  const __tgt_bin_desc *const module = modules[number];
  for (int32_t i = 0; i < module->NumDeviceImages && !tables[number][device]; ++i) {
    __tgt_device_image image = module->DeviceImages[i];
    __tgt_image_info info = {NULL};
    open_container(&image, &info);
    if (!plugin.is_valid_binary_info(&image, &info) || (!info.Arch && !plugin.is_valid_binary(&image)))
      continue;
    if (plugin.is_device_compatible && !plugin.is_device_compatible(device, &image, &info))
      continue;
    __tgt_target_table *const table = plugin.load_binary(device, &image);
    require(table != NULL, "load_binary");
    require(table->EntriesEnd - table->EntriesBegin == image.EntriesEnd - image.EntriesBegin,
            "a table of another length");
    tables[number][device] = table;
    add_variables(device, module, table);
  }
  require(tables[number][device] != NULL, "no image for the device");
}

/* ---- functions that simple programs do not need ---- */

static void try_events(int32_t device, __tgt_async_info *queue) {
  void *event = NULL;
  require(plugin.create_event(device, &event) == 0 && event, "create_event");
  require(plugin.record_event(device, event, queue) == 0, "record_event");
  require(plugin.wait_event(device, event, queue) == 0, "wait_event");
  require(plugin.sync_event(device, event) == 0, "sync_event");
  require(plugin.destroy_event(device, event) == 0, "destroy_event");
}

static void try_queues(int32_t device, char *target, char *bytes) {
  __tgt_async_info queue = {NULL}, *own = NULL;
  require(plugin.data_submit_async(device, target, bytes, 8, &queue) == 0 && queue.Queue, "data_submit_async");
  try_events(device, &queue);
  while (queue.Queue)
    require(plugin.query_async(device, &queue) == 0, "query_async");
  require(plugin.init_async_info(device, &own) == 0 && own && own->Queue, "init_async_info");
  require(plugin.release_async_info(device, own) == 0, "release_async_info");
  require(plugin.data_notify_mapped(device, bytes, 8) == 0 && plugin.data_notify_unmapped(device, bytes) == 0,
          "data_notify_mapped");
}

static void try_texts(int32_t device) {
  char text[64] = "", again[4] = "";
  require(plugin.device_arch(device, text, sizeof text) == strlen(text) && text[0], "device_arch");
  require(plugin.device_uid(device, text, sizeof text) == strlen(text) && text[0], "device_uid");
  require(plugin.device_uid(device, again, sizeof again) == strlen(text) && strlen(again) == 3, "device_uid cuts");
  __tgt_device_image damaged = {text, text + sizeof text, NULL, NULL};
  require(!plugin.is_valid_binary(&damaged) && !plugin.load_binary(device, &damaged), "a damaged image is refused");
  require(plugin.last_error(text, sizeof text) > 0 && text[0], "last_error");
}

static void try_functions(int32_t device) {
  char bytes[16] = "first", back[16] = "";
  void *locked = NULL;
  char *const target = plugin.data_alloc(device, sizeof bytes, NULL, OMPTARGET_ALLOC_DEVICE);
  require(target != NULL && (uint64_t)target % 16 == 0, "data_alloc");
  require(plugin.data_submit(device, target, bytes, sizeof bytes) == 0, "data_submit");
  require(plugin.data_fill(device, target + 5, 'x', 3, NULL) == 0, "data_fill");
  require(plugin.data_retrieve(device, back, target, sizeof back) == 0 && strcmp(back, "firstxxx") == 0,
          "data_retrieve");
  if (plugin.is_data_exchangable(device, device)) {
    require(plugin.data_exchange(device, target, device, target + 8, 8) == 0, "data_exchange");
    require(plugin.data_retrieve(device, back, target + 8, 8) == 0 && strcmp(back, "firstxxx") == 0,
            "what was exchanged");
  }
  require(plugin.data_lock(device, bytes, sizeof bytes, &locked) == 0 && locked, "data_lock");
  require(plugin.data_unlock(device, bytes) == 0, "data_unlock");
  if (plugin.create_event)
    try_queues(device, target, bytes);
  require(plugin.data_delete(device, target, OMPTARGET_ALLOC_DEVICE) == 0, "data_delete");
  require(plugin.set_function_ptr_map(device, 0, NULL) == 0, "set_function_ptr_map");
  try_texts(device);
}

static int32_t ready(int64_t number) {
  open_plugin();
  const int32_t device = number < 0 ? 0 : (int32_t)number;
  require(device < device_count, "there is no such device");
  if (!is_ready[device]) {
    if (plugin.init_requires)
      plugin.init_requires(1);
    require(plugin.init_device(device) == 0, "init_device");
    is_ready[device] = 1;
    try_functions(device);
  }
  for (int32_t i = 0; i < module_count; ++i)
    if (!tables[i][device])
      load(device, i);
  return device;
}

/* ---- queues: all work of a construct goes into one ---- */

static void submit(int32_t device, void *target, void *host, int64_t size, __tgt_async_info *queue) {
  const int32_t result = plugin.data_submit_async ? plugin.data_submit_async(device, target, host, size, queue)
                                                  : plugin.data_submit(device, target, host, size);
  require(result == 0, "data_submit");
}

static void retrieve(int32_t device, void *host, void *target, int64_t size, __tgt_async_info *queue) {
  const int32_t result = plugin.data_retrieve_async ? plugin.data_retrieve_async(device, host, target, size, queue)
                                                    : plugin.data_retrieve(device, host, target, size);
  require(result == 0, "data_retrieve");
}

static void finish(int32_t device, __tgt_async_info *queue) {
  if (queue->Queue)
    require(plugin.synchronize(device, queue) == 0, "synchronize");
  require(queue->Queue == NULL, "synchronize takes the queue back");
}

/* ---- data ---- */

static Mapping *find(int32_t device, char *begin, int64_t size) {
  for (int32_t i = 0; i < MOST; ++i)
    if (mappings[i].target && mappings[i].device == device && mappings[i].begin <= begin &&
        begin + size <= mappings[i].end)
      return &mappings[i];
  return NULL;
}

static void enter(int32_t device, char *begin, int64_t size, int64_t type, __tgt_async_info *queue) {
  require((type & ~(int64_t)(TO | FROM | ALWAYS | PARAMETER | IMPLICIT)) == 0,
          "this library does not know the map type");
  Mapping *mapping = find(device, begin, size);
  const int is_new = !mapping;
  if (is_new) {
    mapping = mappings;
    while (mapping->target)
      ++mapping;
    *mapping =
        (Mapping){begin, begin + size, plugin.data_alloc(device, size, begin, OMPTARGET_ALLOC_DEFAULT), device, 0};
    require(mapping->target != NULL, "data_alloc");
  }
  mapping->uses += mapping->uses >= 0;
  if ((type & TO) && (is_new || (type & ALWAYS)))
    submit(device, mapping->target + (begin - mapping->begin), begin, size, queue);
}

static void leave(int32_t device, char *begin, int64_t size, int64_t type, __tgt_async_info *queue) {
  Mapping *const mapping = find(device, begin, size);
  if (!mapping)
    return;
  mapping->uses = type & DELETE ? 0 : mapping->uses - (mapping->uses > 0);
  if ((type & FROM) && (mapping->uses == 0 || (type & ALWAYS)))
    retrieve(device, begin, mapping->target + (begin - mapping->begin), size, queue);
  if (mapping->uses != 0)
    return;
  finish(device, queue);
  require(plugin.data_delete(device, mapping->target, OMPTARGET_ALLOC_DEFAULT) == 0, "data_delete");
  mapping->target = NULL;
}

EXPORT void __tgt_target_data_begin_mapper(ident_t *where, int64_t number, int32_t count, void **bases, void **begins,
                                           int64_t *sizes, int64_t *types) {
  const int32_t device = ready(number);
  __tgt_async_info queue = {NULL};
  for (int32_t i = 0; i < count; ++i)
    enter(device, begins[i], sizes[i], types[i], &queue);
  finish(device, &queue);
}

EXPORT void __tgt_target_data_end_mapper(ident_t *where, int64_t number, int32_t count, void **bases, void **begins,
                                         int64_t *sizes, int64_t *types) {
  const int32_t device = ready(number);
  __tgt_async_info queue = {NULL};
  for (int32_t i = count; i-- > 0;)
    leave(device, begins[i], sizes[i], types[i], &queue);
  finish(device, &queue);
}

EXPORT void __tgt_target_data_update_mapper(ident_t *where, int64_t number, int32_t count, void **bases, void **begins,
                                            int64_t *sizes, int64_t *types) {
  const int32_t device = ready(number);
  __tgt_async_info queue = {NULL};
  for (int32_t i = 0; i < count; ++i) {
    const Mapping *const mapping = find(device, begins[i], sizes[i]);
    char *const target = mapping ? mapping->target + ((char *)begins[i] - mapping->begin) : NULL;
    if (target && (types[i] & TO))
      submit(device, target, begins[i], sizes[i], &queue);
    if (target && (types[i] & FROM))
      retrieve(device, begins[i], target, sizes[i], &queue);
  }
  finish(device, &queue);
}

/* ---- kernels ---- */

static void *kernel_of(int32_t device, const void *id) {
  for (int32_t i = 0; i < module_count; ++i)
    for (__tgt_offload_entry *entry = modules[i]->HostEntriesBegin; entry != modules[i]->HostEntriesEnd; ++entry)
      if (entry->addr == id)
        return tables[i][device]->EntriesBegin[entry - modules[i]->HostEntriesBegin].addr;
  return NULL;
}

static void *argument(int32_t device, const __tgt_kernel_args *args, uint32_t i, void **private_copy,
                      __tgt_async_info *queue) {
  const int64_t type = args->ArgTypes[i], size = args->ArgSizes[i];
  char *const base = args->ArgBasePtrs[i], *const begin = args->ArgPtrs[i];
  if (type & LITERAL)
    return base;
  char *target;
  if (type & PRIVATE) {
    *private_copy = target = plugin.data_alloc(device, size, NULL, OMPTARGET_ALLOC_DEVICE);
    require(target != NULL, "data_alloc");
    if (type & TO)
      submit(device, target, begin, size, queue);
  } else {
    const Mapping *const mapping = find(device, begin, size);
    require(mapping != NULL, "an argument is not present");
    target = mapping->target + (begin - mapping->begin);
  }
  return target - (begin - base);
}

static void launch(int32_t device, void *kernel, const __tgt_kernel_args *args, const __tgt_kernel_args *given,
                   void **private_copies, __tgt_async_info *queue) {
  void *values[MOST];
  ptrdiff_t offsets[MOST] = {0};
  __tgt_kernel_args block = *given;
  block.NumArgs = 0;
  for (uint32_t i = 0; i < args->NumArgs; ++i)
    if (args->ArgTypes[i] & PARAMETER)
      values[block.NumArgs++] = argument(device, args, i, &private_copies[i], queue);
  require(plugin.launch_kernel(device, kernel, values, offsets, &block, plugin.synchronize ? queue : NULL) == 0,
          "launch_kernel");
  ++launches;
}

EXPORT int __tgt_target_kernel(ident_t *where, int64_t number, int32_t teams, int32_t threads, void *id,
                               __tgt_kernel_args *args) {
  const int32_t device = ready(number);
  __tgt_async_info queue = {NULL};
  void *private_copies[MOST] = {NULL}, *const kernel = kernel_of(device, id);
  require(kernel && args->NumArgs <= MOST, "the kernel is known");
  __tgt_kernel_args block = {0};
  memcpy(&block, args, args->Version == 1 ? offsetof(__tgt_kernel_args, Flags) : sizeof block);
  block.Version = args->Version == 1 ? 2 : args->Version;
  block.NumTeams[0] = teams > 0 ? (uint32_t)teams : block.NumTeams[0];
  block.ThreadLimit[0] = threads > 0 ? (uint32_t)threads : block.ThreadLimit[0];
  for (uint32_t i = 0; i < args->NumArgs; ++i)
    if (!(args->ArgTypes[i] & (LITERAL | PRIVATE)))
      enter(device, args->ArgPtrs[i], args->ArgSizes[i], args->ArgTypes[i], &queue);
  launch(device, kernel, args, &block, private_copies, &queue);
  for (uint32_t i = args->NumArgs; i-- > 0;)
    if (!(args->ArgTypes[i] & (LITERAL | PRIVATE)))
      leave(device, args->ArgPtrs[i], args->ArgSizes[i], args->ArgTypes[i], &queue);
  finish(device, &queue);
  for (uint32_t i = 0; i < args->NumArgs; ++i)
    require(!private_copies[i] || plugin.data_delete(device, private_copies[i], OMPTARGET_ALLOC_DEVICE) == 0,
            "data_delete");
  return 0;
}

/* ---- modules ---- */

EXPORT void __tgt_register_requires(int64_t mask) {}
EXPORT void __tgt_unregister_lib(__tgt_bin_desc *module) {} /* images are unloaded at the end */
EXPORT void __tgt_register_lib(__tgt_bin_desc *module) {
  require(module_count < MOST, "too many modules");
  modules[module_count++] = module;
}

EXPORT int omp_get_num_devices(void) {
  open_plugin();
  return device_count;
}
