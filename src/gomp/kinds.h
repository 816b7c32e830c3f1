// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GCC 12 to 14 describe an entry of a map list by 16 bits. The low byte is its kind, the high byte its alignment.
#pragma once

#include <cstdint>

namespace omptarget::gomp {

namespace kind {
inline constexpr unsigned kAlloc = 0x00;
inline constexpr unsigned kTo = 0x01;
inline constexpr unsigned kFrom = 0x02;
inline constexpr unsigned kTofrom = 0x03;
inline constexpr unsigned kPointer = 0x04;      ///< a pointer variable; its pointee is the entry before
inline constexpr unsigned kDescriptor = 0x05;   ///< of an allocatable or a pointer; the pointer in it comes after it
inline constexpr unsigned kForcePresent = 0x06; ///< must be present
inline constexpr unsigned kDelete = 0x07;
inline constexpr unsigned kFirstprivate = 0x0c;
inline constexpr unsigned kFirstprivateInt = 0x0d; ///< a value in the place of the address
inline constexpr unsigned kUseDevicePtr = 0x0e;
inline constexpr unsigned kZeroLength = 0x0f;
inline constexpr unsigned kUseDevicePtrIfPresent = 0x10;
inline constexpr unsigned kAlwaysTo = 0x11;
inline constexpr unsigned kAlwaysFrom = 0x12;
inline constexpr unsigned kAlwaysTofrom = 0x13;
inline constexpr unsigned kRelease = 0x17;
inline constexpr unsigned kStruct = 0x1c;        ///< the size is the number of the entries after it that are members
inline constexpr unsigned kAlwaysPointer = 0x1d; ///< a pointer in what is mapped already
inline constexpr unsigned kPointerToZeroLength = 0x1e;
inline constexpr unsigned kDeleteZeroLength = 0x1f;
inline constexpr unsigned kAttach = 0x50; ///< the address is that of the pointer, the size is the section's offset
inline constexpr unsigned kDetach = 0x51;
inline constexpr unsigned kAttachZeroLength = 0x52;
inline constexpr unsigned kUnorderedStruct = 0x5c;
inline constexpr unsigned kAlwaysPresentTo = 0x95;
inline constexpr unsigned kAlwaysPresentFrom = 0x96;
inline constexpr unsigned kAlwaysPresentTofrom = 0x97;
inline constexpr unsigned kForceDetach = 0xd1;

/// On an entry of the first four kinds: no clause names the variable.
inline constexpr unsigned kImplicit = 0x60;
inline constexpr unsigned kImplicitMask = 0xfc;
} // namespace kind

} // namespace omptarget::gomp
