// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin under settings that are read when a device is initialised, and with images of clang 14 to 16. Each
// test sets what it needs before the device is opened.

#include <deque>
#include <functional>

#include "plugin_fixture.h"

namespace emulator_test {
namespace {

constexpr int kStackLimit = 0; // CU_LIMIT_STACK_SIZE
constexpr int kHeapLimit = 2;  // CU_LIMIT_MALLOC_HEAP_SIZE

class CudaSettings : public GpuSettings {
protected:
  void *load(const char *file, const char *name) { return kernel(name, 0, file); }

  /// A limit of the device's context.
  size_t limit(int which) {
    size_t value = 0;
    in_context(
        [&] { reinterpret_cast<int (*)(size_t *, int)>(symbol(stand_in.library, "cuCtxGetLimit"))(&value, which); });
    return value;
  }
  void set_limit(int which, size_t value) {
    in_context(
        [&] { reinterpret_cast<int (*)(int, size_t)>(symbol(stand_in.library, "cuCtxSetLimit"))(which, value); });
  }

  /// A kernel of PTX, in which tell_deep calls a function that calls itself; it runs as that of kernels_80.cubin.
  void *recursive_kernel(const char *name = "tell_deep") {
    ptx_.push_back(Image::of_text(
        std::string(".version 7.0\n.target sm_80\n// emulator-code: ") + IMAGE_FOLDER +
        "kernels_80.cubin\n.func (.param .b32 result) fibonacci(.param .b32 n) {\n"
        "call.uni (result0), fibonacci, (param0);\nret;\n}\n"
        ".visible .entry tell_deep() { // calls fibonacci\ncall.uni (result0),\nfibonacci,\n(param0);\n}\n"
        ".visible .entry tell_spmd() { // calls fibonacci\n}\n"));
    __tgt_offload_entry *entries = GpuSettings::load(0, ptx_.back().kernel(name));
    return entries ? entries[0].addr : nullptr;
  }

private:
  template <typename Call> void in_context(Call call) {
    __tgt_device_info info{};
    ASSERT_EQ(plugin.init_device_info(0, &info, nullptr), 0);
    reinterpret_cast<int (*)(void *)>(symbol(stand_in.library, "cuCtxPushCurrent_v2"))(info.Context);
    call();
    void *context = nullptr;
    reinterpret_cast<int (*)(void **)>(symbol(stand_in.library, "cuCtxPopCurrent_v2"))(&context);
  }

