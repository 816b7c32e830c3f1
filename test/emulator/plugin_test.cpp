// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for GPUs on the stand-in of its driver, called through the plugin ABI: what holds for every vendor. Each
// vendor's folder has a file of this name with what is its own; both are one program.

#include <atomic>
#include <numeric>
#include <thread>

#include "plugin_fixture.h"

namespace emulator_test {
namespace {

TEST_F(GpuPlugin, calls_for_missing_or_closed_devices_fail) {
  EXPECT_EQ(plugin.data_alloc(kUnderTest.devices, 8, nullptr, 0), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("no device " + std::to_string(kUnderTest.devices)));
  EXPECT_EQ(plugin.data_alloc(-1, 8, nullptr, 0), nullptr);
  ASSERT_EQ(plugin.deinit_device(1), 0);
  EXPECT_EQ(plugin.data_alloc(1, 8, nullptr, 0), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("device 1 is not initialised"));
}

TEST_F(GpuPlugin, a_device_can_be_closed_and_opened_again) {
  ASSERT_EQ(plugin.deinit_device(0), 0);
  ASSERT_EQ(plugin.deinit_device(0), 0);
  ASSERT_EQ(plugin.init_device(0), 0);
  EXPECT_NE(kernel("tell_spmd"), nullptr);
}

TEST_F(GpuPlugin, impossible_kernels_are_refused) {
  Image image(kUnderTest.image);
  image.kernel("tell_badly");
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("kernel tell_badly: 9 is no execution mode"));
}

// Its kernels would wait for ever.
TEST_F(GpuPlugin, an_image_that_needs_a_service_of_the_host_is_refused) {
  Image image(kUnderTest.libc_image);
  image.kernel("tell_spmd");
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("services of the host that are not here (__llvm_libc_rpc_client)"));
}

TEST_F(GpuPlugin, data_goes_there_and_back) {
  std::vector<double> a(1000), b(1000), result(1000);
  std::iota(a.begin(), a.end(), 0.0);
  std::iota(b.begin(), b.end(), 5.0);
  const int64_t size = static_cast<int64_t>(a.size() * sizeof(double));
  void *entry = kernel("__omp_offloading_10_2_add_l7");
  void *device_a = plugin.data_alloc(0, size, nullptr, OMPTARGET_ALLOC_DEVICE);
  void *device_b = plugin.data_alloc(0, size, nullptr, OMPTARGET_ALLOC_DEFAULT);
  __tgt_async_info async{};
  ASSERT_EQ(plugin.data_submit_async(0, device_a, a.data(), size, &async), 0);
  EXPECT_NE(async.Queue, nullptr);
  ASSERT_EQ(plugin.data_submit_async(0, device_b, b.data(), size, &async), 0);
  ASSERT_EQ(Launch(device_a, device_b, uint64_t{1000}).run(plugin, 0, entry, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.data_retrieve_async(0, result.data(), device_a, size, &async), 0);
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(async.Queue, nullptr);
  for (size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], 2 * static_cast<double>(i) + 5) << i;
  EXPECT_EQ(plugin.data_delete(0, device_a, OMPTARGET_ALLOC_DEVICE), 0);
  EXPECT_EQ(plugin.data_delete(0, device_b, OMPTARGET_ALLOC_DEVICE), 0);
}

TEST_F(GpuPlugin, offsets_are_added_to_arguments) {
  void *entry = kernel("tell_spmd");
  char *out = static_cast<char *>(plugin.data_alloc(0, 256, nullptr, OMPTARGET_ALLOC_DEVICE));
  ASSERT_EQ(plugin.data_fill(0, out, 0, 256, nullptr), 0);
  Launch launch(out);
  launch.offsets[0] = 128;
  ASSERT_EQ(launch.teams(5).run(plugin, 0, entry), 0);
  EXPECT_EQ(read<uint64_t>(0, out + 8), 0u);
  EXPECT_EQ(read<uint64_t>(0, out + 128 + 8), 5u);
  EXPECT_EQ(plugin.data_delete(0, out, 0), 0);
}

TEST_F(GpuPlugin, fill_sets_every_byte) {
  char *memory = static_cast<char *>(plugin.data_alloc(0, 100, nullptr, OMPTARGET_ALLOC_DEVICE));
  ASSERT_EQ(plugin.data_fill(0, memory, 0x5a, 100, nullptr), 0);
  EXPECT_EQ(read<uint32_t>(0, memory + 96), 0x5a5a5a5au);
}

