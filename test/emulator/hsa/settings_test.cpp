// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin under settings that are read when a device is initialised, and on machines that differ in what
// devices reach. Each of those suites is run in a process of its own. Each test sets what it needs before the device is
// opened.

#include <numeric>
#include <unistd.h>

#include "plugin_fixture.h"

namespace emulator_test {
namespace {

std::string trace_file;

/// The beginning of AMD's record of a queue.
struct QueueRecord {
  uint32_t type, features;
  void *base;
  uint64_t doorbell;
  uint32_t size;
};

class AmdgpuSettings : public GpuSettings {
protected:
  void TearDown() override {
    for (size_t i = 0; i < queues_.size(); ++i)
      release_queue(i);
    GpuSettings::TearDown();
  }
  __tgt_offload_entry *load(Image &image) { return GpuTest::load(0, image); }
  // A queue that is in use, and the HSA queue of its stream.
  QueueRecord *take_queue() {
    auto used = std::make_unique<UsedQueue>();
    used->memory = plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_DEVICE);
    EXPECT_EQ(plugin.data_fill(0, used->memory, 1, 8, &used->async), 0) << plugin.error();
    queues_.push_back(std::move(used));
    return *static_cast<QueueRecord **>(queues_.back()->async.Queue);
  }
  void release_queue(size_t index) {
    if (const auto used = std::move(queues_[index])) {
      EXPECT_EQ(plugin.synchronize(0, &used->async), 0);
      EXPECT_EQ(plugin.data_delete(0, used->memory, OMPTARGET_ALLOC_DEVICE), 0);
    }
  }
  size_t number_of_queues() const { return queues_.size(); }
  std::string trace() const {
    std::ifstream in(trace_file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

private:
  struct UsedQueue {
    __tgt_async_info async{};
    void *memory = nullptr;
  };
  std::vector<std::unique_ptr<UsedQueue>> queues_;
};
class AmdgpuXnack : public AmdgpuSettings {};
class AmdgpuApu : public AmdgpuSettings {};
class AmdgpuMi300A : public AmdgpuSettings {};
class AmdgpuMi300X : public AmdgpuSettings {};
class AmdgpuApuWithoutXnack : public AmdgpuSettings {};
class AmdgpuUnified : public AmdgpuSettings {};
class AmdgpuUnifiedWithoutXnack : public AmdgpuSettings {};
class AmdgpuWithoutPeers : public AmdgpuSettings {};
class AmdgpuTwoCpus : public AmdgpuSettings {};
class AmdgpuOneUnreadable : public AmdgpuSettings {};
class AmdgpuPartitions : public AmdgpuSettings {}; // eight devices, of which most are not used

// ---- Launches

TEST_F(AmdgpuSettings, limits_of_teams_and_threads_are_lowered) {
  open({{"OMP_NUM_TEAMS", "10"}, {"OMP_TEAMS_THREAD_LIMIT", "32"}});
  ASSERT_EQ(result_, 0);
  const std::vector<uint64_t> values = told(kernel("tell_spmd"), Launch().teams(50).threads(500));
  EXPECT_EQ(values[1], 10u);
  EXPECT_EQ(values[2], 32u);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"OMP_TEAM_LIMIT", "9"}});
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().teams(50))[1], 9u);
}

TEST_F(AmdgpuSettings, default_teams_depend_on_the_compute_units) {
  const auto teams = [&](const std::map<std::string, std::string> &settings) {
    EXPECT_EQ(plugin.deinit_device(0), 0);
    open(settings);
    return told(kernel("tell_spmd"), Launch())[1];
  };
  EXPECT_EQ(teams({}), 8u * 16);                                            // 32 waves, 2 for each team of this kernel
  EXPECT_EQ(teams({{"LIBOMPTARGET_SHARED_MEMORY_SIZE", "16384"}}), 8u * 3); // out of 64 KiB
  EXPECT_EQ(teams({{"LIBOMPTARGET_AMDGPU_TEAMS_PER_CU", "3"}}), 8u * 3);
  EXPECT_EQ(teams({{"OMP_TARGET_TEAMS_PER_PROC", "2"}}), 8u * 2);
  EXPECT_EQ(teams({{"OMP_TARGET_TEAMS_PER_PROC", "2"}, {"LIBOMPTARGET_AMDGPU_TEAMS_PER_CU", "5"}}), 8u * 5);
}

