// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device.h"

#include <cstdlib>
#include <cstring>
#include <thread>

#include "modules.h"

namespace omptarget {
namespace {

using testing::HasSubstr;

char ctor_1, ctor_2, dtor_1, dtor_2;
int variable_a[4] = {1, 2, 3, 4};
int variable_b;

std::string name_of(const Device &device, const void *id) {
  const Kernel *const kernel = device.kernel(id);
  return kernel ? static_cast<const char *>(kernel->handle) : "";
}

bool is_present(Device &device, const void *address) { return device.map().find(host_ptr(address), 1).is_contained; }

OffloadLibrary &library_of(const void *id) { return *Runtime::get().modules().library_of(id); }

TEST(Device, is_initialised_and_loaded_when_it_is_first_needed) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 2);
  EXPECT_EQ(events("alpha"), "offset:0 ");
  EXPECT_FALSE(Runtime::get().known_device(1)->is_initialised());
  ASSERT_TRUE(ready_device(1));
  ASSERT_TRUE(ready_device(1));
  EXPECT_EQ(events("alpha"), "init:1 load:1 ");
  EXPECT_FALSE(Runtime::get().known_device(0)->is_initialised());
  EXPECT_EQ(name_of(*Runtime::get().known_device(1), &kernel_a), "a");
  EXPECT_EQ(name_of(*Runtime::get().known_device(0), &kernel_a), "");
}

TEST(Device, that_cannot_be_initialised_is_asked_once) {
  setenv("RECORDING_FAILS", "init", 1);
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  for (int round = 0; round < 3; ++round) {
    Result<DeviceUse> device = Runtime::get().device(DeviceId{0});
    ASSERT_FALSE(device.is_ok());
    EXPECT_THAT(device.status().to_string(),
                testing::AllOf(HasSubstr("the fan is stuck"), HasSubstr("; device 0 cannot be initialised")));
  }
  EXPECT_EQ(events("alpha"), "offset:0 init:0 ");
  ASSERT_TRUE(ready_device(1)); // the other one works
}

TEST(Device, that_cannot_load_an_image_tells_why) {
  Module bad("AX");
  Module good("A");
  bad.kernel(&kernel_a, "a");
  good.kernel(&kernel_b, "b");
  ASSERT_TRUE(bad.load());
  ASSERT_TRUE(good.load());
  Device *const device = ready_device(0);
  ASSERT_TRUE(device);
  EXPECT_THAT(device->load_failure(library_of(&kernel_a)), HasSubstr("the image is crossed out"));
  EXPECT_EQ(device->load_failure(library_of(&kernel_b)), "");
  EXPECT_EQ(name_of(*device, &kernel_b), "b");
  EXPECT_EQ(name_of(*device, &kernel_a), "");
  (void)ready_device(0);
  EXPECT_EQ(events("alpha"), "offset:0 init:0 load:0 load:0 "); // not tried again
}

TEST(Device, unloading_takes_exactly_what_was_the_modules_own) {
  Module one("A");
  Module two("A");
  one.kernel(&kernel_a, "a");
  one.variable(variable_a, "variable_a");
  two.kernel(&kernel_b, "b");
  two.variable(variable_b, "variable_b");
  ASSERT_TRUE(one.load());
  ASSERT_TRUE(two.load());
  Device *const device = ready_device(0);
  ASSERT_TRUE(device);
  EXPECT_TRUE(is_present(*device, variable_a));
  EXPECT_TRUE(is_present(*device, &variable_b));
  (void)events("alpha");
  one.unload();
  EXPECT_EQ(events("alpha"), "unload:0 ");
  EXPECT_FALSE(is_present(*device, variable_a));
  EXPECT_TRUE(is_present(*device, &variable_b));
  EXPECT_EQ(name_of(*device, &kernel_a), "");
  EXPECT_EQ(name_of(*device, &kernel_b), "b");
  EXPECT_EQ(device->map().size(), 1u);
}