TEST_F(GpuPlugin, all_kinds_of_memory_work) {
  for (const int32_t kind : {OMPTARGET_ALLOC_HOST, OMPTARGET_ALLOC_SHARED}) {
    auto *memory = static_cast<uint64_t *>(plugin.data_alloc(0, kUnderTest.told * sizeof(uint64_t), nullptr, kind));
    ASSERT_NE(memory, nullptr) << plugin.error();
    void *entry = kernel("tell_spmd");
    ASSERT_EQ(Launch(memory).teams(9).run(plugin, 0, entry), 0) << plugin.error();
    EXPECT_EQ(memory[1], 9u);
    // The kind is known by the address: old callers do not tell it.
    EXPECT_EQ(plugin.data_delete(0, memory, OMPTARGET_ALLOC_DEVICE), 0) << plugin.error();
  }
  EXPECT_EQ(plugin.data_alloc(0, kUnderTest.told * sizeof(uint64_t), nullptr, 17), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("17 is no kind of memory"));
  EXPECT_EQ(plugin.data_alloc(0, -1, nullptr, 0), nullptr);
  EXPECT_EQ(plugin.data_alloc(0, 0, nullptr, 0), nullptr);
}

TEST_F(GpuPlugin, wrong_frees_are_errors) {
  int host = 0;
  EXPECT_NE(plugin.data_delete(0, &host, 0), 0);
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  EXPECT_EQ(plugin.data_delete(0, memory, 0), 0);
  EXPECT_NE(plugin.data_delete(0, memory, 0), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("while freeing device memory"));
}

TEST_F(GpuPlugin, freed_memory_is_used_again) {
  void *first = plugin.data_alloc(0, 1000, nullptr, 0);
  ASSERT_EQ(plugin.data_delete(0, first, 0), 0);
  const uint64_t before = stand_in.count(kUnderTest.allocate);
  void *second = plugin.data_alloc(0, 990, nullptr, 0);
  EXPECT_EQ(second, first);
  EXPECT_EQ(stand_in.count(kUnderTest.allocate), before);
  ASSERT_EQ(plugin.data_delete(0, second, 0), 0);
}

TEST_F(GpuPlugin, large_freed_memory_of_each_kind_is_used_again) {
  constexpr int64_t kSize = 8 << 20;
  for (const int32_t kind : {OMPTARGET_ALLOC_DEVICE, OMPTARGET_ALLOC_HOST, OMPTARGET_ALLOC_SHARED}) {
    void *first = plugin.data_alloc(0, kSize, nullptr, kind);
    ASSERT_EQ(plugin.data_delete(0, first, kind), 0);
    stand_in.fail("");
    void *second = plugin.data_alloc(0, kSize - 5, nullptr, kind);
    EXPECT_EQ(second, first) << kind;
    ASSERT_EQ(plugin.data_delete(0, second, kind), 0);
    EXPECT_NE(plugin.data_delete(0, second, kind), 0);
    plugin.data_delete(0, plugin.data_alloc(0, kSize, nullptr, kind), kind);
    EXPECT_LE(stand_in.calls(), 3u) << kind; // the context of the failing call
  }
}

TEST_F(GpuPlugin, memory_kept_of_one_kind_is_given_back_for_another) {
  void *kept = plugin.data_alloc(0, 1 << 20, nullptr, OMPTARGET_ALLOC_HOST);
  ASSERT_EQ(plugin.data_delete(0, kept, OMPTARGET_ALLOC_HOST), 0);
  const uint64_t live = stand_in.live_objects();
  stand_in.fail(kUnderTest.no_memory_once);
  void *memory = plugin.data_alloc(0, 1 << 20, nullptr, OMPTARGET_ALLOC_DEVICE);
  EXPECT_EQ(stand_in.failed(), 1u);
  stand_in.fail("");
  EXPECT_NE(memory, nullptr) << plugin.error();
  EXPECT_EQ(stand_in.live_objects(), live);
  ASSERT_EQ(plugin.data_delete(0, memory, OMPTARGET_ALLOC_DEVICE), 0);
}

TEST_F(GpuPlugin, kept_memory_is_given_back_when_the_driver_has_no_more) {
  void *kept = plugin.data_alloc(0, 1000, nullptr, 0);
  ASSERT_EQ(plugin.data_delete(0, kept, 0), 0);
  stand_in.fail(kUnderTest.no_memory_once);
  void *large = plugin.data_alloc(0, 100000, nullptr, 0);
  EXPECT_NE(large, nullptr) << plugin.error();
  stand_in.fail(kUnderTest.no_memory);
  EXPECT_EQ(plugin.data_alloc(0, 200000, nullptr, 0), nullptr);
  stand_in.fail("");
  EXPECT_THAT(plugin.error(), HasSubstr(kUnderTest.no_memory_text));
  EXPECT_THAT(plugin.error(), HasSubstr("while allocating 200000 bytes"));
}

// Teams that index by their number.
TEST_F(GpuPlugin, num_teams_is_not_cut) {
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().teams(100000).threads(32))[1], 100000u);
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().teams(16000000).threads(64))[1], 16000000u);
}

