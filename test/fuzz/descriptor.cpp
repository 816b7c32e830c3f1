// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is a part of this program: its descriptor comes first in the input, and all that it points to lies behind
// it. A damaged one may point to anything in the program, AddressSanitizer's gaps between variables too: they are
// opened.

#include <cstring>
#include <sanitizer/asan_interface.h>

#include "image/image_copy.h"
#include "image/image_facts.h"
#include "image/offload_library.h"
#include "target.h"
#include "test/unit/image/container_bytes.h"

namespace omptarget::fuzz {

namespace {

constexpr size_t kRoom = 1 << 20;
constexpr size_t kUsed = 1 << 16;
alignas(4096) char module[kRoom];

void open_gaps_between_variables() {
  if (const std::optional<ModuleBounds> bounds = module_of(module))
    for (const AddressRange &segment : bounds->segments)
      ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<const void *>(segment.begin), segment.end - segment.begin);
}

template <typename T> T *place(uint64_t offset) { return reinterpret_cast<T *>(kPlace + offset); }

} // namespace

std::vector<std::string> seeds(int, char **) {
  std::vector<std::string> all;
  const std::vector<std::byte> container = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  for (const bool is_new : {false, true}) {
    const uint64_t entries = 96;
    const uint64_t end = entries + (is_new ? 2 * sizeof(__tgt_offload_entry_v1) : 2 * sizeof(__tgt_offload_entry));
    const auto *begin = place<__tgt_offload_entry>(entries);
    const __tgt_bin_desc descriptor{2, place<__tgt_device_image>(32), const_cast<__tgt_offload_entry *>(begin),
                                    place<__tgt_offload_entry>(end)};
    const __tgt_device_image image{place<void>(end), place<void>(end + container.size()), descriptor.HostEntriesBegin,
                                   descriptor.HostEntriesEnd};
    std::string bytes;
    append(bytes, descriptor);
    append(bytes, image);
    append(bytes, image);
    for (int i = 0; i < 2; ++i)
      if (is_new)
        append(bytes, __tgt_offload_entry_v1{0, 1, 1, 0, place<void>(8), place<char>(1000), 8, 0, nullptr});
      else
        append(bytes, __tgt_offload_entry{place<void>(8), place<char>(1000), 8, 0, 0});
    bytes.append(reinterpret_cast<const char *>(container.data()), container.size());
    all.push_back(bytes);
  }
  return all;
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  static const bool is_open = (open_gaps_between_variables(), true);
  (void)is_open;
  size = std::min(size, kUsed);
  std::memset(module, 0, kUsed);
  std::memcpy(module, data, size);
  resolve_places(module, size, module, kRoom);
  Result<std::unique_ptr<OffloadLibrary>> library = read_descriptor(reinterpret_cast<__tgt_bin_desc *>(module));
  if (!library.is_ok()) {
    require(library.status().to_string().find("its descriptor is damaged") != std::string::npos, "the module is named");
    return 0;
  }
  for (const DeviceImage &image : (*library)->images) {
    require(image.defect.empty() ? image.size() > 0 : image.size() == 0, "an image has bytes or a defect");
    ImageCopy copy(image);
    (void)image_facts(copy.bytes());
    require(copy.entries().size() <= (*library)->entries.size(), "an image has a part of the entries");
  }
  return 0;
}
