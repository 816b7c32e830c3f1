/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C ABI between the host library and a device plugin, libomptarget.rtl.<name>.so: the functions that a plugin
 * exports, each with its contract. LLVM 16 declares the base; functions marked "extension" are omptarget's own.
 * plugins-reference.md says how they are used, and plugins.md how to write a plugin, both in
 * share/doc/omptarget/extend.
 *
 * Conventions for every function:
 * - ID is the plugin's own device number, 0 to number_of_devices() - 1.
 * - int32_t results are 0 for success and nonzero for failure, unless stated otherwise.
 * - Any thread may call, also for one device at the same time, unless stated otherwise.
 *   init_device, load_binary, unload_binary, set_function_ptr_map and set_image_functions of one device never run at
 *   the same time.
 * - Pointers into caller memory are valid for the call only, unless stated otherwise.
 * - Sizes are bytes. A size of 0 is allowed and does nothing.
 * - The result tells a failure, and last_error describes it for people. A failure leaves the device as it was. A
 *   function prints nothing, does not end the process, and lets no exception out.
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

/* Returns size bytes of memory of the given kind, aligned to at least 16 bytes, or null. host_ptr is a hint, may be
 * null. For size 0 null is no failure. The caller passes any other result to data_delete. */
OMPTARGET_PLUGIN_API void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host_ptr, int32_t kind);

/* Frees what data_alloc returned for the same device and kind; null does nothing. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_delete(int32_t ID, void *tgt_ptr, int32_t kind);

/* Copies size bytes host to device, and device to host. Addresses may be inside blocks and unaligned. Complete on
 * return. Not ordered with queues: the caller waits first for work that must come before. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_submit(int32_t ID, void *tgt_ptr, void *hst_ptr, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_retrieve(int32_t ID, void *hst_ptr, void *tgt_ptr, int64_t size);

/* Runs a kernel. entry is its handle. Argument i, of args->NumArgs, is tgt_args[i] + offsets[i]: an address, or a value
 * of 8 bytes with offset 0. (omptarget passes offsets of 0 only, other host libraries also others.) args is always a
 * full block of 104 bytes. Its Version says which implicit parameter the kernel has. 2: none, or the caller supplies
 * it. 3: a leading one beside the arguments, see OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT. 5: the last argument, only with
 * OMPTARGET_PLUGIN_TRAILING_ENVIRONMENT. Kernels that take one array of their arguments' addresses (CPU, clang 23) have
 * that array as their only argument. NumTeams and ThreadLimit: if they are 0, or NumTeams is 0xffffffff, the plugin
 * chooses. async: as for the _async functions; null: complete on return. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_launch_kernel(int32_t ID, void *entry, void **tgt_args, ptrdiff_t *offsets,
                                                     __tgt_kernel_args *args, __tgt_async_info *async);

/* ---- Optional: life cycle ---------------------------------------------------------------------------------- */

/* Called once, right after loading, before everything but abi. Nonzero: the plugin is left out. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_plugin(void);
/* Called once at the end, after the devices, for every plugin that was loaded; no other call follows. LLVM's host
 * libraries call it several times and before deinit_device. So it must not take away what later calls need. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_deinit_plugin(void);
/* Called once at the end for a device that was initialised, when no work is under way. Memory need not be freed. Global
 * destructors of its images run here, unless they have entries of their own, which have run before. It is no failure if
 * the driver has ended already. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_deinit_device(int32_t ID);

/* As is_valid_binary; info has what the image's container says about it. */
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
/* Waits until all work of the queue is complete, takes the queue back and sets Queue to null. If work of the queue has
 * failed, it does the same, and fails. Does nothing if Queue is null. A queue of init_async_info keeps its handle. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_synchronize(int32_t ID, __tgt_async_info *async);
/* As synchronize if all work is complete or has failed; otherwise leaves Queue as it is and returns 0 at once. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_query_async(int32_t ID, __tgt_async_info *async);
/* Gives *async a queue of its own, with its Queue set, in new memory of the plugin's. The second function takes such a
 * queue back. For interop: the program passes Queue to the driver itself. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_async_info(int32_t ID, __tgt_async_info **async);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_release_async_info(int32_t ID, __tgt_async_info *async);

/* ---- Optional: copies between devices of the plugin ----------------------------------------------------------- */

