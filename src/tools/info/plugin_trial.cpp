// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/plugin_trial.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/format.h"
#include "plugin/plugin_loader.h"

namespace omptarget::info_tool {

namespace {

/// The step that the child is about to take. Its parent sees it.
struct Progress {
  char what[128];
  bool is_done;
};
Progress *progress = nullptr;

void note_call(const char *function) { std::snprintf(progress->what, sizeof progress->what, "%s runs", function); }

void use_devices(const Plugin &plugin) {
  for (int32_t i = 0; i < plugin.number_of_devices(); ++i) {
    note_call("__tgt_rtl_init_device");
    if (Status status = plugin.init_device(i, OMPTARGET_REQUIRES_NONE); !status) {
      status.consume(); // told when this process does it
      continue;
    }
    note_call("__tgt_rtl_device_arch");
    plugin.device_arch(i);
    note_call("__tgt_rtl_device_uid");
    plugin.device_uid(i);
    note_call("__tgt_rtl_print_device_info");
    (void)plugin.print_device_info(i);
  }
}

/// In the child. Failures are reported when this process does the same.
[[noreturn]] void run_trial(const std::string &path, bool uses_devices) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  std::strcpy(progress->what, "the dynamic linker loads it and runs its constructors");
  if (Result<void *> handle = open_plugin(path); handle.is_ok()) {
    Result<std::unique_ptr<Plugin>> plugin = start_plugin("tried", path, *handle, note_call);
    if (plugin.is_ok() && uses_devices)
      use_devices(**plugin);
  }
  progress->is_done = true;
  ::_exit(0);
}

/// How the child has ended, or nothing: then it was killed after that many seconds.
std::optional<int> wait_for(pid_t child, int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status;
}

} // namespace

std::string try_plugin(const std::string &path, const TrialExtent &extent) {
  void *const shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return {};
  progress = static_cast<Progress *>(shared);
  const pid_t child = ::fork();
  if (child == 0)
    run_trial(path, extent.uses_devices);
  std::string reason;
  if (child > 0) {
    const std::optional<int> status = wait_for(child, extent.seconds);
    const char *const what = progress->what;
    if (!status)
      reason = format("hangs: it was ended after %d seconds, while %s", extent.seconds, what);
    else if (WIFSIGNALED(*status))
      reason = format("ends its process with signal %d (%s) while %s", WTERMSIG(*status), strsignal(WTERMSIG(*status)),
                      what);
    else if (!progress->is_done)
      reason = format("ends its process with status %d while %s", WEXITSTATUS(*status), what);
  }
  ::munmap(shared, sizeof(Progress));
  return reason;
}

} // namespace omptarget::info_tool
