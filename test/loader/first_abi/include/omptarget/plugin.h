/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C ABI between the host library and a device plugin, libomptarget.rtl.<name>.so: the functions that a plugin
 * exports, each with its contract. The base is what LLVM 16 declares; what is marked "extension" is omptarget's own.
 *
 * Conventions for every function:
 * - ID is the plugin's own device number, 0 to number_of_devices() - 1.
 * - int32_t results are 0 for success and nonzero for failure, unless stated otherwise.
 * - Any thread may call, also for one device at the same time, unless stated otherwise.
 *   init_device, load_binary and unload_binary are serialised per device by the caller.
 * - Pointers into caller memory are valid for the call only, unless stated otherwise.
 * - Sizes are bytes. A size of 0 is allowed and does nothing.
 * - A failure is reported by the result and, for people, by last_error. It leaves the device as it was; nothing is printed,
 *   the process is not ended, and no exception leaves a function.
 * - "Required" functions must all be exported by the plugin itself; the others may be left out.
 */
#ifndef OMPTARGET_PLUGIN_H
#define OMPTARGET_PLUGIN_H

#include "omptarget/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OMPTARGET_PLUGIN_API __attribute__((visibility("default")))

/* An asynchronous queue of one construct. Queue is null until the plugin puts its own handle there at first use;
 * synchronize sets it to null again. Used by one thread at a time, which may change between calls. */
typedef struct __tgt_async_info {
  void *Queue;
} __tgt_async_info;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_async_info) == 8, "layout of a queue record");

/* The device table of an image: one entry for each host entry of the image, in the same order. */
typedef struct __tgt_target_table {
  __tgt_offload_entry *EntriesBegin;
  __tgt_offload_entry *EntriesEnd;
} __tgt_target_table;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_target_table) == 16, "layout of a device table");

/* What a container said about an image; Arch is for example "sm_80" or "gfx90a:xnack+", null if it said nothing. */
typedef struct __tgt_image_info {
  const char *Arch;
} __tgt_image_info;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_image_info) == 8, "layout of an image description");

/* Native handles of a device, for interop. */
typedef struct __tgt_device_info {
  void *Context;
  void *Device;
} __tgt_device_info;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_device_info) == 16, "layout of native handles");

/* Kinds of memory for data_alloc and data_delete. */
enum {
  OMPTARGET_ALLOC_DEVICE = 0,
  OMPTARGET_ALLOC_HOST = 1,   /* pinned host memory that the device can access */
  OMPTARGET_ALLOC_SHARED = 2, /* migrates between host and device */
  OMPTARGET_ALLOC_DEFAULT = 3 /* as OMPTARGET_ALLOC_DEVICE */
};

/* ---- Required ---------------------------------------------------------------------------------------------- */

/* Number of devices, 0 if there are none or the driver is missing. Must not initialise a device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_number_of_devices(void);

/* Nonzero if the plugin could load the image on some of its devices. Reads the image only; quick. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image);

/* Makes a device ready for use. Called once per device, before any other call for it. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_device(int32_t ID);

/* Loads an image, which stays valid and unchanged until unload_binary or the end of the process. Returns a table that
 * the plugin owns, with one entry for each entry of the image, in the same order, or null on failure.
 * Addresses in the table: a variable (size > 0) or LINK or INDIRECT or INDIRECT_VTABLE entry: the device address of the
 * symbol of that name; a kernel: an opaque handle for launch_kernel; an INDIRECT entry of size 0: the device function,
 * as the image's own entry table names it; what the image does not have: null. */
OMPTARGET_PLUGIN_API __tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image);

/* size bytes of memory of the given kind, aligned to at least 16 bytes, or null. host_ptr is a hint, may be null. */
OMPTARGET_PLUGIN_API void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host_ptr, int32_t kind);

