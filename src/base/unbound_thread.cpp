// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/unbound_thread.h"

#include "base/numa.h"

namespace omptarget {

// Where the CPUs cannot be known or chosen, the thread stays on its creator's.
int create_unbound_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data) noexcept {
  const int error = pthread_create(thread, attributes, run, data);
  if (error != 0)
    return error;
  if (const std::vector<int> cpus = cpus_of_process(); !cpus.empty())
    run_on_cpus(*thread, cpus);
  return 0;
}

} // namespace omptarget
