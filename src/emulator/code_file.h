// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of the stand-ins: shared objects of this machine whose header says otherwise, opened by the dynamic
// loader. Nobody may hold a lock of the stand-in meanwhile: a thread that closes a library has the loader's lock when
// it comes.
#pragma once

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/own_file.h"

namespace emulator {

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
    __has_feature(thread_sanitizer)
inline constexpr int kOwnSymbolsFirst = 0; // whose functions must be found before all others
#else
inline constexpr int kOwnSymbolsFirst = RTLD_DEEPBIND;
#endif

/// Opened code, and the file that it is in.
struct CodeFile {
  void *handle = nullptr;
  int file = -1;

  std::string path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file); }

  /// False, with the loader's reason on stderr, if it is no code. The descriptor stays open as long as the code, so
  /// that no other gets its path, by which the loader knows it.
  bool open(const char *bytes, size_t size) {
    file = omptarget::above_standard_files(memfd_create("device code of a stand-in", MFD_CLOEXEC));
    if (file < 0 || size < sizeof(Elf64_Ehdr) || write(file, bytes, size) != static_cast<ssize_t>(size))
      return fails("cannot write the code to a file");
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof(header));
    header.e_machine = omptarget::kMachine.elf_machine;
    header.e_ident[EI_OSABI] = ELFOSABI_NONE;
    header.e_ident[EI_ABIVERSION] = 0;
    header.e_type = ET_DYN;
    header.e_flags = 0;
    if (pwrite(file, &header, sizeof(header), 0) != sizeof(header))
      return fails("cannot write the code's header");
    // Device code finds its own symbols first, never the program's.
    handle = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL | kOwnSymbolsFirst);
    return handle || fails(dlerror());
  }

  /// A file that the loader keeps open keeps its path, too.
  void close() {
    if (handle)
      dlclose(handle);
    handle = nullptr;
    if (file < 0)
      return;
    if (void *kept = dlopen(path().c_str(), RTLD_LAZY | RTLD_NOLOAD))
      dlclose(kept);
    else
      ::close(file);
    file = -1;
  }

private:
  bool fails(const char *reason) {
    std::fprintf(stderr, "stand-in: %s\n", reason);
    if (file >= 0)
      ::close(file);
    file = -1;
    return false;
  }
};

} // namespace emulator
