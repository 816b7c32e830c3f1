// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device numbers as GCC's programs pass them, and on which device the calling thread is.
#pragma once

namespace omptarget::gomp {

inline constexpr int kHost = -2; ///< GCC passes this for if(false), and from 13 on for the initial device

/// Number of devices; this CPU is among them.
int device_count();
/// The default device of the calling task.
int default_device();
/// Sets it. In a region it does nothing.
void set_default_device(int number);
/// The number that the core is to be asked for, or kHost.
int resolve(int device);
/// The same for the device routines, in which the host is the number after the last device.
int resolve_for_routine(int device);

/// The device whose region the calling thread runs, or kHost.
int current_device();
/// Where a construct goes: to the device in whose region it is met, or else where its number says, as resolve does.
struct Where {
  int device;
  bool is_in_region;
};
Where where(int device);
/// Notes on which device a region is, in the task that the system's libgomp has made for it. Its teams and tasks
/// inherit that.
class OnDevice {
public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

private:
  int before_ = 0; ///< of the other runtime
};

} // namespace omptarget::gomp