TEST(Device, a_module_comes_back_fresh) {
  for (int round = 0; round < 3; ++round) {
    Module module("A");
    module.kernel(&kernel_a, "round_" + std::to_string(round));
    module.variable(variable_a, "variable_a");
    ASSERT_TRUE(module.load());
    Device *const device = ready_device(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(name_of(*device, &kernel_a), "round_" + std::to_string(round));
    EXPECT_EQ(device->map().size(), 1u);
  }
}

TEST(Device, what_two_modules_share_stays_until_both_are_gone) {
  for (const bool older_goes_first : {true, false}) {
    Module older("A");
    Module newer("A");
    for (Module *module : {&older, &newer}) {
      module->kernel(&kernel_a, module == &older ? "older" : "newer");
      module->variable(variable_a, "variable_a");
      ASSERT_TRUE(module->load());
    }
    Device *const device = ready_device(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(name_of(*device, &kernel_a), "older");
    EXPECT_EQ(device->map().size(), 1u);
    (older_goes_first ? older : newer).unload();
    EXPECT_EQ(name_of(*device, &kernel_a), older_goes_first ? "newer" : "older");
    EXPECT_TRUE(is_present(*device, variable_a));
    (older_goes_first ? newer : older).unload();
    EXPECT_EQ(name_of(*device, &kernel_a), "");
    EXPECT_EQ(device->map().size(), 0u);
  }
}

TEST(Device, constructors_run_in_the_order_of_the_table_and_destructors_in_its_reverse) {
  Module module("A");
  module.add(&dtor_1, "dtor_1", 0, OMPTARGET_ENTRY_DTOR);
  module.add(&ctor_1, "ctor_1", 0, OMPTARGET_ENTRY_CTOR);
  module.kernel(&kernel_a, "a");
  module.add(&ctor_2, "ctor_2", 0, OMPTARGET_ENTRY_CTOR);
  module.add(&dtor_2, "dtor_2", 0, OMPTARGET_ENTRY_DTOR);
  ASSERT_TRUE(module.load());
  ASSERT_TRUE(ready_device(0));
  ASSERT_TRUE(ready_device(0));
  EXPECT_EQ(events("alpha"), "offset:0 init:0 load:0 run:0:ctor_1 run:0:ctor_2 ");
  Module other("A");
  other.kernel(&kernel_b, "b");
  ASSERT_TRUE(other.load());
  ASSERT_TRUE(ready_device(0));
  EXPECT_EQ(events("alpha"), "load:0 "); // constructors have run already
  module.unload();
  EXPECT_EQ(events("alpha"), "run:0:dtor_2 run:0:dtor_1 unload:0 ");
}

TEST(Device, a_constructor_that_fails_is_told) {
  Module module("A");
  module.add(&ctor_1, "failing_ctor", 0, OMPTARGET_ENTRY_CTOR);
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  testing::internal::CaptureStderr();
  Device *const device = ready_device(0);
  ASSERT_TRUE(device);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::ContainsRegex("^omptarget message: the image of .* could not be loaded on device 0: .*the kernel "
                             "gave up.*; constructor failing_ctor failed"));
  EXPECT_EQ(name_of(*device, &kernel_a), "");
  EXPECT_THAT(device->load_failure(library_of(&kernel_a)), HasSubstr("failing_ctor"));
}

TEST(Device, entries_that_the_image_lacks_are_not_there) {
  Module module("A");
  module.kernel(&kernel_a, "missing_kernel");
  module.variable(variable_a, "missing_variable");
  module.kernel(&kernel_b, "b");
  ASSERT_TRUE(module.load());
  Device *const device = ready_device(0);
  ASSERT_TRUE(device);
  EXPECT_EQ(name_of(*device, &kernel_a), "");
  EXPECT_FALSE(is_present(*device, variable_a));
  EXPECT_EQ(name_of(*device, &kernel_b), "b");
  EXPECT_EQ(device->load_failure(library_of(&kernel_a)), "");
}

int *pointer_to_a = variable_a;

/// Loads the module, which has an entry for pointer_to_a and requires unified shared memory.
void expect_pointer_names_host_variable(Module &module) {
  ASSERT_TRUE(module.load());
  Device *const device = ready_device(1);
  ASSERT_TRUE(device);
  EXPECT_EQ(events("alpha"), "offset:0 init:1 load:1 submit:1:8 ");
  const Found found = device->map().find(host_ptr(&pointer_to_a), sizeof pointer_to_a);
  ASSERT_TRUE(found.is_contained);
  int *on_device = nullptr;
  std::memcpy(&on_device, raw(found.ref.mapping->target_begin()), sizeof on_device);
  EXPECT_EQ(on_device, variable_a);
}

TEST(Device, pointers_of_unified_shared_memory_name_the_hosts_variables) {
  Module module("A");
  module.add_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  module.variable(pointer_to_a, "a_decl_tgt_ref_ptr");
  expect_pointer_names_host_variable(module);
}

TEST(Device, linked_variables_of_unified_shared_memory_name_the_hosts_variables) {
  Module module("A");
  module.add_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  module.add(&pointer_to_a, "a_decl_tgt_ref_ptr", sizeof pointer_to_a, OMPTARGET_ENTRY_LINK);
  expect_pointer_names_host_variable(module);
}

TEST(Device, what_is_closed_while_others_wait_for_a_load_is_gone_when_they_have_gone) {
  // Nothing comes afterwards that could clear up.
  for (int round = 0; round < 300; ++round) {
    Module closed("A");
    closed.variable(variable_a, "variable_a");
    ASSERT_TRUE(closed.load());
    Device *const device = ready_device(0);
    ASSERT_TRUE(device);
    Module newer("A");
    newer.kernel(&kernel_a, "a");
    ASSERT_TRUE(newer.load());
    const OffloadLibrary &library = library_of(&kernel_a);
    std::thread loading([] { (void)ready_device(0); });
    std::thread waiting([] { (void)ready_device(0); });
    std::thread asking([&] {
      for (int i = 0; i < 20; ++i)
        (void)device->load_failure(library);
    });
    closed.unload();
    loading.join();
    waiting.join();
    asking.join();
    ASSERT_FALSE(is_present(*device, variable_a)) << "round " << round;
  }
}

TEST(Device, pointers_are_variables_like_others_without_unified_shared_memory) {
  Module module("A");
  module.variable(pointer_to_a, "a_decl_tgt_ref_ptr");
  ASSERT_TRUE(module.load());
  ASSERT_TRUE(ready_device(0));
  EXPECT_EQ(events("alpha"), "offset:0 init:0 load:0 ");
}

TEST(Device, is_caught_up_by_whoever_comes_after_a_registration) {
  // Each thread registers modules of its own, uses them at once, and closes them, while the others do the same.
  constexpr int kThreads = 4;
  constexpr int kRounds = 100;
  Module stays("A");
  stays.kernel(&kernel_a, "stays");
  stays.variable(variable_a, "variable_a");
  ASSERT_TRUE(stays.load());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        static char ids[kThreads];
        static int variables[kThreads];
        Module module(round % 3 == 0 ? "B" : "A");
        const std::string name = std::to_string(thread) + "_" + std::to_string(round);
        module.kernel(&ids[thread], name);
        module.variable(variables[thread], "v" + name);
        const bool is_loaded = module.load().is_ok();
        const int32_t count = Runtime::get().number_of_devices();
        int found = 0;
        for (int32_t i = 0; i < count; ++i) {
          Result<DeviceUse> device = Runtime::get().device(static_cast<DeviceId>(i));
          if (!device.is_ok() || !*device)
            continue;
          found += name_of(**device, &ids[thread]) == name && is_present(**device, &variables[thread]);
          if ((*device)->plugin().name() == "alpha" && name_of(**device, &kernel_a) != "stays")
            ++wrong;
        }
        wrong += !is_loaded || found != 2;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(Runtime::get().modules().libraries().size(), 1u);
  for (int32_t i = 0; i < Runtime::get().number_of_devices(); ++i)
    EXPECT_EQ(Runtime::get().known_device(i)->map().size(),
              Runtime::get().known_device(i)->plugin().name() == "alpha" ? 1u : 0u);
}

TEST(Device, waits_for_what_it_reads_before_it_gives_up) {
  setenv("RECORDING_FAILS", "retrieve", 1);
  Module module("Q");
  module.add(&kernel_a, "one", 8, OMPTARGET_ENTRY_INDIRECT);
  module.add(&kernel_b, "two", 8, OMPTARGET_ENTRY_INDIRECT);
  ASSERT_TRUE(module.load());
  Device *const device = ready_device(0);
  ASSERT_TRUE(device);
  EXPECT_THAT(device->load_failure(library_of(&kernel_a)),
              testing::AllOf(HasSubstr("the line is busy"), HasSubstr("while reading the device address of two")));
  EXPECT_THAT(events("queueing"), HasSubstr("queue:0 wait:0 "));
}

} // namespace
} // namespace omptarget