TEST_F(AmdgpuSettings, loops_get_teams_as_they_are_long) {
  open({});
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().trips(100))[2], 64u); // a wavefront
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().trips(1000000))[1], 128u);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT", "8"},
        {"LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT", "false"}});
  const std::vector<uint64_t> few = told(kernel("tell_spmd"), Launch().trips(100));
  EXPECT_EQ(few[1], 13u);
  EXPECT_EQ(few[2], 8u);
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().trips(1000000))[1], 7813u);
}

TEST_F(AmdgpuSettings, every_team_gets_the_shared_memory_asked_for) {
  open({{"LIBOMPTARGET_SHARED_MEMORY_SIZE", "5000"}});
  ASSERT_EQ(result_, 0);
  void *entry = kernel("tell_spmd"); // has 256 bytes of its own
  EXPECT_EQ(told(entry, Launch())[3], 5256u);
  EXPECT_EQ(told(entry, Launch())[8], 5000u);
  EXPECT_EQ(told(entry, Launch().shared(6000))[3], 6256u);
}

TEST_F(AmdgpuSettings, stacks_of_unknown_depth_get_what_is_asked_for) {
  open({});
  EXPECT_EQ(told(kernel("tell_deep"), Launch())[4], 16384u);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_STACK_SIZE", "4096"}});
  setenv("LIBOMPTARGET_STACK_SIZE", "4096", 1); // read when the kernel is found
  EXPECT_EQ(told(kernel("tell_deep"), Launch())[4], 4096u);
  EXPECT_EQ(told(kernel("tell_spmd"), Launch())[4], 4096u); // for every kernel
  unsetenv("LIBOMPTARGET_STACK_SIZE");
}

TEST_F(AmdgpuSettings, launches_are_printed_and_traced) {
  open({});
  testing::internal::CaptureStderr();
  told(kernel("tell_spmd"), Launch().teams(2).threads(64));
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("device 0: 2 blocks of 64 threads, SPMD mode, shared memory 256 bytes, stack 48 bytes, arguments "
                "272 bytes: tell_spmd\n"));
  const std::string text = trace();
  EXPECT_THAT(text, HasSubstr("launch tell_spmd with 2 blocks and 64 threads in SPMD mode"));
  EXPECT_THAT(text, HasSubstr("created HSA queue"));
  EXPECT_THAT(text, HasSubstr("copy 80 bytes from device"));
  EXPECT_THAT(text, HasSubstr("ready: gfx90a:sramecc+:xnack-, 8 compute units"));
}

// ---- Device runtime

TEST_F(AmdgpuSettings, the_device_runtime_gets_its_bits) {
  open({{"LIBOMPTARGET_DEVICE_RTL_DEBUG", "5"}});
  int host = 0;
  Image image("kernels_90a.hsaco");
  __tgt_offload_entry *entries = load(image.variable("__omp_rtl_device_environment", &host, 48));
  ASSERT_NE(entries, nullptr);
  EXPECT_EQ(read<uint32_t>(0, entries[0].addr), 5u);
}

class AmdgpuHeap : public AmdgpuSettings {
protected:
  // How many pieces of that size malloc of a new image gives.
  uint64_t pieces(uint64_t size) {
    void *entry = kernel("take_heap");
    void *count = plugin.data_alloc(0, 8, nullptr, 0);
    EXPECT_EQ(Launch(count, size).run(plugin, 0, entry), 0) << plugin.error();
    return read<uint64_t>(0, count);
  }
};

