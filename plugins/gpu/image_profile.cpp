// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/image_profile.h"

#include <algorithm>
#include <cinttypes>
#include <elf.h>
#include <utility>

#include "base/log.h"
#include "base/text_output.h"
#include "common/boundary.h"
#include "gpu/device.h"
#include "gpu/profile_file.h"

namespace omptarget::gpu {

namespace {

struct Bounds {
  uint64_t begin, end;
};
/// As it lies on the device.
struct ProfileSections {
  Bounds names, counters, records, uniform_counters;
  uint64_t version; ///< address of it
};

/// The addresses of the device that are the image's.
class ImageBytes {
public:
  ImageBytes(Device &device, Bounds bounds) : device_(device), bounds_(bounds) {}

  Status read(const char *what, Bounds range, void *bytes) const {
    if (range.begin < bounds_.begin || range.end > bounds_.end || range.begin > range.end)
      return Status::error(
          format("%s lies from 0x%" PRIx64 " to 0x%" PRIx64 ", outside of the image", what, range.begin, range.end));
    OMPTARGET_TRY_DURING(device_.retrieve(bytes, range.begin, range.end - range.begin, nullptr), "while reading %s",
                         what);
    return Status::ok();
  }

  Status read(const char *name, Bounds range, ProfileData::Section &section) const {
    if (range.begin == range.end) // there is none
      return Status::ok();
    section.address = range.begin;
    section.bytes.resize(std::min(range.end - range.begin, bounds_.end - bounds_.begin));
    return read(name, range, section.bytes.data());
  }

private:
  Device &device_;
  const Bounds bounds_;
};

Result<ProfileData> read_profile(Device &device, const Image &image, const ProfilePlace &place) {
  ProfileSections sections{};
  OMPTARGET_TRY_ASSIGN(const auto table, image.find_global(kProfileSectionsName));
  if (!table || table->size != sizeof(sections))
    return Status::error(
        format("%s has %zu bytes; known are %zu", kProfileSectionsName, table ? table->size : 0, sizeof(sections)));
  const ImageBytes bytes(device, {table->address - place.before, table->address + place.behind});
  OMPTARGET_TRY(bytes.read(kProfileSectionsName, {table->address, table->address + table->size}, &sections));
  ProfileData data;
  OMPTARGET_TRY(
      bytes.read("the format's version", {sections.version, sections.version + sizeof(data.version)}, &data.version));
  OMPTARGET_TRY(bytes.read("__llvm_prf_names", sections.names, data.names));
  OMPTARGET_TRY(bytes.read("__llvm_prf_cnts", sections.counters, data.counters));
  OMPTARGET_TRY(bytes.read("__llvm_prf_data", sections.records, data.records));
  OMPTARGET_TRY(bytes.read("__llvm_prf_ucnts", sections.uniform_counters, data.uniform_counters));
  return data;
}

void print_counters(const Device &device, const RawProfile &profile) {
  for (const FunctionCounters &function : functions_of(profile)) {
    std::string counters;
    for (const uint64_t counter : function.counters)
      counters += format(" %" PRIu64, counter);
    omptarget::print_info(device.number(), "profile: function 0x%016" PRIx64 ":%s", function.name_hash,
                          counters.c_str());
  }
}

Status save(Device &device, const Image &image, const ProfilePlace &place, bool prints) {
  OMPTARGET_TRY_ASSIGN(ProfileData data, read_profile(device, image, place));
  OMPTARGET_TRY_ASSIGN(const RawProfile profile, make_raw_profile(std::move(data)));
  if (prints)
    print_counters(device, profile);
  OMPTARGET_TRY_ASSIGN(const std::string path, write_profile(profile, kVendor.triple));
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "the image's profile is in %s", path.c_str());
  return Status::ok();
}

} // namespace

std::optional<ProfilePlace> find_profile(const ElfImage &elf) {
  const ElfSymbol *const table = elf.find(kProfileSectionsName);
  if (!table)
    return std::nullopt;
  uint64_t first = table->value, last = table->value;
  const auto add = [&](uint64_t address, uint64_t size) {
    if (address == 0 || address + size < address)
      return;
    first = std::min(first, address);
    last = std::max(last, address + size);
  };
  add(table->value, table->size);
  for (const ElfSection &section : elf.sections())
    add(section.address, section.contents.size());
  for (const ElfSymbol &symbol : elf.symbols()) // includes sections that have no bytes in the file
    if (symbol.type == STT_OBJECT)
      add(symbol.value, symbol.size);
  return ProfilePlace{table->value - first, last - table->value};
}

void save_profile(Device &device, const Image &image, const ProfilePlace &place, bool prints) {
  if (Status status = save(device, image, place, prints); !status)
    write_error_line(
        format("omptarget warning: device %d: the counters of an image's code (-fprofile-generate) are lost: %s",
               device.number(), status.to_string().c_str()));
}

} // namespace omptarget::gpu
