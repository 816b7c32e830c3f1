// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The begin of tests of plugins for GPUs, for every vendor; under_test.h is that of the vendor's folder.
#pragma once

#include <cstdio>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "under_test.h"

namespace emulator_test {

using testing::HasSubstr;

inline constexpr uint64_t kNoEnvironment = ~uint64_t{0};

inline Plugin *the_plugin;
inline StandIn *the_stand_in;

/// Makes both, and gives the plugin its first call.
inline void open_plugin() {
  the_plugin = new Plugin;
  the_stand_in = new StandIn;
  __tgt_rtl_abi_info info{sizeof(info), 0, 0};
  the_plugin->abi(&info);
}

class GpuTest : public testing::Test {
protected:
  Plugin &plugin = *the_plugin;
  StandIn &stand_in = *the_stand_in;

  void close(int32_t device) { EXPECT_EQ(plugin.deinit_device(device), 0) << plugin.error(); }
  void check_driver() {
    EXPECT_EQ(stand_in.violations(), 0u);
    EXPECT_EQ(stand_in.live_objects(), 0u);
    EXPECT_EQ(stand_in.leaked_objects(), 0u);
  }

  // Loads the image and gives back its table.
  __tgt_offload_entry *load(int32_t device, Image &image) {
    __tgt_target_table *table = plugin.load_binary(device, image.get());
    EXPECT_NE(table, nullptr) << plugin.error();
    tables_.push_back(table);
    return table ? table->EntriesBegin : nullptr;
  }
  __tgt_target_table *last_table() { return tables_.back(); }

  // The address of a kernel of a new image.
  void *kernel(const char *name, int32_t device = 0, const char *file = kUnderTest.image) {
    images_.push_back(std::make_unique<Image>(file));
    __tgt_offload_entry *entries = load(device, images_.back()->kernel(name));
    return entries ? entries[0].addr : nullptr;
  }

  template <typename T> T read(int32_t device, const void *address) {
    T value{};
    EXPECT_EQ(plugin.data_retrieve(device, &value, const_cast<void *>(address), sizeof(value)), 0) << plugin.error();
    return value;
  }

  // Returns the numbers that a tell_... kernel wrote.
  std::vector<uint64_t> told(void *entry, Launch launch, int32_t device = 0) {
    constexpr int64_t kSize = kUnderTest.told * sizeof(uint64_t);
    void *out = plugin.data_alloc(device, kSize, nullptr, OMPTARGET_ALLOC_DEVICE);
    EXPECT_EQ(plugin.data_fill(device, out, 0, kSize, nullptr), 0);
    launch.arguments.insert(launch.arguments.begin(), out);
    launch.offsets.insert(launch.offsets.begin(), 0);
    EXPECT_EQ(launch.run(plugin, device, entry), 0) << plugin.error();
    std::vector<uint64_t> values(kUnderTest.told);
    EXPECT_EQ(plugin.data_retrieve(device, values.data(), out, kSize), 0);
    EXPECT_EQ(plugin.data_delete(device, out, OMPTARGET_ALLOC_DEVICE), 0);
    return values;
  }

  // Returns the lines of omptarget-info about device 0.
  std::string printed_info() {
    testing::internal::CaptureStdout();
    plugin.print_device_info(0);
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }

private:
  std::vector<__tgt_target_table *> tables_;
  std::vector<std::unique_ptr<Image>> images_;
};

/// Devices 0 and 1 are open.
class GpuPlugin : public GpuTest {
protected:
  void SetUp() override {
    ASSERT_EQ(plugin.init_device(0), 0) << plugin.error();
    ASSERT_EQ(plugin.init_device(1), 0) << plugin.error();
  }
  void TearDown() override {
    close(0);
    close(1);
    check_driver();
  }
};

/// Each test opens device 0 with the settings that it needs.
class GpuSettings : public GpuTest {
protected:
  void open(const std::map<std::string, std::string> &settings) {
    for (const auto &[name, value] : settings)
      setenv(name.c_str(), value.c_str(), 1);
    result_ = plugin.init_device(0);
    for (const auto &[name, value] : settings)
      unsetenv(name.c_str());
  }
  void TearDown() override {
    close(0);
    check_driver();
  }
  int32_t result_ = -1;
};

} // namespace emulator_test