TEST_F(AmdgpuHeap, the_user_says_how_large_it_is) {
  open({{"LIBOMPTARGET_HEAP_SIZE", "65536"}});
  EXPECT_EQ(pieces(1024), 64u);
  EXPECT_THAT(trace(), HasSubstr("malloc of the image's device code has 65536 bytes at 0x"));
  EXPECT_EQ(pieces(65536), 1u); // for each image
  EXPECT_EQ(pieces(65552), 0u);
}

TEST_F(AmdgpuHeap, a_variable_of_another_layout_is_refused) {
  open({});
  Image image("kernels_other_heap.hsaco");
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("the image's __omp_rtl_device_memory_pool has 24 bytes; known is one of 16"));
}

TEST_F(AmdgpuHeap, none_stops_the_first_malloc) {
  open({{"LIBOMPTARGET_HEAP_SIZE", "0"}});
  EXPECT_EQ(pieces(16), 0u);
}

TEST_F(AmdgpuHeap, it_is_a_share_of_what_is_free) {
  setenv("SIM_HSA_FREE", "1073741824", 1);
  open({});
  EXPECT_EQ(pieces(1 << 20), 64u);
  EXPECT_EQ(pieces(1 << 20), 64u);
  EXPECT_GE(pieces(1 << 10), 8u << 10); // the rest of all images' share
  EXPECT_LE(pieces(1 << 20), 8u);
  unsetenv("SIM_HSA_FREE");
}

TEST_F(AmdgpuHeap, it_is_no_more_than_512_megabytes_and_goes_with_its_image) {
  setenv("SIM_HSA_FREE", "1099511627776", 1);
  open({});
  for (int i = 0; i < 300; ++i) { // more than the share of all
    ASSERT_NE(kernel("take_heap"), nullptr) << plugin.error();
    ASSERT_EQ(plugin.unload_binary(0, last_table()), 0) << plugin.error();
  }
  EXPECT_EQ(pieces(1 << 20), 512u);
  unsetenv("SIM_HSA_FREE");
}

TEST_F(AmdgpuHeap, without_memory_the_image_is_loaded_all_the_same) {
  open({});
  kernel("tell_spmd"); // the blocks for copies are there now
  stand_in.fail("hsa_amd_memory_pool_allocate:1:0x1008");
  void *entry = kernel("take_heap");
  EXPECT_EQ(stand_in.failed(), 1u);
  stand_in.fail("");
  EXPECT_NE(entry, nullptr) << plugin.error();
  // Memory that the user asked for has to be there.
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_HEAP_SIZE", "2000000000"}}); // more than the stand-in has
  Image image("kernels_90a.hsaco");
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("for the heap of an image (LIBOMPTARGET_HEAP_SIZE)"));
}

TEST_F(AmdgpuSettings, the_allocation_tracker_is_printed_at_the_end) {
  open({{"LIBOMPTARGET_DEVICE_RTL_DEBUG", "8"}});
  ASSERT_NE(kernel("tell_spmd"), nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin.deinit_device(0), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("device 0 info: device memory pool: 3 allocations, 96 bytes, smallest 16, largest 64"));
}

// ---- Queues, signals, waiting

TEST_F(AmdgpuSettings, queues_and_signals_are_made_in_advance) {
  const uint64_t queues = stand_in.count("hsa_queue_create");
  const uint64_t signals = stand_in.count("hsa_amd_signal_create");
  open({{"LIBOMPTARGET_NUM_INITIAL_STREAMS", "3"},
        {"LIBOMPTARGET_NUM_INITIAL_EVENTS", "3"},
        {"LIBOMPTARGET_AMDGPU_NUM_INITIAL_HSA_SIGNALS", "7"}});
  ASSERT_EQ(result_, 0);
  EXPECT_EQ(stand_in.count("hsa_queue_create"), queues + 3);
  EXPECT_EQ(stand_in.count("hsa_amd_signal_create"), signals + 7);
}

