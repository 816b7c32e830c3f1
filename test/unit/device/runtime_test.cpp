// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/runtime.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "device/call.h"
#include "modules.h"
#include "policy.h"

namespace omptarget {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

char kernel_c;

TEST(Runtime, registering_loads_no_plugin) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_EQ(events("alpha"), "not loaded");
  EXPECT_EQ(Runtime::get().modules().libraries().size(), 1u);
  module.unload();
  EXPECT_EQ(Runtime::get().modules().libraries().size(), 0u);
  EXPECT_EQ(events("alpha"), "not loaded");
}

TEST(Runtime, a_program_without_images_has_no_devices_and_loads_no_plugin) {
  EXPECT_EQ(Runtime::get().number_of_devices(), 0);
  EXPECT_EQ(events("alpha"), "not loaded");
}

TEST(Runtime, devices_are_numbered_in_the_order_of_the_images) {
  Module first("B");
  first.kernel(&kernel_b, "b");
  ASSERT_TRUE(first.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 2);
  EXPECT_EQ(events("beta"), "offset:0 ");
  Module second("A");
  second.kernel(&kernel_a, "a");
  ASSERT_TRUE(second.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 4);
  EXPECT_EQ(events("alpha"), "offset:2 ");
  Module third("B");
  third.kernel(&kernel_b, "b");
  ASSERT_TRUE(third.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 4);
  EXPECT_EQ(Runtime::get().known_device(1)->plugin().name(), "beta");
  EXPECT_EQ(Runtime::get().known_device(2)->plugin().name(), "alpha");
  EXPECT_EQ(Runtime::get().known_device(3)->local_id(), 1);
  EXPECT_EQ(Runtime::get().known_device(4), nullptr);
  EXPECT_EQ(Runtime::get().known_device(-1), nullptr);
}

TEST(Runtime, numbers_stay_when_a_module_goes) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 2);
  module.unload();
  EXPECT_EQ(Runtime::get().number_of_devices(), 2);
}

TEST(Runtime, devices_without_a_fitting_image_do_not_count) {
  Module module("?");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 0);
  const std::vector<std::string> lines = Runtime::get().explain_devices();
  EXPECT_THAT(lines, testing::Contains(HasSubstr(": unknown")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("found: plugin alpha")));
}

TEST(Runtime, without_modules_the_end_of_main_is_suspected) {
  EXPECT_THAT(Runtime::get().explain_devices(), testing::Contains(HasSubstr("needed: no module with device code")));
}

TEST(Runtime, all_devices_are_initialised_on_demand_of_a_tool) {
  ASSERT_TRUE(Runtime::get().initialise_all());
  EXPECT_EQ(Runtime::get().number_of_devices(), 6);
  EXPECT_EQ(events("alpha"), "offset:0 init:0 init:1 ");
  EXPECT_EQ(events("beta"), "offset:2 init:0 init:1 ");
  EXPECT_EQ(events("queueing"), "offset:4 init:0 init:1 ");
}

TEST(Runtime, disabled_offloading_loads_no_plugin) {
  target_offload_policy = 0;
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_EQ(Runtime::get().number_of_devices(), 0);
  EXPECT_TRUE(Runtime::get().is_disabled());
  EXPECT_EQ(events("alpha"), "not loaded");
  Result<DeviceUse> device = device_for(17);
  ASSERT_TRUE(device.is_ok());
  EXPECT_FALSE(*device);
}

TEST(Runtime, device_numbers_mean_devices_the_host_or_an_error) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  Result<DeviceUse> initial = device_for(2);
  ASSERT_TRUE(initial.is_ok());
  EXPECT_FALSE(*initial);
  Result<DeviceUse> standard = device_for(-1);
  ASSERT_TRUE(standard.is_ok());
  EXPECT_EQ(raw((*standard)->id()), 0);
  for (const int64_t number : {int64_t{3}, int64_t{-2}, INT64_MAX, INT64_MIN, int64_t{1} << 32}) {
    Result<DeviceUse> none = device_for(number);
    ASSERT_FALSE(none.is_ok()) << number;
    EXPECT_EQ(none.status().to_string(),
              "Device number '" + std::to_string(number) + "' out of range, only 2 devices available");
  }
}

TEST(Runtime, without_devices_the_host_serves_unless_offloading_is_mandatory) {
  Module module("?");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  Result<DeviceUse> device = device_for(0);
  ASSERT_TRUE(device.is_ok());
  EXPECT_FALSE(*device);
}

