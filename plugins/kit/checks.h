// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of checks. Each runs in a process of its own, with the plugin freshly loaded by the check itself.
#pragma once

#include "session.h"

namespace omptarget::check {

struct Check {
  const char *name;
  const char *what; ///< one line for people
  void (*run)(Session &);
};

/// checks_*.cpp
void check_loading(Session &);
void check_matching(Session &);
void check_information(Session &);
void check_errors(Session &);
void check_memory(Session &);
void check_copies(Session &);
void check_queues(Session &);
void check_fill(Session &);
void check_exchange(Session &);
void check_events(Session &);
void check_times(Session &);
void check_pinning(Session &);
void check_mapped(Session &);
void check_images(Session &);
void check_devices(Session &);
void check_kernels(Session &);
void check_kernel_order(Session &);
void check_functions(Session &);
void check_threads(Session &);
void check_unloading(Session &);
void check_ending(Session &);

inline constexpr Check kChecks[] = {
    {"loading", "the host library takes the plugin, and its answers make sense", check_loading},
    {"matching", "images of the target are accepted, others are not, none does harm", check_matching},
    {"information", "what the plugin tells about its devices", check_information},
    {"errors", "failures are reported, with text, and leave the device usable", check_errors},
    {"memory", "allocations: sizes, kinds, alignment, too much", check_memory},
    {"copies", "copies that are complete on return", check_copies},
    {"queues", "copies in queues, their order, waiting and asking", check_queues},
    {"fill", "filling memory", check_fill},
    {"exchange", "copies between devices of the plugin", check_exchange},
    {"events", "events within and between queues", check_events},
    {"times", "when queued work was done, by the host's clock", check_times},
    {"pinning", "host memory that is pinned", check_pinning},
    {"mapped", "host memory of which the plugin learns that it is mapped", check_mapped},
    {"images", "tables of loaded images; variables of each device's own", check_images},
    {"devices", "every device of the plugin, with memory and kernels of its own", check_devices},
    {"kernels", "launches, arguments, the implicit parameter", check_kernels},
    {"order", "kernels and copies of one queue run in order", check_kernel_order},
    {"functions", "the table of indirect functions", check_functions},
    {"threads", "eight threads use one device at once", check_threads},
    {"unloading", "images that come and go", check_unloading},
    {"ending", "the end of devices and of the plugin, also twice", check_ending},
};

} // namespace omptarget::check