TEST_F(AmdgpuSettings, queues_are_as_many_and_as_long_as_asked) {
  const uint64_t before = stand_in.count("hsa_queue_create");
  open({{"LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES", "2"}, {"LIBOMPTARGET_AMDGPU_HSA_QUEUE_SIZE", "100"}});
  ASSERT_EQ(result_, 0);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(take_queue()->size, 128u); // a power of two
  EXPECT_EQ(stand_in.count("hsa_queue_create"), before + 2);
  for (size_t i = 0; i < 5; ++i)
    release_queue(i);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_AMDGPU_HSA_QUEUE_SIZE", "1000000"}});
  EXPECT_EQ(take_queue()->size, 4096u); // no more than the device has
}

// The stream that is released first rests, and the next queue gets it with its HSA queue.
TEST_F(AmdgpuSettings, idle_queues_come_first_if_their_use_is_tracked) {
  for (const bool is_tracked : {true, false}) {
    open({{"LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES", "3"},
          {"LIBOMPTARGET_AMDGPU_HSA_QUEUE_BUSY_TRACKING", is_tracked ? "true" : "false"}});
    const size_t begin = number_of_queues();
    QueueRecord *const first = take_queue(), *const second = take_queue();
    EXPECT_NE(first, second);
    release_queue(begin);
    release_queue(begin + 1);
    EXPECT_EQ(take_queue(), first);
    QueueRecord *const next = take_queue();
    EXPECT_NE(next, first);
    EXPECT_EQ(next == second, is_tracked);
    release_queue(begin + 2);
    release_queue(begin + 3);
    ASSERT_EQ(plugin.deinit_device(0), 0);
  }
  open({});
}

TEST_F(AmdgpuSettings, waiting_spins_as_long_as_asked) {
  open({});
  void *entry = kernel("tell_spmd");
  uint64_t blocked = stand_in.count("blocked wait"), active = stand_in.count("active wait");
  told(entry, Launch());
  EXPECT_EQ(stand_in.count("blocked wait"), blocked);
  EXPECT_GT(stand_in.count("active wait"), active);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_AMDGPU_STREAM_BUSYWAIT", "0"}});
  entry = kernel("tell_spmd");
  blocked = stand_in.count("blocked wait"), active = stand_in.count("active wait");
  told(entry, Launch());
  EXPECT_GT(stand_in.count("blocked wait"), blocked);
  EXPECT_EQ(stand_in.count("active wait"), active);
}

// ---- Memory and copies

