// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/metadata.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>

#include "llvm/BinaryFormat/MsgPackDocument.h"

namespace omptarget::amdgpu {

namespace {

namespace msgpack = llvm::msgpack;

constexpr uint32_t kMetadataNote = 32;
constexpr std::string_view kNoteOwner("AMDGPU\0", 7);

struct Field {
  const char *name;
  uint32_t offset; ///< in the block
  uint32_t size;
};

constexpr uint32_t kSizeV5 = 256;
constexpr Field kFieldsV5[] = {
    {"hidden_block_count_x", 0, 4},     {"hidden_block_count_y", 4, 4},      {"hidden_block_count_z", 8, 4},
    {"hidden_group_size_x", 12, 2},     {"hidden_group_size_y", 14, 2},      {"hidden_group_size_z", 16, 2},
    {"hidden_remainder_x", 18, 2},      {"hidden_remainder_y", 20, 2},       {"hidden_remainder_z", 22, 2},
    {"hidden_global_offset_x", 40, 8},  {"hidden_global_offset_y", 48, 8},   {"hidden_global_offset_z", 56, 8},
    {"hidden_grid_dims", 64, 2},        {"hidden_printf_buffer", 72, 8},     {"hidden_hostcall_buffer", 80, 8},
    {"hidden_multigrid_sync_arg", 88, 8}, {"hidden_heap_v1", 96, 8},         {"hidden_default_queue", 104, 8},
    {"hidden_completion_action", 112, 8}, {"hidden_dynamic_lds_size", 120, 4}, {"hidden_private_base", 192, 4},
    {"hidden_shared_base", 196, 4},     {"hidden_queue_ptr", 200, 8},
};

constexpr uint32_t kSizeV4 = 56;
constexpr Field kFieldsV4[] = {
    {"hidden_global_offset_x", 0, 8},  {"hidden_global_offset_y", 8, 8}, {"hidden_global_offset_z", 16, 8},
    {"hidden_hostcall_buffer", 24, 8}, {"hidden_default_queue", 32, 8},  {"hidden_completion_action", 40, 8},
    {"hidden_multigrid_sync_arg", 48, 8},
};

template <typename Fields> const Field *find_field(const Fields &fields, std::string_view name) {
  for (const Field &field : fields)
    if (name == field.name)
      return &field;
  return nullptr;
}

const Field *field_of(CodeObjectVersion version, std::string_view name) {
  return version == CodeObjectVersion::kV4 ? find_field(kFieldsV4, name) : find_field(kFieldsV5, name);
}

// ---- The note

uint32_t round_up_4(uint32_t value) { return (value + 3) & ~uint32_t{3}; }

/// The metadata among the notes of a section, or nothing.
std::string_view metadata_in(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    if (header.n_namesz > notes.size() || round_up_4(header.n_namesz) > notes.size())
      return {};
    const std::string_view owner = notes.substr(0, header.n_namesz);
    notes.remove_prefix(round_up_4(header.n_namesz));
    if (header.n_descsz > notes.size())
      return {};
    if (header.n_type == kMetadataNote && owner == kNoteOwner)
      return notes.substr(0, header.n_descsz);
    notes.remove_prefix(std::min<size_t>(round_up_4(header.n_descsz), notes.size()));
  }
  return {};
}

// ---- Nodes of the document. Absent ones are none; ones of a wrong type are failures.

Result<std::optional<msgpack::DocNode>> member(msgpack::MapDocNode &map, const char *name) {
  const auto found = map.find(name);
  if (found == map.end())
    return std::optional<msgpack::DocNode>();
  return std::optional<msgpack::DocNode>(found->second);
}

Status read_number(msgpack::MapDocNode &map, const char *name, uint32_t &value) {
  OMPTARGET_TRY_ASSIGN(const auto node, member(map, name));
  if (!node)
    return Status::ok();
  if (node->getKind() != msgpack::Type::UInt || node->getUInt() > UINT32_MAX)
    return Status::error(format("%s is no number of 32 bits", name));
  value = static_cast<uint32_t>(node->getUInt());
  return Status::ok();
}

Status read_text(msgpack::MapDocNode &map, const char *name, std::string &value) {
  OMPTARGET_TRY_ASSIGN(const auto node, member(map, name));
  if (!node || !node->isString())
    return Status::error(format("%s is %s", name, node ? "no text" : "missing"));
  value = node->getString().str();
  return Status::ok();
}

Status read_argument(msgpack::DocNode &node, KernelMetadata &kernel) {
  if (!node.isMap())
    return Status::error("an argument is no map");
  msgpack::MapDocNode &map = node.getMap();
  std::string kind;
  uint32_t offset = 0;
  uint32_t size = 0;
  OMPTARGET_TRY(read_text(map, ".value_kind", kind));
  OMPTARGET_TRY(read_number(map, ".offset", offset));
  OMPTARGET_TRY(read_number(map, ".size", size));
  if (size > kernel.kernarg_size || offset > kernel.kernarg_size - size)
    return Status::error(format("an argument of %u bytes at %u lies outside of the kernel's %u bytes", size, offset,
                                kernel.kernarg_size));
  if (kind.starts_with("hidden_"))
    kernel.hidden[kind] = offset;
  else
    kernel.explicit_size = std::max(kernel.explicit_size.value_or(0), offset + size);
  return Status::ok();
}

Status read_arguments(msgpack::MapDocNode &map, KernelMetadata &kernel) {
  OMPTARGET_TRY_ASSIGN(auto arguments, member(map, ".args"));
  if (!arguments) {
    if (kernel.kernarg_size == 0)
      kernel.explicit_size = 0;
    return Status::ok();
  }
  if (!arguments->isArray())
    return Status::error(".args is no list");
  kernel.explicit_size = 0;
  for (msgpack::DocNode &argument : arguments->getArray())
    OMPTARGET_TRY(read_argument(argument, kernel));
  return Status::ok();
}

Status read_kernel(msgpack::DocNode &node, std::string &name, KernelMetadata &kernel) {
  if (!node.isMap())
    return Status::error("a kernel is no map");
  msgpack::MapDocNode &map = node.getMap();
  OMPTARGET_TRY(read_text(map, ".name", name));
  const struct {
    const char *name;
    uint32_t *value;
  } numbers[] = {
      {".kernarg_segment_size", &kernel.kernarg_size},
      {".kernarg_segment_align", &kernel.kernarg_alignment},
      {".group_segment_fixed_size", &kernel.group_size},
      {".private_segment_fixed_size", &kernel.private_size},
      {".wavefront_size", &kernel.wavefront_size},
      {".max_flat_workgroup_size", &kernel.max_threads},
  };
  for (const auto &number : numbers)
    OMPTARGET_TRY_DURING(read_number(map, number.name, *number.value), "kernel %s", name.c_str());
  OMPTARGET_TRY_ASSIGN(const auto stack, member(map, ".uses_dynamic_stack"));
  kernel.has_dynamic_stack = stack && stack->getKind() == msgpack::Type::Boolean && stack->getBool();
  constexpr uint32_t kLargestAlignment = 4096;
  if (kernel.kernarg_alignment > kLargestAlignment || (kernel.kernarg_alignment & (kernel.kernarg_alignment - 1)) != 0)
    return Status::error(format("kernel %s: arguments aligned to %u bytes", name.c_str(), kernel.kernarg_alignment));
  OMPTARGET_TRY_DURING(read_arguments(map, kernel), "kernel %s", name.c_str());
  return Status::ok();
}

Result<CodeObjectMetadata> read_document(std::string_view bytes) {
  msgpack::Document document;
  if (!document.readFromBlob(llvm::StringRef(bytes.data(), bytes.size()), false) || !document.getRoot().isMap())
    return Status::error(format("the %zu bytes of its metadata are no MessagePack map", bytes.size()));
  CodeObjectMetadata kernels;
  OMPTARGET_TRY_ASSIGN(auto list, member(document.getRoot().getMap(), "amdhsa.kernels"));
  if (!list)
    return kernels;
  if (!list->isArray())
    return Status::error("amdhsa.kernels is no list");
  for (msgpack::DocNode &node : list->getArray()) {
    std::string name;
    KernelMetadata kernel;
    OMPTARGET_TRY(read_kernel(node, name, kernel));
    kernels[name] = std::move(kernel);
  }
  return kernels;
}

} // namespace

