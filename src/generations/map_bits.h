// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of a map type, as compilers of all generations emit them.
#pragma once

#include <cstdint>

/// The 16 bits from kMemberOfShift hold the number of the parent, counted from 1. No compiler uses 0x800 and those from
/// 1 << 16 to 1 << 43. Those from 1 << 45 to 1 << 47 are the library's own (src/libomptarget/mapping/map_type.h), and
/// two before them are those of include/omptarget/host_code.h.
namespace omptarget::map_type {
inline constexpr uint64_t kTo = 0x1;
inline constexpr uint64_t kFrom = 0x2;
inline constexpr uint64_t kAlways = 0x4;
inline constexpr uint64_t kDelete = 0x8;
inline constexpr uint64_t kPtrAndObj = 0x10;
inline constexpr uint64_t kTargetParam = 0x20;
inline constexpr uint64_t kReturnParam = 0x40;
inline constexpr uint64_t kPrivate = 0x80;
inline constexpr uint64_t kLiteral = 0x100;
inline constexpr uint64_t kImplicit = 0x200;
inline constexpr uint64_t kClose = 0x400;
inline constexpr uint64_t kPresent = 0x1000;
inline constexpr uint64_t kHold = 0x2000;
inline constexpr uint64_t kAttach = 0x4000;
inline constexpr uint64_t kNullify = 0x8000; ///< with kReturnParam: what is not present becomes null (clang 23)
inline constexpr uint64_t kNonContiguous = 0x100000000000;
inline constexpr unsigned kMemberOfShift = 48;
inline constexpr uint64_t kMemberOf = 0xffffull << kMemberOfShift;
/// All three together mark the variable that a lambda captured by reference.
inline constexpr uint64_t kLambdaCapture = kPtrAndObj | kLiteral | kImplicit;
} // namespace omptarget::map_type
