// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moments in the life of a process, and the actions with a device that work then. A process tries each moment and
// action, for one table of them all. docs/internals/architecture.md has the same table. Without arguments the program
// makes the table.

// RUN: %clangxx -shared -fPIC -DMOMENT='"needed-library"' %inputs/lifetimes_library.cpp -o %t.needed.so
// RUN: %clangxx -shared -fPIC -DMOMENT='"opened-library"' %inputs/lifetimes_library.cpp -o %t.opened.so
// RUN: %clangxx %s %t.needed.so -o %t -ldl -pthread
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t | %check --check-prefix=CHECK-%lifetime
// RUN: %run %t | %check --check-prefix=MANDATORY-%lifetime
// libomp's own threads, which outlive it, crash while AddressSanitizer looks for leaks.
// UNSUPPORTED: runtime-llvm, asan

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <thread>

#include "lifetimes.h"

using namespace lifetimes;

namespace {

/// Does something when it is made, and when it goes, if that is the moment.
struct Object {
  const char *at_end;
  explicit Object(const char *at_end, const char *at_begin = nullptr) : at_end(at_end) {
    if (at_begin && is_moment(at_begin))
      prepare_and_act();
  }
  ~Object() {
    if (is_moment(at_end))
      act();
  }
};

// The table's first lines are of the code below, in its order.
Object global("global", "constructor");
void make_local_static() { static Object object("local-static"); }
void make_thread_local() { static thread_local Object object("thread-local"); }

std::atomic<int> thread_may_act{0}, thread_has_acted{0};

void wait_for(const std::atomic<int> &flag) {
  while (flag.load() == 0)
    usleep(1000);
}

void start_thread() {
  std::thread([] {
    wait_for(thread_may_act);
    act();
    thread_has_acted = 1;
  }).detach();
}

void act_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    act();
    _exit(0); // not exit: the child's libomp of LLVM 16 trips over what the parent's has written down
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    raise(WTERMSIG(status));
}

int live(const char *library) {
  alarm(60); // whatever hangs is seen as that
  if (is_moment("early-atexit"))
    atexit(act);
  if (is_moment("thread"))
    atexit([] {
      thread_may_act = 1;
      wait_for(thread_has_acted);
    });
  if (is_moment("local-static"))
    make_local_static();
  if (is_moment("opened-library") && !dlopen(library, RTLD_NOW)) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  if (is_moment("main"))
    prepare_and_act();
  for (const char *moment : {"early-atexit", "late-atexit", "global", "local-static", "thread-local", "thread", "fork"})
    if (is_moment(moment))
      prepare();
  if (is_moment("late-atexit"))
    atexit(act);
  if (is_moment("thread-local"))
    make_thread_local();
  if (is_moment("thread"))
    start_thread();
  if (is_moment("fork"))
    act_in_child();
  return 0;
}

