// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of attached pointers while a writer writes one.

#include <functional>
#include <memory>

#include "checked.h"
#include "mapping/written_pointers.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;

constexpr HostPtr kAddress{0x1000};

/// A pointer that points to a pointee, counted from 1: on the host and on the device.
AttachedPointer pointing_to(HostPtr address, uint64_t host_pointee, uint64_t device_pointee) {
  return {address, HostPtr{0x100 * host_pointee}, DevicePtr{}, DevicePtr{0x100 * device_pointee}, nullptr};
}

struct Pointers {
  Mapping mapping;
  WrittenPointers written;
  checked::atomic<int> copy{1}; ///< the pointee whose address the pointer's copy on the device holds
  MappingRef first{&mapping, 2}, second{&mapping, 4};
};

/// Mapped by the first mapping, pointing to 1, and written; then by another mapping, or pointing to 2.
void write_anew(Pointers &pointers, MappingRef mapping) {
  pointers.written.forget(kAddress);
  pointers.copy.store(2, std::memory_order_relaxed);
  pointers.written.note(mapping, pointing_to(kAddress, 2, 2));
}

void ask(Pointers &pointers, MappingRef mapping) {
  if (pointers.written.has(mapping, pointing_to(kAddress, 2, 2)))
    require(pointers.copy.load(std::memory_order_relaxed) == 2, "the copy is said to be written before it is");
}

void ask_for_mixture(Pointers &pointers, MappingRef mapping, uint64_t host_pointee, uint64_t device_pointee) {
  require(!pointers.written.has(mapping, pointing_to(kAddress, host_pointee, device_pointee)),
          "what never was is said to be written");
}

bool explore(const char *name, const std::function<void(Pointers &)> &write,
             const std::function<void(Pointers &)> &ask) {
  const auto make = [&] {
    const auto pointers = std::make_shared<Pointers>();
    pointers->written.note(pointers->first, pointing_to(kAddress, 1, 1));
    Scenario scenario;
    scenario.threads.push_back([=] { write(*pointers); });
    scenario.threads.push_back([=] { ask(*pointers); });
    scenario.first_reader = 1;
    scenario.check = [] {};
    return scenario;
  };
  return checked::explore(name, make, 20'000'000);
}

bool explore_all() {
  const auto again = [](Pointers &p) { write_anew(p, p.first); };
  const auto elsewhere = [](Pointers &p) { write_anew(p, p.second); };
  const auto replaced = [](Pointers &p) { p.written.note(p.first, pointing_to(kAddress, 2, 2)); };
  return explore("written: told once it is", again, [](Pointers &p) { ask(p, p.first); }) &&
         explore("written: in another mapping", elsewhere, [](Pointers &p) { ask(p, p.second); }) &&
         explore("written: values of two mappings", elsewhere,
                 [](Pointers &p) { ask_for_mixture(p, p.first, 2, 2); }) &&
         explore("written: old and new value", replaced, [](Pointers &p) { ask_for_mixture(p, p.first, 1, 2); }) &&
         explore("written: new and old value", replaced, [](Pointers &p) { ask_for_mixture(p, p.first, 2, 1); });
}

} // namespace
} // namespace omptarget

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
