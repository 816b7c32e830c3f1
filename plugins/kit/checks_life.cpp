// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From loading a plugin to its end: what it says about itself, images it takes, failures, unloading.

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <functional>
#include <thread>

#include "checks.h"

namespace omptarget::check {

namespace {

/// Something that is no image of anybody's.
__tgt_device_image image_of(std::string &bytes) {
  return {bytes.data(), bytes.data() + bytes.size(), nullptr, nullptr};
}

template <typename Function> Function find(Session &session, const char *name) {
  return reinterpret_cast<Function>(session.function(name));
}

size_t open_files() {
  size_t count = 0;
  std::error_code error;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd", error))
    ++count;
  return count;
}

/// Functions that give a text: its length is returned whatever fits, and what is given ends with a NUL.
void check_text(Session &session, const char *name, const std::function<size_t(char *, size_t)> &get) {
  char whole[512];
  std::memset(whole, 'x', sizeof whole);
  const size_t length = get(whole, sizeof whole);
  if (length >= sizeof whole)
    return;
  if (length != 0 && std::strlen(whole) != length)
    session.report().fail("__tgt_rtl_%s says %zu bytes and gives %zu", name, length, strnlen(whole, sizeof whole));
  if (length < 2)
    return;
  char cut[3] = {'x', 'x', 'x'};
  if (get(cut, 2) != length || cut[0] != whole[0] || cut[1] != '\0' || cut[2] != 'x')
    session.report().fail(
        "__tgt_rtl_%s does not cut its text to the buffer: 1 byte and a NUL were expected, the length "
        "still %zu",
        name, length);
}

/// Allocations are counted, and no more is written than the caller has room for.
void check_memory_statistics(Session &session) {
  const auto statistics = find<decltype(&__tgt_rtl_memory_statistics)>(session, "memory_statistics");
  Report &report = session.report();
  report.tries("memory_statistics", "before and after an allocation, and with a record of another size");
  __tgt_memory_statistics before{}, after{};
  before.size = after.size = sizeof before;
  constexpr int64_t kBytes = 1000;
  if (statistics(0, &before) != 0)
    return report.fail("__tgt_rtl_memory_statistics fails for device 0");
  auto memory = session.plugin().data_alloc(0, kBytes, nullptr, OMPTARGET_ALLOC_DEVICE);
  if (!memory)
    return report.fail("%lld bytes cannot be allocated", static_cast<long long>(kBytes));
  if (statistics(0, &after) != 0 || after.allocations != before.allocations + 1 ||
      after.used_bytes < before.used_bytes + kBytes || after.most_used_bytes < after.used_bytes)
    report.fail(
        "__tgt_rtl_memory_statistics does not count an allocation of %lld bytes: %llu and then %llu allocations",
        static_cast<long long>(kBytes), static_cast<unsigned long long>(before.allocations),
        static_cast<unsigned long long>(after.allocations));
  session.plugin().data_delete(0, *memory, OMPTARGET_ALLOC_DEVICE).consume();
  __tgt_memory_statistics cut{};
  cut.size = offsetof(__tgt_memory_statistics, kept_bytes);
  cut.kept_bytes = UINT64_MAX;
  if (statistics(0, &cut) != 0 || cut.allocations < after.allocations || cut.kept_bytes != UINT64_MAX)
    report.fail("__tgt_rtl_memory_statistics writes more than the %u bytes that it is given", cut.size);
}

/// Kept memory goes, memory in use stays.
void check_trimming(Session &session) {
  const Plugin &plugin = session.plugin();
  Report &report = session.report();
  report.tries("trim_memory", "with kept memory, and with memory in use");
  constexpr int64_t kBytes = 100000;
  auto used = plugin.data_alloc(0, kBytes, nullptr, OMPTARGET_ALLOC_DEVICE);
  auto freed = plugin.data_alloc(0, kBytes, nullptr, OMPTARGET_ALLOC_DEVICE);
  if (!used || !freed)
    return report.fail("%lld bytes cannot be allocated", static_cast<long long>(kBytes));
  uint64_t value = 0x123456789abcdef, back = 0;
  Status status = plugin.data_submit(0, *used, &value, sizeof value, nullptr);
  status.keep_first(plugin.data_delete(0, *freed, OMPTARGET_ALLOC_DEVICE));
  status.keep_first(plugin.trim_memory(0));
  status.keep_first(plugin.data_retrieve(0, &back, *used, sizeof back, nullptr));
  if (!status)
    report.fail("memory cannot be used around trim_memory: %s", status.to_string().c_str());
  else if (back != value)
    report.fail("trim_memory takes memory that is in use");
  const auto statistics = plugin.memory_statistics(0);
  if (statistics && statistics->kept_bytes != 0)
    report.fail("after trim_memory %llu bytes are kept", static_cast<unsigned long long>(statistics->kept_bytes));
  plugin.data_delete(0, *used, OMPTARGET_ALLOC_DEVICE).consume();
}

/// Checks the names by which devices are distinguished.
void check_identity(Session &session) {
  Report &report = session.report();
  Plugin &plugin = session.plugin();
  if (const auto arch = find<decltype(&__tgt_rtl_device_arch)>(session, "device_arch")) {
    report.tries("device_arch", "device 0, buffers of all sizes");
    if (plugin.device_arch(0).empty())
      report.fail("__tgt_rtl_device_arch says nothing");
    report.note("device 0 is %s", plugin.device_arch(0).c_str());
    check_text(session, "device_arch", [&](char *buffer, size_t size) { return arch(0, buffer, size); });
  }
  if (const auto uid = find<decltype(&__tgt_rtl_device_uid)>(session, "device_uid")) {
    report.tries("device_uid", "all devices, buffers of all sizes");
    for (int32_t a = 0; a < plugin.number_of_devices(); ++a)
      for (int32_t b = 0; b < a; ++b)
        if (plugin.device_uid(a) == plugin.device_uid(b))
          report.fail("devices %d and %d both have the identifier '%s'", b, a, plugin.device_uid(a).c_str());
    check_text(session, "device_uid", [&](char *buffer, size_t size) { return uid(0, buffer, size); });
  }
  if (session.has("device_numa_domain")) {
    report.tries("device_numa_domain", "all devices");
    for (int32_t device = 0; device < plugin.number_of_devices(); ++device)
      if (plugin.device_numa_domain(device) < -1)
        report.fail("device %d is in NUMA domain %d", device, plugin.device_numa_domain(device));
  }
}

void check_host_memory_access(Session &session) {
  Report &report = session.report();
  Plugin &plugin = session.plugin();
  report.tries("host_memory_access", "all devices");
  for (int32_t device = 0; device < plugin.number_of_devices(); ++device) {
    const int32_t access = plugin.host_memory_access(device);
    if (access < OMPTARGET_HOST_MEMORY_NOT_REACHED || access > OMPTARGET_HOST_MEMORY_SHARED)
      report.fail("device %d reaches memory of the host in the way %d, which there is not", device, access);
    else if (access == OMPTARGET_HOST_MEMORY_NOT_REACHED && plugin.use_auto_zero_copy(device))
      report.fail("data of device %d is to be used in place, where the device does not reach it", device);
  }
}

} // namespace

void check_loading(Session &session) {
  Report &report = session.report();
  report.uses("number_of_devices", "its range, and that it does not change");
  if (session.has("init_plugin"))
    report.uses("init_plugin", "once after loading");
  if (!session.open())
    return;
  report.tries("number_of_devices", "its range, and that it does not change");
  const auto count = find<int32_t (*)()>(session, "number_of_devices");
  if (count() != session.plugin().number_of_devices())
    report.fail("__tgt_rtl_number_of_devices returns %d, then %d", session.plugin().number_of_devices(), count());
  report.note("%d devices", session.plugin().number_of_devices());
  const auto abi = find<decltype(&__tgt_rtl_abi)>(session, "abi");
  if (!abi)
    return;
  report.tries("abi", "version, and that it writes no more than it may");
  struct {
    __tgt_rtl_abi_info info;
    unsigned char behind[16];
  } space;
  std::memset(&space, 0xa5, sizeof space);
  space.info.size = sizeof space.info;
  if (abi(&space.info) != 0)
    report.fail("__tgt_rtl_abi fails when it is called again");
  for (const unsigned char byte : space.behind)
    if (byte != 0xa5) {
      report.fail("__tgt_rtl_abi writes behind the %zu bytes that it was given", sizeof space.info);
      break;
    }
  report.note("version %u of the plugin ABI, features 0x%llx", space.info.version,
              static_cast<unsigned long long>(space.info.features));
}

void check_matching(Session &session) {
  Report &report = session.report();
  if (!session.open())
    return;
  const bool asks_device = session.has("is_device_compatible");
  if (asks_device)
    report.tries("is_device_compatible", "device 0 with the same");
  report.tries("is_valid_binary", session.test_image()
                                      ? "the test image, nothing, zeros, texts, headers of other machines, cut images"
                                      : "zeros, texts, headers of other machines; no test image");
  if (session.has("is_valid_binary_info"))
    report.tries("is_valid_binary_info", "the same, without the name of an architecture");
  if (session.test_image() && !session.plugin().accepts(session.test_image()->description(), nullptr))
    report.fail("the test image is not accepted");
  else if (session.test_image() && asks_device &&
           !session.plugin().accepts_on_device(0, session.test_image()->description(), nullptr))
    report.note("device 0 cannot run the test image");
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_S390;
  std::string other(reinterpret_cast<const char *>(&header), sizeof header);
  std::string zeros(256, '\0');
  std::string text = "this is no image of any device, and long enough to hold an ELF header of 64 bytes";
  for (std::string *bytes : {&other, &zeros, &text})
    if (session.plugin().accepts(image_of(*bytes), nullptr) ||
        (asks_device && session.plugin().accepts_on_device(0, image_of(*bytes), nullptr)))
      report.fail("%zu bytes that are no image are accepted (%s)", bytes->size(),
                  bytes == &other   ? "ELF for machine 22"
                  : bytes == &zeros ? "zeros"
                                    : "text");
  if (!session.test_image())
    return;
  const __tgt_device_image whole = session.test_image()->description();
  const size_t size = static_cast<size_t>(static_cast<char *>(whole.ImageEnd) - static_cast<char *>(whole.ImageStart));
  // Bytes behind the end of a cut image must not be read, so that it gets memory of its own. The answer is free.
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{3}, size_t{16}, size_t{63}, size_t{64}, size / 2})
    if (cut <= size) {
      std::string bytes(static_cast<char *>(whole.ImageStart), cut);
      session.plugin().accepts(image_of(bytes), nullptr);
      session.plugin().accepts_on_device(0, image_of(bytes), nullptr);
    }
}

