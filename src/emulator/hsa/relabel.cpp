// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emulator_hsa_relabel [--embedded] FILE VERSION TARGET [OUTPUT]: makes code objects of the ELF images for this machine
// inside of FILE. VERSION is 4, 5 or 6; TARGET is a name as "gfx90a:xnack+". The section sim_note gets metadata about
// their kernels; it is added to an image that is a file of its own. The code stays what it is: the stand-in for
// libhsa-runtime64.so.1 runs it.

#include <cstdint>
#include <cstdlib>

#include "llvm/BinaryFormat/MsgPackDocument.h"

#include "amdgpu/image.h"
#include "common/elf_image.h"
#include "emulator/relabel_file.h"

namespace {

using namespace omptarget;
using amdgpu::CodeObjectVersion;
using amdgpu::ImplicitLayout;

struct Wanted {
  int version;
  std::string target;
  uint32_t flags;
};

// Arguments of a kernel of an OpenMP program: the tool cannot know them, so that nothing is said about them but how
// much room there is.
constexpr uint32_t kRoomForArguments = 64 * 8;

bool number_of(const ElfImage &elf, const std::string &symbol, uint32_t &value) {
  const ElfSymbol *found = elf.find(symbol);
  return found && elf.read(*found, &value, sizeof(value));
}

bool is_kernel(const ElfImage &elf, const ElfSymbol &symbol) {
  uint32_t arguments = 0;
  const std::string name(symbol.name);
  return symbol.type == STT_FUNC && (name.starts_with("__omp_offloading_") || name.starts_with("omptarget_check_") ||
                                     name == "amdgcn.device.init" || name == "amdgcn.device.fini" ||
                                     number_of(elf, name + "_sim_args", arguments));
}

// The implicit arguments that compilers list, as far as the segment reaches.
void add_hidden(llvm::msgpack::Document &document, llvm::msgpack::ArrayDocNode &list, const ImplicitLayout &layout) {
  const struct {
    const char *name;
    uint32_t size;
  } names[] = {{"hidden_block_count_x", 4},   {"hidden_block_count_y", 4},   {"hidden_block_count_z", 4},
               {"hidden_group_size_x", 2},    {"hidden_group_size_y", 2},    {"hidden_group_size_z", 2},
               {"hidden_remainder_x", 2},     {"hidden_remainder_y", 2},     {"hidden_remainder_z", 2},
               {"hidden_global_offset_x", 8}, {"hidden_global_offset_y", 8}, {"hidden_global_offset_z", 8},
               {"hidden_grid_dims", 2},       {"hidden_hostcall_buffer", 8}, {"hidden_dynamic_lds_size", 4},
               {"hidden_queue_ptr", 8}};
  for (const auto &[name, size] : names)
    if (const auto offset = layout.offset_of(name)) {
      auto argument = document.getMapNode();
      argument[".offset"] = *offset;
      argument[".size"] = size;
      argument[".value_kind"] = document.getNode(name, true);
      list.push_back(argument);
    }
}

void describe_kernel(llvm::msgpack::Document &document, llvm::msgpack::MapDocNode &kernel, const ElfImage &elf,
                     const std::string &name, int version) {
  uint32_t arguments = 0, implicit = version == 4 ? 56 : 256, group = 0, stack = 0, deep = 0, threads = 1024, wave = 64;
  const bool is_known = number_of(elf, name + "_sim_args", arguments) || name.starts_with("amdgcn.device.");
  number_of(elf, name + "_sim_implicit", implicit);
  number_of(elf, name + "_sim_group", group);
  number_of(elf, name + "_sim_private", stack);
  number_of(elf, name + "_sim_dynamic_stack", deep);
  number_of(elf, name + "_sim_max_threads", threads);
  number_of(elf, name + "_sim_wavefront", wave);
  const uint32_t size = is_known ? arguments * 8 + implicit : kRoomForArguments;
  kernel[".name"] = document.getNode(name, true);
  kernel[".symbol"] = document.getNode(name + ".kd", true);
  kernel[".kernarg_segment_size"] = size;
  kernel[".kernarg_segment_align"] = 8;
  kernel[".group_segment_fixed_size"] = group;
  kernel[".private_segment_fixed_size"] = stack;
  kernel[".uses_dynamic_stack"] = deep != 0;
  kernel[".wavefront_size"] = wave;
  kernel[".max_flat_workgroup_size"] = threads;
  if (!is_known || size == 0)
    return;
  auto list = document.getArrayNode();
  for (uint32_t i = 0; i < arguments; ++i) {
    auto argument = document.getMapNode();
    argument[".offset"] = i * 8;
    argument[".size"] = 8;
    argument[".value_kind"] = "by_value";
    list.push_back(argument);
  }
  add_hidden(document, list, ImplicitLayout::of(static_cast<CodeObjectVersion>(version), size, arguments * 8));
  kernel[".args"] = list;
}

std::string note_for(const ElfImage &elf, const Wanted &wanted) {
  llvm::msgpack::Document document;
  auto &root = document.getRoot().getMap(true);
  auto version = document.getArrayNode();
  version.push_back(document.getNode(1));
  version.push_back(document.getNode(wanted.version - 3));
  root["amdhsa.version"] = version;
  root["amdhsa.target"] = document.getNode("amdgcn-amd-amdhsa--" + wanted.target, true);
  auto kernels = document.getArrayNode();
  for (const ElfSymbol &symbol : elf.symbols())
    if (is_kernel(elf, symbol)) {
      auto kernel = document.getMapNode();
      describe_kernel(document, kernel, elf, std::string(symbol.name), wanted.version);
      kernels.push_back(kernel);
    }
  root["amdhsa.kernels"] = kernels;
  std::string description;
  document.writeToBlob(description);
  const Elf64_Nhdr header = {7, static_cast<Elf64_Word>(description.size()), 32};
  std::string note(reinterpret_cast<const char *>(&header), sizeof(header));
  note += std::string("AMDGPU\0\0", 8) + description;
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

// A file that is an image as a whole gets a section more: the note and a new table of sections behind all else.
void append_note(std::string &bytes, const std::string &note) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::string table = bytes.substr(header.e_shoff, size_t{header.e_shnum} * sizeof(Elf64_Shdr));
  bytes.resize((bytes.size() + 7) / 8 * 8);
  Elf64_Shdr section{};
  section.sh_type = SHT_NOTE;
  section.sh_offset = bytes.size();
  section.sh_size = note.size();
  section.sh_addralign = 4;
  bytes += note;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  header.e_shoff = bytes.size();
  ++header.e_shnum;
  bytes += table;
  bytes.append(reinterpret_cast<const char *>(&section), sizeof(section));
  std::memcpy(bytes.data(), &header, sizeof(header));
}

// Writes the note into its section.
bool put_note(std::string &bytes, size_t at, const std::string &note) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  const auto section = [&](size_t index) {
    Elf64_Shdr raw;
    std::memcpy(&raw, bytes.data() + at + header.e_shoff + index * sizeof(raw), sizeof(raw));
    return raw;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr raw = section(i);
    if (std::strcmp(bytes.data() + at + names.sh_offset + raw.sh_name, "sim_note") != 0)
      continue;
    if (note.size() > raw.sh_size) {
      std::fprintf(stderr, "the metadata has %zu bytes, section sim_note %zu\n", note.size(),
                   static_cast<size_t>(raw.sh_size));
      return false;
    }
    std::memcpy(bytes.data() + at + raw.sh_offset, note.data(), note.size());
    raw.sh_type = SHT_NOTE;
    raw.sh_size = note.size();
    std::memcpy(bytes.data() + at + header.e_shoff + i * sizeof(raw), &raw, sizeof(raw));
    return true;
  }
  if (at == 0) {
    append_note(bytes, note);
    return true;
  }
  std::fprintf(stderr, "an embedded image has no section sim_note\n");
  return false;
}

