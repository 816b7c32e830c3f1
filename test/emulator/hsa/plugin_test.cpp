// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin on the stand-in of AMD's runtime, called through the plugin ABI. Devices 0 and 1, a gfx90a and a
// gfx1100, are used by all tests. Device 2, a gfx90a with XNACK, and device 3, one without ECC, are for faults, which
// they do not survive.

#include <atomic>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "plugin_fixture.h"

namespace emulator_test {
namespace {

class AmdgpuPlugin : public GpuPlugin {};

TEST_F(AmdgpuPlugin, tells_what_it_is) {
  EXPECT_EQ(plugin.number_of_devices(), 4);
  EXPECT_EQ(plugin.architecture(0), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(plugin.architecture(1), "gfx1100");
  char uid[64] = "";
  EXPECT_EQ(plugin.device_uid(0, uid, sizeof(uid)), 20u);
  EXPECT_STREQ(uid, "GPU-0000000000000001");
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  // One with XNACK among others.
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_NOT_REACHED);
  EXPECT_EQ(plugin.host_memory_access(2), OMPTARGET_HOST_MEMORY_BY_FAULTS);
  EXPECT_EQ(plugin.init_device(4), -1);
  EXPECT_THAT(plugin.error(), HasSubstr("has no device 4; there are 4"));
}

TEST_F(AmdgpuPlugin, images_go_to_the_devices_that_run_them) {
  Image any("kernels_90a.hsaco"), xnack("kernels_90a_xnack.hsaco"), rdna("kernels_1100.hsaco"),
      generic("kernels_11_generic.hsaco"), old("kernels_old.hsaco");
  const auto ranks = [&](Image &image) {
    std::vector<int32_t> all;
    for (int32_t device = 0; device < 4; ++device)
      all.push_back(plugin.is_device_compatible(device, image.get(), nullptr));
    return all;
  };
  const std::vector<int32_t> of_any = ranks(any), of_xnack = ranks(xnack), of_rdna = ranks(rdna),
                             of_generic = ranks(generic), of_old = ranks(old);
  EXPECT_GT(of_any[0], 0);
  EXPECT_EQ(of_any[1], 0);
  EXPECT_GT(of_any[2], 0);
  EXPECT_GT(of_any[3], 0);
  EXPECT_EQ(of_xnack, (std::vector<int32_t>{0, 0, of_xnack[2], 0}));
  EXPECT_GT(of_xnack[2], of_any[2]); // made for the very device
  EXPECT_GT(of_rdna[1], of_generic[1]);
  EXPECT_EQ(of_generic, (std::vector<int32_t>{0, of_generic[1], 0, 0}));
  EXPECT_GT(of_generic[1], 0);
  EXPECT_GT(of_old[0], 0);
  for (Image *image : {&any, &xnack, &rdna, &generic, &old})
    EXPECT_NE(plugin.is_valid_binary(image->get()), 0);
  EXPECT_EQ(plugin.load_binary(0, xnack.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("image: built for gfx90a:xnack+ (code object V6), device 0 is "
                                        "gfx90a:sramecc+:xnack-"));
  EXPECT_EQ(plugin.load_binary(0, generic.get()), nullptr);
  EXPECT_THAT(plugin.error(),
              HasSubstr("image: built for gfx11-generic (code object V6), device 0 is gfx90a:sramecc+:xnack-"));
}

TEST_F(AmdgpuPlugin, generic_images_run) {
  EXPECT_EQ(told(kernel("tell_spmd", 1, "kernels_11_generic.hsaco"), Launch().teams(3).threads(32), 1)[1], 3u);
}

TEST_F(AmdgpuPlugin, broken_images_are_refused) {
  Image whole("kernels_90a.hsaco");
  for (const size_t size : {size_t{0}, size_t{20}, size_t{64}, size_t{200}, whole.bytes().size() - 100}) {
    Image part = whole;
    part.bytes().resize(size);
    EXPECT_EQ(plugin.load_binary(0, part.get()), nullptr) << size;
    EXPECT_NE(plugin.error(), "");
  }
  Image other = whole;
  other.bytes()[8] = 1; // ELF ABI version of code object V3
  EXPECT_EQ(plugin.is_valid_binary(other.get()), 0);
  EXPECT_EQ(plugin.load_binary(0, other.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("ELF ABI version 1; known are 2 (V4), 3 (V5) and 4 (V6)"));
}

TEST_F(AmdgpuPlugin, entries_are_resolved_in_order) {
  int here = 0;
  Image image("kernels_90a.hsaco");
  image.kernel("tell_spmd")
      .variable("gv", &here, sizeof(int))
      .kernel("no_such_kernel")
      .entry("linked_decl_tgt_ref_ptr", &here, 8, OMPTARGET_ENTRY_LINK)
      .entry("indirect_twice", &here, 8, OMPTARGET_ENTRY_INDIRECT)
      .entry("thrice", &here, 0, OMPTARGET_ENTRY_INDIRECT)
      .variable("nothing", &here, sizeof(int));
  __tgt_offload_entry *entries = load(0, image);
  ASSERT_NE(entries, nullptr);
  EXPECT_NE(entries[0].addr, nullptr);
  EXPECT_EQ(read<int>(0, entries[1].addr), 42);
  EXPECT_EQ(entries[2].addr, nullptr);
  EXPECT_NE(entries[3].addr, nullptr);
  EXPECT_NE(read<void *>(0, entries[4].addr), nullptr);
  EXPECT_NE(entries[5].addr, nullptr); // the function itself, by its place in the file
  EXPECT_EQ(entries[6].addr, nullptr);
  EXPECT_STREQ(entries[1].name, "gv");
  EXPECT_EQ(last_table()->EntriesEnd - entries, 7);
  Image wrong("kernels_90a.hsaco");
  int64_t wide = 0;
  EXPECT_EQ(plugin.load_binary(0, wrong.variable("gv", &wide, sizeof(wide)).get()), nullptr);
  EXPECT_THAT(plugin.error(),
              HasSubstr("variable gv has 4 bytes in the image for gfx90a (code object V5) and 8 bytes"));
}

TEST_F(AmdgpuPlugin, many_arguments_arrive) {
  void *entry = kernel("many_arguments");
  Launch launch(plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_DEVICE));
  for (int i = 1; i <= 9; ++i)
    launch.add(i);
  ASSERT_EQ(launch.run(plugin, 0, entry), 0) << plugin.error();
  EXPECT_EQ(read<uint64_t>(0, launch.arguments[0]), 987654321u);
  launch.add(1);
  EXPECT_NE(launch.run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("kernel many_arguments takes 88 bytes of arguments, the launch passes 96"));
}

TEST_F(AmdgpuPlugin, large_copies_and_fills_arrive) {
  constexpr size_t kSize = (size_t{9} << 20) + 5;
  std::vector<char> host(kSize), back(kSize, 1);
  for (size_t i = 0; i < kSize; ++i)
    host[i] = static_cast<char>(i * 7 + i / 4096);
  char *memory = static_cast<char *>(plugin.data_alloc(0, kSize, nullptr, 0));
  __tgt_async_info async{};
  ASSERT_EQ(plugin.data_submit_async(0, memory, host.data(), kSize, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.data_retrieve_async(0, back.data(), memory, kSize, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &async), 0) << plugin.error();
  EXPECT_EQ(host, back);
  ASSERT_EQ(plugin.data_fill(0, memory + 1, 0x33, kSize - 3, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.data_retrieve_async(0, back.data(), memory, kSize, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &async), 0) << plugin.error();
  std::memset(host.data() + 1, 0x33, kSize - 3);
  EXPECT_EQ(host, back);
}

// Each copy sees what the one before it left in host memory, although nobody waits in between.
TEST_F(AmdgpuPlugin, copies_of_one_queue_are_ordered_on_the_host) {
  uint64_t value = 0;
  auto *memory = static_cast<uint64_t *>(plugin.data_alloc(0, 16, nullptr, 0));
  ASSERT_EQ(plugin.data_fill(0, memory, 0x11, 8, nullptr), 0);
  __tgt_async_info async{};
  ASSERT_EQ(plugin.data_retrieve_async(0, &value, memory, 8, &async), 0);
  ASSERT_EQ(plugin.data_submit_async(0, memory + 1, &value, 8, &async), 0);
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(read<uint64_t>(0, memory + 1), 0x1111111111111111u);
  // The same across queues, by an event.
  value = 0;
  void *event = nullptr;
  __tgt_async_info other{};
  ASSERT_EQ(plugin.create_event(0, &event), 0);
  ASSERT_EQ(plugin.data_fill(0, memory, 0x22, 8, &async), 0);
  ASSERT_EQ(plugin.data_retrieve_async(0, &value, memory, 8, &async), 0);
  ASSERT_EQ(plugin.record_event(0, event, &async), 0);
  ASSERT_EQ(plugin.wait_event(0, event, &other), 0);
  ASSERT_EQ(plugin.data_submit_async(0, memory + 1, &value, 8, &other), 0);
  ASSERT_EQ(plugin.synchronize(0, &other), 0);
  EXPECT_EQ(read<uint64_t>(0, memory + 1), 0x2222222222222222u);
  value = 0;
  ASSERT_EQ(plugin.sync_event(0, event), 0);
  ASSERT_EQ(plugin.destroy_event(0, event), 0);
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(value, 0u); // work that the event waited for is not done twice
}

TEST_F(AmdgpuPlugin, packets_and_implicit_arguments_say_the_shape) {
  const std::vector<uint64_t> spmd = told(kernel("tell_spmd"), Launch().teams(7).threads(64).shared(1000));
  EXPECT_EQ(spmd, (std::vector<uint64_t>{kNoEnvironment, 7, 64, 1256, 48, 7, 64, 1, 1000, 1}));
  const std::vector<uint64_t> generic = told(kernel("tell_generic"), Launch().teams(2).threads(32));
  EXPECT_EQ(generic[2], 32u + 64u);
  EXPECT_EQ(told(kernel("tell_wave32"), Launch().threads(32))[2], 32u + 32u);
  EXPECT_EQ(told(kernel("tell_wide"), Launch().threads(1000))[2], 192u);
  // Each of the 8 compute units holds 32 waves, of which a team has 2.
  EXPECT_EQ(told(kernel("tell_spmd"), Launch())[1], 128u);
  const std::vector<uint64_t> cut = told(kernel("tell_short"), Launch().teams(5).threads(16));
  EXPECT_EQ(cut[0], 5u);
  EXPECT_EQ(cut[1], 16u);
}

TEST_F(AmdgpuPlugin, a_reduction_copies_its_environment_once) {
  void *entry = kernel("reduce");
  void *sum = plugin.data_alloc(0, 8, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, sum, 0, 8, nullptr), 0);
  ASSERT_EQ(Launch(sum, 10).run(plugin, 0, entry), 0);
  const uint64_t copies =
      stand_in.count("hsa_amd_memory_async_copy") + stand_in.count("hsa_amd_memory_async_copy_on_engine");
  ASSERT_EQ(Launch(sum, 10).run(plugin, 0, entry), 0);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_async_copy") + stand_in.count("hsa_amd_memory_async_copy_on_engine"),
            copies);
  EXPECT_EQ(read<uint64_t>(0, sum), 2u * 55u);
}

TEST_F(AmdgpuPlugin, only_who_uses_memory_is_let_at_it) {
  void *entry = kernel("many_arguments");
  const uint64_t before = stand_in.count("agent with access");
  __tgt_async_info async{};
  auto *sum = static_cast<uint64_t *>(plugin.data_alloc(0, 8, nullptr, 0));
  for (int i = 0; i < 100; ++i) { // more arguments than are kept now
    Launch launch(sum);
    for (int j = 1; j <= 9; ++j)
      launch.add(j);
    ASSERT_EQ(launch.run(plugin, 0, entry, &async), 0) << plugin.error();
  }
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_LE(stand_in.count("agent with access") - before, 101u);
  // Devices that exchange data are let at each other's once.
  auto *other = static_cast<uint64_t *>(plugin.data_alloc(1, 8, nullptr, 0));
  ASSERT_EQ(plugin.data_exchange(0, sum, 1, other, 8), 0) << plugin.error();
  const uint64_t calls = stand_in.count("hsa_amd_agents_allow_access");
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(plugin.data_exchange(0, sum, 1, other, 8), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("hsa_amd_agents_allow_access"), calls);
  EXPECT_EQ(read<uint64_t>(1, other), 987654321u);
}

TEST_F(AmdgpuPlugin, arguments_of_many_launches_share_one_allocation) {
  void *entry = kernel("count_threads");
  void *count = plugin.data_alloc(0, 8, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, count, 0, 8, nullptr), 0);
  const uint64_t allocations = stand_in.count("hsa_amd_memory_pool_allocate"),
                 grants = stand_in.count("hsa_amd_agents_allow_access");
  __tgt_async_info async{};
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(Launch(count).teams(1).threads(1).run(plugin, 0, entry, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_LE(stand_in.count("hsa_amd_memory_pool_allocate") - allocations, 1u);
  EXPECT_LE(stand_in.count("hsa_amd_agents_allow_access") - grants, 1u);
  EXPECT_EQ(read<uint64_t>(0, count), 300u);
}

TEST_F(AmdgpuPlugin, old_images_run) {
  const auto launch = [&] { return Launch().version(2); };
  EXPECT_EQ(told(kernel("old_spmd", 0, "kernels_old.hsaco"), launch().teams(3).threads(64)),
            (std::vector<uint64_t>{3, 64, 4, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(told(kernel("old_generic", 0, "kernels_old.hsaco"), launch().threads(64))[1], 128u);
  EXPECT_EQ(told(kernel("old_sized", 0, "kernels_old.hsaco"), launch())[1], 96u);
}

TEST_F(AmdgpuPlugin, a_bare_kernel_gets_the_programs_grid) {
  Launch launch;
  for (uint32_t i = 0; i < 3; ++i) {
    launch.shape.NumTeams[i] = 2 + i;
    launch.shape.ThreadLimit[i] = 5 + i;
  }
  const std::vector<uint64_t> values = told(kernel("tell_bare"), launch);
  EXPECT_EQ(std::vector<uint64_t>(values.begin() + 1, values.begin() + 8),
            (std::vector<uint64_t>{2, 3, 4, 5, 6, 7, 3}));
}

TEST_F(AmdgpuPlugin, impossible_launches_are_refused) {
  void *entry = kernel("tell_bare");
  void *out = plugin.data_alloc(0, 80, nullptr, 0);
  EXPECT_NE(Launch(out).threads(2000).run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("kernel tell_bare: 2000 threads per team; it can have 1024"));
  EXPECT_NE(Launch(out).shared(70000).run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("70000 bytes of dynamic shared memory beside its own 0 bytes; the device has "
                                        "65536 bytes per team"));
}

TEST_F(AmdgpuPlugin, many_launches_without_waiting_are_carried_out) {
  void *entry = kernel("count_threads");
  void *count = plugin.data_alloc(0, 8, nullptr, 0);
  __tgt_async_info async{};
  ASSERT_EQ(plugin.data_fill(0, count, 0, 8, &async), 0);
  for (int i = 0; i < 700; ++i) {
    ASSERT_EQ(Launch(count).teams(2).threads(3).run(plugin, 0, entry, &async), 0) << plugin.error();
    if (i % 50 == 0) {
      ASSERT_EQ(plugin.data_fill(0, count, 0, 8, &async), 0);
    }
  }
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(read<uint64_t>(0, count), 49u * 6);
}

TEST_F(AmdgpuPlugin, threads_use_the_device_side_by_side) {
  void *entry = kernel("count_threads");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      uint64_t value = 0, result = 0;
      void *count = plugin.data_alloc(0, 8, nullptr, 0);
      for (uint64_t i = 1; i <= 20; ++i) {
        __tgt_async_info async{};
        wrong += plugin.data_submit_async(0, count, &value, 8, &async) != 0;
        wrong += Launch(count).teams(1).threads(5).run(plugin, 0, entry, &async) != 0;
        wrong += plugin.data_retrieve_async(0, &result, count, 8, &async) != 0;
        wrong += plugin.synchronize(0, &async) != 0;
        wrong += result != value + 5;
        value = i;
      }
      wrong += plugin.data_delete(0, count, 0) != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

// The head of AMD's hsa_queue_t.
struct QueueHead {
  uint32_t type, features;
  void *base_address;
  uint64_t doorbell;
  uint32_t size;
};

TEST_F(AmdgpuPlugin, interop_gets_hsa_queues_of_its_own_and_the_agent) {
  __tgt_async_info *one = nullptr, *other = nullptr;
  ASSERT_EQ(plugin.init_async_info(0, &one), 0) << plugin.error();
  ASSERT_EQ(plugin.init_async_info(0, &other), 0) << plugin.error();
  void *const first = one->Queue;
  EXPECT_NE(first, other->Queue);
  const QueueHead &head = *static_cast<const QueueHead *>(first);
  EXPECT_EQ(head.type, 0u); // HSA_QUEUE_TYPE_MULTI: any thread writes packets
  EXPECT_NE(head.base_address, nullptr);
  EXPECT_TRUE(head.size != 0 && (head.size & (head.size - 1)) == 0);
  void *event = nullptr;
  ASSERT_EQ(plugin.create_event(0, &event), 0);
  ASSERT_EQ(plugin.record_event(0, event, one), 0) << plugin.error();
  ASSERT_EQ(plugin.sync_event(0, event), 0) << plugin.error();
  plugin.destroy_event(0, event);
  ASSERT_EQ(plugin.release_async_info(0, other), 0);
  ASSERT_EQ(plugin.release_async_info(0, one), 0);
  const uint64_t queues = stand_in.count("hsa_queue_create");
  ASSERT_EQ(plugin.init_async_info(0, &one), 0);
  EXPECT_EQ(stand_in.count("hsa_queue_create"), queues); // one that was given back
  ASSERT_EQ(plugin.release_async_info(0, one), 0);
  __tgt_device_info info{};
  ASSERT_EQ(plugin.init_device_info(1, &info, nullptr), 0);
  EXPECT_NE(info.Device, nullptr);
}

TEST_F(AmdgpuPlugin, constructors_and_destructors_run) {
  int32_t host = 0;
  auto *seen = static_cast<int32_t *>(plugin.data_alloc(0, 4, nullptr, OMPTARGET_ALLOC_HOST));
  *seen = 0;
  Image image("kernels_90a.hsaco");
  image.variable("call_log", &host, 32).variable("call_count", &host, 4);
  image.entry("linked_decl_tgt_ref_ptr", &host, 8, OMPTARGET_ENTRY_LINK);
  __tgt_offload_entry *entries = load(0, image);
  EXPECT_EQ(read<int32_t>(0, entries[0].addr), 1);
  EXPECT_EQ(read<int32_t>(0, entries[1].addr), 1);
  ASSERT_EQ(plugin.data_submit(0, entries[2].addr, &seen, 8), 0);
  ASSERT_EQ(plugin.unload_binary(0, last_table()), 0) << plugin.error();
  EXPECT_EQ(*seen, -1);
  EXPECT_NE(plugin.unload_binary(0, last_table()), 0);
}

TEST_F(AmdgpuPlugin, destructors_run_when_the_device_ends) {
  int32_t host = 0;
  auto *seen = static_cast<int32_t *>(plugin.data_alloc(1, 4, nullptr, OMPTARGET_ALLOC_HOST)); // outlives device 0
  *seen = 0;
  Image image("kernels_90a.hsaco");
  image.entry("linked_decl_tgt_ref_ptr", &host, 8, OMPTARGET_ENTRY_LINK);
  __tgt_offload_entry *entries = load(0, image);
  ASSERT_EQ(plugin.data_submit(0, entries[0].addr, &seen, 8), 0);
  ASSERT_EQ(plugin.deinit_device(0), 0) << plugin.error();
  EXPECT_EQ(*seen, -1);
}

TEST_F(AmdgpuPlugin, the_device_environment_is_written) {
  struct {
    uint32_t debug, devices, device, memory;
    uint64_t clock, table, table_size, parallelism;
  } environment{};
  Image image("kernels_90a.hsaco");
  plugin.set_device_offset(3);
  __tgt_offload_entry *entries = load(0, image.variable("__omp_rtl_device_environment", &environment, 48)
                                             .variable("__omp_rtl_device_memory_pool", &environment, 16));
  plugin.set_device_offset(0);
  ASSERT_EQ(plugin.data_retrieve(0, &environment, entries[0].addr, sizeof(environment)), 0);
  EXPECT_EQ(environment.devices, 4u);
  EXPECT_EQ(environment.device, 3u);
  EXPECT_EQ(environment.clock, 100000000u);
  EXPECT_EQ(environment.parallelism, 8u * 32u);
  const uint64_t pool = reinterpret_cast<uintptr_t>(entries[1].addr);
  const uint64_t memory = read<uint64_t>(0, entries[1].addr);
  EXPECT_EQ(pool + read<uint64_t>(0, static_cast<char *>(entries[1].addr) + 8), memory + (64u << 20));
}

TEST_F(AmdgpuPlugin, host_memory_is_pinned_once_and_counted) {
  std::vector<char> host(8192);
  void *first = nullptr, *inner = nullptr;
  ASSERT_EQ(plugin.data_lock(0, host.data(), 8192, &first), 0) << plugin.error();
  ASSERT_EQ(plugin.data_lock(0, host.data() + 100, 50, &inner), 0);
  EXPECT_EQ(inner, static_cast<char *>(first) + 100);
  EXPECT_NE(plugin.data_lock(0, host.data() + 8000, 8192, &inner), 0);
  EXPECT_EQ(plugin.data_unlock(0, host.data()), 0);
  EXPECT_EQ(plugin.data_unlock(0, host.data() + 100), 0);
  EXPECT_NE(plugin.data_unlock(0, host.data()), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("is not pinned"));
}

// A copy larger than the pieces of memory that queues keep.
TEST_F(AmdgpuPlugin, pinned_memory_is_copied_without_a_block) {
  constexpr int64_t kSize = 32 << 10;
  auto *host = static_cast<uint64_t *>(plugin.data_alloc(0, kSize, nullptr, OMPTARGET_ALLOC_HOST));
  void *memory = plugin.data_alloc(0, kSize, nullptr, 0);
  host[0] = 1234;
  const uint64_t before = stand_in.count("hsa_amd_memory_pool_allocate");
  ASSERT_EQ(plugin.data_submit(0, memory, host, kSize), 0) << plugin.error();
  host[0] = 0;
  ASSERT_EQ(plugin.data_retrieve(0, host, memory, kSize), 0) << plugin.error();
  EXPECT_EQ(host[0], 1234u);
  EXPECT_EQ(stand_in.count("hsa_amd_memory_pool_allocate"), before);
}

// A kernel before it writes to where it is copied from.
TEST_F(AmdgpuPlugin, a_small_copy_behind_a_kernel_reads_what_the_kernel_wrote) {
  void *add = kernel("__omp_offloading_10_2_add_l7");
  auto *host = static_cast<double *>(plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_HOST));
  void *five = plugin.data_alloc(0, 8, nullptr, 0), *copy = plugin.data_alloc(0, 8, nullptr, 0);
  double value = 5;
  *host = 0;
  ASSERT_EQ(plugin.data_submit(0, five, &value, 8), 0);
  __tgt_async_info queue{};
  ASSERT_EQ(Launch(host, five, uint64_t{1}).run(plugin, 0, add, &queue), 0) << plugin.error();
  ASSERT_EQ(plugin.data_submit_async(0, copy, host, 8, &queue), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &queue), 0) << plugin.error();
  EXPECT_EQ(read<double>(0, copy), 5.0);
}

// Two copies read the same pageable memory, the second one much later, and of two devices. Memory that one of them
// pinned stays pinned, and reachable, until both are complete.
TEST_F(AmdgpuPlugin, memory_stays_pinned_for_all_copies) {
  constexpr size_t kSize = size_t{3} << 20;
  std::vector<uint64_t> host(kSize / 8), back(kSize / 8);
  std::iota(host.begin(), host.end(), 1);
  auto *flag = static_cast<std::atomic<int> *>(plugin.data_alloc(0, 4, nullptr, OMPTARGET_ALLOC_HOST));
  void *waits[] = {kernel("wait_for_flag"), kernel("wait_for_flag", 1, "kernels_1100.hsaco")};
  for (const int32_t other : {0, 1}) {
    flag->store(0);
    void *early = plugin.data_alloc(0, kSize, nullptr, 0);
    void *late = plugin.data_alloc(other, kSize, nullptr, 0);
    __tgt_async_info first{}, second{};
    ASSERT_EQ(Launch(flag).run(plugin, other, waits[other], &second), 0);
    ASSERT_EQ(plugin.data_submit_async(0, early, host.data(), kSize, &first), 0) << plugin.error();
    ASSERT_EQ(plugin.data_submit_async(other, late, host.data(), kSize, &second), 0) << plugin.error();
    ASSERT_EQ(plugin.synchronize(0, &first), 0) << plugin.error();
    flag->store(1);
    ASSERT_EQ(plugin.synchronize(other, &second), 0) << plugin.error();
    ASSERT_EQ(plugin.data_retrieve(other, back.data(), late, kSize), 0);
    EXPECT_EQ(host, back);
  }
}

TEST_F(AmdgpuPlugin, a_fault_is_that_of_the_kernel_and_ends_the_device) {
  ASSERT_EQ(plugin.init_device(2), 0);
  void *entry = kernel("__omp_offloading_10_2_broken_l99", 2);
  void *memory = plugin.data_alloc(2, 8, nullptr, 0);
  __tgt_async_info async{};
  ASSERT_EQ(Launch(0x5000).teams(2).threads(64).run(plugin, 2, entry, &async), 0) << plugin.error();
  uint64_t value = 0;
  plugin.data_retrieve_async(2, &value, memory, 8, &async); // fails or not, as the fault was seen or not
  if (async.Queue) {
    EXPECT_NE(plugin.synchronize(2, &async), 0);
  }
  EXPECT_EQ(async.Queue, nullptr);
  EXPECT_THAT(plugin.error(),
              HasSubstr("kernel __omp_offloading_10_2_broken_l99 in broken, line 99 (2 blocks, 64 threads) failed on "
                        "device 2: memory fault at address 0x5000: page not present or not the program's"));
  EXPECT_NE(plugin.data_retrieve(2, &value, memory, 8), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("broken, line 99"));
  EXPECT_EQ(plugin.data_alloc(2, 8, nullptr, 0), nullptr);
  EXPECT_NE(Launch(0).run(plugin, 2, entry), 0);
  // The other devices live.
  EXPECT_NE(plugin.data_alloc(1, 8, nullptr, 0), nullptr);
  EXPECT_EQ(plugin.deinit_device(2), 0) << plugin.error();
}

TEST_F(AmdgpuPlugin, an_error_of_a_queue_ends_the_device) {
  ASSERT_EQ(plugin.init_device(3), 0);
  void *good = kernel("tell_spmd", 3);
  void *entry = kernel("illegal", 3);
  told(good, Launch(), 3); // complete: not named
  EXPECT_NE(Launch().run(plugin, 3, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("kernel illegal (64 blocks, 256 threads) failed on device 3: "
                                        "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION (0x2a)"));
  EXPECT_EQ(plugin.deinit_device(3), 0) << plugin.error();
}

TEST_F(AmdgpuPlugin, bad_sizes_and_pointers_are_errors) {
  uint64_t value = 0;
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  EXPECT_NE(plugin.data_submit(0, memory, &value, -8), 0);
  EXPECT_NE(plugin.data_submit(0, nullptr, &value, 8), 0);
  EXPECT_NE(plugin.data_retrieve(0, nullptr, memory, 8), 0);
  EXPECT_EQ(plugin.data_retrieve(0, nullptr, memory, 0), 0);
}

} // namespace
} // namespace emulator_test
