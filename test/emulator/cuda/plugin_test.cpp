// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin on the stand-in of the driver, called through the plugin ABI. The machine has an sm_80 and an sm_90.

#include <atomic>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "plugin_fixture.h"

namespace emulator_test {
namespace {

class CudaPlugin : public GpuPlugin {};

TEST_F(CudaPlugin, tells_what_it_is) {
  __tgt_rtl_abi_info info{sizeof(info), 0, 0};
  ASSERT_EQ(plugin.abi(&info), 0);
  EXPECT_EQ(info.version, uint32_t{OMPTARGET_PLUGIN_ABI_VERSION});
  EXPECT_EQ(info.features, uint64_t{OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_TRAILING_ENVIRONMENT |
                                    OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT | OMPTARGET_PLUGIN_IGNORES_MAPPINGS});
  EXPECT_EQ(plugin.number_of_devices(), 2);
  EXPECT_EQ(plugin.architecture(0), "sm_80");
  EXPECT_EQ(plugin.architecture(1), "sm_90");
  char uid[64];
  EXPECT_EQ(plugin.device_uid(1, uid, sizeof(uid)), 40u);
  EXPECT_STREQ(uid, "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f");
}

TEST_F(CudaPlugin, images_go_to_the_devices_that_run_them) {
  Image sm_80("kernels_80.cubin"), sm_86("kernels_86.cubin"), sm_90("kernels_90.cubin"), sm_70("kernels_old.cubin");
  EXPECT_TRUE(plugin.is_valid_binary(sm_80.get()));
  EXPECT_TRUE(plugin.is_valid_binary(sm_90.get()));
  EXPECT_FALSE(plugin.is_valid_binary(sm_86.get()));
  EXPECT_FALSE(plugin.is_valid_binary(sm_70.get()));
  EXPECT_TRUE(plugin.is_device_compatible(0, sm_80.get(), nullptr));
  EXPECT_FALSE(plugin.is_device_compatible(1, sm_80.get(), nullptr));
  EXPECT_FALSE(plugin.is_device_compatible(0, sm_90.get(), nullptr));
  EXPECT_TRUE(plugin.is_device_compatible(1, sm_90.get(), nullptr));
  EXPECT_EQ(plugin.load_binary(0, sm_90.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("built for sm_90 by CUDA 13 (driver 580 or later), device 0 is sm_80"));
}

TEST_F(CudaPlugin, a_cubin_with_two_device_rtls_is_refused_and_the_other_is_named) {
  Image image("kernels_two_rtls.cubin");
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(),
              HasSubstr("it has LLVM's device RTL (__omp_rtl_device_memory_pool_tracker) beside omptarget's"));
}

TEST_F(CudaPlugin, code_is_preferred_to_ptx_and_newer_ptx_to_older) {
  Image code("kernels_90.cubin");
  Image newer = Image::of_text("// made by hand\n.version 7.8\n.target sm_86, debug\n");
  Image older = Image::of_text("//\n.version 7.0\n.target sm_52\n");
  Image exact = Image::of_text(".version 8.0\n.target sm_90a\n");
  const int32_t with_code = plugin.is_device_compatible(1, code.get(), nullptr);
  const int32_t with_newer = plugin.is_device_compatible(1, newer.get(), nullptr);
  const int32_t with_older = plugin.is_device_compatible(1, older.get(), nullptr);
  const int32_t with_exact = plugin.is_device_compatible(1, exact.get(), nullptr);
  EXPECT_GT(with_code, with_exact);
  EXPECT_GT(with_exact, with_newer);
  EXPECT_GT(with_newer, with_older);
  EXPECT_GT(with_older, 0);
  EXPECT_EQ(plugin.is_device_compatible(0, newer.get(), nullptr), 0);
  EXPECT_EQ(plugin.is_device_compatible(0, exact.get(), nullptr), 0);
}

TEST_F(CudaPlugin, ptx_is_compiled_by_the_driver) {
  Image ptx = Image::of_text(std::string(".version 7.0\n.target sm_80\n// emulator-code: ") + IMAGE_FOLDER +
                             "kernels_80.cubin\n.extern __init_array_object_late_65535;\n");
  ptx.kernel("tell_spmd").kernel("tell_badly_not_there");
  __tgt_offload_entry *entries = load(0, ptx);
  ASSERT_NE(entries, nullptr);
  EXPECT_EQ(entries[1].addr, nullptr);
  EXPECT_EQ(told(entries[0].addr, Launch().teams(3))[1], 3u);
}

TEST_F(CudaPlugin, what_the_drivers_compiler_says_is_passed_on) {
  Image ptx = Image::of_text(".version 7.0\n.target sm_80\nnonsense\n");
  EXPECT_EQ(plugin.load_binary(0, ptx.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218)"));
  EXPECT_THAT(plugin.error(), HasSubstr("line 3: 'nonsense' is no directive"));
}

TEST_F(CudaPlugin, broken_images_are_refused) {
  Image image("kernels_80.cubin");
  const std::vector<char> good = image.bytes();
  for (const size_t size : {size_t{0}, size_t{3}, size_t{63}, size_t{64}, good.size() / 2}) {
    image.bytes() = good;
    image.bytes().resize(size);
    EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr) << size;
  }
  image.bytes() = good;
  image.bytes()[8] = 9; // EI_ABIVERSION
  EXPECT_FALSE(plugin.is_valid_binary(image.get()));
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("ELF ABI version 9"));
}

TEST_F(CudaPlugin, entries_are_resolved_in_order) {
  int host = 0;
  void *link = nullptr;
  Image image("kernels_80.cubin");
  image.variable("gv", &host, sizeof(int))
      .kernel("tell_spmd")
      .entry("", nullptr, 0, OMPTARGET_ENTRY_REQUIRES)
      .entry("linked_decl_tgt_ref_ptr", &link, 8, OMPTARGET_ENTRY_LINK)
      .entry("indirect_twice", &host, 8, OMPTARGET_ENTRY_INDIRECT)
      .entry("thrice", &host, 0, OMPTARGET_ENTRY_INDIRECT)
      .variable("not_there", &host, 4)
      .kernel("no_kernel");
  __tgt_offload_entry *entries = load(0, image);
  ASSERT_NE(entries, nullptr);
  ASSERT_EQ(last_table()->EntriesEnd - last_table()->EntriesBegin, 8);
  EXPECT_EQ(read<int>(0, entries[0].addr), 42);
  EXPECT_NE(entries[1].addr, nullptr);
  EXPECT_EQ(entries[2].addr, nullptr);
  EXPECT_EQ(read<void *>(0, entries[3].addr), nullptr);
  EXPECT_NE(read<void *>(0, entries[4].addr), nullptr);
  EXPECT_NE(entries[5].addr, nullptr);
  EXPECT_EQ(entries[6].addr, nullptr);
  EXPECT_EQ(entries[7].addr, nullptr);
  EXPECT_STREQ(entries[0].name, "gv");
  Launch launch(0, 0);
  EXPECT_NE(launch.run(plugin, 0, entries[7].addr), 0);
}

TEST_F(CudaPlugin, a_variable_of_another_size_is_an_error) {
  int host = 0;
  Image image("kernels_80.cubin");
  image.variable("gv", &host, 8);
  EXPECT_EQ(plugin.load_binary(0, image.get()), nullptr);
  EXPECT_THAT(plugin.error(), HasSubstr("variable gv has 4 bytes in the image for sm_80 and 8 bytes on the host"));
}

TEST_F(CudaPlugin, many_arguments_arrive) {
  void *entry = kernel("many_arguments");
  Launch launch(plugin.data_alloc(0, 8, nullptr, OMPTARGET_ALLOC_DEVICE));
  for (int i = 1; i <= 39; ++i)
    launch.add(i);
  ASSERT_EQ(launch.run(plugin, 0, entry), 0) << plugin.error();
  EXPECT_EQ(read<uint64_t>(0, launch.arguments[0]), 10u + 38000u + 3900000u);
}

// ---- The shape of launches

TEST_F(CudaPlugin, environments_of_kernels_decide_the_shape) {
  std::vector<uint64_t> shape = told(kernel("tell_spmd"), Launch());
  EXPECT_EQ(shape[0], kNoEnvironment);
  EXPECT_EQ(shape[1], 256u); // 16 multiprocessors with 16 resident teams each
  EXPECT_EQ(shape[2], 128u);
  EXPECT_EQ(told(kernel("tell_spmd"), Launch().threads(1000))[2], 128u);
  shape = told(kernel("tell_generic"), Launch().teams(7).threads(33));
  EXPECT_EQ(shape[1], 7u);
  EXPECT_EQ(shape[2], 65u);
  EXPECT_EQ(told(kernel("tell_generic"), Launch().teams(0xffffffffu))[1], 256u);
}

TEST_F(CudaPlugin, a_short_loop_gets_fewer_threads) {
  std::vector<uint64_t> shape = told(kernel("tell_spmd"), Launch().trips(1000));
  EXPECT_EQ(shape[2], 32u);
  EXPECT_EQ(shape[1], 32u);
  shape = told(kernel("tell_spmd"), Launch().trips(256 * 50));
  EXPECT_EQ(shape[2], 64u);
  EXPECT_EQ(shape[1], 200u);
  shape = told(kernel("tell_spmd"), Launch().trips(uint64_t{1} << 40));
  EXPECT_EQ(shape[2], 128u);
  EXPECT_EQ(shape[1], 256u);
}

// The driver's occupancy of the kernel decides; where it does not tell it, a constant does.
TEST_F(CudaPlugin, default_teams_are_those_that_can_be_resident) {
  EXPECT_EQ(told(kernel("tell_wide"), Launch())[1], 16u * 16); // 128 threads of at most 256
  stand_in.fail("cuOccupancyMaxActiveBlocksPerMultiprocessor:+:801");
  EXPECT_EQ(told(kernel("tell_spmd"), Launch())[1], 3200u);
  stand_in.fail("");
}

TEST_F(CudaPlugin, registers_limit_the_threads) {
  EXPECT_EQ(told(kernel("tell_wide"), Launch().teams(1).threads(1024))[2], 256u);
}

TEST_F(CudaPlugin, a_bare_kernel_gets_the_programs_grid) {
  Launch launch;
  launch.teams(2).threads(8);
  launch.shape.NumTeams[1] = 3;
  launch.shape.ThreadLimit[1] = 4;
  launch.shape.ThreadLimit[2] = 5;
  const std::vector<uint64_t> shape = told(kernel("tell_bare"), launch);
  EXPECT_EQ(shape[1], 2u);
  EXPECT_EQ(shape[2], 3u);
  EXPECT_EQ(shape[3], 1u);
  EXPECT_EQ(shape[4], 8u);
  EXPECT_EQ(shape[5], 4u);
  EXPECT_EQ(shape[6], 5u);
}

TEST_F(CudaPlugin, dynamic_shared_memory_is_allowed_as_far_as_the_device_has_it) {
  void *entry = kernel("tell_spmd");
  EXPECT_EQ(told(entry, Launch().shared(1000))[3], 1000u);
  EXPECT_EQ(told(entry, Launch().shared(100000))[3], 100000u);
  EXPECT_EQ(told(entry, Launch().shared(120000))[3], 120000u);
  EXPECT_NE(Launch(0).shared(163840).run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("163840 bytes of dynamic shared memory beside its own 1024 bytes; the device "
                                        "has 163840 bytes per team"));
}

TEST_F(CudaPlugin, a_launch_the_driver_refuses_names_kernel_and_shape) {
  void *entry = kernel("tell_bare");
  EXPECT_NE(Launch(0).teams(1).threads(5000).run(plugin, 0, entry), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)"));
  EXPECT_THAT(plugin.error(), HasSubstr("while launching kernel tell_bare with 1 blocks, 5000 threads"));
  EXPECT_EQ(told(entry, Launch().teams(1).threads(1))[1], 1u);
}

// ---- Reductions

TEST_F(CudaPlugin, launches_of_one_queue_share_a_reduction_buffer) {
  void *entry = kernel("reduce");
  void *sums = plugin.data_alloc(0, 16, nullptr, 0);
  ASSERT_EQ(plugin.data_fill(0, sums, 0, 16, nullptr), 0);
  __tgt_async_info async{};
  ASSERT_EQ(Launch(sums, 10).run(plugin, 0, entry, &async), 0);
  const uint64_t allocations = stand_in.count("cuMemAlloc");
  const uint64_t copies = stand_in.count("cuMemcpyHtoDAsync");
  const uint64_t waits = stand_in.count("cuStreamSynchronize") + stand_in.count("cuCtxSynchronize");
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(Launch(sums, 10).run(plugin, 0, entry, &async), 0);
  EXPECT_EQ(stand_in.count("cuMemAlloc"), allocations);
  EXPECT_EQ(stand_in.count("cuMemcpyHtoDAsync"), copies);
  EXPECT_EQ(stand_in.count("cuStreamSynchronize") + stand_in.count("cuCtxSynchronize"), waits);
  ASSERT_EQ(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(read<uint64_t>(0, sums), 51u * 55u);
}

// ---- Queues and events

TEST_F(CudaPlugin, interop_gets_context_and_device) {
  __tgt_device_info info{};
  ASSERT_EQ(plugin.init_device_info(1, &info, nullptr), 0);
  EXPECT_NE(info.Context, nullptr);
  EXPECT_EQ(info.Device, reinterpret_cast<void *>(intptr_t{1}));
}

// ---- Two devices

TEST_F(CudaPlugin, each_device_runs_its_own_image) {
  Image sm_80("kernels_80.cubin"), sm_90("kernels_90.cubin");
  int host = 0;
  __tgt_offload_entry *first = load(0, sm_80.variable("gv", &host, 4));
  __tgt_offload_entry *second = load(1, sm_90.variable("gv", &host, 4));
  ASSERT_TRUE(first && second);
  int five = 5;
  ASSERT_EQ(plugin.data_submit(1, second[0].addr, &five, 4), 0);
  EXPECT_EQ(read<int>(0, first[0].addr), 42);
  EXPECT_EQ(read<int>(1, second[0].addr), 5);
}

// ---- What is written into images

struct Environment {
  uint32_t debug, devices, device, memory;
  uint64_t clock, table, table_size, parallelism;
};

TEST_F(CudaPlugin, the_device_environment_is_written) {
  int host = 0;
  Image image("kernels_90.cubin");
  plugin.set_device_offset(4);
  __tgt_offload_entry *entries = load(1, image.variable("__omp_rtl_device_environment", &host, 48));
  plugin.set_device_offset(0);
  ASSERT_NE(entries, nullptr);
  const Environment environment = read<Environment>(1, entries[0].addr);
  EXPECT_EQ(environment.devices, 2u);
  EXPECT_EQ(environment.device, 5u);
  EXPECT_EQ(environment.clock, 1000000000u);
  EXPECT_EQ(environment.table, 0u);
  EXPECT_EQ(environment.parallelism, 16u * 2048 / 32);
}

TEST_F(CudaPlugin, constructors_run_in_order_and_destructors_when_the_image_goes) {
  int host = 0;
  Image image("kernels_80.cubin");
  __tgt_offload_entry *entries =
      load(0, image.variable("call_count", &host, 4).variable("call_log", &host, 32).kernel("tell_spmd"));
  ASSERT_NE(entries, nullptr);
  EXPECT_EQ(read<int32_t>(0, entries[0].addr), 2);
  EXPECT_EQ(read<int64_t>(0, entries[1].addr), int64_t{1} | int64_t{2} << 32);
  const uint64_t launches = stand_in.count("cuLaunchKernel");
  ASSERT_EQ(plugin.unload_binary(0, last_table()), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("cuLaunchKernel"), launches + 1);
  EXPECT_NE(plugin.unload_binary(0, last_table()), 0);
}

TEST_F(CudaPlugin, destructors_run_when_the_device_ends) {
  Image image("kernels_80.cubin");
  ASSERT_NE(load(0, image.kernel("tell_spmd")), nullptr);
  const uint64_t launches = stand_in.count("cuLaunchKernel");
  ASSERT_EQ(plugin.deinit_device(0), 0) << plugin.error();
  EXPECT_EQ(stand_in.count("cuLaunchKernel"), launches + 1);
}

TEST_F(CudaPlugin, unified_shared_memory_points_variables_to_the_host) {
  int variable = 3;
  void *reference = &variable;
  Image image("kernels_80.cubin");
  __tgt_offload_entry *entries = load(0, image.entry("linked_decl_tgt_ref_ptr", &reference, 8, 0));
  EXPECT_EQ(read<void *>(0, entries[0].addr), nullptr);
  plugin.init_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  Image again("kernels_80.cubin");
  entries = load(0, again.entry("linked_decl_tgt_ref_ptr", &reference, 8, 0));
  EXPECT_EQ(read<void *>(0, entries[0].addr), &variable);
}

// ---- Pinned memory

TEST_F(CudaPlugin, host_memory_is_pinned_once_and_counted) {
  std::vector<char> host(8192);
  void *address = nullptr;
  ASSERT_EQ(plugin.data_lock(0, host.data(), 8192, &address), 0);
  EXPECT_EQ(address, host.data());
  ASSERT_EQ(plugin.data_lock(0, host.data() + 100, 50, &address), 0);
  EXPECT_EQ(address, host.data() + 100);
  EXPECT_NE(plugin.data_lock(0, host.data() + 8000, 500, &address), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("overlap them in part"));
  const uint64_t before = stand_in.count("cuMemHostUnregister");
  ASSERT_EQ(plugin.data_unlock(0, host.data() + 100), 0);
  EXPECT_EQ(stand_in.count("cuMemHostUnregister"), before);
  ASSERT_EQ(plugin.data_unlock(0, host.data()), 0);
  EXPECT_EQ(stand_in.count("cuMemHostUnregister"), before + 1);
  EXPECT_NE(plugin.data_unlock(0, host.data()), 0);
}

TEST_F(CudaPlugin, mapped_memory_stays_pageable_unless_asked) {
  std::vector<char> host(8192);
  const uint64_t before = stand_in.count("cuMemHostRegister");
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 8192), 0);
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data()), 0);
  EXPECT_EQ(stand_in.count("cuMemHostRegister"), before);
}

