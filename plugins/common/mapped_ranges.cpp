// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/mapped_ranges.h"

#include <initializer_list>
#include <strings.h>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

bool is_one_of(const char *text, std::initializer_list<const char *> words) {
  for (const char *word : words)
    if (strcasecmp(text, word) == 0)
      return true;
  return false;
}

} // namespace

MappedRanges::Pins MappedRanges::wanted_pins() {
  const char *text = setting_text(SettingId::kLockMappedHostBuffers);
  if (!text)
    return Pins::kOff;
  if (is_one_of(text, {"mandatory"}))
    return Pins::kMandatory;
  if (is_one_of(text, {"on", "true", "yes", "1"}))
    return Pins::kOn;
  if (!is_one_of(text, {"off", "false", "no", "0"}))
    warn_about_setting(SettingId::kLockMappedHostBuffers,
                       format("'%s' is not one of on, off, mandatory", shown_value(text).c_str()));
  return Pins::kOff;
}

void MappedRanges::init() {
  pins_ = wanted_pins();
  pinned_.lock()->clear();
}

Status MappedRanges::notify_mapped(void *host, size_t size) {
  if (pins_ == Pins::kOff || size == 0)
    return Status::ok();
  Result<void *> locked = ranges_.lock(host, size);
  if (locked) {
    ++(*pinned_.lock())[host];
    return Status::ok();
  }
  if (pins_ == Pins::kMandatory)
    return locked.take_status().during("while pinning mapped memory (LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS=mandatory)");
  OMPTARGET_TRACE(Topic::kTransfer, "mapped memory stays pageable: %s", locked.status().to_string().c_str());
  return Status::ok();
}

Status MappedRanges::notify_unmapped(void *host) {
  if (pins_ == Pins::kOff)
    return Status::ok();
  {
    auto pinned = pinned_.lock();
    const auto found = pinned->find(host);
    if (found == pinned->end())
      return Status::ok();
    if (--found->second == 0)
      pinned->erase(found);
  }
  return ranges_.unlock(host);
}

} // namespace omptarget
