// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nobody wrote, and what depends on it (SIM_EXECUTOR_UNWRITTEN=1). Each byte has two values: the one in
// memory, and another that it might have had as well. A written byte has one value only. Kernels compute with both
// values. So a result that differs depends on memory that nobody wrote, whatever was done on the way. The value of a
// shuffle from a lane that does not take part is treated the same (SIM_EXECUTOR_STRICT_LANES=1). Shared by all targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weak_memory.h"

namespace emulator::executor {

/// A set of numbers of pages, as ranges.
class PageSet {
public:
  bool is_empty() const { return ends_.empty(); }
  bool has(uintptr_t number) const;
  /// Pages from first up to end.
  void add(uintptr_t first, uintptr_t end);
  void remove(uintptr_t first, uintptr_t end);

private:
  std::map<uintptr_t, uintptr_t> ends_; ///< by the first page of each range
};

/// The differences between the two values of bytes that lie in memory of this process. Any thread.
class UnwrittenMemory {
public:
  /// Null if it is not wanted.
  static UnwrittenMemory *find();

  /// Fresh memory.
  void add(const void *bytes, size_t size);
  /// The host has written it, or it is gone.
  void forget(const void *bytes, size_t size);
  /// Bytes were copied.
  void copy(void *to, const void *from, size_t size);

  /// Code that has read memory which nobody wrote; 0: nobody has read it yet. With kOfLane it is a shuffle.
  using Origin = uint64_t;
  static constexpr Origin kOfLane = Origin{1} << 63;
  /// The exclusive or of the two values, and the origin. False if they are the same.
  bool read(const void *bytes, size_t size, uint8_t *differences, Origin &origin) const;
  /// Device code has written the bytes.
  void write(void *bytes, size_t size, const uint8_t *differences, Origin origin);

  /// Bytes of a range with two values.
  struct Part {
    size_t first = 0, last = 0; ///< bytes of the first piece
    size_t pieces = 0, bytes = 0;
    Origin origin = 0; ///< origin of the first
  };
  /// Leaves out what is between members of structures, as their stores show it.
  std::optional<Part> find_in(const void *bytes, size_t size) const;

  /// The same, if it is wanted.
  static void note_fresh(const void *bytes, size_t size);
  static void note_forgotten(const void *bytes, size_t size);

private:
  explicit UnwrittenMemory(bool takes_fresh) : takes_fresh_(takes_fresh) {}

  static constexpr uintptr_t kPageSize = 4096, kWord = 8;
  struct Page {
    std::array<uint8_t, kPageSize> differences{};
    std::array<Origin, kPageSize / kWord> origins{};
    std::array<uint8_t, kPageSize / kWord> widths{}; ///< bytes of the widest store to the word, at most kWord
  };
  /// Calls action(page or null, its number, first byte in it, how many, how many before).
  template <class Action> static void for_pages(const void *bytes, size_t size, Action action);
  Page *find_page(uintptr_t number);
  void drop(const void *bytes, size_t size);
  void set(const void *bytes, size_t size, const uint8_t *differences, Origin origin);
  void note_width(const void *bytes, size_t size);
  size_t width_around(uintptr_t address) const;
  bool is_padding(const uint8_t *bytes, const std::vector<uint8_t> &differences, size_t begin, size_t end) const;

  const bool takes_fresh_; ///< otherwise only shuffles make values that nobody wrote
  mutable std::mutex mutex_;
  PageSet fresh_; ///< pages without a written byte, which have no entry in pages_
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
};

/// Returns "memory that nobody wrote", on which something depends.
std::string describe_origin(UnwrittenMemory::Origin origin);

/// Returns whether two values have the same bits that nobody wrote, and these the same garbage: they come from the same
/// memory. Their comparison depends on the other bits only.
inline bool have_same_unknown(uint64_t one, uint64_t other_of_one, uint64_t two, uint64_t other_of_two) {
  const uint64_t differences = one ^ other_of_one;
  return differences == (two ^ other_of_two) && ((one ^ two) & differences) == 0;
}

/// After so many instructions it is looked whether any register still has two values.
inline constexpr uint32_t kUntilClean = 1024;

/// The accesses of one instruction, which is carried out with the values of registers, and again with their other
/// values. The first time it notes what it reaches. The second time it works on copies of the bytes with their other
/// values. One thread.
class AccessLog {
public:
  enum class Turn : uint8_t { kNone, kFirst, kSecond };

  explicit AccessLog(UnwrittenMemory *memory) : memory_(memory) {}
  /// Returns whether memory that nobody wrote is looked for.
  bool is_on() const { return memory_ != nullptr; }
  Turn turn() const { return turn_; }
  bool is_second() const { return turn_ == Turn::kSecond; }

  void begin();
  /// The bytes that an access reaches, before it changes them; the address is what the second time is compared with.
  /// code: the instruction's.
  void note(uint8_t *bytes, uint32_t size, uint64_t address, Access access, UnwrittenMemory::Origin code);
  /// A value comes from a lane that does not take part.
  void note_absent(UnwrittenMemory::Origin code) { origin_ = origin_ ? origin_ : code | UnwrittenMemory::kOfLane; }
  /// The first time is over. Returns whether any of the bytes had two values.
  bool has_met() const { return origin_ != 0; }
  /// The code that has read what it met; 0: it has met nothing.
  UnwrittenMemory::Origin origin() const { return origin_; }

  void begin_again();
  /// Bytes for the next access; null if it is another one than the first time.
  uint8_t *next(uint32_t size, uint64_t address);
  /// Returns whether all accesses were those of the first time.
  bool are_same() const { return are_same_ && next_ == accesses_.size(); }

  /// Bytes that were written have one value, although there was a second time.
  void end_without_others() {
    turn_ = Turn::kNone;
    end(0);
  }
  /// Bytes that were written have the values of both times, or one value if there was no second time. origin: theirs.
  void end(UnwrittenMemory::Origin origin);

private:
  static constexpr size_t kMost = 64; ///< bytes of an access
  struct Bytes {
    uint8_t *bytes;
    uint64_t address;
    uint32_t size;
    bool writes;
    alignas(16) std::array<uint8_t, kMost> other;
  };

  UnwrittenMemory *const memory_;
  Turn turn_ = Turn::kNone;
  std::vector<Bytes> accesses_;
  size_t next_ = 0;
  bool are_same_ = true;
  UnwrittenMemory::Origin origin_ = 0;
};

/// Bytes that are unwritten while this lives.
class FreshBytes {
public:
  FreshBytes(const void *bytes, size_t size) : bytes_(bytes), size_(size) { UnwrittenMemory::note_fresh(bytes, size); }
  ~FreshBytes() { UnwrittenMemory::note_forgotten(bytes_, size_); }
  FreshBytes(const FreshBytes &) = delete;
  FreshBytes &operator=(const FreshBytes &) = delete;

private:
  const void *const bytes_;
  const size_t size_;
};

} // namespace emulator::executor
