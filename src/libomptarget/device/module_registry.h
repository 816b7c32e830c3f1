// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules that are registered, with their images, and what they require together. Knows of no plugin and no device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "image/image_copy.h"
#include "image/image_facts.h"
#include "image/offload_library.h"

namespace omptarget {

/// Any thread. No function waits for anything but the registry's own lock, under which images are copied: a thread that
/// closes a module holds the dynamic loader's lock, for which threads that load plugins and images wait.
class ModuleRegistry {
public:
  /// Fails if the descriptor is unusable (then nothing is registered), or if the module contradicts itself or what
  /// another one requires (then it is registered all the same).
  Status add(const __tgt_bin_desc *descriptor);
  /// The module of that descriptor, or null if it is not registered.
  std::shared_ptr<OffloadLibrary> find(const __tgt_bin_desc *descriptor);
  /// Takes the module out, if it is registered.
  void remove(const std::shared_ptr<OffloadLibrary> &library);

  /// A requires mask of the module that holds the address (compilers up to 16). Fails if it contradicts another
  /// module's.
  Status add_requires(int64_t mask, const void *address);
  /// Union of the masks of all modules.
  uint64_t requires_mask() const { return requires_mask_.load(std::memory_order_relaxed); }
  bool requires_unified_shared_memory() const {
    return (requires_mask() & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) != 0;
  }

  /// Number of modules registered so far.
  uint32_t generation() const { return generation_.load(std::memory_order_acquire); }

  std::vector<std::shared_ptr<OffloadLibrary>> libraries();
  bool has(const OffloadLibrary &library);
  /// The modules that nobody has taken yet.
  std::vector<std::shared_ptr<OffloadLibrary>> new_libraries();
  /// Takes these; returns those that were there still.
  std::vector<std::shared_ptr<OffloadLibrary>> take(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries);
  /// The module whose entry table has this address, or null.
  std::shared_ptr<OffloadLibrary> library_of(const void *host_id);
  /// Says what an indirect function or vtable of some module is: "f is in the image of libX.so". Empty if no module
  /// has it.
  std::string describe_indirect(const void *function);

  /// A copy of the module's image, or nothing if the module is not registered any more or the image has a defect.
  std::optional<ImageCopy> copy_image(const std::shared_ptr<OffloadLibrary> &library, size_t index);
  /// A copy of the image as the module holds it, maybe in a container; nothing as above.
  std::optional<std::vector<std::byte>> copy_embedded(const std::shared_ptr<OffloadLibrary> &library, size_t index);
  /// Returns the facts in the image's headers; nothing as above.
  std::optional<ImageFacts> facts_of(const std::shared_ptr<OffloadLibrary> &library, size_t index);
  /// Returns the architecture of the image as text: "sm_90", with what keeps it from being used, or what is damaged.
  std::string architecture_of(const std::shared_ptr<OffloadLibrary> &library, size_t index);

  std::mutex &mutex_for_fork() { return tables_.mutex_for_fork(); }

private:
  struct RequiresSource {
    std::string module;
    uint64_t mask;
  };
  struct Tables {
    std::vector<std::shared_ptr<OffloadLibrary>> libraries;
    std::vector<std::shared_ptr<OffloadLibrary>> added; ///< those that take() has not returned
    std::vector<RequiresSource> requires_sources;

    /// The image if it is registered and has no defect; valid while the lock is held.
    const DeviceImage *sound_image(const std::shared_ptr<OffloadLibrary> &library, size_t index) const;
  };

  Status note_requires(const std::string &module, uint64_t mask);
  void forget_requires(Tables &tables, const std::string &module);

  Guarded<Tables> tables_;
  std::atomic<uint64_t> requires_mask_{0};
  std::atomic<uint32_t> generation_{0};
};

} // namespace omptarget
