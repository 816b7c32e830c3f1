// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/metadata.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <vector>

#include "llvm/BinaryFormat/MsgPackReader.h"

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
    {"hidden_block_count_x", 0, 4},       {"hidden_block_count_y", 4, 4},      {"hidden_block_count_z", 8, 4},
    {"hidden_group_size_x", 12, 2},       {"hidden_group_size_y", 14, 2},      {"hidden_group_size_z", 16, 2},
    {"hidden_remainder_x", 18, 2},        {"hidden_remainder_y", 20, 2},       {"hidden_remainder_z", 22, 2},
    {"hidden_global_offset_x", 40, 8},    {"hidden_global_offset_y", 48, 8},   {"hidden_global_offset_z", 56, 8},
    {"hidden_grid_dims", 64, 2},          {"hidden_printf_buffer", 72, 8},     {"hidden_hostcall_buffer", 80, 8},
    {"hidden_multigrid_sync_arg", 88, 8}, {"hidden_heap_v1", 96, 8},           {"hidden_default_queue", 104, 8},
    {"hidden_completion_action", 112, 8}, {"hidden_dynamic_lds_size", 120, 4}, {"hidden_private_base", 192, 4},
    {"hidden_shared_base", 196, 4},       {"hidden_queue_ptr", 200, 8},
};

constexpr uint32_t kSizeV4 = 56;
constexpr Field kFieldsV4[] = {
    {"hidden_global_offset_x", 0, 8},     {"hidden_global_offset_y", 8, 8}, {"hidden_global_offset_z", 16, 8},
    {"hidden_hostcall_buffer", 24, 8},    {"hidden_default_queue", 32, 8},  {"hidden_completion_action", 40, 8},
    {"hidden_multigrid_sync_arg", 48, 8},
};

template <typename Fields> constexpr const Field *find_field(const Fields &fields, std::string_view name) {
  for (const Field &field : fields)
    if (name == field.name)
      return &field;
  return nullptr;
}

const Field *field_of(CodeObjectVersion version, std::string_view name) {
  return version == CodeObjectVersion::kV4 ? find_field(kFieldsV4, name) : find_field(kFieldsV5, name);
}

// Fields that launches write since version 5: three of a kind lie behind one another.
constexpr const Field &kBlockCounts = *find_field(kFieldsV5, "hidden_block_count_x");
constexpr const Field &kGroupSizes = *find_field(kFieldsV5, "hidden_group_size_x");
constexpr const Field &kGridDimensions = *find_field(kFieldsV5, "hidden_grid_dims");
constexpr const Field &kDynamicGroupSize = *find_field(kFieldsV5, "hidden_dynamic_lds_size");
constexpr const Field &kQueue = *find_field(kFieldsV5, "hidden_queue_ptr");

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

// ---- The document. LLVM's tree of it trusts its bytes, its reader does not.

class Parser {
public:
  explicit Parser(std::string_view bytes) : reader_(llvm::StringRef(bytes.data(), bytes.size())) {}

  Result<msgpack::Object> next() {
    msgpack::Object object;
    llvm::Expected<bool> more = reader_.read(object);
    if (!more) {
      llvm::consumeError(more.takeError());
      return Status::error("its metadata is no MessagePack");
    }
    if (!*more)
      return Status::error("its metadata ends too early");
    return object;
  }

  Result<uint32_t> number(const char *name) {
    OMPTARGET_TRY_ASSIGN(const msgpack::Object object, next());
    if (object.Kind != msgpack::Type::UInt || object.UInt > UINT32_MAX)
      return Status::error(format("%s is no number of 32 bits", name));
    return static_cast<uint32_t>(object.UInt);
  }

  Result<std::string> text(const char *name) {
    OMPTARGET_TRY_ASSIGN(const msgpack::Object object, next());
    if (object.Kind != msgpack::Type::String)
      return Status::error(format("%s is no text", name));
    return object.Raw.str();
  }

  /// Calls member(key) for each member; it must read the value.
  template <typename Member> Status map(const char *name, Member member) {
    OMPTARGET_TRY_ASSIGN(const msgpack::Object object, next());
    if (object.Kind != msgpack::Type::Map)
      return Status::error(format("%s is no map", name));
    for (size_t i = 0; i < object.Length; ++i) {
      OMPTARGET_TRY_ASSIGN(const std::string key, text("the name of a member"));
      OMPTARGET_TRY(member(key));
    }
    return Status::ok();
  }

  template <typename Element> Status list(const char *name, Element element) {
    OMPTARGET_TRY_ASSIGN(const msgpack::Object object, next());
    if (object.Kind != msgpack::Type::Array)
      return Status::error(format("%s is no list", name));
    for (size_t i = 0; i < object.Length; ++i)
      OMPTARGET_TRY(element());
    return Status::ok();
  }

  Status skip() {
    for (uint64_t open = 1; open != 0; --open) {
      OMPTARGET_TRY_ASSIGN(const msgpack::Object object, next());
      if (object.Kind == msgpack::Type::Array)
        open += object.Length;
      else if (object.Kind == msgpack::Type::Map)
        open += 2 * object.Length;
    }
    return Status::ok();
  }

private:
  msgpack::Reader reader_;
};

