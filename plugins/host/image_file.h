// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the bytes of an image to the dynamic linker under a name that was never used before, without leaving a file.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/status.h"

namespace omptarget::host {

/// A file in memory that holds one image. It stays open as long as the image is loaded, so that debuggers can read it;
/// if the program closes our descriptor, nothing but that is lost. Movable; not shared between threads.
class ImageFile {
public:
  /// bytes are copied. The descriptor is closed on exec.
  static Result<ImageFile> create(std::string_view bytes);

  ImageFile(ImageFile &&other) noexcept { *this = std::move(other); }
  ImageFile &operator=(ImageFile &&other) noexcept;
  ~ImageFile();

  /// For dlopen.
  const std::string &path() const { return path_; }
  /// To be called once the image is loaded: removes what is visible in the file system.
  void hide();

private:
  ImageFile() = default;
  Status create_in_memory(std::string_view bytes);
  Status create_temporary(std::string_view bytes);
  bool is_usable() const;
  void close_file();

  int file_ = -1;
  dev_t device_ = 0; ///< with inode_: whether file_ is still ours
  ino_t inode_ = 0;
  bool is_temporary_ = false;
  std::string path_;
};

/// A path that leads to the descriptor and that no earlier call has returned. glibc looks for a loaded object by name
/// first, so that a descriptor number used again would give the image loaded before.
std::string unique_path_of(int file);

} // namespace omptarget::host