// ---- Failures

TEST_F(CudaPlugin, a_fault_is_that_of_the_kernel_and_ends_the_device) {
  void *entry = kernel("__omp_offloading_10_2_broken_l99");
  void *memory = plugin.data_alloc(0, 8, nullptr, 0);
  __tgt_async_info async{};
  ASSERT_EQ(Launch(700).teams(2).threads(64).run(plugin, 0, entry, &async), 0);
  EXPECT_NE(plugin.synchronize(0, &async), 0);
  EXPECT_EQ(async.Queue, nullptr);
  const std::string error = plugin.error();
  EXPECT_THAT(error, HasSubstr("kernel __omp_offloading_10_2_broken_l99 in broken, line 99 (2 blocks, 64 threads) "
                               "failed on device 0: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  uint64_t value = 0;
  EXPECT_NE(plugin.data_retrieve(0, &value, memory, 8), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("broken, line 99"));
  EXPECT_EQ(plugin.data_alloc(0, 8, nullptr, 0), nullptr);
  EXPECT_NE(Launch(0).run(plugin, 0, entry), 0);
  __tgt_async_info none{};
  EXPECT_NE(plugin.query_async(0, &none), 0);
  // The other device lives.
  EXPECT_NE(plugin.data_alloc(1, 8, nullptr, 0), nullptr);
  EXPECT_NE(plugin.deinit_device(0), 0);
}

TEST_F(CudaPlugin, one_of_several_kernels_faulted) {
  void *good = kernel("tell_spmd");
  void *broken = kernel("__omp_offloading_10_2_broken_l99");
  void *out = plugin.data_alloc(0, 64, nullptr, 0);
  __tgt_async_info async{};
  ASSERT_EQ(Launch(out).run(plugin, 0, good), 0); // complete: not named
  stand_in.hold(1);                               // so that the failure is not seen before both are queued
  ASSERT_EQ(Launch(719).run(plugin, 0, broken, &async), 0);
  ASSERT_EQ(Launch(719).teams(1).run(plugin, 0, broken, &async), 0);
  EXPECT_NE(plugin.synchronize(0, &async), 0);
  stand_in.hold(0);
  EXPECT_THAT(plugin.error(),
              HasSubstr("one of the kernels under way, newest first: __omp_offloading_10_2_broken_l99"));
  EXPECT_THAT(plugin.error(), testing::Not(HasSubstr("tell_spmd")));
  EXPECT_NE(plugin.deinit_device(0), 0);
}

TEST_F(CudaPlugin, a_programs_own_context_stays_current) {
  using Push = int (*)(void *);
  using Get = int (*)(void **);
  const auto push = reinterpret_cast<Push>(symbol(stand_in.library, "cuCtxPushCurrent_v2"));
  const auto pop = reinterpret_cast<Get>(symbol(stand_in.library, "cuCtxPopCurrent_v2"));
  const auto get = reinterpret_cast<Get>(symbol(stand_in.library, "cuCtxGetCurrent"));
  __tgt_device_info info{};
  ASSERT_EQ(plugin.init_device_info(1, &info, nullptr), 0);
  void *current = nullptr;
  ASSERT_EQ(push(info.Context), 0);
  void *memory = plugin.data_alloc(0, 8, nullptr, 0);
  EXPECT_NE(memory, nullptr);
  ASSERT_EQ(get(&current), 0);
  EXPECT_EQ(current, info.Context);
  ASSERT_EQ(pop(&current), 0);
  ASSERT_EQ(get(&current), 0);
  EXPECT_EQ(current, nullptr);
}

// The device calls of a region with one variable, and how often they asked for or changed the context.
class CudaContexts : public CudaPlugin {
protected:
  uint64_t chosen() {
    return stand_in.count("cuCtxGetCurrent") + stand_in.count("cuCtxPushCurrent") + stand_in.count("cuCtxPopCurrent");
  }
  uint64_t chosen_by_a_region(int32_t device, void *entry) {
    uint64_t value = 5;
    void *memory = plugin.data_alloc(device, 8, nullptr, 0);
    const uint64_t before = chosen();
    void *event = nullptr;
    __tgt_async_info async{};
    EXPECT_EQ(plugin.data_submit_async(device, memory, &value, 8, &async), 0) << plugin.error();
    EXPECT_EQ(plugin.create_event(device, &event), 0);
    EXPECT_EQ(plugin.record_event(device, event, &async), 0) << plugin.error();
    EXPECT_EQ(Launch(memory, 10).run(plugin, device, entry, &async), 0) << plugin.error();
    EXPECT_EQ(plugin.data_retrieve_async(device, &value, memory, 8, &async), 0) << plugin.error();
    EXPECT_EQ(plugin.synchronize(device, &async), 0) << plugin.error();
    EXPECT_EQ(plugin.destroy_event(device, event), 0);
    EXPECT_EQ(plugin.data_delete(device, memory, 0), 0);
    return chosen() - before;
  }
  using Push = int (*)(void *);
  using Get = int (*)(void **);
  Push push = reinterpret_cast<Push>(symbol(stand_in.library, "cuCtxPushCurrent_v2"));
  Get pop = reinterpret_cast<Get>(symbol(stand_in.library, "cuCtxPopCurrent_v2"));
};

TEST_F(CudaContexts, a_region_asks_once) {
  void *entry = kernel("reduce");
  chosen_by_a_region(0, entry);
  EXPECT_EQ(chosen_by_a_region(0, entry), 1u);
  // So does one of a thread that never had a context.
  std::thread([&] {
    chosen_by_a_region(0, entry);
    EXPECT_EQ(chosen_by_a_region(0, entry), 1u);
  }).join();
}

TEST_F(CudaContexts, a_region_under_a_programs_own_context_changes_it_once) {
  void *entry = kernel("reduce");
  __tgt_device_info info{};
  ASSERT_EQ(plugin.init_device_info(1, &info, nullptr), 0);
  ASSERT_EQ(push(info.Context), 0);
  chosen_by_a_region(0, entry);
  EXPECT_EQ(chosen_by_a_region(0, entry), 3u);
  void *current = nullptr;
  ASSERT_EQ(pop(&current), 0);
  EXPECT_EQ(current, info.Context);
}

// The program took away what its thread was left with.
TEST_F(CudaContexts, a_thread_whose_context_went_gets_it_again) {
  void *entry = kernel("reduce");
  std::thread([&] {
    chosen_by_a_region(0, entry);
    void *current = nullptr;
    ASSERT_EQ(pop(&current), 0);
    chosen_by_a_region(0, entry);
    EXPECT_EQ(chosen_by_a_region(0, entry), 1u);
  }).join();
}

TEST_F(CudaContexts, a_driver_that_wants_the_devices_own_gets_it) {
  void *entry = kernel("reduce");
  __tgt_device_info info{};
  ASSERT_EQ(plugin.init_device_info(1, &info, nullptr), 0);
  ASSERT_EQ(push(info.Context), 0);
  setenv("SIM_CUDA_WANTS_OWN_CONTEXT", "1", 1);
  chosen_by_a_region(0, entry);
  const uint64_t refused = stand_in.count("cuMemcpyHtoDAsync");
  EXPECT_EQ(chosen_by_a_region(0, entry), 15u);
  EXPECT_EQ(stand_in.count("cuMemcpyHtoDAsync"), refused + 1); // it has learnt
  unsetenv("SIM_CUDA_WANTS_OWN_CONTEXT");
  void *current = nullptr;
  ASSERT_EQ(pop(&current), 0);
  EXPECT_EQ(current, info.Context);
}

TEST_F(CudaPlugin, a_child_of_fork_is_told_that_it_cannot) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(plugin.data_alloc(0, 8, nullptr, 0) == nullptr && plugin.error().find("before fork") != std::string::npos &&
                  plugin.deinit_device(0) == 0
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(CudaPlugin, bad_sizes_and_pointers_are_errors) {
  void *memory = plugin.data_alloc(0, 8, nullptr, 0);
  uint64_t value = 0;
  EXPECT_NE(plugin.data_submit(0, memory, &value, -8), 0);
  EXPECT_NE(plugin.data_submit(0, nullptr, &value, 8), 0);
  EXPECT_NE(plugin.data_retrieve(0, nullptr, memory, 8), 0);
  EXPECT_EQ(plugin.data_retrieve(0, nullptr, memory, 0), 0);
  char large[65] = {};
  EXPECT_NE(plugin.data_submit(0, memory, large, 65), 0); // past its 64 bytes
  EXPECT_THAT(plugin.error(), HasSubstr("while copying 65 bytes from host"));
  EXPECT_EQ(stand_in.violations(), 1u);
  stand_in.forget_violations();
}

TEST_F(CudaPlugin, what_needs_no_driver_asks_for_no_context) {
  char host[4096] = {};
  const auto use = [&] {
    void *memory = plugin.data_alloc(0, sizeof(host), nullptr, OMPTARGET_ALLOC_DEVICE);
    EXPECT_NE(memory, nullptr) << plugin.error();
    EXPECT_EQ(plugin.data_notify_mapped(0, host, sizeof(host)), 0);
    void *event = nullptr;
    EXPECT_EQ(plugin.create_event(0, &event), 0);
    EXPECT_EQ(plugin.destroy_event(0, event), 0);
    EXPECT_EQ(plugin.data_notify_unmapped(0, host), 0);
    EXPECT_EQ(plugin.data_delete(0, memory, OMPTARGET_ALLOC_DEVICE), 0);
  };
  use();
  stand_in.fail("");
  use();
  EXPECT_EQ(stand_in.calls(), 0u);
}

} // namespace
} // namespace emulator_test