TEST_F(AmdgpuSettings, threshold_0_keeps_no_memory) {
  open({{"LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0"}});
  ASSERT_EQ(result_, 0);
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  const uint64_t before = stand_in.count("hsa_amd_memory_pool_free");
  ASSERT_EQ(plugin.data_delete(0, memory, 0), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_pool_free"), before + 1);
}

TEST_F(AmdgpuSettings, an_eighth_of_what_was_free_is_kept) {
  setenv("SIM_HSA_FREE", "33554432", 1);
  open({});
  unsetenv("SIM_HSA_FREE");
  constexpr int64_t kSize = 3 << 20;
  void *first = plugin.data_alloc(0, kSize, nullptr, 0), *second = plugin.data_alloc(0, kSize, nullptr, 0);
  const uint64_t before = stand_in.count("hsa_amd_memory_pool_free");
  ASSERT_EQ(plugin.data_delete(0, first, 0), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_pool_free"), before);
  ASSERT_EQ(plugin.data_delete(0, second, 0), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_pool_free"), before + 1);
}

TEST_F(AmdgpuSettings, copies_beyond_the_limit_pin_the_hosts_memory) {
  open({{"LIBOMPTARGET_AMDGPU_MAX_ASYNC_COPY_BYTES", "1000"}});
  std::vector<char> host(1001);
  void *memory = plugin.data_alloc(0, 1001, nullptr, 0);
  const uint64_t before = stand_in.count("hsa_amd_memory_lock");
  ASSERT_EQ(plugin.data_submit(0, memory, host.data(), 1000), 0);
  ASSERT_EQ(plugin.data_retrieve(0, host.data(), memory, 1000), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_lock"), before);
  ASSERT_EQ(plugin.data_submit(0, memory, host.data(), 1001), 0);
  ASSERT_EQ(plugin.data_retrieve(0, host.data(), memory, 1001), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_lock"), before + 2);
}

TEST_F(AmdgpuSettings, large_copies_go_through_pinned_pieces) {
  open({{"LIBOMPTARGET_STAGING_THRESHOLD", "2000000"}});
  constexpr size_t kSize = (size_t{10} << 20) + 12345;
  std::vector<unsigned char> host(kSize), back(kSize);
  for (size_t i = 0; i < kSize; ++i)
    host[i] = static_cast<unsigned char>(i * 7 + i / 4096);
  void *memory = plugin.data_alloc(0, kSize, nullptr, 0);
  const uint64_t before = stand_in.count("hsa_amd_memory_async_copy"), locks = stand_in.count("hsa_amd_memory_lock");
  ASSERT_EQ(plugin.data_submit(0, memory, host.data(), kSize), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_async_copy"), before + 3);
  ASSERT_EQ(plugin.data_retrieve(0, back.data(), memory, kSize), 0);
  EXPECT_EQ(host, back);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_lock"), locks);
}

// HIP pins pageable memory for the time of its own copies, and perhaps for another GPU.
TEST_F(AmdgpuSettings, copies_do_not_rely_on_pins_of_others) {
  open({});
  using Lock = int32_t (*)(void *, size_t, void *, int, void **);
  const auto lock = reinterpret_cast<Lock>(symbol(stand_in.library, "hsa_amd_memory_lock"));
  const auto unlock = reinterpret_cast<int32_t (*)(void *)>(symbol(stand_in.library, "hsa_amd_memory_unlock"));
  for (const size_t size : {size_t{100'000}, size_t{4} << 20}) {
    std::vector<unsigned char> host(size, 7), back(size);
    void *const memory = plugin.data_alloc(0, static_cast<int64_t>(size), nullptr, 0);
    void *view = nullptr;
    ASSERT_EQ(lock(host.data(), size, nullptr, 0, &view), 0);
    ASSERT_EQ(lock(back.data(), size, nullptr, 0, &view), 0);
    __tgt_async_info async{};
    ASSERT_EQ(plugin.data_submit_async(0, memory, host.data(), static_cast<int64_t>(size), &async), 0) << plugin.error();
    ASSERT_EQ(unlock(host.data()), 0);
    ASSERT_EQ(plugin.data_retrieve_async(0, back.data(), memory, static_cast<int64_t>(size), &async), 0) << plugin.error();
    ASSERT_EQ(unlock(back.data()), 0);
    ASSERT_EQ(plugin.synchronize(0, &async), 0) << plugin.error();
    EXPECT_EQ(host, back) << size;
    ASSERT_EQ(plugin.data_delete(0, memory, 0), 0);
  }
}

TEST_F(AmdgpuSettings, copies_take_turns_on_the_engines_if_asked) {
  open({});
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  uint64_t value = 5;
  ASSERT_EQ(plugin.data_submit(0, memory, &value, 8), 0);
  EXPECT_EQ(stand_in.count("engine 0") + stand_in.count("engine 1"), 0u);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_AMDGPU_USE_MULTIPLE_SDMA_ENGINES", "on"}});
  memory = plugin.data_alloc(0, 64, nullptr, 0);
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(plugin.data_submit(0, memory, &value, 8), 0);
  EXPECT_EQ(stand_in.count("engine 0"), 2u);
  EXPECT_EQ(stand_in.count("engine 1"), 2u);
}

TEST_F(AmdgpuSettings, mapped_memory_is_pinned_if_asked) {
  open({{"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "on"}});
  std::vector<char> host(8192);
  const uint64_t locks = stand_in.count("hsa_amd_memory_lock"), unlocks = stand_in.count("hsa_amd_memory_unlock");
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 4096), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_lock"), locks + 1);
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data() + 4000, 4096), 0); // cannot be, and need not
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data() + 4000), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_unlock"), unlocks);
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data()), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_unlock"), unlocks + 1);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({{"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "mandatory"}});
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 4096), 0);
  EXPECT_NE(plugin.data_notify_mapped(0, host.data() + 4000, 4096), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS=mandatory"));
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data()), 0);
}

