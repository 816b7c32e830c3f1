/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of the host that device code calls while it runs, with omptarget's device RTL. docs/use/host-services.md
 * describes them. C11 and C++.
 *
 *   static uint64_t log_value(void *data, uint64_t size) { ... }
 *   omptarget_register_host_function(1, log_value);                  // in host code
 *   #pragma omp target
 *   { double value = ...; omptarget_call_host(1, &value, sizeof value); }
 */
#ifndef OMPTARGET_HOST_CALL_H
#define OMPTARGET_HOST_CALL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gets a copy of the caller's data, may change it, and must not wait for a device. Each image of a device has one call
 * at a time. */
typedef uint64_t (*omptarget_host_function)(void *data, uint64_t size);

/* Registers a function, in host code, on any thread. It replaces an earlier function of that number; null removes it.
 */
void omptarget_register_host_function(uint32_t number, omptarget_host_function function);

/* Calls that function on the host, from device code or host code, with a copy of size bytes, at most 1 MiB. Copies them
 * back, and returns what it returned. Returns all ones if there is no such function or nobody serves. */
uint64_t omptarget_call_host(uint32_t number, void *data, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