void check_information(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  check_identity(session);
  if (session.has("print_device_info")) {
    report.tries("print_device_info", "device 0");
    plugin.print_device_info(0);
  }
  if (session.has("set_info_flag")) {
    report.tries("set_info_flag", "0");
    plugin.set_info_flag(0);
  }
  if (session.has("set_host_call")) {
    report.tries("set_host_call", "with a function that knows no number");
    plugin.set_host_call([](uint32_t, void *, uint64_t, uint64_t *) -> int32_t { return -1; });
  }
  if (session.has("set_device_offset")) {
    report.tries("set_device_offset", "0");
    plugin.set_device_offset(0);
  }
  if (session.has("set_device_number")) {
    report.tries("set_device_number", "0 of device 0");
    plugin.set_device_number(0, 0);
  }
  if (session.has("init_device_info")) {
    report.tries("init_device_info", "device 0");
    __tgt_device_info info{};
    if (Status status = plugin.init_device_info(0, &info); !status.is_ok())
      report.note("no native handles: %s", status.to_string().c_str());
  }
  if (session.has("use_auto_zero_copy")) {
    report.tries("use_auto_zero_copy", "device 0");
    if (plugin.use_auto_zero_copy(0))
      report.note("data of device 0 is better used in place than copied");
  }
  if (session.has("host_memory_access"))
    check_host_memory_access(session);
  if (session.has("group_memory_limit")) {
    report.tries("group_memory_limit", "device 0");
    report.note("a team of device 0 can have %zu bytes of dynamic shared memory", plugin.group_memory_limit(0));
  }
  if (session.has("memory_statistics"))
    check_memory_statistics(session);
  if (session.has("trim_memory"))
    check_trimming(session);
  if (session.has("supports_empty_images")) {
    report.tries("supports_empty_images", "one call");
    plugin.supports_empty_images();
  }
}

