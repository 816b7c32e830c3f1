// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device's code is calling, and its table of indirect functions: for device images on a CPU, whichever plugin
// loaded them. A caller is known by its code address, so any thread may call, also one that the image itself has
// started.
//
// Lookups take no lock and write nothing. They read memory that is used again but never freed (BufferPool), and look at
// a generation before and after: if it has changed, something was replaced meanwhile, and they read again. So a thread
// that never comes back, or a fork at any moment, holds up nobody.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "base/status.h"
#include "omptarget/types.h"

namespace omptarget {

/// Makes these pairs (sorted, host_ptr unique) the table that the device's images see; replaces the former one at once.
/// Empty: no functions any more. Any thread.
void publish_function_table(int32_t device, std::span<const __omp_offloading_fptr_map_ty> pairs);

/// Tells that the loaded object around address (any function or variable of a device image, as the plugin resolved
/// it) is code of the device. False, and nothing is done, if the address lies in no loaded object (a GPU's address),
/// in the one of host_address (say, the module's host entries) or in this library. Any thread; the object must be
/// loaded.
bool register_cpu_image(int32_t device, const void *address, const void *host_address);

/// Takes register_cpu_image back, before the object is unloaded. Nothing happens for an address it has refused.
void forget_cpu_image(int32_t device, const void *address);

/// The device function of the host function `pointer` on the device whose code contains return_address; `pointer`
/// itself if the caller is host code, or the function is not indirect, or null. Any thread, also in a signal handler.
void *translate_function_pointer(void *pointer, const void *return_address);

/// The same for host code that knows the device: the device function of the host function, or null. Any thread.
void *find_device_function(int32_t device, const void *pointer);

/// For fork handlers only: the mutex of the three functions above that change something.
std::mutex &caller_registry_mutex_for_fork();

} // namespace omptarget