/* Frees what data_alloc returned for the same device and kind. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_delete(int32_t ID, void *tgt_ptr, int32_t kind);

/* Copies size bytes host to device, and device to host; addresses may be inside blocks and unaligned. Complete on
 * return. Not ordered with queues: the caller has waited for what must come first. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_submit(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_retrieve(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size);

/* Runs a kernel. entry: its handle. Argument i, of args->NumArgs, is tgt_args[i] + offsets[i] (an address, or a value of
 * 8 bytes with offset 0). args: always a full block of 104 bytes; Version says the kernel's generation (2: no implicit
 * parameter; 3: one implicit leading parameter, see OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT). NumTeams and ThreadLimit: 0
 * or, for NumTeams, 0xffffffff means that the plugin chooses. async: as for the _async functions; null: complete on
 * return. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_launch_kernel(int32_t ID, void *entry, void **tgt_args, ptrdiff_t *offsets,
                                                     __tgt_kernel_args *args, __tgt_async_info *async);

/* ---- Optional: life cycle ---------------------------------------------------------------------------------- */

/* Called once, right after loading and before anything else. Nonzero: the plugin is left out. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_plugin(void);
/* Called at the end, after the devices. Host libraries of LLVM call it several times and before deinit_device, so that it
 * must not take away what later calls need. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_deinit_plugin(void);
/* Called once at the end for a device that was initialised, when no work is under way. Memory need not be freed. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_deinit_device(int32_t ID);

/* As is_valid_binary, with what the image's container says about it. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_valid_binary_info(__tgt_device_image *image, __tgt_image_info *info);

/* The mask of the program's requires directives, before init_device. The result is ignored. */
OMPTARGET_PLUGIN_API int64_t __tgt_rtl_init_requires(int64_t mask);

/* Nonzero if images without entries may be offered. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_supports_empty_images(void);

/* ---- Optional: asynchronous forms. Used only if synchronize exists as well ------------------------------------ */

/* Operations of one queue run in the order of the calls. Host memory handed over stays valid until synchronize or until
 * query_async has reported completion. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_submit_async(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size,
                                                         __tgt_async_info *async);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_retrieve_async(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size,
                                                           __tgt_async_info *async);
/* Waits until all work of the queue is complete, gives the queue back and sets Queue to null. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_synchronize(int32_t ID, __tgt_async_info *async);
/* As synchronize if all work is complete; otherwise leaves Queue as it is and returns at once. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_query_async(int32_t ID, __tgt_async_info *async);
/* Gives *async a queue of its own in new memory of the plugin's, and takes such a one back. For interop. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_async_info(int32_t ID, __tgt_async_info **async);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_release_async_info(int32_t ID, __tgt_async_info *async);

/* ---- Optional: copies between devices of the plugin ----------------------------------------------------------- */

/* Nonzero (true) if data_exchange works between the two devices; they may be the same. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_data_exchangable(int32_t source_ID, int32_t destination_ID);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_exchange(int32_t source_ID, void *source, int32_t destination_ID,
                                                     void *destination, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_exchange_async(int32_t source_ID, void *source, int32_t destination_ID,
                                                           void *destination, int64_t size, __tgt_async_info *async);

/* ---- Optional: events. All of create, record, wait, sync and destroy, or none --------------------------------- */

OMPTARGET_PLUGIN_API int32_t __tgt_rtl_create_event(int32_t ID, void **event);
/* Completes when the work that the queue holds now is complete. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_record_event(int32_t ID, void *event, __tgt_async_info *async);
/* Later work of the queue starts after the event has completed. Does not block the caller. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_wait_event(int32_t ID, void *event, __tgt_async_info *async);
/* Blocks the caller until the event has completed. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_sync_event(int32_t ID, void *event);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_destroy_event(int32_t ID, void *event);

/* ---- Optional: host memory ------------------------------------------------------------------------------------ */