// Copies to the program's own, pageable memory: the thread that asks for one goes on.
class GpuResults : public GpuPlugin {
protected:
  void SetUp() override {
    GpuPlugin::SetUp();
    if (std::getenv("LIBOMPTARGET_STAGING_THRESHOLD"))
      GTEST_SKIP() << "copies in pieces are waited for";
    device_ = plugin.data_alloc(0, kBytes, nullptr, 0);
    std::vector<int> values(kBytes / sizeof(int));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int>(i);
    ASSERT_EQ(plugin.data_submit(0, device_, values.data(), kBytes), 0) << plugin.error();
    stand_in.hold(1); // nothing starts before somebody waits
  }
  void TearDown() override {
    stand_in.hold(0);
    if (device_) {
      EXPECT_EQ(plugin.data_delete(0, device_, 0), 0);
    }
    GpuPlugin::TearDown();
  }
  void retrieve(std::vector<int> &host, __tgt_async_info *queue) {
    ASSERT_EQ(plugin.data_retrieve_async(0, host.data(), device_, kBytes, queue), 0) << plugin.error();
  }
  static constexpr int64_t kBytes = 1 << 20;
  static constexpr size_t kLast = kBytes / sizeof(int) - 1;
  std::vector<int> host_ = std::vector<int>(kBytes / sizeof(int), -1);
  void *device_ = nullptr;
  __tgt_async_info first_{}, second_{};
};

TEST_F(GpuResults, nobody_waits_until_the_queue_is_waited_for) {
  std::vector<int> other(host_);
  retrieve(host_, &first_);
  retrieve(other, &first_);
  EXPECT_EQ(host_[kLast], -1);
  EXPECT_EQ(other[kLast], -1);
  ASSERT_EQ(plugin.synchronize(0, &first_), 0) << plugin.error();
  EXPECT_EQ(host_[kLast], static_cast<int>(kLast));
  EXPECT_EQ(other[kLast], static_cast<int>(kLast));
}

TEST_F(GpuResults, are_there_when_an_event_behind_them_was_waited_for) {
  void *event = nullptr;
  retrieve(host_, &first_);
  ASSERT_EQ(plugin.create_event(0, &event), 0);
  ASSERT_EQ(plugin.record_event(0, event, &first_), 0);
  EXPECT_EQ(host_[kLast], -1);
  ASSERT_EQ(plugin.sync_event(0, event), 0) << plugin.error();
  EXPECT_EQ(host_[kLast], static_cast<int>(kLast));
  host_[kLast] = 7; // it is the program's again
  ASSERT_EQ(plugin.synchronize(0, &first_), 0);
  EXPECT_EQ(host_[kLast], 7);
  ASSERT_EQ(plugin.destroy_event(0, event), 0);
}

TEST_F(GpuResults, are_there_when_a_queue_behind_the_event_was_waited_for) {
  void *event = nullptr;
  retrieve(host_, &first_);
  ASSERT_EQ(plugin.create_event(0, &event), 0);
  ASSERT_EQ(plugin.record_event(0, event, &first_), 0);
  ASSERT_EQ(plugin.wait_event(0, event, &second_), 0);
  ASSERT_EQ(plugin.destroy_event(0, event), 0);
  EXPECT_EQ(host_[kLast], -1);
  ASSERT_EQ(plugin.synchronize(0, &second_), 0) << plugin.error();
  EXPECT_EQ(host_[kLast], static_cast<int>(kLast));
  ASSERT_EQ(plugin.synchronize(0, &first_), 0);
}

TEST_F(GpuResults, come_before_what_is_copied_from_there_afterwards) {
  void *copy = plugin.data_alloc(0, kBytes, nullptr, 0);
  retrieve(host_, &first_);
  ASSERT_EQ(plugin.data_submit_async(0, copy, host_.data() + kLast, sizeof(int), &first_), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &first_), 0) << plugin.error();
  stand_in.hold(0);
  EXPECT_EQ(read<int>(0, copy), static_cast<int>(kLast));
  EXPECT_EQ(plugin.data_delete(0, copy, 0), 0);
}

TEST_F(GpuResults, of_a_queue_that_is_asked_are_there_when_it_is_done) {
  retrieve(host_, &first_);
  ASSERT_EQ(plugin.query_async(0, &first_), 0) << plugin.error();
  while (first_.Queue)
    ASSERT_EQ(plugin.query_async(0, &first_), 0) << plugin.error();
  EXPECT_EQ(host_[kLast], static_cast<int>(kLast));
}

// ---- Times of the device

uint64_t clock_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

class GpuTimes : public GpuPlugin {
protected:
  struct Times {
    uint64_t begin = 0, end = 0;
  };
  void *start(__tgt_async_info &queue) {
    void *timing = nullptr;
    EXPECT_EQ(plugin.start_timing(0, &queue, &timing), 0) << plugin.error();
    return timing;
  }
  void stop(__tgt_async_info &queue, void *timing) {
    EXPECT_EQ(plugin.stop_timing(0, &queue, timing), 0) << plugin.error();
  }
  Times read(void *timing) {
    Times times;
    EXPECT_EQ(plugin.read_timing(0, timing, &times.begin, &times.end), 0) << plugin.error();
    return times;
  }
  /// Two clocks are compared while others run: much less than an hour, much more than they can be apart.
  static constexpr uint64_t kApart = 60'000'000'000;
};

