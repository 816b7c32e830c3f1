// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which plugins an image needs, as far as they wait until they are needed.
#pragma once

#include "image/image_facts.h"
#include "plugin/plugin_search.h"

namespace omptarget {

/// The plugins that such an image could be for.
PluginNeed plugin_need_of(const ImageFacts &facts);

} // namespace omptarget
