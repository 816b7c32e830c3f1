/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The records that compilers embed into programs and that the host library and its plugins exchange.
 * Self-contained C11 and C++. All integers are little endian and pointers have 8 bytes.
 */
#ifndef OMPTARGET_TYPES_H
#define OMPTARGET_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define OMPTARGET_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define OMPTARGET_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* One offload entry as clang 14 to 19 emit it (section omp_offloading_entries, records packed, the table itself
 * possibly unaligned). Plugins always see entries in this form. */
typedef struct __tgt_offload_entry {
  void *addr;       /* host: kernel id, variable or function; device table: device address or kernel handle */
  char *name;       /* NUL terminated */
  size_t size;      /* bytes; 0 for kernels and functions */
  int32_t flags;    /* OMPTARGET_ENTRY_* */
  int32_t reserved; /* REQUIRES entries: the mask; otherwise 0 */
} __tgt_offload_entry;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_offload_entry) == 32, "layout of an entry of clang 14 to 19");

/* One offload entry as clang 20 and later emit it (section llvm_offload_entries, shared by all offload languages). */
typedef struct __tgt_offload_entry_v1 {
  uint64_t reserved; /* 0: tells this layout from the older one */
  uint16_t version;  /* 1 */
  uint16_t kind;     /* OMPTARGET_ENTRY_KIND_* */
  uint32_t flags;    /* OMPTARGET_ENTRY_* */
  void *address;
  char *symbol_name;
  uint64_t size; /* bytes */
  uint64_t data; /* REQUIRES entries: the mask */
  void *aux_addr;
} __tgt_offload_entry_v1;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_offload_entry_v1) == 56, "layout of an entry of clang 20 and later");

enum {
  OMPTARGET_ENTRY_LINK = 0x01,     /* declare target link: addr is the host pointer variable */
  OMPTARGET_ENTRY_CTOR = 0x02,     /* kernel to run after the image was loaded */
  OMPTARGET_ENTRY_DTOR = 0x04,     /* kernel to run before the image goes */
  OMPTARGET_ENTRY_INDIRECT = 0x08, /* declare target indirect; size 8: clang's, size 0: OMP_DECLARE_TARGET_FPTR */
  OMPTARGET_ENTRY_REQUIRES = 0x10, /* no address; data holds the mask of the requires directives */
  OMPTARGET_ENTRY_INDIRECT_VTABLE = 0x20, /* C++ vtable; size is that of the vtable group */

  OMPTARGET_ENTRY_KIND_OPENMP = 1
};

/* Prefix of the names of indirect functions that the host offers unasked: the device need not have them. */
#define OMPTARGET_OFFERED_FUNCTION "__omptarget_offered_"

enum {
  OMPTARGET_REQUIRES_NONE = 0x01,
  OMPTARGET_REQUIRES_REVERSE_OFFLOAD = 0x02,
  OMPTARGET_REQUIRES_UNIFIED_ADDRESS = 0x04,
  OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY = 0x08,
  OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS = 0x10
};

/* An embedded device image and the entries that go with it. */
typedef struct __tgt_device_image {
  void *ImageStart;                  /* first byte */
  void *ImageEnd;                    /* one past the last byte */
  __tgt_offload_entry *EntriesBegin; /* in a program: of either entry layout; for plugins: always the 32-byte one */
  __tgt_offload_entry *EntriesEnd;
} __tgt_device_image;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_device_image) == 32, "layout of a device image record");

/* The descriptor that a linked module (executable or shared library) registers. */
typedef struct __tgt_bin_desc {
  int32_t NumDeviceImages;
  __tgt_device_image *DeviceImages;
  __tgt_offload_entry *HostEntriesBegin;
  __tgt_offload_entry *HostEntriesEnd;
} __tgt_bin_desc;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_bin_desc) == 32, "layout of a binary descriptor");

/* The argument block of a kernel launch. Version 1 (clang 15) ends after Tripcount (64 bytes). Versions 2 (clang 16 to
 * 18), 3 (clang 19 to 22) and 5 (clang 23) have all 104 bytes. Kernels have an implicit parameter since clang 18. With
 * version 2 of clang 18, and with 3, it leads and NumArgs does not count it. With version 5 it is the last of the
 * arguments in the arrays (base null, OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL). */
