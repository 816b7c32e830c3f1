/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C ABI between programs and the host library: what compiled code and libomp call. Programs do not include this; it
 * is for tools and tests. All functions may be called by any thread. A construct that fails ends the process with a
 * message (docs/use/errors.md).
 */
#ifndef OMPTARGET_COMPILER_H
#define OMPTARGET_COMPILER_H

#include "omptarget/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OMPTARGET_API __attribute__((visibility("default")))

/* ---- Registration: called by constructors and destructors of each module -------------------------------------- */

/* The descriptor and all it refers to stay valid until it is unregistered. */
OMPTARGET_API void __tgt_register_lib(__tgt_bin_desc *desc);
OMPTARGET_API void __tgt_unregister_lib(__tgt_bin_desc *desc);
/* Mask of a translation unit's requires directives, OMPTARGET_REQUIRES_* (clang 14 to 16). */
OMPTARGET_API void __tgt_register_requires(int64_t flags);
/* Initialises all devices, with or without images (tools). */
OMPTARGET_API void __tgt_init_all_rtls(void);
/* Take and drop a reference to the runtime; without effect here, since it starts at the first need. */
OMPTARGET_API void __tgt_rtl_init(void);
OMPTARGET_API void __tgt_rtl_deinit(void);

/* ---- Data ---------------------------------------------------------------------------------------------------- */

/* device: -1 is the default device. The four arrays have n elements; names and mappers may be null. */
#define OMPTARGET_OLD_PARAMETERS int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types
#define OMPTARGET_DATA_PARAMETERS                                                                                      \
  ident_t *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types, void **names,  \
      void **mappers
/* Dependences of nowait forms. clang 14 to 16 do not pass them to the *_data_*_nowait_mapper functions. */
#define OMPTARGET_DEPENDENCE_PARAMETERS int32_t ndeps, void *deps, int32_t nnoalias, void *noalias

