// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/profile_sums.h"

#include <algorithm>

namespace omptarget::observe {

bool CopyHistory::is_unchanged(const ProfileEvent &event) {
  if (event.fingerprint == 0)
    return false;
  const std::tuple range{event.device, event.host, event.bytes};
  auto last = last_.find(range);
  if (last == last_.end()) {
    if (last_.size() < most_)
      last_[range] = {event.begin_ns, event.fingerprint};
    return false;
  }
  if (event.begin_ns < last->second.begin_ns)
    return false;
  const bool is_same = last->second.fingerprint == event.fingerprint;
  last->second = {event.begin_ns, event.fingerprint};
  return is_same;
}

EventSums::Key EventSums::key_of(const ProfileEvent &event) {
  return {event.kind, event.device, event.source_device, event.name, event.place, event.reason};
}

void EventSums::note_kept(const ProfileEvent &event) { (void)history_.is_unchanged(event); }

void EventSums::add(const ProfileEvent &event, const std::string *path) {
  Row *&row = index_[key_of(event)];
  if (!row) {
    row = &rows_.emplace_back();
    ProfileEvent &common = row->sum.event;
    common.kind = event.kind;
    common.device = event.device;
    common.source_device = event.source_device;
    common.name = event.name;
    common.place = event.place;
    common.reason = event.reason;
    row->journal = path ? journal_sum(row->sum, *path) : nullptr;
  }
  EventSum &sum = row->sum;
  ++sum.count;
  sum.total_ns += event.duration();
  sum.longest_ns = std::max(sum.longest_ns, event.duration());
  sum.bytes += event.bytes;
  if (history_.is_unchanged(event)) {
    ++sum.unchanged_count;
    sum.unchanged_bytes += event.bytes;
  }
  if (row->journal)
    update_journal_sum(*row->journal, sum);
}

void EventSums::append_to(std::vector<EventSum> &sums) const {
  for (const Row &row : rows_)
    sums.push_back(row.sum);
}

} // namespace omptarget::observe