/// The output of one process, with how it ended, and whether it said that something is lost.
std::string outcome_of(const char *program, const char *moment, const char *action) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0)
    return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const int *ends : {out, err})
      for (int i = 0; i < 2; ++i)
        close(ends[i]);
    setenv("LIFETIME_MOMENT", moment, 1);
    setenv("LIFETIME_ACTION", action, 1);
    execl(program, program, "live", nullptr);
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  std::string texts[2];
  const int ends[2] = {out[0], err[0]};
  for (int i = 0; i < 2; ++i) {
    char buffer[4096];
    for (ssize_t size; (size = read(ends[i], buffer, sizeof buffer)) > 0;)
      texts[i].append(buffer, static_cast<size_t>(size));
    close(ends[i]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::string text = texts[0];
  if (texts[1].find("has ended") != std::string::npos)
    text += text.empty() ? "said" : "-and-said";
  else if (!texts[1].empty())
    text += texts[1].find("before fork") != std::string::npos ? "said-no-fork" : "[" + texts[1] + "]";
  if (WIFSIGNALED(status))
    text += WTERMSIG(status) == SIGABRT ? "-and-aborts" : "-signal-" + std::to_string(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    text += "-exit-" + std::to_string(WEXITSTATUS(status));
  return text;
}

/// Returns whether libomp itself has failed, as it can if a thread is at work while the process ends.
bool libomp_failed(const std::string &outcome) {
  return outcome.find("Assertion failure at kmp_") != std::string::npos ||
         outcome.find("Thread identifier invalid") != std::string::npos; // LLVM 14's
}

/// The outcome of a process that libomp did not end: those are run again.
std::string outcome_despite_libomp(const char *program, const char *moment, const char *action) {
  std::string outcome;
  for (int attempt = 0; attempt < 20; ++attempt) {
    outcome = outcome_of(program, moment, action);
    if (!libomp_failed(outcome))
      break;
  }
  return outcome;
}

} // namespace

int main(int count, char **arguments) {
  if (count > 1)
    return live((std::string(arguments[0]) + ".opened.so").c_str());
  for (const char *moment : {"constructor", "needed-library", "opened-library", "main", "late-atexit", "thread-local",
                             "early-atexit", "local-static", "global", "thread", "fork"}) {
    std::string line = std::string(moment) + ":";
    for (const char *action : {"target", "data", "update", "api", "nowait"})
      line += " " + outcome_despite_libomp(arguments[0], moment, action);
    puts(line.c_str());
    fflush(stdout);
  }
}

// clang-format off
// A plugin without a driver serves until the process is gone.
// CHECK-LASTS:          constructor: device kept kept kept device
// CHECK-LASTS-NEXT:     needed-library: device kept kept kept device
// CHECK-LASTS-NEXT:     opened-library: device kept kept kept device
// CHECK-LASTS-NEXT:     main: device kept kept kept device
// CHECK-LASTS-NEXT:     late-atexit: device kept kept kept device
// CHECK-LASTS-NEXT:     thread-local: device kept kept kept device
// CHECK-LASTS-NEXT:     early-atexit: device kept kept kept device
// CHECK-LASTS-NEXT:     local-static: device kept kept kept device
// CHECK-LASTS-NEXT:     global: device kept kept kept device
// CHECK-LASTS-NEXT:     thread: device kept kept kept device
// CHECK-LASTS-NEXT:     fork: device kept kept kept device

// A driver is gone once its exit handlers have run: what was registered before it was started comes after them.
// CHECK-DRIVER:         constructor: device kept kept kept device
// CHECK-DRIVER-NEXT:    needed-library: device kept kept kept device
// CHECK-DRIVER-NEXT:    opened-library: device kept kept kept device
// CHECK-DRIVER-NEXT:    main: device kept kept kept device
// CHECK-DRIVER-NEXT:    late-atexit: device kept kept kept device
// CHECK-DRIVER-NEXT:    thread-local: device kept kept kept device
// CHECK-DRIVER-NEXT:    early-atexit: host lost-and-said lost-and-said lost-and-said host
// CHECK-DRIVER-NEXT:    local-static: host lost-and-said lost-and-said lost-and-said host
// CHECK-DRIVER-NEXT:    global: host lost-and-said lost-and-said lost-and-said host
// CHECK-DRIVER-NEXT:    thread: host lost-and-said lost-and-said lost-and-said host
// CHECK-DRIVER-NEXT:    fork: {{said-no-fork-and-aborts|device kept kept kept device}}

// MANDATORY-LASTS:      early-atexit: device kept kept kept device
// MANDATORY-LASTS-NEXT: local-static: device kept kept kept device
// MANDATORY-LASTS-NEXT: global: device kept kept kept device
// MANDATORY-LASTS-NEXT: thread: device kept kept kept device
// MANDATORY-DRIVER:      early-atexit: host said-and-aborts said-and-aborts said-and-aborts host
// MANDATORY-DRIVER-NEXT: local-static: host said-and-aborts said-and-aborts said-and-aborts host
// MANDATORY-DRIVER-NEXT: global: host said-and-aborts said-and-aborts said-and-aborts host
// MANDATORY-DRIVER-NEXT: thread: host said-and-aborts said-and-aborts said-and-aborts host
// clang-format on