TEST_F(GpuTimes, are_those_of_the_host_and_in_order) {
  void *entry = kernel("tell_spmd");
  void *out = plugin.data_alloc(0, 256, nullptr, OMPTARGET_ALLOC_DEVICE);
  std::vector<char> bytes(256);
  const uint64_t before = clock_ns();
  __tgt_async_info queue{};
  void *copy = start(queue);
  ASSERT_EQ(plugin.data_submit_async(0, out, bytes.data(), 256, &queue), 0);
  stop(queue, copy);
  void *launch = start(queue);
  ASSERT_EQ(Launch(out).run(plugin, 0, entry, &queue), 0);
  stop(queue, launch);
  ASSERT_EQ(plugin.synchronize(0, &queue), 0);
  const uint64_t after = clock_ns();
  const Times of_copy = read(copy), of_kernel = read(launch);
  EXPECT_GT(of_copy.begin, before - kApart);
  EXPECT_LE(of_copy.begin, of_copy.end);
  EXPECT_LE(of_copy.end, of_kernel.end);
  EXPECT_LE(of_kernel.begin, of_kernel.end);
  EXPECT_LT(of_kernel.end, after + kApart);
  EXPECT_EQ(plugin.data_delete(0, out, 0), 0);
}

// Each waits for the other one.
TEST_F(GpuTimes, of_two_queues_overlap_where_the_work_does) {
  if (std::getenv("LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES"))
    GTEST_SKIP() << "kernels of all queues run one after the other";
  void *entry = kernel("meet");
  auto *met = static_cast<uint64_t *>(plugin.data_alloc(0, 16, nullptr, OMPTARGET_ALLOC_SHARED));
  met[0] = met[1] = 0;
  stand_in.hold(0);
  __tgt_async_info queues[2] = {};
  void *timings[2];
  for (uint64_t i = 0; i < 2; ++i) {
    timings[i] = start(queues[i]);
    ASSERT_EQ(Launch(met, i).run(plugin, 0, entry, &queues[i]), 0) << plugin.error();
    stop(queues[i], timings[i]);
  }
  for (auto &queue : queues)
    ASSERT_EQ(plugin.synchronize(0, &queue), 0) << plugin.error();
  EXPECT_EQ(met[0], 2u) << "they did not meet";
  EXPECT_EQ(met[1], 2u);
  const Times first = read(timings[0]), second = read(timings[1]);
  EXPECT_LE(first.begin, second.end);
  EXPECT_LE(second.begin, first.end);
  EXPECT_EQ(plugin.data_delete(0, met, OMPTARGET_ALLOC_SHARED), 0);
}

TEST_F(GpuTimes, nobody_waits_for_them_and_nothing_is_left_behind) {
  stand_in.hold(1);
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  uint64_t value = 7, back = 0;
  __tgt_async_info queue{};
  void *timing = start(queue);
  ASSERT_EQ(plugin.data_submit_async(0, memory, &value, 8, &queue), 0);
  stop(queue, timing);
  ASSERT_EQ(plugin.data_retrieve_async(0, &back, memory, 8, &queue), 0);
  if (!std::getenv("LIBOMPTARGET_STAGING_THRESHOLD")) {
    EXPECT_EQ(back, 0u);
  }
  ASSERT_EQ(plugin.synchronize(0, &queue), 0);
  EXPECT_EQ(back, 7u);
  stand_in.hold(0);
  read(timing);
  timing = start(queue);
  ASSERT_EQ(plugin.data_submit_async(0, memory, &value, 8, &queue), 0);
  stop(queue, timing);
  ASSERT_EQ(plugin.synchronize(0, &queue), 0);
  const uint64_t live = stand_in.live_objects();
  EXPECT_EQ(plugin.read_timing(0, timing, nullptr, nullptr), 0); // they are not wanted
  for (int i = 0; i < 3; ++i) {
    timing = start(queue);
    ASSERT_EQ(plugin.data_submit_async(0, memory, &value, 8, &queue), 0);
    stop(queue, timing);
    ASSERT_EQ(plugin.synchronize(0, &queue), 0);
    read(timing);
  }
  EXPECT_EQ(stand_in.live_objects(), live);
  EXPECT_EQ(plugin.data_delete(0, memory, 0), 0);
}

// Drivers load a kernel's code when they are asked for it.
TEST_F(GpuPlugin, of_thousands_of_kernels_the_driver_is_asked_for_those_that_run) {
  constexpr int kKernels = 2000;
  std::vector<std::string> names;
  for (int i = 0; i < kKernels; ++i)
    names.push_back("many_" + std::to_string(i / 1000) + "_" + std::to_string(1000 + i % 1000).substr(1));
  Image none(kUnderTest.many_image), image(kUnderTest.many_image);
  const uint64_t start = stand_in.count(kUnderTest.find_kernel);
  load(0, none);
  const uint64_t otherwise = stand_in.count(kUnderTest.find_kernel) - start; // where globals are found in the same way
  for (const std::string &name : names)
    image.kernel(name.c_str());
  const uint64_t before = stand_in.count(kUnderTest.find_kernel);
  __tgt_offload_entry *entries = load(0, image);
  ASSERT_NE(entries, nullptr);
  EXPECT_EQ(stand_in.count(kUnderTest.find_kernel), before + otherwise);
  void *out = plugin.data_alloc(0, 8, nullptr, 0);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Launch(out).run(plugin, 0, entries[1234].addr), 0) << plugin.error();
    EXPECT_EQ(read<uint64_t>(0, out), 11234u);
    EXPECT_EQ(stand_in.count(kUnderTest.find_kernel), before + otherwise + 1);
  }
}