TEST(Runtime, mandatory_offloading_without_devices_says_what_was_found_and_needed) {
  target_offload_policy = 2;
  Module module("?");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  Result<DeviceUse> device = device_for(0);
  ASSERT_FALSE(device.is_ok());
  EXPECT_TRUE(Runtime::get().is_mandatory());
  EXPECT_THAT(device.status().to_string(), HasSubstr("No device is available for offloading; needed: image 0 of"));
  EXPECT_THAT(device.status().to_string(), HasSubstr("found: plugin beta"));
}

TEST(Runtime, modules_are_found_by_their_entries) {
  Module one("A");
  Module two("A");
  one.kernel(&kernel_a, "a");
  two.kernel(&kernel_b, "b");
  ASSERT_TRUE(one.load());
  ASSERT_TRUE(two.load());
  ASSERT_TRUE(Runtime::get().modules().library_of(&kernel_b));
  EXPECT_EQ(Runtime::get().modules().library_of(&kernel_b)->descriptor, two.descriptor());
  two.unload();
  EXPECT_EQ(Runtime::get().modules().library_of(&kernel_b), nullptr);
}

TEST(Runtime, indirect_functions_are_described_by_name_and_module) {
  const char vtable[40] = {};
  Module module("A");
  module.add(&kernel_a, "__omptarget_indirect_square", 8, OMPTARGET_ENTRY_INDIRECT);
  module.add(&kernel_b, "_ZN5Shape4areaEv", 0, OMPTARGET_ENTRY_INDIRECT);
  module.add(vtable, "__omp_offloading_10_2__ZTV5Shape_l7addr", sizeof vtable, OMPTARGET_ENTRY_INDIRECT_VTABLE);
  module.add(&module, "__omp_offloading_10_2__ZN5Shape5sidesEi_l9", 8, OMPTARGET_ENTRY_INDIRECT);
  ASSERT_TRUE(module.load());
  const auto text = [](const void *function) { return Runtime::get().modules().describe_indirect(function); };
  EXPECT_THAT(text(&kernel_a), testing::StartsWith("square is in the image of "));
  EXPECT_THAT(text(&kernel_b), testing::StartsWith("Shape::area() is in the image of "));
  EXPECT_THAT(text(vtable + 16), testing::StartsWith("vtable for Shape is in the image of "));
  EXPECT_THAT(text(&module), testing::StartsWith("Shape::sides(int) is in the image of "));
  EXPECT_EQ(text(vtable + sizeof vtable), "");
  EXPECT_EQ(text(reinterpret_cast<const char *>(&module) + 1), ""); // the kernels may lie side by side
  module.unload();
  EXPECT_EQ(text(&kernel_a), "");
}

TEST(Runtime, requirements_add_up_and_go_with_their_modules) {
  Module one("A");
  one.add_requires(OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS);
  ASSERT_TRUE(one.load());
  EXPECT_EQ(Runtime::get().modules().requires_mask(), uint64_t{OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS});
  ASSERT_TRUE(Runtime::get().modules().add_requires(OMPTARGET_REQUIRES_NONE, &kernel_a));
  EXPECT_EQ(Runtime::get().modules().requires_mask(),
            uint64_t{OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS | OMPTARGET_REQUIRES_NONE});
  one.unload();
  EXPECT_EQ(Runtime::get().modules().requires_mask(), uint64_t{OMPTARGET_REQUIRES_NONE});
}

TEST(Runtime, contradicting_modules_are_both_named) {
  Module module("A");
  module.add_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  ASSERT_TRUE(module.load());
  Status status = Runtime::get().modules().add_requires(OMPTARGET_REQUIRES_NONE, &kernel_a);
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.failure().fatal, "'#pragma omp requires unified_shared_memory' not used consistently!");
  EXPECT_THAT(status.to_string(),
              testing::ContainsRegex("memory outside of all modules requires unified_shared_memory, "
                                     ".*/unit_device does not"));
  module.unload();
  EXPECT_TRUE(Runtime::get().modules().add_requires(OMPTARGET_REQUIRES_NONE, &kernel_a)); // the other one is gone
}

TEST(Runtime, records_of_one_module_that_contradict_each_other_are_refused) {
  Module module("A");
  module.add_requires(OMPTARGET_REQUIRES_NONE);
  module.add_requires(OMPTARGET_REQUIRES_REVERSE_OFFLOAD);
  Status status = module.load();
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.failure().fatal, "'#pragma omp requires reverse_offload' not used consistently!");
  EXPECT_THAT(status.to_string(),
              HasSubstr("one part of memory outside of all modules requires reverse_offload, another "
                        "does not"));
  Module other("A"); // dynamic_allocators is a part's own affair
  module.unload();
  other.add_requires(OMPTARGET_REQUIRES_NONE);
  other.add_requires(OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS);
  EXPECT_TRUE(other.load());
}

