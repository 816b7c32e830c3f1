// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output to stdout and stderr by their names. It is in the unit of the host services, which serve it; for NVIDIA's GPUs
// the driver prints what goes to stdout, as it prints printf's text, and later than the services would.

#include "libc.h"

namespace omptarget::device_rtl::libc {

inline constexpr int32_t kNotAStream = 9; ///< EBADF of Linux

/// What FILE * points to. As zeros it is a buffer that is full for the headers' putc_unlocked, which calls __overflow.
struct File {
  uint64_t contents[27];
};
static File files[2];

/// Returns which of the host's streams it is: the device's own, or an address of the host's.
INLINE uint32_t stream_of(const File *file) {
  const uint64_t *const hosts = gpu::client().streams;
  const auto address = reinterpret_cast<uint64_t>(file);
  if (file == &files[OMPTARGET_SERVICE_STDERR] || (file && address == hosts[OMPTARGET_SERVICE_STDERR]))
    return OMPTARGET_SERVICE_STDERR;
  if (file == &files[OMPTARGET_SERVICE_STDOUT] || (file && address == hosts[OMPTARGET_SERVICE_STDOUT]))
    return OMPTARGET_SERVICE_STDOUT;
  return OMPTARGET_SERVICE_NO_STREAM;
}

#if defined(__NVPTX__)
inline constexpr uint64_t kPart = 256; ///< bytes of text that a thread's stack takes

INLINE int32_t print_text(const char *text) {
  struct {
    const char *text;
  } arguments{text};
  return vprintf("%s", &arguments);
}
/// Prints bytes by the driver, which takes text that ends: each part up to a NUL in one call if there is memory.
static __attribute__((noinline)) void print_bytes(const char *bytes, uint64_t size) {
  char part[kPart + 1];
  for (uint64_t done = 0; done < size;) {
    uint64_t length = 0;
    while (done + length < size && bytes[done + length])
      ++length;
    auto *const large = static_cast<char *>(length > kPart ? malloc(length + 1) : nullptr);
    char *const copy = large ? large : part;
    if (!large)
      length = gpu::smaller(length, kPart);
    for (uint64_t i = 0; i < length; ++i)
      copy[i] = bytes[done + i];
    copy[length] = 0;
    if (length > 0)
      print_text(copy);
    if (large)
      free(large);
    done += length;
    if (done < size && !bytes[done]) {
      struct {
        int32_t letter;
      } arguments{0};
      vprintf("%c", &arguments);
      ++done;
    }
  }
}
#endif

/// Returns how many bytes were written; a text of more than a mebibyte goes in parts.
static __attribute__((noinline)) uint64_t write(const char *bytes, uint64_t size, const File *file) {
  const uint32_t stream = stream_of(file);
  if (stream == OMPTARGET_SERVICE_NO_STREAM)
    *__errno_location() = kNotAStream;
#if defined(__NVPTX__)
  if (stream == OMPTARGET_SERVICE_STDOUT) {
    print_bytes(bytes, size);
    return size;
  }
#endif
  uint64_t done = 0;
  do {
    const uint64_t part = gpu::smaller(size - done, uint64_t{OMPTARGET_SERVICE_MOST_BYTES});
    const uint64_t written = gpu::send_bytes(OMPTARGET_SERVICE_WRITE, stream, bytes + done, part);
    done += written <= part ? written : 0;
    if (written != part)
      break;
  } while (done < size);
  return done;
}

INLINE int32_t write_letter(int32_t letter, const File *file) {
  const auto byte = static_cast<char>(letter);
  return write(&byte, 1, file) == 1 ? static_cast<uint8_t>(letter) : -1;
}
INLINE int32_t write_text(const char *text, const File *file) {
  const uint64_t size = strlen(text);
  return write(text, size, file) == size ? 1 : -1;
}
INLINE uint64_t write_elements(const void *data, uint64_t size, uint64_t count, const File *file) {
  uint64_t bytes = 0;
  if (size == 0 || __builtin_mul_overflow(size, count, &bytes) || bytes == 0)
    return 0;
  return write(static_cast<const char *>(data), bytes, file) / size;
}

static __attribute__((noinline)) int32_t flush(const File *file) {
#if defined(__NVPTX__)
  return file && stream_of(file) == OMPTARGET_SERVICE_NO_STREAM ? -1 : 0;
#else
  const uint32_t stream = file ? stream_of(file) : OMPTARGET_SERVICE_STDOUT;
  return gpu::send_bytes(OMPTARGET_SERVICE_FLUSH, stream, nullptr, 0) == 0 ? 0 : -1;
#endif
}

static __attribute__((noinline)) void print_error(int32_t error, const char *text) {
  gpu::send_bytes(OMPTARGET_SERVICE_PRINT_ERROR, static_cast<uint32_t>(error), text, text ? strlen(text) : 0);
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC File *stdout = &files[OMPTARGET_SERVICE_STDOUT];
LIBC File *stderr = &files[OMPTARGET_SERVICE_STDERR];

LIBC int32_t putc(int32_t letter, File *file) { return write_letter(letter, file); }
LIBC int32_t fputc(int32_t letter, File *file) { return write_letter(letter, file); }
LIBC int32_t putc_unlocked(int32_t letter, File *file) { return write_letter(letter, file); }
LIBC int32_t fputc_unlocked(int32_t letter, File *file) { return write_letter(letter, file); }
LIBC int32_t __overflow(File *file, int32_t letter) { return write_letter(letter, file); }
LIBC int32_t putchar_unlocked(int32_t letter) { return write_letter(letter, &files[OMPTARGET_SERVICE_STDOUT]); }
LIBC int32_t fputs(const char *text, File *file) { return write_text(text, file); }
LIBC int32_t fputs_unlocked(const char *text, File *file) { return write_text(text, file); }
LIBC uint64_t fwrite(const void *data, uint64_t size, uint64_t count, File *file) {
  return write_elements(data, size, count, file);
}
LIBC uint64_t fwrite_unlocked(const void *data, uint64_t size, uint64_t count, File *file) {
  return write_elements(data, size, count, file);
}
LIBC int32_t fflush(File *file) { return flush(file); }
LIBC int32_t fflush_unlocked(File *file) { return flush(file); }
LIBC void perror(const char *text) { print_error(*__errno_location(), text); }

#if OMPTARGET_RTL_GENERATION >= 19
namespace omptarget::device_rtl::libc {

/// Prints variadic arguments as the compiler lays them out.
static __attribute__((noinline)) int32_t print_list(File *file, const char *format, const void *arguments) {
  const uint32_t stream = stream_of(file);
  if (stream == OMPTARGET_SERVICE_NO_STREAM)
    *__errno_location() = kNotAStream;
#if defined(__NVPTX__)
  if (stream == OMPTARGET_SERVICE_STDOUT)
    return vprintf(format, const_cast<void *>(arguments));
#endif
  return gpu::print_to(stream, format, arguments, kVariadicAlignment);
}

} // namespace omptarget::device_rtl::libc

LIBC int32_t vfprintf(File *file, const char *format, __builtin_va_list arguments) {
  return print_list(file, format, arguments);
}
LIBC int32_t __vfprintf_chk(File *file, int32_t, const char *format, __builtin_va_list arguments) {
  return print_list(file, format, arguments);
}
LIBC int32_t __vprintf_chk(int32_t, const char *format, __builtin_va_list arguments) {
  return print_list(&files[OMPTARGET_SERVICE_STDOUT], format, arguments);
}
#if !defined(__NVPTX__)
LIBC int32_t vprintf(const char *format, __builtin_va_list arguments) {
  return print_list(&files[OMPTARGET_SERVICE_STDOUT], format, arguments);
}
#endif
LIBC __attribute__((noinline)) int32_t fprintf(File *file, const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int32_t result = print_list(file, format, arguments);
  __builtin_va_end(arguments);
  return result;
}
LIBC __attribute__((noinline)) int32_t __fprintf_chk(File *file, int32_t, const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int32_t result = print_list(file, format, arguments);
  __builtin_va_end(arguments);
  return result;
}
#endif