struct Argument {
  std::string kind;
  uint32_t offset = 0;
  uint32_t size = 0;
};

Status read_argument(Parser &parser, std::vector<Argument> &arguments) {
  Argument argument;
  OMPTARGET_TRY(parser.map("an argument", [&](const std::string &key) -> Status {
    if (key == ".value_kind") {
      OMPTARGET_TRY_ASSIGN(argument.kind, parser.text(".value_kind"));
    } else if (key == ".offset") {
      OMPTARGET_TRY_ASSIGN(argument.offset, parser.number(".offset"));
    } else if (key == ".size") {
      OMPTARGET_TRY_ASSIGN(argument.size, parser.number(".size"));
    } else {
      return parser.skip();
    }
    return Status::ok();
  }));
  arguments.push_back(std::move(argument));
  return Status::ok();
}

Status place_arguments(const std::vector<Argument> &arguments, KernelMetadata &kernel) {
  kernel.explicit_size = 0;
  for (const Argument &argument : arguments) {
    if (argument.size > kernel.kernarg_size || argument.offset > kernel.kernarg_size - argument.size)
      return Status::error(format("an argument of %u bytes at %u lies outside of the kernel's %u bytes", argument.size,
                                  argument.offset, kernel.kernarg_size));
    if (argument.kind.starts_with("hidden_"))
      kernel.hidden[argument.kind] = argument.offset;
    else
      kernel.explicit_size = std::max(*kernel.explicit_size, argument.offset + argument.size);
  }
  return Status::ok();
}

Status read_member(Parser &parser, const std::string &key, KernelMetadata &kernel) {
  const struct {
    const char *name;
    uint32_t *value;
  } numbers[] = {
      {".kernarg_segment_size", &kernel.kernarg_size},   {".kernarg_segment_align", &kernel.kernarg_alignment},
      {".group_segment_fixed_size", &kernel.group_size}, {".private_segment_fixed_size", &kernel.private_size},
      {".wavefront_size", &kernel.wavefront_size},       {".max_flat_workgroup_size", &kernel.max_threads},
  };
  for (const auto &number : numbers)
    if (key == number.name) {
      OMPTARGET_TRY_ASSIGN(*number.value, parser.number(number.name));
      return Status::ok();
    }
  if (key != ".uses_dynamic_stack")
    return parser.skip();
  OMPTARGET_TRY_ASSIGN(const msgpack::Object object, parser.next());
  kernel.has_dynamic_stack = object.Kind == msgpack::Type::Boolean && object.Bool;
  return Status::ok();
}

Status read_kernel(Parser &parser, CodeObjectMetadata &kernels) {
  std::string name;
  KernelMetadata kernel;
  std::optional<std::vector<Argument>> arguments;
  OMPTARGET_TRY(parser.map("a kernel", [&](const std::string &key) -> Status {
    if (key == ".name") {
      OMPTARGET_TRY_ASSIGN(name, parser.text(".name"));
      return Status::ok();
    }
    if (key != ".args")
      return read_member(parser, key, kernel);
    arguments.emplace();
    return parser.list(".args", [&] { return read_argument(parser, *arguments); });
  }));
  constexpr uint32_t kLargestAlignment = 4096;
  if (name.empty())
    return Status::error("a kernel has no name");
  if (kernel.kernarg_alignment > kLargestAlignment || (kernel.kernarg_alignment & (kernel.kernarg_alignment - 1)) != 0)
    return Status::error(format("kernel %s: arguments aligned to %u bytes", name.c_str(), kernel.kernarg_alignment));
  if (arguments || kernel.kernarg_size == 0)
    OMPTARGET_TRY_DURING(place_arguments(arguments ? *arguments : std::vector<Argument>(), kernel), "kernel %s",
                         name.c_str());
  kernels[name] = std::move(kernel);
  return Status::ok();
}

Result<CodeObjectMetadata> read_document(std::string_view bytes) {
  Parser parser(bytes);
  CodeObjectMetadata kernels;
  OMPTARGET_TRY(parser.map("its metadata", [&](const std::string &key) -> Status {
    if (key == "amdhsa.kernels")
      return parser.list("amdhsa.kernels", [&] { return read_kernel(parser, kernels); });
    return parser.skip();
  }));
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
  if (version == CodeObjectVersion::kV4) // which has none of these
    return;
  char *block = static_cast<char *>(arguments) + offset;
  const auto put = [&](const Field &field, const void *value, size_t bytes) {
    if (field.offset + bytes <= size) [[likely]]
      std::memcpy(block + field.offset, value, bytes);
    else if (field.offset < size)
      std::memcpy(block + field.offset, value, size - field.offset);
  };
  put(kBlockCounts, values.blocks, sizeof values.blocks);
  put(kGroupSizes, values.threads, sizeof values.threads);
  put(kGridDimensions, &values.dimensions, sizeof values.dimensions);
  put(kDynamicGroupSize, &values.dynamic_group_size, sizeof values.dynamic_group_size);
  put(kQueue, &values.queue, sizeof values.queue);
}

} // namespace omptarget::amdgpu
