// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/system_libgomp.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace omptarget::gomp {

void *find_in_system(const char *name, const char *version) {
  void *const library = dlopen(OMPTARGET_SYSTEM_LIBGOMP, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void *const function = library ? dlvsym(library, name, version) : nullptr;
  if (function)
    return function;
  std::fprintf(stderr, "omptarget error: %s has no %s of version %s\n",
               library ? "the system's libgomp" : "this process", name, version);
  std::abort();
}

namespace system {
constinit decltype(target) target{"GOMP_target_ext", "GOMP_4.5"};
constinit decltype(old_target) old_target{"GOMP_target", "GOMP_4.0"};
constinit decltype(register_images) register_images{"GOMP_offload_register_ver", "GOMP_4.5"};
constinit decltype(unregister_images) unregister_images{"GOMP_offload_unregister_ver", "GOMP_4.5"};
constinit decltype(old_register_images) old_register_images{"GOMP_offload_register", "GOMP_4.0.1"};
constinit decltype(old_unregister_images) old_unregister_images{"GOMP_offload_unregister", "GOMP_4.0.1"};
constinit decltype(get_default_device) get_default_device{"omp_get_default_device", "OMP_4.0"};
constinit decltype(set_default_device) set_default_device{"omp_set_default_device", "OMP_4.0"};
constinit decltype(pause_resource_all) pause_resource_all{"omp_pause_resource_all", "OMP_5.0"};
} // namespace system

} // namespace omptarget::gomp
