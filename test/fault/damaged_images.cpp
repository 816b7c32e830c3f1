// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// damaged_images COUNT [--seed N] IMAGE...: damages copies of images for the CPU in their headers, dynamic section,
// symbols, names, hashes, versions, relocations and notes. It loads each in a child process as the host plugin does,
// and counts how that ends. Fails if any child died or hung in the dynamic linker: the plugin's check of images has to
// find what the linker would trip over. Crashes of an image's own code on damaged pointers are counted apart.

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <map>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "base/format.h"
#include "host/image.h"

namespace omptarget::host {
namespace {

using Random = std::mt19937_64;

constexpr const char *kNames[] = {"kernel_empty", "variable", "nothing", "__omp_rtl_device_environment"};

/// Exit statuses of a child.
enum Ending {
  kLoaded = 0,
  kRefused = 10,
  kRefusedByLinker,
  kDiedInLinker,
  kDiedElsewhere,
  kHung,
  kUndefined, ///< its code called a function that no library has, and the linker said which
  kEndedByLinker = 127
};

struct Part {
  std::string name;
  uint64_t begin;
  uint64_t size;
};

struct Seed {
  std::string path;
  std::string bytes;
  std::vector<Part> parts; ///< the parts that describe the image, by bytes of the file
};

template <typename T> T at(const std::string &bytes, uint64_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Seed read_seed(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  Seed seed{path, {std::istreambuf_iterator<char>(file), {}}, {}};
  const auto header = at<Elf64_Ehdr>(seed.bytes, 0);
  seed.parts.push_back({"ELF header", 0, sizeof header});
  seed.parts.push_back({"program headers", header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)});
  const auto section_at = [&](unsigned i) {
    return at<Elf64_Shdr>(seed.bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section_at(header.e_shstrndx);
  for (unsigned i = 1; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = section_at(i);
    const uint32_t type = section.sh_type;
    const bool describes = type == SHT_DYNAMIC || type == SHT_DYNSYM || type == SHT_STRTAB || type == SHT_HASH ||
                           type == SHT_GNU_HASH || type == SHT_RELA || type == SHT_GNU_versym ||
                           type == 19 /* RELR */ || type == SHT_GNU_verneed || type == SHT_GNU_verdef ||
                           type == SHT_NOTE || type == SHT_INIT_ARRAY;
    if (describes && (section.sh_flags & SHF_ALLOC) && section.sh_size != 0)
      seed.parts.push_back(
          {seed.bytes.c_str() + names.sh_offset + section.sh_name, section.sh_offset, section.sh_size});
  }
  return seed;
}

size_t below(Random &random, size_t limit) { return random() % limit; }

/// One change of one to eight bytes; aligned words mostly, as fields are.
std::string damage_part(Random &random, const Seed &seed, std::string &bytes) {
  const Part &part = seed.parts[below(random, seed.parts.size())];
  const size_t sizes[] = {1, 2, 4, 4, 8, 8};
  const size_t size = std::min<uint64_t>(sizes[below(random, std::size(sizes))], part.size);
  const uint64_t place = part.begin + below(random, part.size / size) * size;
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + place, size);
  const uint64_t other = seed.parts[below(random, seed.parts.size())].begin;
  switch (below(random, 9)) {
  case 0: value ^= uint64_t{1} << below(random, 8 * size); break;
  case 1: value = random(); break;
  case 2: value = below(random, 64); break;
  case 3: value += below(random, 64) - 32; break;
  case 4: value = 0; break;
  case 5: value = other + below(random, 32) * 8; break;
  case 6: value = below(random, bytes.size() + 0x3000); break;
  case 7: std::memcpy(&value, bytes.data() + part.begin + below(random, part.size / size) * size, size); break;
  default: value = ~uint64_t{0} - below(random, 16);
  }
  std::memcpy(bytes.data() + place, &value, size);
  return format(" %s+%llu/%zu", part.name.c_str(), static_cast<unsigned long long>(place - part.begin), size);
}

/// Lines that children print.
int words = -1;

struct LinkerText {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};
LinkerText linker;

int find_linker(dl_phdr_info *info, size_t, void *) {
  if (!std::strstr(info->dlpi_name, "ld-linux"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
      linker = {info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz};
  return 1;
}

uintptr_t program_counter(const ucontext_t &context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return context.uc_mcontext.gp_regs[PT_NIP];
#endif
}

/// Set while the dynamic linker works on our behalf and the image's code has not been asked for anything.
void on_signal(int signal, siginfo_t *, void *context) {
  const auto place = program_counter(*static_cast<ucontext_t *>(context));
  const bool is_in_linker = place >= linker.begin && place < linker.end;
  _exit(signal == SIGALRM ? kHung : is_in_linker ? kDiedInLinker : kDiedElsewhere);
}

void watch_signals() {
  static char stack[1 << 16];
  const stack_t other{stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    sigaction(signal, &action, nullptr);
}

[[noreturn]] void load_in_child(const std::string &bytes) {
  constexpr unsigned kSeconds = 20;
  watch_signals();
  alarm(kSeconds);
  const rlimit no_cores{0, 0};
  setrlimit(RLIMIT_CORE, &no_cores);
  dup2(words, STDERR_FILENO);
  dup2(words, STDOUT_FILENO);
  auto *const data = const_cast<char *>(bytes.data());
  __tgt_offload_entry entries[] = {{nullptr, const_cast<char *>(kNames[0]), 0, 0, 0},
                                   {nullptr, const_cast<char *>(kNames[1]), 4, 0, 0}};
  const __tgt_device_image image{data, data + bytes.size(), entries, entries + 2};
  Result<std::unique_ptr<LoadedImage>> loaded = LoadedImage::load(0, image);
  if (!loaded.is_ok())
    _exit(loaded.status().to_string().find("the dynamic linker refuses") == std::string::npos ? kRefused
                                                                                              : kRefusedByLinker);
  for (const char *name : kNames)
    (void)(*loaded)->find_symbol(name);
  loaded->reset();
  _exit(kLoaded);
}

Ending ending_of(const std::string &bytes) {
  if (ftruncate(words, 0) != 0 || lseek(words, 0, SEEK_SET) != 0)
    std::abort();
  const pid_t child = fork();
  if (child == 0)
    load_in_child(bytes);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    std::abort();
  char text[512] = {};
  if (pread(words, text, sizeof text - 1, 0) > 0 && std::strstr(text, "symbol lookup error"))
    return kUndefined;
  return WIFEXITED(status) ? static_cast<Ending>(WEXITSTATUS(status)) : kDiedElsewhere;
}

int main(int count, char **arguments) {
  std::vector<Seed> seeds;
  uint64_t seed_number = 2024;
  const long runs = count > 1 ? std::atol(arguments[1]) : 0;
  for (int i = 2; i < count; ++i)
    if (std::strcmp(arguments[i], "--seed") == 0 && i + 1 < count)
      seed_number = std::strtoull(arguments[++i], nullptr, 0);
    else
      seeds.push_back(read_seed(arguments[i]));
  if (runs <= 0 || seeds.empty()) {
    std::fprintf(stderr, "usage: damaged_images COUNT [--seed N] IMAGE...\n");
    return 2;
  }
  dl_iterate_phdr(find_linker, nullptr);
  words = memfd_create("words", MFD_CLOEXEC);
  for (const Seed &seed : seeds)
    if (ending_of(seed.bytes) != kLoaded) {
      std::fprintf(stderr, "%s cannot be loaded as it is\n", seed.path.c_str());
      return 2;
    }
  Random random(seed_number);
  std::map<int, long> endings;
  for (long run = 0; run < runs; ++run) {
    const Seed &seed = seeds[below(random, seeds.size())];
    std::string bytes = seed.bytes, what;
    for (size_t changes = 1 + below(random, 2); changes > 0; --changes)
      what += damage_part(random, seed, bytes);
    const Ending ending = ending_of(bytes);
    ++endings[ending];
    if (ending == kDiedInLinker || ending == kEndedByLinker || ending == kHung) {
      std::printf("%s in the dynamic linker: run %ld, %s:%s\n",
                  ending == kHung           ? "hung"
                  : ending == kDiedInLinker ? "died"
                                            : "ended",
                  run, seed.path.substr(seed.path.rfind('/') + 1).c_str(), what.c_str());
      if (const char *folder = std::getenv("DAMAGED_IMAGES_KEPT"))
        std::ofstream(std::string(folder) + "/" + std::to_string(run), std::ios::binary) << bytes;
    }
  }
  const long bad = endings[kDiedInLinker] + endings[kEndedByLinker] + endings[kHung];
  std::printf(
      "%ld damaged images: %ld refused by the check, %ld by the linker, %ld loaded, %ld died in their own code, "
      "%ld called what no library has, %ld died in the linker, %ld ended by it, %ld hung\n",
      runs, endings[kRefused], endings[kRefusedByLinker], endings[kLoaded], endings[kDiedElsewhere],
      endings[kUndefined], endings[kDiedInLinker], endings[kEndedByLinker], endings[kHung]);
  return bad == 0 ? 0 : 1;
}

} // namespace
} // namespace omptarget::host

int main(int count, char **arguments) { return omptarget::host::main(count, arguments); }
