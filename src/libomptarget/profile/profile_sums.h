// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a profile that are not kept, because there are too many: added up, so that its tables count all that
// has happened. Private to observe/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

#include "profile/profile_event.h"
#include "profile/profile_journal.h"

namespace omptarget::observe {

/// Tells whether both sides had the same data before a copy. Not for several threads at once.
class CopyHistory {
public:
  /// most: how many ranges of data are remembered; copies of further ones are taken as changed.
  explicit CopyHistory(size_t most = SIZE_MAX) : most_(most) {}
  /// Copies come in the order in which they began; an older one than the last of its range changes nothing.
  bool is_unchanged(const ProfileEvent &event);

private:
  struct Last {
    uint64_t begin_ns = 0, fingerprint = 0;
  };
  size_t most_;
  std::map<std::tuple<int32_t, const void *, uint64_t>, Last> last_;
};

/// The sums of one process. Not for several threads at once.
class EventSums {
public:
  /// Remembers a copy that is kept, as later ones may be of the same data.
  void note_kept(const ProfileEvent &event);
  /// Adds an event. path: the profile's file, beside which the journal has the sums, too; null: there is no journal.
  void add(const ProfileEvent &event, const std::string *path);
  /// Replaces names that lie in a module that goes. replace(text) may change the pointer.
  template <typename Replace> void replace_names(Replace replace) {
    for (Row &row : rows_) {
      replace(row.sum.event.name);
      replace(row.sum.event.place);
    }
    index_.clear();
    for (Row &row : rows_)
      index_[key_of(row.sum.event)] = &row;
  }
  void append_to(std::vector<EventSum> &sums) const;

private:
  static constexpr size_t kMostRanges = size_t{1} << 16;
  struct Row {
    EventSum sum;
    JournalSum *journal = nullptr;
  };
  using Key = std::tuple<EventKind, int32_t, int32_t, const char *, const char *, const char *>;
  static Key key_of(const ProfileEvent &event);

  std::deque<Row> rows_; ///< which stay where they are
  std::map<Key, Row *> index_;
  CopyHistory history_{kMostRanges};
};

} // namespace omptarget::observe