bool relabel(std::string &bytes, size_t at, const Wanted &wanted) {
  // A damaged image stays one, also under its new name.
  if (Result<ElfImage> elf = ElfImage::parse(bytes.data() + at, bytes.size() - at);
      elf && !put_note(bytes, at, note_for(*elf, wanted)))
    return false;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  header.e_machine = 224;
  header.e_ident[EI_OSABI] = 64;
  header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(wanted.version - 2);
  header.e_flags = wanted.flags;
  std::memcpy(bytes.data() + at, &header, sizeof(header));
  return true;
}

// The flags of a target: found by asking what each number means.
bool flags_of(const std::string &target, uint32_t &flags) {
  auto wanted = amdgpu::TargetId::parse(target);
  if (!wanted)
    return false;
  for (uint32_t processor = 0; processor < 256; ++processor) {
    for (const uint32_t generic : {0u, 1u << 24}) {
      Elf64_Ehdr header{};
      std::memcpy(header.e_ident, ELFMAG, SELFMAG);
      header.e_ident[EI_CLASS] = ELFCLASS64;
      header.e_ident[EI_DATA] = ELFDATA2LSB;
      header.e_ident[EI_OSABI] = 64;
      header.e_ident[EI_ABIVERSION] = 4;
      header.e_machine = 224;
      header.e_type = ET_DYN;
      header.e_flags = processor | generic;
      auto found = amdgpu::read_image_target(&header, sizeof(header));
      if (!found || found->target.processor != wanted->processor)
        continue;
      flags = header.e_flags | static_cast<uint32_t>(wanted->xnack) << 8 | static_cast<uint32_t>(wanted->sramecc) << 10;
      return true;
    }
  }
  return false;
}

} // namespace

int main(int argc, char **argv) {
  const emulator::RelabelArguments arguments(argc, argv);
  Wanted wanted{std::atoi(arguments.first), arguments.second, 0};
  if (!arguments.file || wanted.version < 4 || wanted.version > 6 || !flags_of(wanted.target, wanted.flags)) {
    std::fprintf(stderr, "usage: %s [--embedded] FILE 4|5|6 TARGET [OUTPUT]\n", argv[0]);
    return 2;
  }
  return emulator::relabel_file(arguments, [&](std::string &bytes, size_t at) { return relabel(bytes, at, wanted); });
}