TEST(Runtime, what_is_not_registered_is_not_unregistered) {
  Module module("A");
  Runtime::get().unregister_library(module.descriptor());
  Runtime::get().unregister_library(nullptr);
  ASSERT_TRUE(module.load());
  module.unload();
  Runtime::get().unregister_library(module.descriptor());
  EXPECT_EQ(Runtime::get().modules().libraries().size(), 0u);
}

void write_line(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

/// A program with a module that has destructors; its exit handler was registered before the device is used, as those of
/// modules are.
[[noreturn]] void run_program_that_ends(void (*at_exit)(Module &module)) {
  setenv("RECORDING_PRINTS", "1", 1);
  static void (*const handler)(Module &module) = at_exit;
  static Module *const module = new Module("A");
  module->kernel(&kernel_a, "a");
  module->add(&kernel_b, "goodbye_1", 0, OMPTARGET_ENTRY_DTOR);
  module->add(&kernel_c, "goodbye_2", 0, OMPTARGET_ENTRY_DTOR);
  std::atexit([] { handler(*module); });
  (void)module->load();
  {
    Result<DeviceUse> device = Runtime::get().device(DeviceId{0});
  }
  std::exit(0);
}

void use_after_end(Module &module) {
  Result<DeviceUse> device = Runtime::get().device(DeviceId{0});
  write_line(device.is_ok() && *device ? "device\n" : "host\n");
  write_line(Runtime::get().number_of_devices() == 2 ? "two\n" : "not two\n");
  module.unload();
  write_line("unregistered\n");
}

TEST(RuntimeDeathTest, what_has_a_driver_ends_before_older_exit_handlers_and_modules_are_only_forgotten_then) {
  EXPECT_EXIT(run_program_that_ends(use_after_end), testing::ExitedWithCode(0),
              "^run goodbye_2 on 0\nrun goodbye_1 on 0\ndeinit 0\ndeinit plugin\nhost\ntwo\nunregistered\n$");
}

TEST(RuntimeDeathTest, what_lasts_ends_after_all_exit_handlers) {
  const auto program = [] {
    setenv("RECORDING_LASTS", "1", 1);
    run_program_that_ends(use_after_end);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0),
              "^device\ntwo\nrun goodbye_2 on 0\nrun goodbye_1 on 0\nunregistered\ndeinit 0\ndeinit plugin\n$");
}

TEST(RuntimeDeathTest, a_driver_that_hangs_at_the_end_does_not_keep_the_process) {
  const auto program = [] {
    setenv("RECORDING_HANGS", "1", 1);
    setenv("LIBOMPTARGET_EXIT_TIMEOUT", "50", 1);
    run_program_that_ends([](Module &) { write_line("last\n"); });
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0),
              "run goodbye_1 on 0\nomptarget message: the devices of plugin alpha have not come to an end within 50 ms "
              "\\(LIBOMPTARGET_EXIT_TIMEOUT\\); they are left as they are\nlast\n$");
}

TEST(RuntimeDeathTest, the_end_waits_for_who_uses_a_device) {
  const auto program = [] {
    setenv("RECORDING_PRINTS", "1", 1);
    alarm(30);
    static Module *const module = new Module("A");
    module->kernel(&kernel_a, "a");
    (void)module->load();
    static std::atomic<bool> is_used{false}, is_ending{false};
    std::thread([] {
      const Result<DeviceUse> device = Runtime::get().device(DeviceId{0});
      is_used = true;
      while (!is_ending)
        usleep(1000);
      usleep(50000); // the device would end
      write_line("used\n");
    }).detach();
    while (!is_used)
      usleep(1000);
    std::atexit([] { is_ending = true; }); // runs before the handler that ends the device
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "^used\ndeinit 0\ndeinit plugin\n$");
}

TEST(RuntimeDeathTest, exit_inside_of_a_device_constructor_does_not_hang) {
  for (const char *const lasts : {"", "1"}) {
    const auto body = [&] {
      if (*lasts)
        setenv("RECORDING_LASTS", lasts, 1);
      alarm(30);
      static Module *const module = new Module("A");
      module->add(&kernel_b, "exiting_ctor", 0, OMPTARGET_ENTRY_CTOR);
      module->kernel(&kernel_a, "a");
      std::atexit([] { use_after_end(*module); });
      (void)module->load();
      Result<DeviceUse> device = Runtime::get().device(DeviceId{0});
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(3), "^host\ntwo\nunregistered\n$");
  }
}

} // namespace
} // namespace omptarget
