// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way out of every construct: target exit data, the end of target data, and the end of a target region. Also what
// a construct does that gives up.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "region/construct_queue.h"
#include "region/construct_report.h"

namespace omptarget {

/// Arguments that release other references than one dynamic one.
inline constexpr uint64_t kRareReferences = map_type::kDelete | map_type::kHold;

/// Releases the references that are not the last ones. Returns whether those were all: Exiting releases the others.
inline bool release_shared(const Device &device, MapArguments &arguments, bool is_observed) {
  const MapList &list = arguments.list();
  ArgumentRefs &refs = arguments.refs;
  const uint64_t kinds = arguments.kinds;
  bool were_shared = true;
  for (size_t i = 0; i < refs.size(); ++i) {
    ArgumentRef &ref = refs[i];
    if (!ref.is_counted)
      continue;
    const bool is_rare = kinds != 0 && (static_cast<uint64_t>(list.types[i]) & kRareReferences) != 0;
    ref.is_counted = is_rare || !ref.ref().release_unless_last();
    were_shared = were_shared && !ref.is_counted;
    if (ref.is_counted)
      continue;
    if (is_observed) [[unlikely]]
      ArgumentReport(device, list).released(i, *ref.mapping, false);
    OMPTARGET_SCHED_POINT("exit: released");
  }
  return were_shared;
}

/// Copies back and releases the data of one construct. start() begins with what may be copied while the construct's work
/// is under way. finish() waits for that, and does the rest. Different threads may call the two. A construct that waits
/// for another one's turn has no turn itself, unless it is deferred: any waiting thread can complete that.
class Exiting {
public:
  /// The refs of arguments: those that are counted are to be released; arguments that are not counted, but have a mapping,
  /// are copied back with it. failure: gets the first failure to copy back or to free. All outlive it.
  Exiting(Device &device, MapArguments &arguments, ConstructQueue &queue, Status &failure)
      : device_(device), arguments_(arguments), refs_(arguments.refs), queue_(queue), failure_(failure) {}

  /// The construct has failed: nothing is copied back.
  void copy_nothing() {
    copies_ = false;
    many_.reset();
  }
  /// Queues the copies of what is copied back and referenced by nobody else, or always copied back.
  void start();
  /// Waits for the queue, and exits everything, whatever fails. Returns the failure of the queued work.
  Status finish();
  /// The same where nothing was started, after release_shared has returned false.
  void release_rest();
  /// Returns whether the construct copies back the mapping's data: nobody else does before it is complete.
  bool has_turn(MappingRef ref) const;

private:
  static constexpr size_t kNone = SIZE_MAX;
  /// A turn of the construct's, taken with or without the reference of an argument.
  struct Taken {
    size_t argument;
    bool is_plain; ///< some copy of it goes over pointers that have become attached meanwhile
  };

  bool is_of_kind(size_t i, uint64_t bits) const { return (arguments_.kinds & bits) != 0 && arguments_.has(i, bits); }
  ArgumentReport report() const { return {device_, arguments_.list()}; }
  bool is_same(size_t i, size_t j) const { return refs_[i].ref() == refs_[j].ref(); }
  /// Returns whether argument i is copied back when its mapping's data are.
  bool wants_copy(size_t i) const { return copies_ && copies_back(arguments_.type(i)) && arguments_.bytes(i) > 0; }
  bool is_to_be_copied_always(size_t i) const {
    return is_of_kind(i, map_type::kAlways) && wants_copy(i) && refs_[i].mapping && !refs_[i].is_copied_back;
  }
  size_t last_copied(size_t i);
  size_t copied_before(size_t i, size_t number) const;
  size_t last_of_many(size_t i);
  size_t counted_before(size_t i, size_t number) const;
  Copy copy_of(size_t i) const;

  void release_duplicates();
  void copy_always(size_t i, bool is_queued);
  void release(size_t i);
  bool release_for_turn(size_t i);
  bool may_become_dormant(MappingRef ref) const {
    return !device_.plugin().wants_mappings() && !ref.mapping->has_extras();
  }
  bool end_use(size_t i, EndedUse use);
  bool end_use_observed(size_t i, EndedUse use);
  bool become_dormant_observed(MappingRef ref, EndedUse use, const LastUse &last);
  bool remove_last(const Removed &removed, const LastUse *last);
  void release_with_care(size_t i, size_t last);
  void remove(const Removed &removed);
  bool copy_back(size_t i, size_t last, bool is_queued);
  bool copy_back(const Copy &copy, bool is_queued);
  void copy_with_care(const Copy &copy, bool is_at_once);
  void end_turn(size_t i, bool is_plain);
  void wait_for_turn(MappingRef ref);

  Device &device_;
  MapArguments &arguments_;
  ArgumentRefs &refs_;
  ConstructQueue &queue_;
  Status &failure_;
  bool copies_ = true; ///< the construct has not failed
  llvm::SmallVector<Taken, 16> turns_;
  /// For constructs of more than a few arguments: the last argument of each mapping that is copied back, and for each
  /// argument the one before it. Made when it is first asked for, with what copies_ is then.
  struct Copied {
    llvm::DenseMap<std::pair<const Mapping *, uint32_t>, size_t> last;
    std::vector<size_t> before;
  };
  std::unique_ptr<Copied> many_;
};

/// Gives back what the construct has entered, after a failure, which is on its way up.
void give_back(Device &device, MapArguments &arguments);

} // namespace omptarget
