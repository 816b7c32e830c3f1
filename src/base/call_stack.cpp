// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/call_stack.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <link.h>
#include <memory>
#include <unwind.h>

#include "base/elf_sections.h"
#include "base/format.h"
#include "base/line_table.h"
#include "base/mapped_file.h"
#include "base/program_path.h"

namespace omptarget {

namespace {

_Unwind_Reason_Code add_call(_Unwind_Context *context, void *argument) {
  constexpr size_t kMostCalls = 48;
  CallStack &stack = *static_cast<CallStack *>(argument);
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || stack.size() == kMostCalls)
    return _URC_END_OF_STACK;
  stack.push_back(address);
  return _URC_NO_REASON;
}

/// A call in a module: its place in `calls`, and its address as the module's file counts.
struct Call {
  uint64_t offset;
  size_t number;
};

/// The program or a library, and the calls that lie there.
struct Module {
  std::string path;
  std::vector<Call> calls;
};

struct ModuleSearch {
  std::span<const uintptr_t> addresses;
  std::vector<Module> modules;
};

int collect_calls(dl_phdr_info *info, size_t, void *argument) {
  ModuleSearch &search = *static_cast<ModuleSearch *>(argument);
  Module module{info->dlpi_name, {}};
  for (size_t i = 0; i < search.addresses.size(); ++i) {
    const uint64_t offset = search.addresses[i] - 1 - info->dlpi_addr; // in the instruction that calls
    const bool is_there = std::any_of(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum, [=](const auto &segment) {
      return segment.p_type == PT_LOAD && offset - segment.p_vaddr < segment.p_memsz;
    });
    if (is_there)
      module.calls.push_back({offset, i});
  }
  if (!module.calls.empty())
    search.modules.push_back(std::move(module));
  return 0;
}

std::string readable(std::string_view name) {
  const std::string symbol(name.substr(0, name.find('@'))); // without its version
  if (!symbol.starts_with("_Z"))                            // of C: the demangler takes "i" for a type
    return symbol;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                         &std::free);
  return text ? text.get() : symbol;
}

void name_functions(const ElfSections &sections, const Module &module, std::vector<CallPlace> &places) {
  const auto take = [&](const ElfW(Sym) & symbol, std::string_view name) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
      return;
    auto call = std::lower_bound(module.calls.begin(), module.calls.end(), symbol.st_value,
                                 [](const Call &one, uint64_t address) { return one.offset < address; });
    for (; call != module.calls.end() && call->offset - symbol.st_value < symbol.st_size; ++call)
      if (std::string &function = places[call->number].function; function.empty())
        function = readable(name);
  };
  if (!sections.each_symbol(SHT_SYMTAB, take))
    sections.each_symbol(SHT_DYNSYM, take);
}

void find_lines(const ElfSections &sections, const Module &module, std::vector<CallPlace> &places) {
  std::vector<uint64_t> addresses;
  addresses.reserve(module.calls.size());
  for (const Call &call : module.calls)
    addresses.push_back(call.offset);
  const LineSections tables{sections.find(".debug_line"), sections.find(".debug_line_str"),
                            sections.find(".debug_str")};
  std::vector<SourceLine> lines = find_source_lines(tables, addresses);
  for (size_t i = 0; i < lines.size(); ++i) {
    CallPlace &place = places[module.calls[i].number];
    place.file = std::move(lines[i].file);
    place.line = lines[i].line;
  }
}

void look_into(Module &module, std::vector<CallPlace> &places) {
  std::sort(module.calls.begin(), module.calls.end(), [](const Call &a, const Call &b) { return a.offset < b.offset; });
  const bool is_program = module.path.empty(); // the dynamic loader gives it no name
  const std::string shown = is_program ? path_of_program() : module.path;
  for (const Call &call : module.calls) {
    places[call.number].module = shown;
    places[call.number].offset = call.offset;
  }
  MappedFile file;
  if (Status status = file.open(is_program ? "/proc/self/exe" : module.path); !status)
    return status.consume(); // the system's own, or a file that is gone
  const ElfSections sections(file.contents());
  name_functions(sections, module, places);
  find_lines(sections, module, places);
}

std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_ours(const CallPlace &place) { return name_of_file(place.module).starts_with("libomptarget."); }

std::string text_of(const CallPlace &place) {
  const std::string function = place.function.empty() ? "?" : place.function;
  if (place.line != 0)
    return format("%s at %s:%u", function.c_str(), place.file.c_str(), place.line);
  if (place.module.empty())
    return function;
  const std::string file = place.file.empty() ? "" : format(" at %s", place.file.c_str()); // compilers tell no line
  return format("%s%s in %s+%#llx", function.c_str(), file.c_str(), place.module.c_str(),
                static_cast<unsigned long long>(place.offset));
}

} // namespace

std::string variable_at(uintptr_t address) {
  const uintptr_t next = address + 1; // as a return address
  ModuleSearch search{{&next, 1}, {}};
  dl_iterate_phdr(collect_calls, &search);
  std::string name;
  for (const Module &module : search.modules) {
    MappedFile file;
    if (Status status = file.open(module.path.empty() ? "/proc/self/exe" : module.path); !status) {
      status.consume();
      continue;
    }
    const auto take = [&](const ElfW(Sym) & symbol, std::string_view text) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && module.calls[0].offset - symbol.st_value < symbol.st_size)
        name = readable(text);
    };
    const ElfSections sections(file.contents());
    if (!sections.each_symbol(SHT_SYMTAB, take))
      sections.each_symbol(SHT_DYNSYM, take);
  }
  return name;
}

CallStack take_call_stack() {
  CallStack stack;
  (void)_Unwind_Backtrace(add_call, &stack);
  return stack;
}

std::vector<CallPlace> places_of(std::span<const uintptr_t> calls) {
  std::vector<CallPlace> places(calls.size());
  ModuleSearch search{calls, {}};
  dl_iterate_phdr(collect_calls, &search);
  for (Module &module : search.modules)
    look_into(module, places);
  return places;
}

std::string stack_text(const CallStack &stack) {
  const std::vector<CallPlace> places = places_of(stack);
  size_t first = 0;
  while (first + 1 < places.size() && is_ours(places[first]) && is_ours(places[first + 1]))
    ++first;
  std::string text;
  for (size_t i = first; i < places.size(); ++i) {
    text += format("%s  #%zu %s", i == first ? "" : "\n", i - first, text_of(places[i]).c_str());
    if (places[i].function == "main")
      break;
  }
  return text;
}

} // namespace omptarget