/* Pins size bytes at hst_ptr; *accessible is the address under which the device reaches them. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_lock(int32_t ID, void *hst_ptr, int64_t size, void **accessible);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_unlock(int32_t ID, void *hst_ptr);
/* Host memory is now mapped, is no longer mapped: the plugin may pin it. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_notify_mapped(int32_t ID, void *hst_ptr, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_notify_unmapped(int32_t ID, void *hst_ptr);
/* Nonzero if data of this device is better used in place than copied (an APU). */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_use_auto_zero_copy(int32_t ID);

/* ---- Optional: information -------------------------------------------------------------------------------------- */

/* The value of LIBOMPTARGET_INFO from now on. */
OMPTARGET_PLUGIN_API void __tgt_rtl_set_info_flag(uint32_t flag);
/* The number that the first device of this plugin has in the program. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_device_offset(int32_t first_device_number);
/* Prints a description of the device to stdout. */
OMPTARGET_PLUGIN_API void __tgt_rtl_print_device_info(int32_t ID);
/* Fills *info; on failure *error may be set to a text that lives as long as the plugin. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_device_info(int32_t ID, __tgt_device_info *info, const char **error);

/* ---- Optional: indirect functions ------------------------------------------------------------------------------- */

/* Replaces the device's table of indirect functions (docs/plugins.md). The table is the caller's; the plugin copies
 * it, sorted by host_ptr without duplicates, complete for all images loaded on the device. count 0: no functions any
 * more. The new table is in place before the pointers to it are switched, and the old one lives until no kernel can
 * read it. Plugins written for the RFC declare this void: the result counts only with
 * OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT. Serialised per device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t count,
                                                            __omp_offloading_fptr_map_ty *table);

/* ---- Optional: extensions of omptarget --------------------------------------------------------------------------- */

#define OMPTARGET_PLUGIN_ABI_VERSION 1

enum {
  /* launch_kernel supplies the implicit leading parameter of kernels of Version 3 itself. */
  OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT = 0x1,
  /* set_function_ptr_map returns int32_t. */
  OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT = 0x2,
  /* load_binary needs the image's bytes only until it returns; the entries and their names stay. */
  OMPTARGET_PLUGIN_COPIES_IMAGES = 0x4
};

typedef struct __tgt_rtl_abi_info {
  uint32_t size;     /* set by the caller: bytes of this struct; the plugin writes no more than that */
  uint32_t version;  /* OMPTARGET_PLUGIN_ABI_VERSION that the plugin was built with */
  uint64_t features; /* OMPTARGET_PLUGIN_* */
} __tgt_rtl_abi_info;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_rtl_abi_info) == 16, "layout of a plugin's description, version 1");

/* Describes the plugin. Called before init_plugin, possibly again. A plugin whose version is newer than the host library
 * knows is not used. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info);

/* Copies the text of the last failure in the calling thread to buffer, cut to size bytes with the NUL, and returns its
 * full length. 0 if there is none. The text names what failed and the driver's own words. */
OMPTARGET_PLUGIN_API size_t __tgt_rtl_last_error(char *buffer, size_t size);

/* Unloads what load_binary returned; the table and all device addresses in it are gone afterwards. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_unload_binary(int32_t ID, __tgt_target_table *table);

/* Nonzero if this very device can run the image. Without it every device can run what is_valid_binary accepts. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_device_compatible(int32_t ID, __tgt_device_image *image,
                                                            __tgt_image_info *info);

/* What the device is ("sm_90", "gfx90a:sramecc+:xnack-", "x86_64"), and a stable identifier of it (OpenMP 6.0,
 * omp_get_uid_from_device). Both copy to buffer as last_error does. */
OMPTARGET_PLUGIN_API size_t __tgt_rtl_device_arch(int32_t ID, char *buffer, size_t size);
OMPTARGET_PLUGIN_API size_t __tgt_rtl_device_uid(int32_t ID, char *buffer, size_t size);

/* Fills size bytes with the byte value. async: as for the _async functions; null: complete on return. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_fill(int32_t ID, void *tgt_ptr, int32_t value, int64_t size,
                                                 __tgt_async_info *async);

#ifdef __cplusplus
}
#endif
#endif
