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

/// A file in memory that holds one image, which the dynamic linker maps. Debuggers find it by its descriptor, so
/// those of the first images stay open as long as these are loaded: 64 at most, and a sixteenth of what the process
/// may have. If the program closes such a descriptor, nothing but that is lost. LIBOMPTARGET_KEEP_IMAGES makes it a
/// file that stays. Movable; not shared between threads.
class ImageFile {
public:
  /// bytes are copied. The descriptor is closed on exec.
  static Result<ImageFile> create(std::string_view bytes);

  ImageFile(ImageFile &&other) noexcept { *this = std::move(other); }
  ImageFile &operator=(ImageFile &&other) noexcept;
  ~ImageFile();

  /// For dlopen.
  const std::string &path() const { return path_; }
  /// To be called once the image is loaded: removes what is visible in the file system, and closes the file unless it
  /// is kept for debuggers.
  void release();

private:
  ImageFile() = default;
  Status create_in_memory(std::string_view bytes);
  Status create_temporary(std::string_view bytes);
  Status create_kept(const char *folder, std::string_view bytes);
  Status check_use() const;
  void remove_name();
  void close_file();

  int file_ = -1;
  dev_t device_ = 0; ///< with inode_: whether file_ is still ours
  ino_t inode_ = 0;
  bool is_temporary_ = false;
  bool is_kept_ = false;     ///< for debuggers
  bool is_to_close_ = false; ///< its name stays, so that debuggers need no descriptor
  std::string path_;
};

/// A path that leads to the descriptor and that no earlier call has returned. glibc looks for a loaded object by name
/// first, so that a descriptor number used again would give the image loaded before.
std::string unique_path_of(int file);

} // namespace omptarget::host