OMPTARGET_API void __tgt_target_data_begin(OMPTARGET_OLD_PARAMETERS);
OMPTARGET_API void __tgt_target_data_end(OMPTARGET_OLD_PARAMETERS);
OMPTARGET_API void __tgt_target_data_update(OMPTARGET_OLD_PARAMETERS);
OMPTARGET_API void __tgt_target_data_begin_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API void __tgt_target_data_end_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API void __tgt_target_data_update_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API void __tgt_target_data_begin_mapper(OMPTARGET_DATA_PARAMETERS);
OMPTARGET_API void __tgt_target_data_end_mapper(OMPTARGET_DATA_PARAMETERS);
OMPTARGET_API void __tgt_target_data_update_mapper(OMPTARGET_DATA_PARAMETERS);
OMPTARGET_API void __tgt_target_data_begin_nowait_mapper(OMPTARGET_DATA_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API void __tgt_target_data_end_nowait_mapper(OMPTARGET_DATA_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API void __tgt_target_data_update_nowait_mapper(OMPTARGET_DATA_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);

/* ---- Launches: 0 if the region ran on a device, nonzero if the caller must run it on the host ------------------ */

#define OMPTARGET_OLD_TARGET_PARAMETERS                                                                                \
  int64_t device, void *host_ptr, int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types
#define OMPTARGET_TARGET_PARAMETERS                                                                                    \
  ident_t *loc, int64_t device, void *host_ptr, int32_t n, void **bases, void **begins, int64_t *sizes,                \
      int64_t *types, void **names, void **mappers

OMPTARGET_API int __tgt_target(OMPTARGET_OLD_TARGET_PARAMETERS);
OMPTARGET_API int __tgt_target_nowait(OMPTARGET_OLD_TARGET_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API int __tgt_target_teams(OMPTARGET_OLD_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit);
OMPTARGET_API int __tgt_target_teams_nowait(OMPTARGET_OLD_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit,
                                            OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API int __tgt_target_mapper(OMPTARGET_TARGET_PARAMETERS);
OMPTARGET_API int __tgt_target_nowait_mapper(OMPTARGET_TARGET_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS);
OMPTARGET_API int __tgt_target_teams_mapper(OMPTARGET_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit);
OMPTARGET_API int __tgt_target_teams_nowait_mapper(OMPTARGET_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit,
                                                   OMPTARGET_DEPENDENCE_PARAMETERS);
/* num_teams: -1 without a teams construct, 0 not given. The block is read as far as its version goes, never written. */
OMPTARGET_API int __tgt_target_kernel(ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit,
                                      void *host_ptr, __tgt_kernel_args *args);
OMPTARGET_API int __tgt_target_kernel_nowait(ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit,
                                             void *host_ptr, __tgt_kernel_args *args, OMPTARGET_DEPENDENCE_PARAMETERS);
/* Trip count of the next launch with teams of this thread on this device (clang 14). */
OMPTARGET_API void __kmpc_push_target_tripcount(int64_t device, uint64_t trip_count);
OMPTARGET_API void __kmpc_push_target_tripcount_mapper(ident_t *loc, int64_t device, uint64_t trip_count);
/* Called by libomp for an unfinished target task: sets *async_handle to null once it has finished. */
OMPTARGET_API void __tgt_target_nowait_query(void **async_handle);

/* ---- User-defined mappers: called by mapper functions only -------------------------------------------------- */

OMPTARGET_API int64_t __tgt_mapper_num_components(void *handle);
OMPTARGET_API void __tgt_push_mapper_component(void *handle, void *base, void *begin, int64_t size, int64_t type,
                                               void *name);

/* ---- Information ------------------------------------------------------------------------------------------------- */

OMPTARGET_API void __tgt_set_info_flag(uint32_t flag);
/* Nonzero if something was printed. */
OMPTARGET_API int __tgt_print_device_info(int64_t device);

/* ---- Indirect functions: called by device code on a CPU; for host code the pointer itself ---------------------- */

/* The device's version of the host function (RFC; clang), or the pointer itself if there is none. */
OMPTARGET_API void *__kmpc_target_translate_fptr(void *pointer);
OMPTARGET_API void *__llvm_omp_indirect_call_lookup(void *pointer);

/* ---- API: OpenMP 5.2, section 18.8, and LLVM's extensions ------------------------------------------------------- */

OMPTARGET_API int omp_get_num_devices(void);
OMPTARGET_API int omp_get_device_num(void);
OMPTARGET_API int omp_get_initial_device(void);
OMPTARGET_API void *omp_target_alloc(size_t size, int device);
OMPTARGET_API void omp_target_free(void *pointer, int device);
OMPTARGET_API int omp_target_is_present(const void *pointer, int device);
OMPTARGET_API int omp_target_is_accessible(const void *pointer, size_t size, int device);
OMPTARGET_API void *omp_get_mapped_ptr(const void *pointer, int device);
OMPTARGET_API int omp_target_memcpy(void *destination, const void *source, size_t length, size_t destination_offset,
                                    size_t source_offset, int destination_device, int source_device);
OMPTARGET_API int omp_target_memcpy_async(void *destination, const void *source, size_t length,
                                          size_t destination_offset, size_t source_offset, int destination_device,
                                          int source_device, int ndeps, void *deps);
OMPTARGET_API int omp_target_memcpy_rect(void *destination, const void *source, size_t element_size, int dimensions,
                                         const size_t *volume, const size_t *destination_offsets,
                                         const size_t *source_offsets, const size_t *destination_dimensions,
                                         const size_t *source_dimensions, int destination_device, int source_device);
OMPTARGET_API int omp_target_memcpy_rect_async(void *destination, const void *source, size_t element_size,
                                               int dimensions, const size_t *volume, const size_t *destination_offsets,
                                               const size_t *source_offsets, const size_t *destination_dimensions,
                                               const size_t *source_dimensions, int destination_device,
                                               int source_device, int ndeps, void *deps);
OMPTARGET_API void *omp_target_memset(void *pointer, int value, size_t length, int device);
OMPTARGET_API void *omp_target_memset_async(void *pointer, int value, size_t length, int device, int ndeps, void *deps);
OMPTARGET_API int omp_target_associate_ptr(const void *host_pointer, const void *device_pointer, size_t size,
                                           size_t device_offset, int device);
OMPTARGET_API int omp_target_disassociate_ptr(const void *host_pointer, int device);
OMPTARGET_API int omp_get_device_from_uid(const char *uid);
OMPTARGET_API const char *omp_get_uid_from_device(int device);
/* nteams-var and teams-thread-limit-var of a device (OpenMP 6.0); 0: the implementation chooses. */
OMPTARGET_API int omp_get_device_num_teams(int device);
OMPTARGET_API int omp_get_device_teams_thread_limit(int device);
OMPTARGET_API void omp_set_device_num_teams(int teams, int device);
OMPTARGET_API void omp_set_device_teams_thread_limit(int threads, int device);
/* Bytes of dynamic group-private memory of a team. group 0: of the contention group, 1: of a parallel team. */
OMPTARGET_API size_t omp_get_gprivate_limit(int device, int group);
/* What omp_pause_resource does for devices; device -11: all. */
OMPTARGET_API int tgt_pause_resource(int kind, int device);
/* libomp 23 calls these for the memory spaces and allocators of devices (OpenMP 6.0, section 27.1). space is
 * an omp_memspace_handle_t, allocator libomp's omp_allocator_handle_t. The first returns the number of resources that
 * all of the devices reach, and the host if host is not 0; it writes their numbers unless resources is null. */
OMPTARGET_API int __tgt_get_mem_resources(int count, const int *devices, int host, uintptr_t space, int *resources);
OMPTARGET_API void *__tgt_omp_alloc(size_t size, uintptr_t allocator);
OMPTARGET_API void __tgt_omp_free(void *pointer, uintptr_t allocator);
OMPTARGET_API void *llvm_omp_target_alloc_device(size_t size, int device);
OMPTARGET_API void *llvm_omp_target_alloc_host(size_t size, int device);
OMPTARGET_API void *llvm_omp_target_alloc_shared(size_t size, int device);
OMPTARGET_API void llvm_omp_target_free_device(void *pointer, int device);
OMPTARGET_API void llvm_omp_target_free_host(void *pointer, int device);
OMPTARGET_API void llvm_omp_target_free_shared(void *pointer, int device);
OMPTARGET_API void *llvm_omp_target_lock_mem(void *pointer, size_t size, int device);
OMPTARGET_API void llvm_omp_target_unlock_mem(void *pointer, int device);
OMPTARGET_API void *llvm_omp_target_dynamic_shared_alloc(void);
OMPTARGET_API void *llvm_omp_get_dynamic_shared(void);
OMPTARGET_API void ompx_dump_mapping_tables(void);

#ifdef __cplusplus
}
#endif
#endif
