// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/info.h"

#include <atomic>
#include <cstdarg>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "base/version.h"
#include "observe/listeners.h"

namespace omptarget {

namespace {

constexpr uint64_t kUnread = 1ull << 32;
constinit std::atomic<uint64_t> mask_in_force{kUnread};
constinit std::atomic<bool> has_printed_version{false};

int check_library(dl_phdr_info *info, size_t, void *own_base) {
  const char *slash = std::strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  if (std::strncmp(name, "libomptarget.so", 15) == 0 && info->dlpi_addr != *static_cast<ElfW(Addr) *>(own_base))
    print_line(
        format("omptarget warning: a second libomptarget is loaded in this process: %s; modules that use it share "
               "no devices and no data with the others",
               info->dlpi_name));
  return 0;
}

} // namespace

uint32_t info_mask() {
  uint64_t mask = mask_in_force.load(std::memory_order_relaxed);
  if (mask == kUnread) {
    const uint64_t value = static_cast<uint32_t>(setting_integer(SettingId::kInfo));
    if (mask_in_force.compare_exchange_strong(mask, value, std::memory_order_relaxed))
      mask = value;
  }
  return static_cast<uint32_t>(mask);
}

void set_info_mask(uint32_t mask) {
  mask_in_force.store(mask, std::memory_order_relaxed);
  observe::set_info_listener(mask);
}

void print_line(const std::string &text) { write_error_line(text); }

void print_version_once() {
  // Relaxed: the flag orders nothing else; a line of another thread may come before this one.
  if (!has_printed_version.load(std::memory_order_relaxed) &&
      !has_printed_version.exchange(true, std::memory_order_relaxed))
    print_line(format("omptarget info: version %s", version_text()));
}

void print_info(int32_t device, const char *pattern, ...) {
  print_version_once();
  va_list arguments;
  va_start(arguments, pattern);
  print_line(format("omptarget device %d info: ", device) + format_arguments(pattern, arguments));
  va_end(arguments);
}

void print_note(const std::string &text) { print_line("omptarget note: " + text); }
void print_message(const std::string &text) { print_line("omptarget message: " + text); }
void print_error(const std::string &text) { print_line("omptarget error: " + text); }

void warn_about_second_library() {
  Dl_info own;
  link_map *map = nullptr;
  if (dladdr1(reinterpret_cast<const void *>(&warn_about_second_library), &own, reinterpret_cast<void **>(&map),
              RTLD_DL_LINKMAP) == 0)
    return;
  ElfW(Addr) base = map->l_addr;
  dl_iterate_phdr(check_library, &base);
}

} // namespace omptarget