TEST_F(AmdgpuSettings, nonsense_is_warned_about_and_not_used) {
  testing::internal::CaptureStderr();
  open({{"OMP_NUM_TEAMS", "-4"},
        {"LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES", "a lot"},
        {"LIBOMPTARGET_AMDGPU_HSA_QUEUE_BUSY_TRACKING", "maybe"},
        {"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "sometimes"}});
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(result_, 0);
  EXPECT_THAT(text, HasSubstr("OMP_NUM_TEAMS: -4 is no number from 1"));
  EXPECT_THAT(text, HasSubstr("LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES: 'a lot' is no integer"));
  EXPECT_THAT(text, HasSubstr("LIBOMPTARGET_AMDGPU_HSA_QUEUE_BUSY_TRACKING: 'maybe'"));
  EXPECT_THAT(text, HasSubstr("'sometimes' is not one of on, off, mandatory"));
}

// ---- Memory used in place

TEST_F(AmdgpuSettings, data_is_copied_without_xnack) {
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_NOT_REACHED);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
}

TEST_F(AmdgpuSettings, data_in_place_without_xnack_is_warned_of_once) {
  testing::internal::CaptureStderr();
  open({{"OMPX_APU_MAPS", "true"}});
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  EXPECT_EQ(plugin.deinit_device(0), 0);
  open({{"OMPX_APU_MAPS", "true"}});
  const std::string text = testing::internal::GetCapturedStderr();
  const std::string warning =
      "omptarget warning: OMPX_APU_MAPS: device 0 (gfx90a:sramecc+:xnack-) reaches memory of the driver's pools and pinned "
      "memory only, since XNACK is off (HSA_XNACK=1); mapped data is copied";
  EXPECT_THAT(text, HasSubstr(warning));
  EXPECT_EQ(text.find("OMPX_APU_MAPS", text.find(warning) + warning.size()), std::string::npos);
}

TEST_F(AmdgpuXnack, data_is_used_in_place_if_asked) {
  testing::internal::CaptureStderr();
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_BY_FAULTS);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  const std::string copied = printed_info();
  EXPECT_THAT(copied, HasSubstr("Reaches pageable memory    yes"));
  EXPECT_THAT(copied, HasSubstr("Shares memory with the CPU no"));
  EXPECT_THAT(copied, HasSubstr("it reaches all memory of the host, by page faults (XNACK is on)"));
  EXPECT_THAT(copied, HasSubstr("Uses mapped data in place  no"));
  for (const char *value : {"false", "true"}) {
    close(0);
    open({{"OMPX_APU_MAPS", value}});
    EXPECT_EQ(plugin.use_auto_zero_copy(0), *value == 't');
  }
  EXPECT_THAT(printed_info(), HasSubstr("Uses mapped data in place  yes"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(AmdgpuApu, data_is_used_in_place) {
  open({{"OMPX_APU_MAPS", "false"}}); // as in LLVM's: it asks, and does not forbid
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_SHARED);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 1);
  EXPECT_THAT(printed_info(), HasSubstr("Uses mapped data in place  yes"));
}

TEST_F(AmdgpuApu, the_information_tells_of_data_in_place) {
  plugin.set_info_flag(0x10);
  testing::internal::CaptureStderr();
  open({});
  plugin.set_info_flag(0);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("device 0 info: The device reaches all memory of the host, which it shares (APU, XNACK is on); mapped "
                "data is used in place"));
}

// A runtime that does not tell: by the chip.
TEST_F(AmdgpuMi300A, data_is_used_in_place) {
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_SHARED);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 1);
}

TEST_F(AmdgpuMi300X, data_is_copied) {
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_BY_FAULTS);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
}

TEST_F(AmdgpuApuWithoutXnack, data_is_copied) {
  testing::internal::CaptureStderr();
  open({{"OMPX_APU_MAPS", "true"}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("mapped data is copied"));
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_NOT_REACHED);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
}

