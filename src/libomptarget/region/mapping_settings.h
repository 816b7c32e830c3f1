// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings that are needed in each construct, read once.
#pragma once

#include "base/settings.h"

namespace omptarget {

struct MappingSettings {
  bool force_atomic = setting_flag(SettingId::kMapForceAtomic);
  bool attach_always = setting_flag(SettingId::kAttachAutoAsAlways);
};

inline const MappingSettings &mapping_settings() {
  static const MappingSettings settings;
  return settings;
}

} // namespace omptarget