void check_errors(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  report.tries("load_binary",
               session.test_image() ? "zeros, and the test image cut at many places" : "zeros; no test image");
  const auto load = [&](std::string &bytes, const char *what) {
    __tgt_device_image image = image_of(bytes);
    Result<__tgt_target_table *> table = session.plugin().load_binary(0, image);
    if (table.is_ok())
      report.fail("%s is loaded without an error", what);
  };
  std::string zeros(4096, '\0');
  load(zeros, "an image of zeros");
  if (session.test_image()) {
    const __tgt_device_image whole = session.test_image()->description();
    const size_t size =
        static_cast<size_t>(static_cast<char *>(whole.ImageEnd) - static_cast<char *>(whole.ImageStart));
    for (size_t cut = 1; cut < size / 4 * 3; cut += 1 + size / 16) {
      std::string bytes(static_cast<char *>(whole.ImageStart), cut);
      load(bytes, format("the test image cut to %zu bytes", cut).c_str());
    }
  }
  if (const auto last_error = find<decltype(&__tgt_rtl_last_error)>(session, "last_error")) {
    report.tries("last_error", "after a failure, buffers of all sizes");
    if (last_error(nullptr, 0) == 0)
      report.fail("__tgt_rtl_last_error has nothing to say after a failed load_binary");
    check_text(session, "last_error", last_error);
    report.tries("last_error", "in a thread in which nothing has failed");
    std::thread([&] {
      if (last_error(nullptr, 0) != 0)
        report.fail("__tgt_rtl_last_error tells a thread of a failure in another one");
    }).join();
  }
  // The device still works.
  Session::Memory memory(session, 0, 64);
  uint64_t value = 0x1234567890abcdef;
  uint64_t back = 0;
  if (memory.get() && session.expect(session.plugin().data_submit(0, memory.get(), &value, 8, nullptr), "copying") &&
      session.expect(session.plugin().data_retrieve(0, &back, memory.get(), 8, nullptr), "copying back") &&
      back != value)
    report.fail("after the failures copies give wrong data");
}