// A kernel writes the host's memory; what is copied afterwards on the same queue comes after it, both ways.
void check_order_of_kernels_and_copies(Plugin &plugin, StandIn &stand_in, void *entry) {
  std::vector<double> a(64, 1.0), b(64, 2.0), back(64);
  void *memory = plugin.data_alloc(0, 512, nullptr, 0);
  void *other = plugin.data_alloc(0, 512, nullptr, 0);
  ASSERT_EQ(plugin.data_submit(0, other, b.data(), 512), 0);
  stand_in.hold(1);
  __tgt_async_info async{};
  ASSERT_EQ(Launch(a.data(), b.data(), uint64_t{64}).run(plugin, 0, entry, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.data_submit_async(0, memory, a.data(), 512, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.data_retrieve_async(0, b.data(), memory, 512, &async), 0) << plugin.error();
  ASSERT_EQ(Launch(a.data(), b.data(), uint64_t{64}).run(plugin, 0, entry, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &async), 0) << plugin.error();
  stand_in.hold(0);
  EXPECT_EQ(a, std::vector<double>(64, 6.0)); // 1 + 2, and that once more
  EXPECT_EQ(b, std::vector<double>(64, 3.0));
}

TEST_F(AmdgpuApu, copies_are_ordered_with_kernels_that_use_host_memory) {
  open({});
  check_order_of_kernels_and_copies(plugin, stand_in, kernel("__omp_offloading_10_2_add_l7"));
}

TEST_F(AmdgpuUnified, copies_are_ordered_with_kernels_that_use_host_memory) {
  plugin.init_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  open({});
  check_order_of_kernels_and_copies(plugin, stand_in, kernel("__omp_offloading_10_2_add_l7"));
}

TEST_F(AmdgpuUnified, variables_of_the_host_are_the_only_ones) {
  plugin.init_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  open({});
  static int variable = 3; // a destructor of the image writes to it
  void *pointer_on_host = &variable;
  Image image("kernels_90a.hsaco");
  image.entry("linked_decl_tgt_ref_ptr", &pointer_on_host, 8, 0);
  __tgt_offload_entry *entries = load(image);
  ASSERT_NE(entries, nullptr);
  void *on_device = nullptr;
  ASSERT_EQ(plugin.data_retrieve(0, &on_device, entries[0].addr, 8), 0);
  EXPECT_EQ(on_device, &variable);
}

// A request of the program that the device cannot meet is reported once, and again where a kernel fails.
TEST_F(AmdgpuUnifiedWithoutXnack, it_is_said_what_the_device_does_not_reach) {
  plugin.init_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  const std::string problem =
      "the program requires unified_shared_memory, and device 0 (gfx90a:sramecc+:xnack-) reaches "
      "memory of the driver's pools and pinned memory only, since XNACK is off (HSA_XNACK=1)";
  testing::internal::CaptureStderr();
  open({});
  ASSERT_EQ(result_, 0);
  close(0);
  open({});
  const std::string text = testing::internal::GetCapturedStderr();
  const std::string warning = "omptarget warning: " + problem + ": kernels that use other memory fail\n";
  EXPECT_THAT(text, HasSubstr(warning));
  EXPECT_EQ(text.find(problem, text.find(warning) + warning.size()), std::string::npos);
  __tgt_async_info async{};
  void *entry = kernel("__omp_offloading_10_2_broken_l99");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(Launch(uint64_t{0x123000}).run(plugin, 0, entry, &async), 0);
  EXPECT_NE(plugin.synchronize(0, &async), 0);
  EXPECT_THAT(plugin.error(), HasSubstr(problem));
}

// ---- Memory that several devices reach

TEST_F(AmdgpuWithoutPeers, devices_do_not_exchange_what_they_cannot_reach) {
  open({});
  ASSERT_EQ(plugin.init_device(1), 0) << plugin.error();
  EXPECT_EQ(plugin.is_data_exchangable(0, 1), 0);
  EXPECT_EQ(plugin.is_data_exchangable(0, 0), 1);
  close(1);
}

TEST_F(AmdgpuTwoCpus, memory_of_the_host_is_that_of_the_nearest_one) {
  open({});
  ASSERT_EQ(plugin.init_device(1), 0) << plugin.error();
  for (const int32_t device : {0, 1}) {
    const uint64_t before = stand_in.count("memory of the second CPU");
    void *const memory = plugin.data_alloc(device, 4096, nullptr, OMPTARGET_ALLOC_HOST);
    ASSERT_NE(memory, nullptr) << plugin.error();
    EXPECT_EQ(stand_in.count("memory of the second CPU") - before, static_cast<uint64_t>(device));
    EXPECT_EQ(plugin.data_delete(device, memory, OMPTARGET_ALLOC_HOST), 0) << plugin.error();
  }
  close(1);
}

TEST_F(AmdgpuOneUnreadable, the_other_ones_are_there) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin.number_of_devices(), 2);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      text,
      HasSubstr("omptarget warning: AMDGPU: GPU 1 of 3 is left out, and those after it have lower device numbers: "
                "hsa_agent_iterate_isas: "));
  open({});
}

