// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data used in place: tools hear of no data operation, the information has LLVM's line for each, the profile says why
// there are no copies.

// REQUIRES: clang-19, runtime-omptarget
// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang -g %s -o %t
// RUN: %clang -g -DUNIFIED %s -o %t.unified
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 OMP_TOOL_LIBRARIES=%t.tool TOOL_MAPS=1 %t 2>&1 | %check --check-prefix=TOOL --implicit-check-not=data_op --implicit-check-not=WRONG
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 LIBOMPTARGET_INFO=-1 %t 2>&1 | %check --check-prefix=INFO --implicit-check-not=Creating --implicit-check-not=Copying
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 LIBOMPTARGET_PROFILE=- %t 2>&1 | %check --check-prefix=PLUGIN --implicit-check-not=Copies
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 LIBOMPTARGET_PROFILE=- %t.unified 2>&1 | %check --check-prefix=UNIFIED --implicit-check-not=Copies
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 LIBOMPTARGET_PROFILE=- %t 2>&1 | %check --check-prefix=COPIED --implicit-check-not=Mapped
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 LIBOMPTARGET_DEBUG=device %t 2>&1 | %check --check-prefix=TRACE

// TOOL: ompt: device_initialize device=0
// TOOL: ompt: target kind=2 endpoint=1 device=0
// TOOL: ompt: target kind=1 endpoint=1 device=0
// TOOL: ompt: submit endpoint=1
// TOOL: ompt: end, 0 problems

// INFO: device 0 info: The device reaches all memory of the host, {{.*}}; mapped data is used in place
// INFO: omptarget device 0 info: Return HstPtrBegin 0x{{[0-9a-f]+}} Size=40 for unified shared memory

// PLUGIN: Mapped data of device 0: used in place, as the plugin says
// UNIFIED: Mapped data of device 0: used in place, as the program requires unified_shared_memory
// COPIED: Copies

// TRACE: reaches all memory of the host, {{.*}}; mapped data is used in place
// TRACE: mapped data is used in place, as the plugin says

#include "check.h"

#ifdef UNIFIED
#pragma omp requires unified_shared_memory
#endif

static int numbers[10];

int main(void) {
#pragma omp target enter data map(to : numbers)
#pragma omp target map(tofrom : numbers)
  {
    HERE();
    numbers[3] = 4;
  }
#pragma omp target update from(numbers)
#pragma omp target exit data map(from : numbers)
  CHECK_EQ(numbers[3], 4);
  return finish();
}
