// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The n-th call of the driver fails, for every n, in a process of its own. The plugin neither crashes nor hangs, says
// which call failed, and leaves nothing behind in the driver.

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "under_test.h"

namespace emulator_test {
namespace {

constexpr int kWrong = 3;
constexpr int kAllRan = 4; // n is greater than the number of calls
constexpr unsigned kSecondsToHang = 60;

/// Notes the first failure of the plugin's functions and its text.
class Notes {
public:
  explicit Notes(Plugin &plugin) : plugin_(plugin) {}
  bool good(bool success) {
    if (!success && text_.empty())
      text_ = plugin_.error();
    failed_ = failed_ || !success;
    return success;
  }
  bool failed() const { return failed_; }
  const std::string &text() const { return text_; }

private:
  Plugin &plugin_;
  bool failed_ = false;
  std::string text_;
};

/// Everything that one device is used for.
void use_device(Plugin &plugin, Notes &notes, Image &image, std::vector<uint64_t> &host) {
  __tgt_target_table *table = plugin.load_binary(0, image.get());
  if (!notes.good(table != nullptr))
    return;
  void *device = plugin.data_alloc(0, 4096, nullptr, OMPTARGET_ALLOC_DEVICE);
  notes.good(device != nullptr);
  void *other = plugin.data_alloc(1, 4096, nullptr, OMPTARGET_ALLOC_DEVICE);
  notes.good(other != nullptr);
  for (const int32_t kind : {OMPTARGET_ALLOC_HOST, OMPTARGET_ALLOC_SHARED}) {
    void *memory = plugin.data_alloc(0, 64, nullptr, kind);
    if (notes.good(memory != nullptr))
      notes.good(plugin.data_delete(0, memory, kind) == 0);
  }
  if (device && other) {
    __tgt_async_info async{}, second{};
    void *event = nullptr;
    notes.good(plugin.data_submit_async(0, device, host.data(), 4096, &async) == 0);
    notes.good(Launch(device, 10).run(plugin, 0, table->EntriesBegin[0].addr, &async) == 0);
    notes.good(
        Launch(device).shared(kUnderTest.much_shared_memory).run(plugin, 0, table->EntriesBegin[1].addr, &async) == 0);
    if (notes.good(plugin.create_event(0, &event) == 0)) {
      notes.good(plugin.record_event(0, event, &async) == 0);
      notes.good(plugin.wait_event(0, event, &second) == 0);
      notes.good(plugin.sync_event(0, event) == 0);
      notes.good(plugin.destroy_event(0, event) == 0);
    }
    // Where an event failed, nothing orders the two queues.
    if (notes.failed())
      plugin.synchronize(0, &async);
    notes.good(plugin.data_retrieve_async(0, host.data(), device, 4096, &second) == 0);
    notes.good(plugin.data_exchange_async(0, device, 1, other, 4096, &async) == 0);
    bool is_complete = notes.good(plugin.query_async(0, &second) == 0);
    is_complete = notes.good(plugin.synchronize(0, &async) == 0) && is_complete;
    is_complete = notes.good(plugin.synchronize(0, &second) == 0) && is_complete;
    if (is_complete)
      notes.good(plugin.data_fill(0, device, 0, 4096, nullptr) == 0);
    // Copies that are too large for a block of small ones.
    std::vector<char> large(2 << 20);
    void *space = is_complete ? plugin.data_alloc(0, 2 << 20, nullptr, OMPTARGET_ALLOC_DEVICE) : nullptr;
    if (notes.good(!is_complete || space != nullptr) && space) {
      notes.good(plugin.data_submit(0, space, large.data(), 2 << 20) == 0);
      notes.good(plugin.data_retrieve(0, large.data(), space, 2 << 20) == 0);
      notes.good(plugin.data_fill(0, space, 1, 2 << 20, nullptr) == 0);
      notes.good(plugin.data_delete(0, space, OMPTARGET_ALLOC_DEVICE) == 0);
    }
    void *accessible = nullptr;
    if (notes.good(plugin.data_lock(0, host.data(), 4096, &accessible) == 0))
      notes.good(plugin.data_unlock(0, host.data()) == 0);
  }
  __omp_offloading_fptr_map_ty functions[] = {{1, 2}, {3, 4}};
  const __tgt_image_functions own{1, functions, "a.out", nullptr};
  notes.good(plugin.set_image_functions(0, table, &own) == 0);
  notes.good(plugin.set_function_ptr_map(0, 2, functions) == 0);
  notes.good(plugin.set_function_ptr_map(0, 1, functions) == 0);
  __tgt_async_info *interop = nullptr;
  if (notes.good(plugin.init_async_info(0, &interop) == 0))
    notes.good(plugin.release_async_info(0, interop) == 0);
  if (device)
    notes.good(plugin.data_delete(0, device, 0) == 0);
  notes.good(plugin.unload_binary(0, table) == 0);
}

int run_with_failure(uint64_t n, const char *result) {
  alarm(kSecondsToHang);
  setenv(kUnderTest.fail_variable, ("*:" + std::to_string(n) + ":" + result).c_str(), 1);
  Plugin plugin;
  StandIn stand_in;
  Notes notes(plugin);
  std::vector<uint64_t> host(512, 1); // outlives copies that nobody could wait for
  Image image(kUnderTest.image);
  image.kernel("reduce").kernel("tell_spmd").entry("thrice", &image, 0, OMPTARGET_ENTRY_INDIRECT);
  __tgt_rtl_abi_info info{sizeof(info), 0, 0};
  plugin.abi(&info);
  plugin.init_plugin();
  const bool has_devices = plugin.number_of_devices() == 2;
  if (has_devices) {
    const bool first = notes.good(plugin.init_device(0) == 0);
    const bool second = notes.good(plugin.init_device(1) == 0);
    if (first && second)
      use_device(plugin, notes, image, host);
    notes.good(plugin.deinit_device(0) == 0);
    notes.good(plugin.deinit_device(1) == 0);
  }
  const std::string name = stand_in.failed_name();
  if (stand_in.failed() == 0)
    return notes.failed() ? kWrong : kAllRan;
  const auto wrong = [&](const std::string &what) {
    std::fprintf(stderr, "call %lu, %s: %s; the plugin says: %s\n", static_cast<unsigned long>(n), name.c_str(),
                 what.c_str(), notes.text().c_str());
    return kWrong;
  };
  if (stand_in.violations() != 0)
    return wrong("the driver was used wrongly");
  if (stand_in.live_objects() > (leaves_something(name) ? 1u : 0u) || stand_in.leaked_objects() != 0)
    return wrong(std::to_string(stand_in.live_objects()) + " objects live, " +
                 std::to_string(stand_in.leaked_objects()) + " were left behind");
  if (!has_devices || may_go_unnoticed(name))
    return 0;
  if (!notes.failed())
    return wrong("nothing failed");
  if (notes.text().find(name) == std::string::npos)
    return wrong("the text does not name the call");
  return 0;
}

int status_of_child(uint64_t n, const char *result) {
  const pid_t child = fork();
  if (child == 0)
    _exit(run_with_failure(n, result));
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void check_all(const char *result) {
  for (uint64_t n = 1;; ++n) {
    ASSERT_LT(n, 2000u);
    const int status = status_of_child(n, result);
    ASSERT_TRUE(WIFEXITED(status)) << "call " << n << ": signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == kAllRan) {
      EXPECT_GT(n, 150u); // the scenario reached the driver at all
      return;
    }
    EXPECT_EQ(WEXITSTATUS(status), 0) << "call " << n;
  }
}

TEST(GpuFaults, every_call_may_fail) { check_all(kUnderTest.failures[0]); }
TEST(GpuFaults, every_call_may_fail_otherwise) { check_all(kUnderTest.failures[1]); }

} // namespace
} // namespace emulator_test

// With arguments N RESULT: that call alone, in this process.
int main(int argc, char **argv) {
  if (argc == 3)
    return emulator_test::run_with_failure(std::strtoull(argv[1], nullptr, 10), argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