TEST_F(AmdgpuPartitions, host_memory_is_for_the_devices_in_use) {
  open({});
  ASSERT_EQ(plugin.number_of_devices(), 8);
  constexpr size_t kSize = size_t{2} << 20;
  std::vector<char> host(kSize, 'a'), back(kSize);
  const uint64_t pinned = stand_in.count("agent pinned for"), granted = stand_in.count("agent with access");
  auto *shared = static_cast<char *>(plugin.data_alloc(0, kSize, nullptr, OMPTARGET_ALLOC_HOST));
  EXPECT_EQ(stand_in.count("agent with access") - granted, 1u);
  void *memory = plugin.data_alloc(0, kSize, nullptr, 0);
  ASSERT_EQ(plugin.data_submit(0, memory, host.data(), kSize), 0) << plugin.error();
  void *view = nullptr;
  ASSERT_EQ(plugin.data_lock(0, host.data(), kSize, &view), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("agent pinned for") - pinned, 2u); // for the copy, then by the program
  // One that comes into use later reaches what is there, and what was pinned without it once it asks.
  ASSERT_EQ(plugin.init_device(3), 0) << plugin.error();
  void *other = plugin.data_alloc(3, kSize, nullptr, 0);
  std::memset(shared, 'b', kSize);
  ASSERT_EQ(plugin.data_submit(3, other, shared, kSize), 0) << plugin.error();
  ASSERT_EQ(plugin.data_lock(3, host.data(), kSize, &view), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("agent pinned for") - pinned, 4u);
  ASSERT_EQ(plugin.data_retrieve(3, host.data(), other, kSize), 0) << plugin.error();
  EXPECT_EQ(host, std::vector<char>(kSize, 'b'));
  ASSERT_EQ(plugin.data_retrieve(0, back.data(), memory, kSize), 0) << plugin.error();
  EXPECT_EQ(back, std::vector<char>(kSize, 'a'));
  ASSERT_EQ(plugin.data_unlock(0, host.data()), 0) << plugin.error();
  ASSERT_EQ(plugin.data_submit(3, other, host.data(), kSize), 0) << plugin.error(); // still pinned for it
  ASSERT_EQ(plugin.data_unlock(3, host.data()), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("hsa_amd_memory_unlock"), stand_in.count("hsa_amd_memory_lock"));
  close(3);
}

} // namespace
} // namespace emulator_test

int main(int argc, char **argv) {
  using namespace emulator_test;
  testing::InitGoogleTest(&argc, argv);
  trace_file = "hsa_settings_" + std::to_string(getpid()) + ".trace";
  setenv("LIBOMPTARGET_DEBUG", "all", 1);
  setenv("LIBOMPTARGET_DEBUG_FILE", trace_file.c_str(), 1);
  setenv("LIBOMPTARGET_KERNEL_TRACE", "1", 1);
  open_plugin();
  const int result = RUN_ALL_TESTS();
  unlink(trace_file.c_str());
  return result;
}