void check_unloading(Session &session) {
  Report &report = session.report();
  if (!session.has("unload_binary")) {
    report.leave_out("the plugin has no __tgt_rtl_unload_binary");
    return;
  }
  if (!session.load_image())
    return;
  report.tries("unload_binary", "a hundred times load and unload, with another image that stays");
  Plugin &plugin = session.plugin();
  size_t files = 0;
  for (int round = 0; round < 100; ++round) {
    __tgt_device_image image = session.test_image()->description();
    Result<__tgt_target_table *> table = plugin.load_binary(0, image);
    if (!session.expect(table.take_status(), "loading the image again"))
      return;
    const Loaded loaded{table.value()};
    if (void *kernel = loaded["omptarget_check_store"]) {
      Session::Memory memory(session, 0, 8);
      uint64_t value = 0;
      session.launch(0, kernel, {memory.get(), literal(static_cast<uint64_t>(round) + 1)}, nullptr);
      session.expect(plugin.data_retrieve(0, &value, memory.get(), 8, nullptr), "copying back");
      if (value != static_cast<uint64_t>(round) + 1)
        report.fail("load %d: a kernel of the image that was loaded last does not work", round);
    }
    plugin.unload_binary(0, table.value());
    if (round == 10)
      files = open_files();
  }
  if (open_files() > files)
    report.fail("%zu files are open after 100 rounds, %zu after 10", open_files(), files);
  if (!session.has_kernel("omptarget_check_store"))
    return;
  Session::Memory memory(session, 0, 8);
  uint64_t value = 0;
  session.launch(0, session.image()["omptarget_check_store"], {memory.get(), literal(77)}, nullptr);
  session.expect(plugin.data_retrieve(0, &value, memory.get(), 8, nullptr), "copying back");
  if (value != 77)
    report.fail("the image that stayed does not work any more");
}

void check_ending(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  {
    Session::Memory memory(session, 0, 64);
  }
  if (!session.has("deinit_device") && !session.has("deinit_plugin")) {
    report.leave_out("the plugin has neither __tgt_rtl_deinit_device nor __tgt_rtl_deinit_plugin");
    return;
  }
  const auto deinit_plugin = find<int32_t (*)()>(session, "deinit_plugin");
  const auto deinit_device = find<int32_t (*)(int32_t)>(session, "deinit_device");
  // The host libraries of LLVM 15 and 16 call them in this order, and the first of them several times.
  for (int i = 0; deinit_plugin && i < 2; ++i) {
    report.tries("deinit_plugin", "twice, before the devices end");
    if (deinit_plugin() != 0)
      report.fail("call %d of __tgt_rtl_deinit_plugin fails", i + 1);
  }
  if (deinit_device) {
    report.tries("deinit_device", "device 0");
    if (deinit_device(0) != 0)
      report.fail("__tgt_rtl_deinit_device fails for a device that was initialised");
  }
}

} // namespace omptarget::check
