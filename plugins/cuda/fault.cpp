// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/fault.h"

namespace omptarget::cuda {

namespace {

// Not in the headers of older toolkits.
constexpr CUresult kErrorContained = 226;
constexpr CUresult kErrorTensorMemoryLeak = 721;

} // namespace

bool ends_context(CUresult result) {
  switch (result) {
  case kErrorContained:
  case kErrorTensorMemoryLeak:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_MPS_CLIENT_TERMINATED:
  case CUDA_ERROR_LAUNCH_FAILED: return true;
  default: return false;
  }
}

} // namespace omptarget::cuda
