// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices a code object is for: processors, generic targets, the features xnack and sramecc.

#include "amdgpu/image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace omptarget::amdgpu {

namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiHsa = 64;

struct Processor {
  uint32_t number; ///< e_flags & 0xff
  const char *name;
  const char *generic; ///< the generic target that runs there, or null; for a generic target itself: null
};

constexpr const char *kGfx9 = "gfx9-generic", *kGfx94 = "gfx9-4-generic", *kGfx101 = "gfx10-1-generic",
                     *kGfx103 = "gfx10-3-generic", *kGfx11 = "gfx11-generic", *kGfx12 = "gfx12-generic";

constexpr Processor kProcessors[] = {
    {0x20, "gfx600", nullptr},  {0x21, "gfx601", nullptr},  {0x3a, "gfx602", nullptr},  {0x22, "gfx700", nullptr},
    {0x23, "gfx701", nullptr},  {0x24, "gfx702", nullptr},  {0x25, "gfx703", nullptr},  {0x26, "gfx704", nullptr},
    {0x3b, "gfx705", nullptr},  {0x28, "gfx801", nullptr},  {0x29, "gfx802", nullptr},  {0x2a, "gfx803", nullptr},
    {0x3c, "gfx805", nullptr},  {0x2b, "gfx810", nullptr},  {0x2c, "gfx900", kGfx9},    {0x2d, "gfx902", kGfx9},
    {0x2e, "gfx904", kGfx9},    {0x2f, "gfx906", kGfx9},    {0x30, "gfx908", nullptr},  {0x31, "gfx909", kGfx9},
    {0x32, "gfx90c", kGfx9},    {0x3f, "gfx90a", nullptr},  {0x40, "gfx940", kGfx94},   {0x4b, "gfx941", kGfx94},
    {0x4c, "gfx942", kGfx94},   {0x4f, "gfx950", kGfx94},   {0x33, "gfx1010", kGfx101}, {0x34, "gfx1011", kGfx101},
    {0x35, "gfx1012", kGfx101}, {0x42, "gfx1013", kGfx101}, {0x36, "gfx1030", kGfx103}, {0x37, "gfx1031", kGfx103},
    {0x38, "gfx1032", kGfx103}, {0x39, "gfx1033", kGfx103}, {0x3e, "gfx1034", kGfx103}, {0x3d, "gfx1035", kGfx103},
    {0x45, "gfx1036", kGfx103}, {0x41, "gfx1100", kGfx11},  {0x46, "gfx1101", kGfx11},  {0x47, "gfx1102", kGfx11},
    {0x44, "gfx1103", kGfx11},  {0x43, "gfx1150", kGfx11},  {0x4a, "gfx1151", kGfx11},  {0x55, "gfx1152", kGfx11},
    {0x58, "gfx1153", kGfx11},  {0x48, "gfx1200", kGfx12},  {0x4e, "gfx1201", kGfx12},  {0x51, kGfx9, nullptr},
    {0x5f, kGfx94, nullptr},    {0x52, kGfx101, nullptr},   {0x53, kGfx103, nullptr},   {0x54, kGfx11, nullptr},
    {0x59, kGfx12, nullptr},
};

const Processor *find_processor(uint32_t number) {
  for (const Processor &processor : kProcessors)
    if (processor.number == number)
      return &processor;
  return nullptr;
}

const Processor *find_processor(std::string_view name) {
  for (const Processor &processor : kProcessors)
    if (name == processor.name)
      return &processor;
  return nullptr;
}

Feature feature_of(uint32_t bits) {
  constexpr Feature kFeatures[] = {Feature::kUnsupported, Feature::kAny, Feature::kOff, Feature::kOn};
  return kFeatures[bits & 3];
}

// An image that leaves a feature open runs on devices with it on and off.
bool allows(Feature image, Feature device) {
  return image == Feature::kUnsupported || image == Feature::kAny || image == device;
}

