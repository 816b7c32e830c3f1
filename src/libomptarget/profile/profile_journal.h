// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The journal of a profile: its events as they are recorded, in a file that is mapped into memory. The kernel keeps the
// file's pages if the process ends without writing its profile (a signal, a crash, exec). omptarget-profile makes a
// profile of it. Layout: a header; then blocks, each of which lies in one segment of the file. Numbers are as the
// machine has them.
#pragma once

#include <deque>
#include <string>

#include "base/status.h"
#include "profile/profile_event.h"

namespace omptarget::observe {

struct JournalBlock;
struct JournalSum;

/// The state of one thread: where it writes, and which texts the journal has already.
struct JournalThread {
  struct Known {
    const char *text = nullptr; ///< as events have it
    const char *copy = nullptr; ///< in the journal
    uint64_t offset = 0;        ///< of the copy in the file
  };
  static constexpr size_t kKnown = 64;
  JournalBlock *block = nullptr;
  Known known[kKnown] = {};
};

/// Records an event. path: the profile's file; the journal is beside it, from the first event on. Warns once if it
/// cannot be written. Any thread, each with a state of its own.
void journal_event(JournalThread &thread, const ProfileEvent &event, const std::string &path);
/// A place in the journal for a sum of events that are not kept, of its names and kind; its numbers follow. Null: there
/// is no journal. path: as journal_event. Any thread.
JournalSum *journal_sum(const EventSum &sum, const std::string &path);
/// Writes the numbers of a sum. One thread at a time for each place.
void update_journal_sum(JournalSum &place, const EventSum &sum);
/// The profile is written: the journal goes.
void remove_journal();
/// In the child of a fork, before it records anything: the journal is the parent's.
void leave_journal_to_parent();

/// A journal that was read, and what its process was.
struct ReadJournal {
  Profile profile;
  ProfileSource source;
  std::deque<std::string> texts; ///< that events point to
};
/// Reads the contents of a file, which may be damaged, or still be written to. path: for messages.
Result<ReadJournal> read_journal(const std::string &contents, const char *path);

} // namespace omptarget::observe
