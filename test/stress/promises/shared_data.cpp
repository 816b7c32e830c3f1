// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shared_data.h"

#include <cstring>

namespace omptarget::test {

using namespace map_type;

SharedData::SharedData(Form form, int length, int64_t *memory) : form_(form), length_(length), memory_(memory) {
  std::memset(memory, 0, static_cast<size_t>(bytes()));
  if (has_struct())
    *pointer() = reinterpret_cast<int64_t>(pointee());
}

int64_t SharedData::words_for(Form form, int length) {
  switch (form) {
  case Form::kArray:
  case Form::kInput: return length;
  case Form::kMembers: return 2 * length;
  default: return 2 * length + 1;
  }
}

/// The first and the last word belong to threads, too.
int SharedData::index_of(int thread) const { return thread * (length_ - 1) / (kMostThreads - 1); }

void SharedData::add_arguments(Motion motion, bool is_parameter, Arguments &arguments) const {
  const uint64_t parameter = is_parameter ? kTargetParam : 0;
  const int64_t size = length_ * 8;
  const uint64_t member = static_cast<uint64_t>(arguments.size() + 1) << kMemberOfShift;
  const uint64_t kept = motion & kHold; // counts of the struct around members are of the same kind
  switch (form_) {
  case Form::kArray:
  case Form::kInput: arguments.push_back(data(memory_, size, motion | parameter)); return;
  case Form::kMembers:
    arguments.push_back(data(memory_, 2 * size, parameter | kept));
    arguments.push_back({memory_, array(0), size, member | motion});
    arguments.push_back({memory_, array(1), size, member | motion});
    return;
  case Form::kPointer:
    arguments.push_back(data(memory_, size + 8, motion | parameter));
    arguments.push_back({pointer(), pointee(), size, member | kPtrAndObj | motion});
    return;
  case Form::kAttach:
    arguments.push_back(data(memory_, size + 8, motion | parameter));
    arguments.push_back(data(pointee(), size, motion));
    arguments.push_back({pointer(), pointee(), 8, kAttach});
  }
}

int64_t *SharedData::host_cell(int thread, int cell) const {
  int64_t *const second = form_ == Form::kMembers ? array(1) : pointee();
  return (cell == 0 ? memory_ : second) + index_of(thread);
}

int64_t *SharedData::device_cell(void *parameter, int thread, int cell) const {
  auto *const begin = static_cast<int64_t *>(parameter);
  if (cell == 0)
    return begin + index_of(thread);
  if (form_ == Form::kMembers)
    return begin + length_ + index_of(thread);
  return reinterpret_cast<int64_t *>(__atomic_load_n(begin + length_, __ATOMIC_RELAXED)) + index_of(thread);
}

bool SharedData::has_host_pointer() const {
  return !has_struct() || __atomic_load_n(pointer(), __ATOMIC_RELAXED) == reinterpret_cast<int64_t>(pointee());
}

} // namespace omptarget::test