TEST_F(GpuPlugin, every_thread_of_the_grid_runs) {
  void *entry = kernel("count_threads");
  void *count = plugin.data_alloc(0, 8, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, count, 0, 8, nullptr), 0);
  ASSERT_EQ(Launch(count).teams(10).run(plugin, 0, entry), 0);
  EXPECT_EQ(read<uint64_t>(0, count), 640u);
}

TEST_F(GpuPlugin, the_shape_of_a_launch_is_told_before_it) {
  void *entry = kernel("count_threads");
  void *count = plugin.data_alloc(0, 8, nullptr, 0);
  const auto threads_of = [&](Launch launch) {
    EXPECT_EQ(plugin.data_fill(0, count, 0, 8, nullptr), 0);
    EXPECT_EQ(launch.run(plugin, 0, entry), 0) << plugin.error();
    return read<uint64_t>(0, count);
  };
  for (const Launch &launch :
       {Launch(count).teams(10), Launch(count).teams(3).threads(32), Launch(count).trips(1000)}) {
    __tgt_launch_shape shape{};
    ASSERT_EQ(plugin.launch_shape(0, entry, &launch.shape, &shape), 0) << plugin.error();
    EXPECT_EQ(threads_of(launch), uint64_t{shape.teams} * shape.threads);
    Launch same = Launch(count).teams(shape.teams).threads(shape.threads);
    same.shape.Flags = OMPTARGET_KERNEL_STRICT;
    EXPECT_EQ(threads_of(same), uint64_t{shape.teams} * shape.threads);
    __tgt_launch_shape again{};
    ASSERT_EQ(plugin.launch_shape(0, entry, &same.shape, &again), 0);
    EXPECT_EQ(again.teams, shape.teams);
    EXPECT_EQ(again.threads, shape.threads);
  }
  __tgt_launch_shape shape{};
  const Launch plain;
  EXPECT_NE(plugin.launch_shape(0, kernel("tell_bare"), &plain.shape, &shape), 0);
  EXPECT_NE(plugin.launch_shape(0, nullptr, &plain.shape, &shape), 0);
}

TEST_F(GpuPlugin, reductions_have_a_buffer_of_their_own) {
  void *entry = kernel("reduce");
  void *sum = plugin.data_alloc(0, 8, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, sum, 0, 8, nullptr), 0);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(Launch(sum, 1000).run(plugin, 0, entry), 0) << plugin.error();
  EXPECT_EQ(read<uint64_t>(0, sum), 3u * 500500u);
}

TEST_F(GpuPlugin, reductions_of_several_threads_do_not_meet) {
  void *entry = kernel("reduce");
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      void *sum = plugin.data_alloc(0, 8, nullptr, 0);
      const uint64_t n = 1000u + static_cast<uint64_t>(t);
      __tgt_async_info async{};
      uint64_t result = 0;
      plugin.data_fill(0, sum, 0, 8, &async);
      for (int i = 0; i < 20; ++i)
        Launch(sum, n).run(plugin, 0, entry, &async);
      plugin.data_retrieve_async(0, &result, sum, 8, &async);
      plugin.synchronize(0, &async);
      plugin.data_delete(0, sum, 0);
      right += result == 20 * (n * (n + 1) / 2);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8);
}

TEST_F(GpuPlugin, a_trailing_environment_has_what_the_launch_needs) {
  void *plain = kernel("tell_trailing");
  void *reduction = kernel("tell_trailing_reduction");
  const auto launch = [](uint32_t teams) { return Launch(uint64_t{teams}, 0).version(5).teams(teams); };
  EXPECT_EQ(told(plain, launch(3))[0], ~uint64_t{0});
  // A record for each team that is launched, again and in other numbers.
  for (const uint32_t teams : {3u, 3u, 5000u, 2u}) {
    const std::vector<uint64_t> values = told(reduction, launch(teams));
    EXPECT_EQ(values[0], 1u);
    EXPECT_EQ(values[1], 0u) << "teams that are done";
    EXPECT_EQ(values[2], 0u);
    EXPECT_EQ(values[3], 0u);
    EXPECT_EQ(values[4], uint64_t{teams} * (teams - 1) / 2);
  }
  const std::vector<uint64_t> granted = told(plain, launch(3).shared(1000));
  EXPECT_EQ(granted[0], 0u);
  EXPECT_EQ(granted[2], 1000u);
  EXPECT_EQ(granted[3], 0u);
  EXPECT_EQ(granted[5], 1000u);
}