Result<CodeObjectMetadata> read_metadata(const ElfImage &elf) {
  for (const ElfSection &section : elf.sections()) {
    if (section.type != SHT_NOTE)
      continue;
    const std::string_view metadata = metadata_in(section.contents);
    if (metadata.empty())
      continue;
    Result<CodeObjectMetadata> kernels = read_document(metadata);
    if (!kernels)
      return kernels.take_status().during("while reading the metadata of a code object");
    return kernels;
  }
  return CodeObjectMetadata();
}

ImplicitLayout ImplicitLayout::of(CodeObjectVersion version, uint32_t kernarg_size, uint32_t explicit_size) {
  const uint32_t offset = (explicit_size + 7) & ~uint32_t{7};
  const uint32_t rest = kernarg_size > offset ? kernarg_size - offset : 0;
  return {version, offset, std::min(rest, version == CodeObjectVersion::kV4 ? kSizeV4 : kSizeV5)};
}

std::optional<uint32_t> ImplicitLayout::offset_of(const std::string &name) const {
  const Field *field = field_of(version, name);
  if (!field || field->offset + field->size > size)
    return std::nullopt;
  return offset + field->offset;
}

void ImplicitLayout::write(void *arguments, const ImplicitValues &values) const {
  char *block = static_cast<char *>(arguments) + offset;
  const auto put = [&](const char *name, const void *value) {
    if (const Field *field = field_of(version, name); field && field->offset + field->size <= size)
      std::memcpy(block + field->offset, value, field->size);
  };
  put("hidden_block_count_x", &values.blocks[0]);
  put("hidden_block_count_y", &values.blocks[1]);
  put("hidden_block_count_z", &values.blocks[2]);
  put("hidden_group_size_x", &values.threads[0]);
  put("hidden_group_size_y", &values.threads[1]);
  put("hidden_group_size_z", &values.threads[2]);
  put("hidden_grid_dims", &values.dimensions);
  put("hidden_dynamic_lds_size", &values.dynamic_group_size);
  put("hidden_queue_ptr", &values.queue);
}

} // namespace omptarget::amdgpu
