/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C ABI between the host library and runtimes of other compilers (src/gomp), whose regions are functions of the
 * program itself. Such a region runs on the device that is this CPU, on that device's memory. Programs do not include
 * this. A construct that fails ends the process with a message (docs/use/errors.md). Any thread may call.
 */
#ifndef OMPTARGET_HOST_CODE_H
#define OMPTARGET_HOST_CODE_H

#include "omptarget/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OMPTARGET_API
#define OMPTARGET_API __attribute__((visibility("default")))
#endif

/* A construct as the program meets it, and its list, which is one of the compilers' (compiler.h). */
typedef struct __omptarget_construct {
  const char *name; /* in the words of the specification; lives as long as the process */
  const void *code; /* return address in the program's code: tells file and line */
  int64_t device;   /* a number of a device */
  int32_t count;    /* of the arguments */
  void **bases;
  void **begins;
  int64_t *sizes;
  int64_t *types;
} __omptarget_construct;

/* A region: function is the program's, after which it is named. run gets the addresses of the values of all arguments
 * that have OMP_TGT_MAPTYPE_TARGET_PARAM; these values lie one after the other. teams, threads: 0 if not given. */
typedef struct __omptarget_region {
  const void *function;
  void (*run)(void **addresses);
  uint32_t teams;
  uint32_t threads;
} __omptarget_region;

/* 0 if the region ran; nonzero if the caller must run it on the host: the device is none that runs the program's own
 * code, or has ended, or offloading is disabled. The constructs of data do nothing then. */
OMPTARGET_API int __omptarget_run_region(const __omptarget_construct *construct, const __omptarget_region *region);
OMPTARGET_API void __omptarget_enter_data(const __omptarget_construct *construct);
OMPTARGET_API void __omptarget_exit_data(const __omptarget_construct *construct);
OMPTARGET_API void __omptarget_update_data(const __omptarget_construct *construct);
/* target enter data and target exit data by themselves: a mapping is counted once, however many arguments lie in it. */
OMPTARGET_API void __omptarget_enter_once(const __omptarget_construct *construct);
OMPTARGET_API void __omptarget_exit_once(const __omptarget_construct *construct);

/* Bits of a type that only these constructs have. IN_PLACE: if the data are mapped anew, the device uses the host's
 * memory. UNDIVIDED: a target update of data of which only a part is present is an error. */
#define OMPTARGET_IN_PLACE (INT64_C(1) << 42)
#define OMPTARGET_UNDIVIDED (INT64_C(1) << 43)

/* The variables with declare target in the modules of GCC that are loaded now, in the order of their addresses. The
 * same table as long as it does not change; each lives as long as the process. */
typedef struct __omptarget_variable {
  uintptr_t begin, end;
} __omptarget_variable;
typedef struct __omptarget_variables {
  size_t count;
  const __omptarget_variable *first;
} __omptarget_variables;
OMPTARGET_API const __omptarget_variables *__omptarget_declared_variables(void);

/* The calling thread is about to call an API routine (omp_target_alloc, ...) for code of the program that returns
 * there. */
OMPTARGET_API void __omptarget_called_from(const void *code);
/* The device address of a host address, or null. */
OMPTARGET_API void *__omptarget_device_address(const void *address, int64_t device);
/* Ends the process: the construct has what the caller cannot read. */
OMPTARGET_API void __omptarget_refuse(const __omptarget_construct *construct, const char *reason);
/* Prints a line as the library does. */
OMPTARGET_API void __omptarget_warn(const char *text);
/* The same about a variable, with the construct's place. */
OMPTARGET_API void __omptarget_warn_of(const __omptarget_construct *construct, const void *variable, const char *text);

#ifdef __cplusplus
}
#endif

#endif