TEST_F(GpuPlugin, group_memory_that_a_team_cannot_have_falls_back_as_the_clause_says) {
  void *entry = kernel("tell_trailing_reduction");
  EXPECT_LT(plugin.group_memory_limit(0), 200000u);
  EXPECT_GE(plugin.group_memory_limit(0), 65536u);
  const auto launch = [](uint64_t fallback) {
    Launch result = Launch(uint64_t{4}, 0).version(5).teams(4).shared(200000);
    result.shape.Flags = fallback;
    return result;
  };
  const std::vector<uint64_t> none = told(entry, launch(OMPTARGET_KERNEL_GROUP_MEMORY_NULL));
  EXPECT_EQ(none[0], 1u);
  EXPECT_EQ(none[2], 0u);
  EXPECT_EQ(none[3], 1u);
  EXPECT_EQ(none[5], 0u);
  const std::vector<uint64_t> global = told(entry, launch(OMPTARGET_KERNEL_GROUP_MEMORY_DEFAULT));
  EXPECT_EQ(global[0], 3u);
  EXPECT_EQ(global[2], 200000u);
  EXPECT_EQ(global[3], 2u);
  EXPECT_EQ(global[4], 6u) << "the reduction's buffer is apart";
  EXPECT_EQ(global[5], 0u);
  Launch refused = launch(OMPTARGET_KERNEL_GROUP_MEMORY_ABORT);
  refused.arguments.insert(refused.arguments.begin(), nullptr);
  refused.offsets.insert(refused.offsets.begin(), 0);
  EXPECT_NE(refused.run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("200000 bytes of dynamic shared memory beside its own"));
}

TEST_F(GpuPlugin, queries_do_not_wait) {
  auto *flag = static_cast<std::atomic<int> *>(plugin.data_alloc(0, 4, nullptr, OMPTARGET_ALLOC_HOST));
  flag->store(0);
  void *entry = kernel("wait_for_flag");
  __tgt_async_info async{};
  ASSERT_EQ(Launch(flag).run(plugin, 0, entry, &async), 0);
  void *const queue = async.Queue;
  ASSERT_EQ(plugin.query_async(0, &async), 0);
  EXPECT_EQ(async.Queue, queue);
  flag->store(1);
  while (async.Queue)
    ASSERT_EQ(plugin.query_async(0, &async), 0);
}

TEST_F(GpuPlugin, queues_are_used_again) {
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(plugin.data_fill(0, memory, i, 64, nullptr), 0);
  const uint64_t before = stand_in.count(kUnderTest.make_queue);
  __tgt_async_info async{};
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(plugin.data_fill(0, memory, i, 64, &async), 0);
    ASSERT_EQ(plugin.synchronize(0, &async), 0);
  }
  EXPECT_EQ(stand_in.count(kUnderTest.make_queue), before);
  EXPECT_EQ(plugin.synchronize(0, &async), 0);
}

TEST_F(GpuPlugin, events_order_queues) {
  auto *flag = static_cast<std::atomic<int> *>(plugin.data_alloc(0, 4, nullptr, OMPTARGET_ALLOC_HOST));
  flag->store(0);
  void *wait = kernel("wait_for_flag");
  void *memory = plugin.data_alloc(0, 8, nullptr, 0);
  // Pinned: the driver copies to pageable memory before it returns.
  auto *value = static_cast<uint64_t *>(plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_HOST));
  __tgt_async_info first{}, second{};
  void *event = nullptr;
  ASSERT_EQ(plugin.create_event(0, &event), 0);
  ASSERT_EQ(plugin.data_fill(0, memory, 1, 8, nullptr), 0);
  ASSERT_EQ(Launch(flag).run(plugin, 0, wait, &first), 0);
  ASSERT_EQ(plugin.data_fill(0, memory, 2, 8, &first), 0);
  ASSERT_EQ(plugin.record_event(0, event, &first), 0);
  ASSERT_EQ(plugin.wait_event(0, event, &second), 0);
  ASSERT_EQ(plugin.data_retrieve_async(0, value, memory, 8, &second), 0);
  flag->store(1);
  ASSERT_EQ(plugin.synchronize(0, &second), 0);
  EXPECT_EQ(*value, 0x0202020202020202u);
  ASSERT_EQ(plugin.sync_event(0, event), 0);
  ASSERT_EQ(plugin.destroy_event(0, event), 0);
  ASSERT_EQ(plugin.synchronize(0, &first), 0);
}