/* Nonzero (true) if data_exchange works between the two devices; they may be the same. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_data_exchangable(int32_t source_ID, int32_t destination_ID);
/* The queue of the second is one of the source device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_exchange(int32_t source_ID, void *source, int32_t destination_ID,
                                                     void *destination, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_exchange_async(int32_t source_ID, void *source, int32_t destination_ID,
                                                           void *destination, int64_t size, __tgt_async_info *async);

/* ---- Optional: events. All of create, record, wait, sync and destroy, or none --------------------------------- */

/* An event that was never recorded counts as completed. Recording it again replaces what it stands for. Threads and
 * queues that wait already wait for the former work. It may be destroyed before it has completed, which does not
 * disturb these. A queue with a null Queue has no work: recording it gives a completed event, and waiting may put a
 * queue there. ID is the device of both event and queue. */
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
/* Tell that host memory is mapped now, and that it is no longer mapped: the plugin may pin it. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_notify_mapped(int32_t ID, void *hst_ptr, int64_t size);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_notify_unmapped(int32_t ID, void *hst_ptr);
/* Nonzero if it is better to use data of this initialised device in place than to copy them (an APU). */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_use_auto_zero_copy(int32_t ID);
/* Tells how kernels of the device reach memory of the host that was not allocated for them (malloc's, variables). They
 * do not reach it; or they reach it after page faults, by which the system grants access or moves it; or they reach it
 * as the CPU does, because they share page tables or the memory itself. May be called before init_device. */
enum { OMPTARGET_HOST_MEMORY_NOT_REACHED = 0, OMPTARGET_HOST_MEMORY_BY_FAULTS = 1, OMPTARGET_HOST_MEMORY_SHARED = 2 };
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_host_memory_access(int32_t ID);

/* ---- Optional: information -------------------------------------------------------------------------------------- */

/* The value of LIBOMPTARGET_INFO from now on. */
OMPTARGET_PLUGIN_API void __tgt_rtl_set_info_flag(uint32_t flag);
/* Calls the function that the program has registered by this number, for device code that is running. data may be
 * changed. -1: there is none, and nothing was done. Any thread. */
typedef int32_t (*__tgt_host_call)(uint32_t number, void *data, uint64_t bytes, uint64_t *result);
/* Called once, before the first init_device; the function lasts as long as the process. */
OMPTARGET_PLUGIN_API void __tgt_rtl_set_host_call(__tgt_host_call call);
/* The number that the first device of this plugin has in the program. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_device_offset(int32_t first_device_number);
/* The number that this device has in the program. It may differ from the first one's and the next ones' (OpenMP's
 * OMP_AVAILABLE_DEVICES). Called after set_device_offset, before init_device, for the devices that the program has. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_device_number(int32_t ID, int32_t number);
/* Prints a description of the device to stdout. */
OMPTARGET_PLUGIN_API void __tgt_rtl_print_device_info(int32_t ID);
/* Fills *info; on failure *error may be set to a text that lives as long as the plugin. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_init_device_info(int32_t ID, __tgt_device_info *info, const char **error);

/* ---- Optional: indirect functions ------------------------------------------------------------------------------- */

/* Replaces the device's table of indirect functions (plugins-reference.md). The plugin copies the table, which is
 * sorted by host_ptr, without duplicates, and complete for all images on the device. count 0: no functions any more.
 * The new table is in place before the pointers to it are switched, and the old one lives until no kernel can read it.
 * The plugin may wait until running kernels have ended. Plugins written for the RFC declare this void: the result
 * counts only with OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT. Serialised per device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t count,
                                                            __omp_offloading_fptr_map_ty *table);

/* The indirect functions of one image. */
typedef struct __tgt_image_functions {
  uint64_t count;
  const __omp_offloading_fptr_map_ty *pairs; /* sorted by host_ptr, without duplicates */
  const char *module;                        /* file name of the image's module, for messages */
  /* Describes a function of another image: "f is in the image of libX.so". Copies as last_error does. Any thread, at
   * any time. */
  size_t (*describe)(const void *host_function, char *buffer, size_t size);
} __tgt_image_functions;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_image_functions) == 32, "layout of an image's functions");