  std::deque<Image> ptx_;
};

class CudaUnified : public CudaSettings {}; // its programs require unified_shared_memory
class CudaHmm : public CudaSettings {};
class CudaAts : public CudaSettings {};
class CudaOneUnreadable : public CudaSettings {};

// The machine of this program has an sm_80; old images are made for sm_70, so they are relabelled here.
void *load_old(Plugin &plugin, Image &image, const char *kernel) {
  image.bytes()[0x30] = 80; // e_flags, layout 7
  __tgt_target_table *table = plugin.load_binary(0, image.kernel(kernel).get());
  EXPECT_NE(table, nullptr) << plugin.error();
  return table ? table->EntriesBegin[0].addr : nullptr;
}

TEST_F(CudaSettings, kernels_of_older_compilers_have_no_leading_parameter) {
  open({{"LIBOMPTARGET_DEVICE_RTL_DEBUG", "5"}});
  ASSERT_EQ(result_, 0);
  for (const char *kernel : {"old_spmd", "old_converted"}) {
    Image image("kernels_old.cubin");
    void *entry = load_old(plugin, image, kernel);
    const std::vector<uint64_t> values = told(entry, Launch().version(2).teams(3).threads(64));
    EXPECT_EQ(values[0], 5u); // the short device environment was written
    EXPECT_EQ(values[1], 3u);
    EXPECT_EQ(values[2], 64u);
    EXPECT_EQ(told(entry, Launch().version(2).trips(1000))[2], 128u);
  }
  Image image("kernels_old.cubin");
  EXPECT_EQ(told(load_old(plugin, image, "old_generic"), Launch().version(2).threads(64))[2], 96u);
  Image constructors("kernels_old.cubin");
  const std::vector<uint64_t> values =
      told(load_old(plugin, constructors, "old_ctor"), Launch().version(2).teams(1).threads(1));
  EXPECT_EQ(values[1], 1u);
  EXPECT_EQ(values[2], 1u);
}

TEST_F(CudaSettings, limits_of_teams_and_threads_are_lowered) {
  open({{"OMP_NUM_TEAMS", "10"}, {"OMP_TEAMS_THREAD_LIMIT", "32"}});
  ASSERT_EQ(result_, 0);
  const std::vector<uint64_t> values = told(load("kernels_80.cubin", "tell_wide"), Launch().teams(50).threads(500));
  EXPECT_EQ(values[1], 10u);
  EXPECT_EQ(values[2], 32u);
}

TEST_F(CudaSettings, every_team_gets_the_shared_memory_asked_for) {
  open({{"LIBOMPTARGET_SHARED_MEMORY_SIZE", "5000"}});
  ASSERT_EQ(result_, 0);
  void *entry = load("kernels_80.cubin", "tell_spmd");
  EXPECT_EQ(told(entry, Launch())[3], 5000u);
  EXPECT_EQ(told(entry, Launch().shared(6000))[3], 6000u);
}

TEST_F(CudaSettings, limits_of_the_context_are_set) {
  open({{"LIBOMPTARGET_STACK_SIZE", "4096"}, {"LIBOMPTARGET_HEAP_SIZE", "65536"}});
  ASSERT_EQ(result_, 0);
  EXPECT_EQ(limit(kStackLimit), 4096u);
  EXPECT_EQ(limit(kHeapLimit), 65536u);
}

// ---- Kernels whose stack no compiler knows

TEST_F(CudaSettings, recursion_raises_the_stack_before_the_first_launch) {
  open({});
  ASSERT_EQ(result_, 0);
  EXPECT_EQ(limit(kStackLimit), 1024u);
  void *deep = recursive_kernel();
  EXPECT_EQ(limit(kStackLimit), 1024u); // not while it is loaded: it may never run
  const uint64_t before = stand_in.count("cuCtxSetLimit");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(told(deep, Launch().teams(3))[1], 3u);
  EXPECT_EQ(limit(kStackLimit), 4096u);
  EXPECT_EQ(stand_in.count("cuCtxSetLimit"), before + 1);
}

TEST_F(CudaSettings, a_stack_that_the_driver_knows_is_left_to_it) {
  open({});
  ASSERT_EQ(result_, 0);
  const uint64_t before = stand_in.count("cuCtxSetLimit") + stand_in.count("cuCtxGetLimit");
  told(recursive_kernel("tell_spmd"), Launch());
  EXPECT_EQ(stand_in.count("cuCtxSetLimit") + stand_in.count("cuCtxGetLimit"), before);
}

TEST_F(CudaSettings, a_larger_stack_of_the_program_stays) {
  open({});
  ASSERT_EQ(result_, 0);
  set_limit(kStackLimit, 10000);
  told(recursive_kernel(), Launch());
  EXPECT_EQ(limit(kStackLimit), 10000u);
}

TEST_F(CudaSettings, a_stack_size_that_is_set_stays_and_a_fault_names_it) {
  open({{"LIBOMPTARGET_STACK_SIZE", "2048"}});
  ASSERT_EQ(result_, 0);
  void *out = plugin.data_alloc(0, 64, nullptr, OMPTARGET_ALLOC_DEVICE);
  EXPECT_NE(Launch(out).run(plugin, 0, recursive_kernel()), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("kernel tell_deep (256 blocks, 128 threads) failed on device 0"));
  EXPECT_THAT(plugin.error(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(plugin.error(),
              HasSubstr("the stack may be too small: kernels that call themselves or by pointers have 2048 "
                        "bytes for each thread (LIBOMPTARGET_STACK_SIZE)"));
  EXPECT_NE(plugin.deinit_device(0), 0); // the same fault
}

TEST_F(CudaSettings, a_stack_that_the_driver_refuses_is_told_with_kernel_and_size) {
  open({});
  ASSERT_EQ(result_, 0);
  void *deep = recursive_kernel();
  void *out = plugin.data_alloc(0, 64, nullptr, OMPTARGET_ALLOC_DEVICE);
  stand_in.fail("cuCtxSetLimit:1:2");
  EXPECT_NE(Launch(out).run(plugin, 0, deep), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("cuCtxSetLimit: CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_THAT(plugin.error(), HasSubstr("while raising the stack of each thread from 1024 to 4096 bytes"));
  EXPECT_THAT(plugin.error(), HasSubstr("LIBOMPTARGET_STACK_SIZE"));
  EXPECT_THAT(plugin.error(), HasSubstr("kernel tell_deep"));
  stand_in.fail("");
  EXPECT_EQ(told(deep, Launch().teams(2))[1], 2u);
  EXPECT_EQ(plugin.data_delete(0, out, OMPTARGET_ALLOC_DEVICE), 0);
}

// Device runtimes for NVIDIA use the driver's malloc, whose heap the setting is for.
TEST_F(CudaSettings, a_heap_size_gives_images_no_pool) {
  open({{"LIBOMPTARGET_HEAP_SIZE", "1048576"}});
  ASSERT_EQ(result_, 0);
  int host = 0;
  Image image("kernels_80.cubin");
  const uint64_t before = stand_in.count("cuMemAlloc");
  __tgt_target_table *table = plugin.load_binary(0, image.variable("__omp_rtl_device_memory_pool", &host, 16).get());
  ASSERT_NE(table, nullptr) << plugin.error();
  uint64_t pool[2] = {};
  ASSERT_EQ(plugin.data_retrieve(0, pool, table->EntriesBegin[0].addr, 16), 0);
  EXPECT_EQ(pool[0], 0u);
  EXPECT_EQ(pool[1], 0u);
  EXPECT_LE(stand_in.count("cuMemAlloc"), before + 1); // for the constructors
}

// As of several images of a module: the host library takes the one of the greatest rank.
TEST_F(CudaSettings, a_driver_before_cuda_13_gets_ptx_in_place_of_a_cubin_by_cuda_13) {
  const char *version = std::getenv("SIM_CUDA_VERSION");
  const bool is_old = version && std::atoi(version) < 13000;
  Image cubin("kernels_90.cubin"), ptx = Image::of_text(".version 7.0\n.target sm_80\n.address_size 64\n");
  ASSERT_GT(plugin.number_of_devices(), 0);
  const int32_t of_cubin = plugin.is_device_compatible(0, cubin.get(), nullptr);
  const int32_t of_ptx = plugin.is_device_compatible(0, ptx.get(), nullptr);
  if (plugin.architecture(0) != "sm_90")
    GTEST_SKIP() << "the image is for sm_90";
  EXPECT_GT(of_ptx, 0);
  EXPECT_EQ(of_cubin == 0, is_old);
  EXPECT_EQ(of_cubin > of_ptx, !is_old);
}

TEST_F(CudaSettings, the_allocation_tracker_is_printed_at_the_end) {
  open({{"LIBOMPTARGET_DEVICE_RTL_DEBUG", "8"}});
  ASSERT_EQ(result_, 0);
  ASSERT_NE(load("kernels_80.cubin", "tell_spmd"), nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin.deinit_device(0), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("device 0 info: device memory pool: 3 allocations, 96 bytes, smallest 16, largest 64"));
}

TEST_F(CudaSettings, mapped_memory_is_pinned_if_asked) {
  open({{"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "on"}});
  ASSERT_EQ(result_, 0);
  std::vector<char> host(4096);
  const uint64_t before = stand_in.count("cuMemHostRegister");
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 4096), 0);
  EXPECT_EQ(stand_in.count("cuMemHostRegister"), before + 1);
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data() + 4000, 4096), 0); // cannot be, and need not
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data() + 4000), 0);
  EXPECT_EQ(stand_in.count("cuMemHostUnregister"), 0u);
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data()), 0);
  EXPECT_EQ(stand_in.count("cuMemHostUnregister"), 1u);
}

TEST_F(CudaSettings, mapped_memory_must_be_pinned_if_mandatory) {
  open({{"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "mandatory"}});
  ASSERT_EQ(result_, 0);
  std::vector<char> host(4096);
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 4096), 0);
  EXPECT_NE(plugin.data_notify_mapped(0, host.data() + 4000, 4096), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS=mandatory"));
  ASSERT_EQ(plugin.data_notify_unmapped(0, host.data()), 0);
}

TEST_F(CudaSettings, each_opening_reads_the_settings_anew) {
  open({{"LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", "on"}});
  ASSERT_EQ(plugin.deinit_device(0), 0);
  open({});
  std::vector<char> host(4096);
  const uint64_t before = stand_in.count("cuMemHostRegister");
  ASSERT_EQ(plugin.data_notify_mapped(0, host.data(), 4096), 0);
  EXPECT_EQ(stand_in.count("cuMemHostRegister"), before);
}

TEST_F(CudaSettings, streams_and_events_are_made_in_advance) {
  const uint64_t streams = stand_in.count("cuStreamCreate");
  const uint64_t events = stand_in.count("cuEventCreate");
  open({{"LIBOMPTARGET_NUM_INITIAL_STREAMS", "5"}, {"LIBOMPTARGET_NUM_INITIAL_EVENTS", "3"}});
  ASSERT_EQ(result_, 0);
  EXPECT_EQ(stand_in.count("cuStreamCreate"), streams + 5);
  EXPECT_EQ(stand_in.count("cuEventCreate"), events + 3);
}

TEST_F(CudaSettings, threads_wait_as_the_user_says) {
  const auto flags = [&](const char *way) {
    plugin.deinit_device(0);
    open({{"LIBOMPTARGET_CUDA_WAIT", way}});
    EXPECT_EQ(result_, 0) << plugin.error();
    unsigned value = 0;
    reinterpret_cast<int (*)(unsigned *)>(symbol(stand_in.library, "cuCtxGetFlags"))(&value);
    return value;
  };
  EXPECT_EQ(flags("spin"), 1u);
  EXPECT_EQ(flags("yield"), 2u);
  EXPECT_EQ(flags("block"), 4u);
  testing::internal::CaptureStderr();
  EXPECT_EQ(flags("sleep"), 4u); // as it was
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("LIBOMPTARGET_CUDA_WAIT: 'sleep' is not one of auto, spin, yield and block; auto is used"));
}

TEST_F(CudaSettings, a_shared_memory_for_all_teams_leaves_fewer_of_them) {
  open({{"LIBOMPTARGET_SHARED_MEMORY_SIZE", "39936"}});
  EXPECT_EQ(told(load("kernels_80.cubin", "tell_spmd"), Launch())[1], 16u * 4);
}

TEST_F(CudaSettings, a_size_that_is_none_means_the_default) {
  for (const char *variable : {"LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "LIBOMPTARGET_MEMORY_MANAGER_LIMIT"})
    for (const char *nonsense : {"a lot", "-5"}) {
      plugin.deinit_device(0);
      open({{variable, nonsense}});
      void *memory = plugin.data_alloc(0, 1 << 20, nullptr, 0);
      const uint64_t before = stand_in.count("cuMemFree");
      ASSERT_EQ(plugin.data_delete(0, memory, 0), 0);
      EXPECT_EQ(stand_in.count("cuMemFree"), before) << variable << "=" << nonsense;
    }
}

TEST_F(CudaSettings, threshold_0_keeps_no_memory) {
  open({{"LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0"}});
  ASSERT_EQ(result_, 0);
  void *memory = plugin.data_alloc(0, 64, nullptr, 0);
  const uint64_t before = stand_in.count("cuMemFree");
  ASSERT_EQ(plugin.data_delete(0, memory, 0), 0);
  EXPECT_EQ(stand_in.count("cuMemFree"), before + 1);
}

TEST_F(CudaSettings, large_copies_go_through_pinned_pieces) {
  open({{"LIBOMPTARGET_STAGING_THRESHOLD", "1000000"}});
  ASSERT_EQ(result_, 0);
  constexpr size_t kSize = (size_t{10} << 20) + 12345;
  std::vector<unsigned char> host(kSize), back(kSize);
  for (size_t i = 0; i < kSize; ++i)
    host[i] = static_cast<unsigned char>(i * 7 + i / 4096);
  void *memory = plugin.data_alloc(0, kSize, nullptr, 0);
  const uint64_t before = stand_in.count("cuMemcpyHtoDAsync");
  ASSERT_EQ(plugin.data_submit(0, memory, host.data(), kSize), 0);
  EXPECT_EQ(stand_in.count("cuMemcpyHtoDAsync"), before + 3);
  ASSERT_EQ(plugin.data_retrieve(0, back.data(), memory, kSize), 0);
  EXPECT_EQ(host, back);
  // Pinned memory goes straight.
  void *pinned = plugin.data_alloc(0, kSize, nullptr, OMPTARGET_ALLOC_HOST);
  const uint64_t straight = stand_in.count("cuMemcpyDtoHAsync");
  ASSERT_EQ(plugin.data_retrieve(0, pinned, memory, kSize), 0);
  EXPECT_EQ(stand_in.count("cuMemcpyDtoHAsync"), straight + 1);
}

// A piece whose event could not be recorded is on its way, and nobody would wait for it.
TEST_F(CudaSettings, a_piece_without_an_event_keeps_its_buffer) {
  open({{"LIBOMPTARGET_STAGING_THRESHOLD", "1"}});
  ASSERT_EQ(result_, 0);
  std::vector<char> old(4096, 'o'), read(4096);
  void *source = plugin.data_alloc(0, 4096, nullptr, OMPTARGET_ALLOC_DEVICE);
  ASSERT_EQ(plugin.data_submit(0, source, old.data(), 4096), 0) << plugin.error();
  __tgt_async_info failed{}, good{};
  stand_in.hold(1);
  stand_in.fail("cuEventRecord:1");
  EXPECT_NE(plugin.data_retrieve_async(0, read.data(), source, 4096, &failed), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("cuEventRecord"));
  stand_in.fail("");
  // Both buffers are used, so that one of them is that of the failed copy.
  std::vector<char> pieces(8 << 20, 'f');
  void *large = plugin.data_alloc(0, 8 << 20, nullptr, OMPTARGET_ALLOC_DEVICE);
  EXPECT_EQ(plugin.data_submit_async(0, large, pieces.data(), 8 << 20, &good), 0) << plugin.error();
  EXPECT_EQ(plugin.synchronize(0, &failed), 0) << plugin.error();
  EXPECT_EQ(plugin.synchronize(0, &good), 0) << plugin.error();
  stand_in.hold(0);
  std::vector<char> arrived(8 << 20);
  EXPECT_EQ(plugin.data_retrieve(0, arrived.data(), large, 8 << 20), 0) << plugin.error();
  EXPECT_TRUE(arrived == pieces);
  for (void *memory : {source, large})
    EXPECT_EQ(plugin.data_delete(0, memory, 0), 0);
}

TEST_F(CudaSettings, nonsense_is_warned_about_and_not_used) {
  testing::internal::CaptureStderr();
  open({{"OMP_NUM_TEAMS", "-4"}, {"LIBOMPTARGET_NUM_INITIAL_STREAMS", "a lot"}});
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(result_, 0);
  EXPECT_THAT(text, HasSubstr("OMP_NUM_TEAMS: -4 is no number from 1"));
  EXPECT_THAT(text, HasSubstr("LIBOMPTARGET_NUM_INITIAL_STREAMS: 'a lot' is no integer"));
}

// ---- Memory used in place

constexpr const char *kUnreached = "device 0 (sm_80) reaches managed and pinned memory only (no ATS, no HMM)";

TEST_F(CudaSettings, data_in_place_is_warned_of_where_the_device_does_not_reach_it) {
  testing::internal::CaptureStderr();
  open({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_NOT_REACHED);
  EXPECT_THAT(printed_info(), HasSubstr("it reaches managed and pinned memory only (no ATS, no HMM)"));
  EXPECT_THAT(printed_info(), HasSubstr("Uses mapped data in place  no"));
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    close(0);
    open({{"OMPX_APU_MAPS", "1"}});
  }
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            std::string("omptarget warning: OMPX_APU_MAPS: ") + kUnreached + "; mapped data is copied\n");
}

// Never on its own: on all of these the device has memory of its own, which is faster.
void check_in_place_if_asked(Plugin &plugin, const std::function<void(const char *)> &open) {
  open(nullptr);
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  open("0");
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 0);
  testing::internal::CaptureStderr();
  open("1");
  EXPECT_EQ(plugin.use_auto_zero_copy(0), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(CudaHmm, data_is_used_in_place_if_asked) {
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_BY_FAULTS);
  check_in_place_if_asked(plugin, [this](const char *value) {
    close(0);
    open(value ? std::map<std::string, std::string>{{"OMPX_APU_MAPS", value}} : std::map<std::string, std::string>{});
  });
  EXPECT_THAT(printed_info(), HasSubstr("it reaches all memory of the host, by page faults (HMM)"));
  EXPECT_THAT(printed_info(), HasSubstr("Uses mapped data in place  yes"));
}

TEST_F(CudaAts, data_is_used_in_place_if_asked) {
  open({});
  EXPECT_EQ(plugin.host_memory_access(0), OMPTARGET_HOST_MEMORY_SHARED);
  check_in_place_if_asked(plugin, [this](const char *value) {
    close(0);
    open(value ? std::map<std::string, std::string>{{"OMPX_APU_MAPS", value}} : std::map<std::string, std::string>{});
  });
  EXPECT_THAT(printed_info(), HasSubstr("it reaches all memory of the host, by the CPU's page tables (ATS)"));
}

// A kernel writes the host's memory; what is copied there before comes before it, though copies of small data are
// finished late.
TEST_F(CudaAts, copies_are_ordered_with_kernels_that_use_host_memory) {
  open({{"OMPX_APU_MAPS", "1"}});
  std::vector<double> a(64, 1.0), b(64, 2.0);
  void *memory = plugin.data_alloc(0, 512, nullptr, 0);
  std::vector<double> five(64, 5.0);
  ASSERT_EQ(plugin.data_submit(0, memory, five.data(), 512), 0);
  void *entry = load("kernels_80.cubin", "__omp_offloading_10_2_add_l7");
  stand_in.hold(1);
  __tgt_async_info async{};
  ASSERT_EQ(plugin.data_retrieve_async(0, a.data(), memory, 512, &async), 0) << plugin.error();
  ASSERT_EQ(Launch(a.data(), b.data(), uint64_t{64}).run(plugin, 0, entry, &async), 0) << plugin.error();
  ASSERT_EQ(plugin.synchronize(0, &async), 0) << plugin.error();
  stand_in.hold(0);
  EXPECT_EQ(a, std::vector<double>(64, 7.0));
}

TEST_F(CudaUnified, it_is_said_once_what_the_device_does_not_reach_and_again_at_a_fault) {
  plugin.init_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
  const std::string problem = std::string("the program requires unified_shared_memory, and ") + kUnreached;
  testing::internal::CaptureStderr();
  open({});
  close(0);
  open({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget warning: " + problem + ": kernels that use other memory fail\n");
  __tgt_async_info async{};
  void *entry = load("kernels_80.cubin", "__omp_offloading_10_2_broken_l99");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(Launch(uint64_t{700}).run(plugin, 0, entry, &async), 0); // CUDA_ERROR_ILLEGAL_ADDRESS
  EXPECT_NE(plugin.synchronize(0, &async), 0);
  EXPECT_THAT(plugin.error(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(plugin.error(), HasSubstr(problem));
  EXPECT_NE(plugin.deinit_device(0), 0); // the same fault
}

// ---- Devices

TEST_F(CudaOneUnreadable, the_other_ones_are_there) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin.number_of_devices(), 2);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      text, HasSubstr("omptarget warning: CUDA: GPU 1 of 3 is left out, and those after it have lower device numbers: "
                      "cuDeviceGet: CUDA_ERROR_ECC_UNCORRECTABLE (214)"));
  ASSERT_EQ(plugin.init_device(1), 0) << plugin.error(); // the driver's third
  EXPECT_EQ(plugin.deinit_device(1), 0) << plugin.error();
}

} // namespace
} // namespace emulator_test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  emulator_test::open_plugin();
  return RUN_ALL_TESTS();
}
