// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mangled names: a bounded text, whatever they say.

#include "observe/demangle.h"
#include "target.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int, char **) {
  return {"N1a4workEi",
          "1fIJdcEEvT_DpT0_",
          "N6Kokkos4ViewIPPdJNS_11LayoutRightENS_9HostSpaceEEEC2ERKS5_",
          "Z4mainENKUlvE_clEv",
          "3sumIdJiiEEDTplfp_spfp0_ET_DpT0_",
          "1f1aIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_E"};
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  const std::string name = "_Z" + std::string(reinterpret_cast<const char *>(data), size);
  const std::string text = observe::readable_symbol(name);
  require(text.size() <= std::max<size_t>(name.size(), 1 << 20), "a name stays short");
  return 0;
}