/* Extension, for devices whose images cannot call one another's functions. The plugin gets the functions of each image
 * on its own, once, after load_binary and before the image's first launch. Device code of the image translates these
 * only. If it asks for another function of the table of set_function_ptr_map, the kernel stops. The failure then has
 * the text of describe, and module (plugins-reference.md). Other images use the table of set_function_ptr_map. The
 * plugin copies what it needs. Serialised per device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_image_functions(int32_t ID, __tgt_target_table *image,
                                                           const __tgt_image_functions *functions);

/* ---- Optional: extensions of omptarget --------------------------------------------------------------------------- */

#define OMPTARGET_PLUGIN_ABI_VERSION 1

enum {
  /* launch_kernel supplies the implicit leading parameter of kernels of Version 3 itself. */
  OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT = 0x1,
  /* set_function_ptr_map returns int32_t. */
  OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT = 0x2,
  /* load_binary needs the image's bytes only until it returns; the entries and their names stay. */
  OMPTARGET_PLUGIN_COPIES_IMAGES = 0x4,
  /* launch_kernel knows Version 5, kernels whose last argument is the implicit one, and puts the launch environment
   * there. Without it such kernels come as Version 2, with all ones for their last argument. */
  OMPTARGET_PLUGIN_TRAILING_ENVIRONMENT = 0x8,
  /* The plugin works until the process is gone: neither it nor a library that it uses ends in an exit handler or in a
   * destructor. Its devices then serve destructors of the program's global objects, too (plugins-reference.md). */
  OMPTARGET_PLUGIN_LASTS = 0x10,
  /* load_binary and unload_binary may be called by several threads at once, also for one device and for the same image.
   * Without it one thread at a time calls them for each device. That thread waits for the dynamic loader with a lock of
   * the host library held: a region in a constructor of a library that is being opened waits for ever. */
  OMPTARGET_PLUGIN_LOADS_SIDE_BY_SIDE = 0x20,
  /* data_notify_mapped and data_notify_unmapped do nothing in this process. So the host library does not call them, and
   * keeps the memory of small data for when they are mapped again. */
  OMPTARGET_PLUGIN_IGNORES_MAPPINGS = 0x40
};

typedef struct __tgt_rtl_abi_info {
  uint32_t size;     /* set by the caller: bytes of this struct; the plugin writes no more than that */
  uint32_t version;  /* OMPTARGET_PLUGIN_ABI_VERSION that the plugin was built with */
  uint64_t features; /* OMPTARGET_PLUGIN_* */
} __tgt_rtl_abi_info;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_rtl_abi_info) == 16, "layout of a plugin's description, version 1");

/* Describes the plugin. Called before init_plugin, possibly again. A plugin whose version is newer than the host
 * library knows is not used. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info);

enum {
  OMPTARGET_FORK_ANNOUNCED = 0, /* once, before init_plugin: the others will follow */
  OMPTARGET_FORK_BEFORE = 1,
  OMPTARGET_FORK_PARENT = 2,
  OMPTARGET_FORK_CHILD = 3
};
/* Called around a fork by a thread of the process. A plugin takes its locks before and releases them after it, so that
 * the child finds them free. It must not do so in a handler of its own (pthread_atfork). Handlers run in the reverse
 * order of their registration, the host library's last: a thread that loads an image would wait for the plugin's lock,
 * and the fork for that thread. During the call no other thread loads an image. A plugin that is also used under other
 * host libraries registers a handler, which does nothing once this was announced. */
OMPTARGET_PLUGIN_API void __tgt_rtl_fork_phase(int32_t phase);

/* Copies the text of the last failure in the calling thread to buffer, cut to size bytes with the NUL, and returns its
 * full length. 0 if there is none; a success in between may clear it or not. The text names what failed and has the
 * driver's own words. */