// Where results of a queue go through memory of the plugin's, they are not where kernels look for them.
TEST_F(GpuPlugin, a_kernel_finds_what_was_copied_to_pinned_memory_before_it) {
  void *add = kernel("__omp_offloading_10_2_add_l7");
  void *sum = plugin.data_alloc(0, 8, nullptr, 0), *five = plugin.data_alloc(0, 8, nullptr, 0);
  auto *pinned = static_cast<double *>(plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_HOST));
  double value = 5;
  *pinned = 0;
  ASSERT_EQ(plugin.data_submit(0, five, &value, 8), 0) << plugin.error();
  for (const bool has_event : {false, true}) {
    ASSERT_EQ(plugin.data_fill(0, sum, 0, 8, nullptr), 0);
    __tgt_async_info first{}, second{};
    ASSERT_EQ(plugin.data_retrieve_async(0, pinned, five, 8, &first), 0) << plugin.error();
    if (has_event) {
      void *event = nullptr;
      ASSERT_EQ(plugin.create_event(0, &event), 0);
      ASSERT_EQ(plugin.record_event(0, event, &first), 0);
      ASSERT_EQ(plugin.wait_event(0, event, &second), 0);
      ASSERT_EQ(plugin.destroy_event(0, event), 0);
    }
    ASSERT_EQ(Launch(sum, pinned, uint64_t{1}).run(plugin, 0, add, has_event ? &second : &first), 0) << plugin.error();
    ASSERT_EQ(plugin.synchronize(0, &second), 0);
    ASSERT_EQ(plugin.synchronize(0, &first), 0);
    EXPECT_EQ(read<double>(0, sum), 5.0) << has_event;
    *pinned = 0;
  }
}

TEST_F(GpuPlugin, interop_queues_keep_their_stream) {
  __tgt_async_info *async = nullptr;
  ASSERT_EQ(plugin.init_async_info(0, &async), 0);
  void *const stream = async->Queue;
  ASSERT_NE(stream, nullptr);
  void *memory = plugin.data_alloc(0, 8, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, memory, 1, 8, async), 0);
  ASSERT_EQ(plugin.synchronize(0, async), 0);
  EXPECT_EQ(async->Queue, stream);
  __tgt_async_info other{};
  ASSERT_EQ(plugin.data_fill(0, memory, 1, 8, &other), 0);
  EXPECT_NE(other.Queue, stream);
  ASSERT_EQ(plugin.synchronize(0, &other), 0);
  ASSERT_EQ(plugin.release_async_info(0, async), 0);
  __tgt_async_info foreign{stream};
  EXPECT_NE(plugin.release_async_info(0, &foreign), 0);
}

TEST_F(GpuPlugin, devices_exchange_data) {
  uint64_t value = 0x1122334455667788u;
  for (const int32_t other : {0, 1}) {
    void *source = plugin.data_alloc(0, 8, nullptr, 0);
    void *target = plugin.data_alloc(other, 8, nullptr, 0);
    ASSERT_TRUE(plugin.is_data_exchangable(0, other));
    ASSERT_EQ(plugin.data_submit(0, source, &value, 8), 0);
    ASSERT_EQ(plugin.data_exchange(0, source, other, target, 8), 0) << plugin.error();
    EXPECT_EQ(read<uint64_t>(other, target), value);
    __tgt_async_info async{};
    ASSERT_EQ(plugin.data_fill(0, source, 7, 8, &async), 0);
    ASSERT_EQ(plugin.data_exchange_async(0, source, other, target, 8, &async), 0);
    ASSERT_EQ(plugin.synchronize(0, &async), 0);
    EXPECT_EQ(read<uint64_t>(other, target), 0x0707070707070707u);
  }
  EXPECT_FALSE(plugin.is_data_exchangable(0, kUnderTest.devices));
}

TEST_F(GpuPlugin, indirect_functions_are_found_by_both_protocols) {
  int here = 0, there = 0;
  Image image(kUnderTest.image), later(kUnderTest.image);
  image.entry("indirect_twice", &here, 8, OMPTARGET_ENTRY_INDIRECT)
      .entry("thrice", &there, 0, OMPTARGET_ENTRY_INDIRECT)
      .kernel("call_indirect");
  __tgt_offload_entry *entries = load(0, image);
  ASSERT_NE(entries, nullptr);
  const uint64_t keys[] = {reinterpret_cast<uintptr_t>(&here), reinterpret_cast<uintptr_t>(&there)};
  __omp_offloading_fptr_map_ty table[] = {{keys[0], read<uint64_t>(0, entries[0].addr)},
                                          {keys[1], reinterpret_cast<uintptr_t>(entries[1].addr)}};
  auto *out = static_cast<int64_t *>(plugin.data_alloc(0, 16, nullptr, OMPTARGET_ALLOC_HOST));
  const auto call = [&](void *entry, uint64_t key) {
    EXPECT_EQ(Launch(key, 10, out).run(plugin, 0, entry), 0) << plugin.error();
    EXPECT_EQ(out[0], out[1]);
    return out[0];
  };
  EXPECT_EQ(call(entries[2].addr, keys[0]), 0);
  ASSERT_EQ(plugin.set_function_ptr_map(0, 2, table), 0) << plugin.error();
  EXPECT_EQ(call(entries[2].addr, keys[0]), 20);
  EXPECT_EQ(call(entries[2].addr, keys[1]), 30);
  // An image that comes later knows the table from the start.
  __tgt_offload_entry *more = load(0, later.kernel("call_indirect"));
  EXPECT_EQ(call(more[0].addr, keys[1]), 30);
  ASSERT_EQ(plugin.set_function_ptr_map(0, 1, table + 1), 0);
  EXPECT_EQ(call(entries[2].addr, keys[0]), 0);
  EXPECT_EQ(call(more[0].addr, keys[1]), 30);
  ASSERT_EQ(plugin.set_function_ptr_map(0, 0, nullptr), 0);
  EXPECT_EQ(call(entries[2].addr, keys[1]), 0);
}