bool is_definite(Feature feature) { return feature == Feature::kOn || feature == Feature::kOff; }

std::string feature_text(const char *name, Feature feature) {
  return is_definite(feature) ? format(":%s%c", name, feature == Feature::kOn ? '+' : '-') : std::string();
}

bool is_generic(std::string_view processor) { return processor.ends_with("-generic"); }

} // namespace

std::string TargetId::name() const {
  return processor + feature_text("sramecc", sramecc) + feature_text("xnack", xnack);
}

Result<TargetId> TargetId::parse(std::string_view text) {
  const std::string whole(text);
  if (const size_t dashes = text.rfind("--"); dashes != std::string_view::npos)
    text.remove_prefix(dashes + 2);
  TargetId target;
  target.processor = std::string(text.substr(0, text.find(':')));
  if (!find_processor(target.processor))
    return Status::error(format("'%s' is of no known processor", whole.c_str()));
  for (size_t colon = text.find(':'); colon != std::string_view::npos;) {
    const size_t end = text.find(':', colon + 1);
    const std::string_view word = text.substr(colon + 1, end == std::string_view::npos ? end : end - colon - 1);
    const Feature value = word.ends_with('+') ? Feature::kOn : word.ends_with('-') ? Feature::kOff : Feature::kAny;
    const std::string_view feature = word.substr(0, word.empty() ? 0 : word.size() - 1);
    if (value == Feature::kAny || (feature != "xnack" && feature != "sramecc"))
      return Status::error(format("'%s': '%s' is neither xnack+, xnack-, sramecc+ nor sramecc-", whole.c_str(),
                                  std::string(word).c_str()));
    (feature == "xnack" ? target.xnack : target.sramecc) = value;
    colon = end;
  }
  return target;
}

std::string ImageTarget::name() const {
  return format("%s (code object V%u)", target.name().c_str(), static_cast<unsigned>(version));
}

int ImageTarget::rank(const TargetId &device) const {
  constexpr int kSpecific = 10;
  if (!allows(target.xnack, device.xnack) || !allows(target.sramecc, device.sramecc))
    return 0;
  const int features = (is_definite(target.xnack) ? 1 : 0) + (is_definite(target.sramecc) ? 1 : 0);
  if (target.processor == device.processor)
    return kSpecific + features;
  const Processor *processor = find_processor(device.processor);
  const bool fits = processor && processor->generic && target.processor == processor->generic;
  return fits ? 1 + features : 0;
}

Result<ImageTarget> read_image_target(const void *image, size_t size) {
  OMPTARGET_TRY_ASSIGN(const ElfHeader header, ElfHeader::read(image, size));
  if (header.machine != kMachineAmdgpu)
    return Status::error(format("an ELF file for machine %u instead of %u", header.machine, kMachineAmdgpu));
  if (header.os_abi != kOsAbiHsa)
    return Status::error(format("a code object for OS ABI %u instead of %u (HSA)", header.os_abi, kOsAbiHsa));
  if (header.type != ET_DYN && header.type != ET_EXEC)
    return Status::error(format("a code object of ELF type %u that is not linked", header.type));
  if (header.abi_version < 2 || header.abi_version > 4)
    return Status::error(format("a code object with ELF ABI version %u; known are 2 (V4), 3 (V5) and 4 (V6)",
                                header.abi_version));
  const Processor *processor = find_processor(header.flags & 0xff);
  if (!processor)
    return Status::error(format("a code object for an unknown processor (e_flags %#x)", header.flags));
  ImageTarget target;
  target.version = static_cast<CodeObjectVersion>(header.abi_version + 2);
  target.target = {processor->name, feature_of(header.flags >> 8), feature_of(header.flags >> 10)};
  target.generic_version = header.flags >> 24;
  if (is_generic(processor->name) != (target.generic_version != 0))
    return Status::error(format("a code object for %s with version %u of a generic target", processor->name,
                                target.generic_version));
  return target;
}

} // namespace omptarget::amdgpu
