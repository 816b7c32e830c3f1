// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/ranges.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "base/format.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "observe/source_text.h"

namespace omptarget::observe {

namespace {

using Push = int (*)(const char *);
using Pop = int (*)();
constinit Push push = nullptr;
constinit Pop pop = nullptr;

// ---- NVTX, version 3: the tool is a library that fills a table of ours. Names and numbers are those of nvtxTypes.h,
// with which a test compares them where it is.

using AnyFunction = void (*)();
constexpr uint32_t kTableOfCallbacks = 1, kTableOfVersion = 3; // NVTX_ETID_*
constexpr int kCoreModule = 1;                                 // NVTX_CB_MODULE_CORE
constexpr unsigned kPushA = 9, kPop = 11, kCoreFunctions = 16; // NVTX_CBID_CORE_*

constinit AnyFunction filled[kCoreFunctions] = {};
constinit AnyFunction *slots[kCoreFunctions] = {};

int function_table(int module, AnyFunction ***table, unsigned *size) {
  if (module != kCoreModule)
    return 0;
  for (unsigned i = 1; i < kCoreFunctions; ++i)
    slots[i] = &filled[i];
  if (table)
    *table = slots;
  if (size)
    *size = kCoreFunctions;
  return 1;
}

struct CallbackTable {
  size_t size;
  int (*function_table)(int, AnyFunction ***, unsigned *);
};
struct VersionTable {
  size_t size;
  uint32_t version;
  uint32_t reserved;
  void (*set_tools_version)(uint32_t);
};

const void *export_table(uint32_t which) {
  static const CallbackTable callbacks{sizeof(CallbackTable), function_table};
  static const VersionTable version{sizeof(VersionTable), 3, 0, [](uint32_t) {}};
  return which == kTableOfCallbacks ? static_cast<const void *>(&callbacks)
         : which == kTableOfVersion ? &version
                                    : nullptr;
}

/// must: a tool that takes no ranges is worth a warning. Otherwise it may have other things to watch.
bool start_nvtx(bool must) {
  const char *const path = secure_getenv("NVTX_INJECTION64_PATH"); // set by the tool that started the program
  if (!path || !*path)
    return false;
  using Initialise = int (*)(const void *(*)(uint32_t));
  void *const library = dlopen(path, RTLD_LAZY);
  const auto initialise = reinterpret_cast<Initialise>(library ? dlsym(library, "InitializeInjectionNvtx2") : nullptr);
  if (!initialise || initialise(export_table) == 0 || !filled[kPushA] || !filled[kPop]) {
    const char *const error = library ? nullptr : dlerror();
    if (must || error)
      warn_about_setting(SettingId::kRanges,
                         format("NVTX_INJECTION64_PATH names %s, which takes no ranges%s%s", shown_value(path).c_str(),
                                error ? ": " : "", error ? shown_value(error).c_str() : ""));
    return false;
  }
  push = reinterpret_cast<Push>(filled[kPushA]);
  pop = reinterpret_cast<Pop>(filled[kPop]);
  OMPTARGET_TRACE(Topic::kTool, "ranges go to NVIDIA's tool %s", path);
  return true;
}

// ---- roctx

/// must: also if no tool has loaded it.
bool start_roctx(bool must) {
  constexpr const char *kLibraries[] = {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so",
                                        "libroctx64.so.4", "libroctx64.so"};
  for (const char *name : kLibraries) {
    void *const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | (must ? 0 : RTLD_NOLOAD));
    if (!library)
      continue;
    push = reinterpret_cast<Push>(dlsym(library, "roctxRangePushA"));
    pop = reinterpret_cast<Pop>(dlsym(library, "roctxRangePop"));
    if (push && pop) {
      OMPTARGET_TRACE(Topic::kTool, "ranges go to AMD's %s", name);
      return true;
    }
  }
  if (must)
    warn_about_setting(SettingId::kRanges, "no library of roctx is found");
  return false;
}

} // namespace

bool start_ranges() {
  const char *const text = setting_text(SettingId::kRanges);
  if (!text || std::strcmp(text, "auto") == 0)
    return start_nvtx(false) || start_roctx(false);
  if (std::strcmp(text, "nvtx") == 0)
    return start_nvtx(true);
  if (std::strcmp(text, "roctx") == 0)
    return start_roctx(true);
  if (std::strcmp(text, "off") != 0)
    warn_about_setting(SettingId::kRanges, format("'%s' is not one of auto, nvtx, roctx and off; there are no ranges",
                                                  shown_value(text).c_str()));
  return false;
}

void push_range(const std::string &text) { push(text.c_str()); }
void pop_range() { pop(); }

std::string range_text(const ConstructFacts &facts) {
  const SourcePlace place = construct_place(facts.location);
  const std::string kind = construct_name(facts.kind);
  return place.is_known() ? kind + " " + place.to_string() : kind;
}

std::string range_text(const KernelFacts &facts) { return "kernel " + readable_name(facts.name); }

std::string range_text(const DataOperationFacts &facts) {
  constexpr const char *kNames[] = {"allocate",  "copy to device", "copy from device",     "free",
                                    "associate", "disassociate",   "copy between devices", "fill"};
  const std::string kind = kNames[static_cast<size_t>(facts.kind)];
  return facts.name ? kind + " " + std::string(variable_name(facts.name).name) : kind;
}

} // namespace omptarget::observe
