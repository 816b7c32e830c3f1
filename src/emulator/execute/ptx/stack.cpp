// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of a warp's lanes: frames of functions, alloca, and the limit that the context has for it.

#include <algorithm>
#include <cstring>

#include "frames.h"
#include "warp.h"

namespace emulator::executor::ptx {

namespace {
constexpr uint32_t kStackAlign = 16;
} // namespace

uint32_t Warp::stack_top(unsigned lane) const {
  return now_.frame->stack + now_.frame->function->stack_bytes + now_.frame->dynamic[lane];
}

// New bytes are garbage.
void Warp::grow_stack(uint32_t least) {
  const uint32_t before = stack_size_, size = align_up(std::max(least, 2 * before), kStackAlign);
  std::vector<uint8_t> grown(size_t{kLanes} * size);
  const uint64_t garbage = random_.next();
  for (size_t i = 0; i < grown.size(); ++i)
    grown[i] = static_cast<uint8_t>(garbage >> (i % 8 * 8));
  auto fresh = std::make_unique<FreshBytes>(grown.data(), grown.size());
  for (size_t lane = 0; lane < kLanes && before != 0; ++lane)
    move(&grown[lane * size], &stack_[lane * before], before);
  fresh_stack_ = std::move(fresh);
  stack_ = std::move(grown);
  stack_size_ = size;
}

void Warp::move(uint8_t *to, const uint8_t *from, size_t size) {
  std::memcpy(to, from, size);
  if (launch_.unwritten)
    launch_.unwritten->copy(to, from, size);
}

bool Warp::has_stack(uint32_t caller, uint64_t bytes, const std::string &what) {
  if (caller + bytes <= launch_.stack_limit)
    return true;
  fail(FaultKind::kMemory, what + " needs " + std::to_string(bytes) + " bytes of stack behind " +
                               std::to_string(caller) + "; threads have " + std::to_string(launch_.stack_limit) +
                               " bytes (CU_LIMIT_STACK_SIZE)");
  return false;
}

uint32_t Warp::take_stack(unsigned lane, uint64_t size, uint32_t alignment) {
  Frame &frame = *now_.frame;
  const uint32_t top = stack_top(lane), place = align_up(top, alignment);
  if (!has_stack(frame.counted + frame.dynamic[lane], size + place - top, "alloca"))
    return 0;
  frame.dynamic[lane] += static_cast<uint32_t>(size) + place - top;
  if (place + size > stack_size_)
    grow_stack(place + static_cast<uint32_t>(size));
  return place;
}

void Warp::enter(const Function &callee, const Call &call) {
  Frame &caller = *now_.frame;
  auto frame = std::make_shared<Frame>();
  frame->function = &callee;
  frame->call = &call;
  frame->return_to = now_.place;
  for_lanes(now_.mask, [&](unsigned lane) { frame->stack = std::max(frame->stack, stack_top(lane)); });
  frame->stack = align_up(frame->stack, kStackAlign);
  const uint32_t taken = caller.counted + *std::max_element(caller.dynamic.begin(), caller.dynamic.end());
  if (!has_stack(taken, callee.frame_bytes, callee.name))
    return;
  frame->counted = taken + callee.frame_bytes;
  if (frame->stack + callee.stack_bytes > stack_size_)
    grow_stack(frame->stack + callee.stack_bytes);
  if (launch_.unwritten)
    for_lanes(now_.mask, [&](unsigned lane) { launch_.unwritten->add(stack(lane, frame->stack), callee.stack_bytes); });
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Parameter &from = call.arguments[i], &to = callee.parameters[i];
    for_lanes(now_.mask, [&](unsigned lane) {
      move(stack(lane, frame->stack + to.offset), stack(lane, caller.stack + from.offset), to.size);
    });
  }
  frame->registers.assign(size_t{callee.registers} * kLanes, random_.next());
  frame->caller = now_.frame;
  now_.frame = std::move(frame);
  now_.place = 0;
}

} // namespace emulator::executor::ptx