size_t describe_nothing(const void *, char *, size_t) { return 0; }

TEST_F(GpuPlugin, an_image_with_functions_of_its_own_finds_no_others) {
  int here = 0;
  Image image(kUnderTest.image), later(kUnderTest.image);
  image.entry("indirect_twice", &here, 8, OMPTARGET_ENTRY_INDIRECT).kernel("call_indirect");
  const __tgt_offload_entry *const entries = load(0, image);
  ASSERT_NE(entries, nullptr);
  __tgt_target_table *const table = last_table();
  const __tgt_offload_entry *const other_entries = load(0, later.kernel("call_indirect"));
  ASSERT_NE(other_entries, nullptr);
  __tgt_target_table *const other = last_table();
  const uint64_t twice = read<uint64_t>(0, entries[0].addr);
  __omp_offloading_fptr_map_ty all[] = {{0x1000, twice}, {0x2000, twice}};
  auto *out = static_cast<int64_t *>(plugin.data_alloc(0, 16, nullptr, OMPTARGET_ALLOC_HOST));
  const auto call = [&](void *entry, uint64_t key) {
    EXPECT_EQ(Launch(key, 10, out).run(plugin, 0, entry), 0) << plugin.error();
    EXPECT_EQ(out[0], out[1]);
    return out[0];
  };
  const __tgt_image_functions own{1, all, "a.out", describe_nothing}, none{0, nullptr, "libX.so", describe_nothing};
  ASSERT_EQ(plugin.set_image_functions(0, table, &own), 0) << plugin.error();
  ASSERT_EQ(plugin.set_function_ptr_map(0, 2, all), 0) << plugin.error();
  EXPECT_EQ(call(entries[1].addr, 0x1000), 20);
  EXPECT_EQ(call(entries[1].addr, 0x2000), 0);
  EXPECT_EQ(call(other_entries[0].addr, 0x2000), 20); // was not told of any
  ASSERT_EQ(plugin.set_image_functions(0, other, &none), 0) << plugin.error();
  EXPECT_EQ(call(other_entries[0].addr, 0x2000), 0);
  ASSERT_EQ(plugin.unload_binary(0, table), 0) << plugin.error();
  EXPECT_NE(plugin.set_image_functions(0, table, &own), 0);
  EXPECT_THAT(plugin.error(), testing::HasSubstr("is no table of an image"));
}

// A kernel that runs while the table is replaced may have read the count of one and the address of another.
TEST_F(GpuPlugin, behind_a_smaller_table_is_memory_for_the_larger_count) {
  constexpr uint64_t kMany = 5000;
  std::vector<__omp_offloading_fptr_map_ty> table(kMany);
  for (uint64_t i = 0; i < kMany; ++i)
    table[i] = {i + 1, i};
  int host = 0;
  Image image(kUnderTest.image);
  __tgt_offload_entry *entries = load(0, image.variable("__omp_offloading_fptr_map_p", &host, 8));
  ASSERT_NE(entries, nullptr);
  ASSERT_EQ(plugin.set_function_ptr_map(0, kMany, table.data()), 0);
  ASSERT_EQ(plugin.set_function_ptr_map(0, 1, table.data()), 0);
  const auto *small = read<const __omp_offloading_fptr_map_ty *>(0, entries[0].addr);
  EXPECT_EQ(read<uint64_t>(0, small), 1u);
  read<uint64_t>(0, small + kMany - 1);
  ASSERT_EQ(plugin.set_function_ptr_map(0, 0, nullptr), 0);
  read<uint64_t>(0, read<const __omp_offloading_fptr_map_ty *>(0, entries[0].addr) + kMany - 1);
}

TEST_F(GpuPlugin, launches_are_told_as_information) {
  void *entry = kernel("tell_spmd");
  plugin.set_info_flag(0x10);
  testing::internal::CaptureStderr();
  told(entry, Launch().teams(2));
  const std::string text = testing::internal::GetCapturedStderr();
  plugin.set_info_flag(0);
  EXPECT_EQ(text, "\"PluginInterface\" device 0 info: Launching kernel tell_spmd with 2 blocks and 128 threads in SPMD "
                  "mode\n");
  testing::internal::CaptureStdout();
  plugin.print_device_info(1);
  std::fflush(stdout);
  const std::string info = testing::internal::GetCapturedStdout();
  EXPECT_THAT(info, HasSubstr(plugin.architecture(1)));
  EXPECT_THAT(info, testing::ContainsRegex("PCI bus +0000:[0-9a-f]+:00"));
}

} // namespace
} // namespace emulator_test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  emulator_test::open_plugin();
  emulator_test::the_plugin->init_plugin();
  if (emulator_test::the_stand_in->live_objects() != 0) {
    std::fprintf(stderr, "counting devices created something\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
