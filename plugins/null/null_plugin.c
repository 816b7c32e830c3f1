/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest plugin that does everything right, to start a new one from: a device whose memory is the host's and that
 * understands images of its own (null_image.h). All work is complete on return, so it has no queues and no events; what
 * it leaves out, the host library replaces. It reports devices only if LIBOMPTARGET_NULL_DEVICES says how many.
 *
 * The contracts of the functions are in omptarget/plugin.h.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null_image.h"

enum { kMaximumDevices = 16 };

struct NullDevice {
  pthread_mutex_t lock; /* guards the fields below */
  NullImage *images;
  __omp_offloading_fptr_map_ty *functions;
  uint64_t function_count;
};
static NullDevice devices[kMaximumDevices];
static int32_t device_count;

/* ---- errors: a number for the caller, a text for people
 * -------------------------------------------------------------- */

static _Thread_local char last_error[256];

static int32_t fail(const char *text) {
  snprintf(last_error, sizeof last_error, "%s", text);
  return -1;
}

static size_t copy_text(const char *text, char *buffer, size_t size) {
  if (buffer && size != 0)
    snprintf(buffer, size, "%s", text);
  return strlen(text);
}

size_t __tgt_rtl_last_error(char *buffer, size_t size) { return copy_text(last_error, buffer, size); }

/* ---- the plugin
 * ------------------------------------------------------------------------------------------------------ */

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  if (info->size < sizeof *info)
    return fail("the description is too small");
  info->version = OMPTARGET_PLUGIN_ABI_VERSION;
  /* Kernels here never have the implicit parameter, so there is nothing to supply. */
  /* There is no driver, so that nothing ends before the process does. */
  info->features = OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT | OMPTARGET_PLUGIN_LASTS;
  return 0;
}

int32_t __tgt_rtl_init_plugin(void) {
  const char *text = getenv("LIBOMPTARGET_NULL_DEVICES");
  const long count = text ? strtol(text, NULL, 10) : 0;
  device_count = count < 0 ? 0 : count > kMaximumDevices ? kMaximumDevices : (int32_t)count;
  for (int32_t i = 0; i < device_count; ++i)
    pthread_mutex_init(&devices[i].lock, NULL);
  return 0;
}

int32_t __tgt_rtl_number_of_devices(void) { return device_count; }

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) { return null_image_is_valid(image); }

/* ---- devices
 * --------------------------------------------------------------------------------------------------------- */

int32_t __tgt_rtl_init_device(int32_t ID) { return ID >= 0 && ID < device_count ? 0 : fail("there is no such device"); }

size_t __tgt_rtl_device_arch(int32_t ID, char *buffer, size_t size) { return copy_text("null", buffer, size); }

size_t __tgt_rtl_device_uid(int32_t ID, char *buffer, size_t size) {
  char text[32];
  snprintf(text, sizeof text, "null-%d", ID);
  return copy_text(text, buffer, size);
}

/* ---- images
 * ---------------------------------------------------------------------------------------------------------- */

__tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image) {
  const char *error = NULL;
  NullImage *loaded = null_image_load(image, &error);
  if (!loaded) {
    fail(error);
    return NULL;
  }
  NullDevice *device = &devices[ID];
  pthread_mutex_lock(&device->lock);
  loaded->next = device->images;
  device->images = loaded;
  pthread_mutex_unlock(&device->lock);
  return &loaded->table;
}

int32_t __tgt_rtl_unload_binary(int32_t ID, __tgt_target_table *table) {
  NullDevice *device = &devices[ID];
  NullImage *found = NULL;
  pthread_mutex_lock(&device->lock);
  for (NullImage **at = &device->images; *at && !found; at = found ? at : &(*at)->next)
    if (&(*at)->table == table) {
      found = *at;
      *at = found->next;
    }
  pthread_mutex_unlock(&device->lock);
  if (!found)
    return fail("no image has that table");
  null_image_free(found);
  return 0;
}

/* ---- memory
 * ---------------------------------------------------------------------------------------------------------- */

void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host_ptr, int32_t kind) {
  void *memory = size < 0 ? NULL : malloc(size ? (size_t)size : 1);
  if (!memory)
    fail("there is not that much memory");
  return memory;
}

int32_t __tgt_rtl_data_delete(int32_t ID, void *tgt_ptr, int32_t kind) {
  free(tgt_ptr);
  return 0;
}

int32_t __tgt_rtl_data_submit(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size) {
  memcpy(tgt_ptr, hst_ptr, (size_t)size);
  return 0;
}

int32_t __tgt_rtl_data_retrieve(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size) {
  memcpy(hst_ptr, tgt_ptr, (size_t)size);
  return 0;
}

/* ---- kernels
 * --------------------------------------------------------------------------------------------------------- */

int32_t __tgt_rtl_launch_kernel(int32_t ID, void *entry, void **tgt_args, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  NullSymbol *kernel = entry;
  if (!kernel)
    return fail("the image does not have the kernel");
  uint64_t values[32] = {0};
  if (args->NumArgs > sizeof values / sizeof *values)
    return fail("the kernel has too many arguments");
  for (uint32_t i = 0; i < args->NumArgs; ++i)
    values[i] = (uint64_t)tgt_args[i] + (uint64_t)offsets[i];
  kernel->operation(&devices[ID], kernel, values);
  return 0;
}

/* ---- indirect functions
 * ---------------------------------------------------------------------------------------------- */

/* The new table is complete before it takes the place of the old one; kernels look with the lock held. */
int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  __omp_offloading_fptr_map_ty *copy = malloc((count + 1) * sizeof *copy);
  if (!copy)
    return fail("no memory for the table of indirect functions");
  if (count)
    memcpy(copy, table, count * sizeof *copy);
  NullDevice *device = &devices[ID];
  pthread_mutex_lock(&device->lock);
  __omp_offloading_fptr_map_ty *old = device->functions;
  device->functions = copy;
  device->function_count = count;
  pthread_mutex_unlock(&device->lock);
  free(old);
  return 0;
}

uint64_t null_device_translate(NullDevice *device, uint64_t host_function) {
  uint64_t result = 0;
  pthread_mutex_lock(&device->lock);
  for (uint64_t low = 0, high = device->function_count; low < high;) {
    const uint64_t middle = low + (high - low) / 2;
    const __omp_offloading_fptr_map_ty *pair = &device->functions[middle];
    if (pair->host_ptr == host_function) {
      result = pair->tgt_ptr;
      break;
    }
    if (pair->host_ptr < host_function)
      low = middle + 1;
    else
      high = middle;
  }
  pthread_mutex_unlock(&device->lock);
  return result;
}
