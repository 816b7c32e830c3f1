// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomptarget as a program sees it, loaded while omptarget-replay runs.
#pragma once

#include <string>

#include "base/status.h"
#include "omptarget/types.h"

namespace omptarget::replay {

/// The library's functions that a replay calls; each as its compilers and OpenMP declare it.
struct Library {
  void (*register_lib)(__tgt_bin_desc *);
  void (*unregister_lib)(__tgt_bin_desc *);
  int (*target_kernel)(ident_t *, int64_t, int32_t, int32_t, void *, __tgt_kernel_args *);
  int (*target_teams)(ident_t *, int64_t, void *, int32_t, void **, void **, int64_t *, int64_t *, void **, void **,
                      int32_t, int32_t);
  void (*push_trip_count)(ident_t *, int64_t, uint64_t);
  int (*number_of_devices)();
  int (*initial_device)();
  void *(*allocate)(size_t, int);
  void (*free)(void *, int);
  int (*copy)(void *, const void *, size_t, size_t, size_t, int, int);
  void *(*mapped_address)(const void *, int);
};

/// Loads libomp, which images for CPUs need, and then the libomptarget that is installed with this tool, both for good.
/// libomp: a file, or empty; recorded: the one that the recorded program had. Fails without libomptarget, and if
/// needs_libomp, without libomp.
Result<Library> load_library(const std::string &libomp, const std::string &recorded, bool needs_libomp);

} // namespace omptarget::replay
