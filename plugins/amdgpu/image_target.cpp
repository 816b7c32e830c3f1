// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices a code object is for: processors, generic targets, the features xnack and sramecc.

#include "amdgpu/image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include "common/elf_image.h"
#include "generations/amdgpu_processors.h"

namespace omptarget::amdgpu {

namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiHsa = 64;

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
  if (!find_amdgpu_processor(target.processor))
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
  const AmdgpuProcessor *processor = find_amdgpu_processor(device.processor);
  const bool fits = processor && !processor->generic.empty() && target.processor == processor->generic;
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
    return Status::error(
        format("a code object with ELF ABI version %u; known are 2 (V4), 3 (V5) and 4 (V6)", header.abi_version));
  const AmdgpuProcessor *processor = find_amdgpu_processor(header.flags & 0xff);
  if (!processor)
    return Status::error(format("a code object for an unknown processor (e_flags %#x)", header.flags));
  ImageTarget target;
  target.version = static_cast<CodeObjectVersion>(header.abi_version + 2);
  target.target = {std::string(processor->name), feature_of(header.flags >> 8), feature_of(header.flags >> 10)};
  target.generic_version = header.flags >> 24;
  if (is_generic(processor->name) != (target.generic_version != 0))
    return Status::error(format("a code object for %s with version %u of a generic target",
                                target.target.processor.c_str(), target.generic_version));
  return target;
}

} // namespace omptarget::amdgpu
