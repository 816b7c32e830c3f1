// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/gzip.h"

#include <algorithm>
#include <zlib.h>

#include "base/format.h"

namespace omptarget::observe {

namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, with the head and the tail of gzip
constexpr int kLevel = 4;            // nearly as small as by the default level 6, in half the time
constexpr size_t kStep = size_t{1} << 30;
constexpr size_t kBuffer = size_t{1} << 16;

/// zlib takes lengths of 32 bits, and does not write what it is given to read.
void give(z_stream &stream, std::string_view &bytes) {
  if (stream.avail_in != 0)
    return;
  const std::string_view part = bytes.substr(0, kStep);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(part.data()));
  stream.avail_in = static_cast<uInt>(part.size());
  bytes.remove_prefix(part.size());
}

/// Runs zlib's step once, and appends what it has made.
template <typename Step> int append(z_stream &stream, std::string &result, Step step) {
  char buffer[kBuffer];
  stream.next_out = reinterpret_cast<Bytef *>(buffer);
  stream.avail_out = kBuffer;
  const int status = step(&stream);
  result.append(buffer, kBuffer - stream.avail_out);
  return status;
}

} // namespace

bool is_gzip_name(std::string_view path) { return path.ends_with(".gz"); }

Result<std::string> compress_gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int kDefaultMemory = 8;
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kDefaultMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return Status::error("there is no memory to compress with");
  std::string result;
  int status = Z_OK;
  while (status == Z_OK) {
    give(stream, bytes);
    status = append(stream, result, [&](z_stream *to) { return deflate(to, bytes.empty() ? Z_FINISH : Z_NO_FLUSH); });
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END)
    return Status::error(format("zlib fails to compress with status %d", status));
  return result;
}

Result<std::string> decompress_gzip(std::string contents, size_t most_bytes) {
  if (!contents.starts_with(kMagic))
    return contents;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK)
    return Status::error("there is no memory to decompress with");
  std::string_view bytes = contents;
  std::string result;
  int status = Z_OK;
  while (status == Z_OK && result.size() <= most_bytes) {
    give(stream, bytes);
    status = append(stream, result, [](z_stream *to) { return inflate(to, Z_NO_FLUSH); });
    // Several compressed files one after the other are one.
    if (status == Z_STREAM_END && stream.avail_in + bytes.size() != 0)
      status = inflateReset(&stream);
  }
  const std::string message = stream.msg ? stream.msg : "it ends too early";
  inflateEnd(&stream);
  if (result.size() > most_bytes)
    return Status::error(format("decompresses to more than %zu bytes, the most that a profile has", most_bytes));
  if (status != Z_STREAM_END)
    return Status::error("is damaged: " + message);
  return result;
}

} // namespace omptarget::observe