typedef struct __tgt_kernel_args {
  uint32_t Version;
  uint32_t NumArgs;
  void **ArgBasePtrs;
  void **ArgPtrs;
  int64_t *ArgSizes;  /* bytes */
  int64_t *ArgTypes;  /* OMPTARGET_MAP_* */
  void **ArgNames;    /* may be null */
  void **ArgMappers;  /* may be null */
  uint64_t Tripcount; /* 0: unknown */
  uint64_t Flags;     /* OMPTARGET_KERNEL_* */
  uint32_t NumTeams[3];
  uint32_t ThreadLimit[3];
  uint32_t DynCGroupMem; /* bytes of dynamic shared memory per team */
  uint32_t padding;
} __tgt_kernel_args;
OMPTARGET_STATIC_ASSERT(sizeof(__tgt_kernel_args) == 104, "layout of a kernel argument block");
OMPTARGET_STATIC_ASSERT(offsetof(__tgt_kernel_args, Flags) == 64, "end of a version 1 block");

enum {
  OMPTARGET_KERNEL_NOWAIT = 0x1,
  OMPTARGET_KERNEL_CUDA_STYLE = 0x2, /* ArgPtrs is a block of another kind: never by OpenMP */
  /* If a team cannot have DynCGroupMem bytes of shared memory, two bits decide (clang 22): the launch fails, the kernel
   * runs without, or it gets as much global memory. */
  OMPTARGET_KERNEL_GROUP_MEMORY_FALLBACK = 0xc,
  OMPTARGET_KERNEL_GROUP_MEMORY_ABORT = 0x0,
  OMPTARGET_KERNEL_GROUP_MEMORY_NULL = 0x4,
  OMPTARGET_KERNEL_GROUP_MEMORY_DEFAULT = 0x8,
  OMPTARGET_KERNEL_COOPERATIVE = 0x10,     /* never by OpenMP */
  OMPTARGET_KERNEL_FINAL_ADDRESSES = 0x20, /* ArgPtrs holds addresses of values: never by OpenMP */
  OMPTARGET_KERNEL_STRICT = 0x40,          /* NumTeams and ThreadLimit are used as they are (clang 23: ompx_bare) */
  /* Extension: the construct says nothing, and the number is the most that the device's variables allow. */
  OMPTARGET_KERNEL_MOST_TEAMS = 0x10000000,   /* NumTeams */
  OMPTARGET_KERNEL_MOST_THREADS = 0x20000000, /* ThreadLimit */
  OMPTARGET_KERNEL_VARIABLES = 0x40000000     /* the device has variables that only its plugin reads */
};

/* Bits of ArgTypes that say what an argument of a kernel is. */
enum { OMPTARGET_MAP_TARGET_PARAM = 0x20, OMPTARGET_MAP_LITERAL = 0x100 };

/* Source location of a construct; psource is ";file;function;line;column;;". */
typedef struct ident_t {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  char const *psource;
} ident_t;

/* A pair of the table of indirect functions: sorted ascending by host_ptr, host_ptr unique. */
typedef struct __omp_offloading_fptr_map_ty {
  uint64_t host_ptr;
  uint64_t tgt_ptr;
} __omp_offloading_fptr_map_ty;
OMPTARGET_STATIC_ASSERT(sizeof(__omp_offloading_fptr_map_ty) == 16, "layout of a function pair");

/* Extension: tells device code of an image with a table of its own about the functions of all images. The plugin writes
 * the image's variable of this name. Device code stores a host function of another image at asked, and stops. */
#define OMPTARGET_OTHER_FUNCTIONS "__omptarget_other_functions"
typedef struct __omptarget_other_functions_ty {
  uint64_t pairs; /* address of the table of all images */
  uint64_t count; /* pairs; 0: the image's own table has all of them */
  uint64_t asked; /* address of 8 bytes of host memory */
} __omptarget_other_functions_ty;
OMPTARGET_STATIC_ASSERT(sizeof(__omptarget_other_functions_ty) == 24, "layout of what is known of other images");

#ifdef __cplusplus
}
#endif
#endif
