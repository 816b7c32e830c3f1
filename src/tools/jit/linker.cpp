// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/jit/linker.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/jit/process.h"

extern char **environ;

namespace omptarget::jit_compiler {

namespace {

/// Libraries of the system that a program's device code for the CPU may call. Its linker would have named them.
constexpr const char *kSystemLibraries[] = {"libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6"};
constexpr const char *kSystemFolders[] = {"/lib/x86_64-linux-gnu",
                                          "/lib/aarch64-linux-gnu",
                                          "/lib/powerpc64le-linux-gnu",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/usr/lib"};

bool is_program(const std::string &path) { return ::access(path.c_str(), X_OK) == 0; }

std::string find_in_path(const std::string &name) {
  const char *const value = std::getenv("PATH");
  std::string rest = value ? value : "/usr/bin:/bin";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = rest.substr(0, end) + "/" + name;
    if (path.starts_with('/') && is_program(path))
      return path;
    rest.erase(0, end + 1);
  }
  return {};
}

/// Runs the linker, whose standard output is that file, and waits for it.
void run(const std::vector<std::string> &words, const MemoryFile &output) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  pid_t process = 0;
  const int problem = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    fail("cannot run " + words[0] + ": " + std::strerror(problem));
  int state = 0;
  while (waitpid(process, &state, 0) < 0)
    if (errno != EINTR)
      fail(std::string("cannot wait for the linker: ") + std::strerror(errno));
  if (WIFSIGNALED(state))
    fail(words[0] + " was ended by signal " + std::to_string(WTERMSIG(state)));
  if (WEXITSTATUS(state) != 0)
    fail(words[0] + " has failed");
}

} // namespace

std::string find_linker() {
  if (is_program(OMPTARGET_JIT_LINKER))
    return OMPTARGET_JIT_LINKER;
  return find_in_path("ld.lld");
}

std::vector<std::string> options_for_cpu(const std::vector<std::string> &libraries) {
  std::vector<std::string> options{"--eh-frame-hdr", "--as-needed"}; // the former for exceptions
  options.insert(options.end(), libraries.begin(), libraries.end());
  for (const char *name : kSystemLibraries)
    for (const char *folder : kSystemFolders)
      if (const std::string path = std::string(folder) + "/" + name; ::access(path.c_str(), R_OK) == 0) {
        options.push_back(path);
        break;
      }
  return options;
}

std::string link_shared(std::string_view object, const std::vector<std::string> &options) {
  const std::string linker = find_linker();
  if (linker.empty())
    fail("there is no ld.lld, which links this image: it is neither " OMPTARGET_JIT_LINKER " nor in PATH; on Debian "
         "and Ubuntu it is in the package lld");
  const MemoryFile input("object");
  const MemoryFile output("image");
  input.write(object);
  std::vector<std::string> words{linker, "-shared", "-o", "-", input.path()};
  words.insert(words.end(), options.begin(), options.end());
  run(words, output);
  return output.contents();
}

} // namespace omptarget::jit_compiler