OMPTARGET_PLUGIN_API size_t __tgt_rtl_last_error(char *buffer, size_t size);

/* Unloads what load_binary returned; the table and all device addresses in it are gone afterwards. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_unload_binary(int32_t ID, __tgt_target_table *table);

/* Nonzero if this device can run the image. Without it every device can run what is_valid_binary accepts. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_is_device_compatible(int32_t ID, __tgt_device_image *image,
                                                            __tgt_image_info *info);

/* Tell the architecture of the device ("sm_90", "gfx90a:sramecc+:xnack-", "x86_64"), and a stable identifier of it
 * (OpenMP 6.0, omp_get_uid_from_device). Both copy to buffer as last_error does. */
OMPTARGET_PLUGIN_API size_t __tgt_rtl_device_arch(int32_t ID, char *buffer, size_t size);
OMPTARGET_PLUGIN_API size_t __tgt_rtl_device_uid(int32_t ID, char *buffer, size_t size);
/* The NUMA domain that the device is nearest to, in the kernel's numbers; -1 if there is none or if it is not known.
 * May be called before init_device. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_device_numa_domain(int32_t ID);

/* Tells how many teams, and how many threads of each, launch_kernel would run the kernel with for this block. It may
 * be told about a kernel that was compiled for just these numbers, which is then launched with OMPTARGET_KERNEL_STRICT.
 * Nonzero: the numbers are not known before the launch, or there are more dimensions than one. */
typedef struct __tgt_launch_shape {
  uint32_t teams;
  uint32_t threads; /* of a team, with those that the plugin adds */
} __tgt_launch_shape;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_launch_shape) == 8, "layout of a launch's shape");
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_launch_shape(int32_t ID, void *entry, const __tgt_kernel_args *args,
                                                    __tgt_launch_shape *shape);

/* Returns the most bytes of dynamic shared memory for a team of a kernel that has no other shared memory. */
OMPTARGET_PLUGIN_API uint64_t __tgt_rtl_group_memory_limit(int32_t ID);

/* Fills size bytes with the byte value. async: as for the _async functions; null: complete on return. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_data_fill(int32_t ID, void *tgt_ptr, int32_t value, int64_t size,
                                                 __tgt_async_info *async);

/* Requests for the device's memory, and how they were served, since the device was initialised. */
typedef struct __tgt_memory_statistics {
  uint32_t size; /* set by the caller: bytes of this struct; the plugin writes no more than that */
  uint32_t reserved;
  uint64_t allocations;        /* asked for */
  uint64_t reused;             /* of these, served from memory that was kept after it had been freed */
  uint64_t driver_allocations; /* asked of the driver */
  uint64_t kept_bytes;         /* now, not in use */
  uint64_t used_bytes;         /* now */
  uint64_t most_used_bytes;
} __tgt_memory_statistics;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_memory_statistics) == 56, "layout of the statistics of memory, version 1");

/* Times of queued work, by the device's own clock. A plugin has all three functions or none, and only with queues. Work
 * that is queued between start and stop is timed; a queue is timed once at a time. The work runs as it would without:
 * nothing waits. *timing is the plugin's. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_start_timing(int32_t ID, __tgt_async_info *async, void **timing);
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_stop_timing(int32_t ID, __tgt_async_info *async, void *timing);
/* Tells when the first of that work began and the last of it ended, in nanoseconds of the host's CLOCK_MONOTONIC.
 * Called once for each start that succeeded, when synchronize or query_async has told that the work is complete. It
 * takes timing back, also if it fails because nothing ran or the device has no times. With null pointers it only takes
 * timing back. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_read_timing(int32_t ID, void *timing, uint64_t *begin_ns, uint64_t *end_ns);

/* Only for plugins that keep freed memory. Calls no driver; also after the driver has ended. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_memory_statistics(int32_t ID, __tgt_memory_statistics *statistics);

/* Returns to the driver what the plugin keeps for later: freed memory of all kinds. Memory in use stays. May be called
 * at any time, also beside work that is under way; it may wait for that. */
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_trim_memory(int32_t ID);

#ifdef __cplusplus
}
#endif
#endif
