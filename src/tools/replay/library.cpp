// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/replay/library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

#include "base/program_path.h"

namespace omptarget::replay {

namespace {

std::string own_folder() {
  const std::string path = path_of_program();
  return path.substr(0, path.rfind('/') + 1);
}

Status load_libomp(const std::string &given, const std::string &recorded, bool is_needed) {
  std::vector<std::string> names{given};
  if (given.empty())
    names = {recorded, "libomp.so", "libomp.so.5", "libiomp5.so"};
  std::string failures;
  for (const std::string &name : names) {
    if (name.empty())
      continue;
    if (dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL))
      return Status::ok();
    failures += format("; %s", dlerror());
  }
  if (!is_needed && given.empty())
    return Status::ok();
  return Status::error("no libomp can be loaded, which code for CPUs calls: name one with --libomp=FILE" + failures);
}

Result<void *> open_library() {
  const std::string installed = own_folder() + OMPTARGET_LIBRARY_FROM_TOOLS "/libomptarget.so";
  const char *const path = ::access(installed.c_str(), R_OK) == 0 ? installed.c_str() : "libomptarget.so";
  void *const handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  return handle ? Result<void *>(handle) : Status::error(format("libomptarget cannot be loaded: %s", dlerror()));
}

template <typename Function> Status find(void *handle, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(handle, name));
  return function ? Status::ok() : Status::error(format("libomptarget has no function %s", name));
}

} // namespace

Result<Library> load_library(const std::string &libomp, const std::string &recorded, bool needs_libomp) {
  ::setenv("OMP_TARGET_OFFLOAD", "MANDATORY", 0); // so that the library says why no device takes the image
  OMPTARGET_TRY(load_libomp(libomp, recorded, needs_libomp));
  OMPTARGET_TRY_ASSIGN(void *const handle, open_library());
  Library library{};
  OMPTARGET_TRY(find(handle, "__tgt_register_lib", library.register_lib));
  OMPTARGET_TRY(find(handle, "__tgt_unregister_lib", library.unregister_lib));
  OMPTARGET_TRY(find(handle, "__tgt_target_kernel", library.target_kernel));
  OMPTARGET_TRY(find(handle, "__tgt_target_teams_mapper", library.target_teams));
  OMPTARGET_TRY(find(handle, "__kmpc_push_target_tripcount_mapper", library.push_trip_count));
  OMPTARGET_TRY(find(handle, "omp_get_num_devices", library.number_of_devices));
  OMPTARGET_TRY(find(handle, "omp_get_initial_device", library.initial_device));
  OMPTARGET_TRY(find(handle, "omp_target_alloc", library.allocate));
  OMPTARGET_TRY(find(handle, "omp_target_free", library.free));
  OMPTARGET_TRY(find(handle, "omp_target_memcpy", library.copy));
  OMPTARGET_TRY(find(handle, "omp_get_mapped_ptr", library.mapped_address));
  return library;
}

} // namespace omptarget::replay
