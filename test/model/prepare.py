# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py ROOT OUTPUT [PLANT]: copies the project's lock-free sources for the checker: std's atomics, mutexes and condition
variables become the checker's, and bounds become small. PLANT puts a defect in, which a scenario must find. Every replacement must
match, so that a plant that no longer is one fails the build."""

import os
import re
import sys

FILES = ["base/pointer_table.h", "base/versioned_lock.h", "mapping/attached_pointers.cpp", "mapping/host_data_to_target_map.cpp",
         "mapping/host_data_to_target_map.h", "mapping/invariants.cpp", "mapping/mapping.h", "mapping/mapping_references.cpp",
         "mapping/ordered_index.cpp", "mapping/ordered_index.h", "mapping/recent_mappings.h", "mapping/written_pointers.h",
         "mapping/dormant_mappings.h", "mapping/name_pages.h", "mapping/small_mappings.cpp"]
# Both sides of the mailbox: of the plugins, and of the device RTL, which is compiled with device/atomics.h and device/services.h.
PLUGIN_FILES = ["gpu/service_mailbox.cpp", "gpu/service_mailbox.h", "gpu/service_server.cpp", "gpu/service_server.h"]
DEVICE_FILES = ["host_services.cpp", "locks.h"]

# Small bounds: leaves that split within few steps, stripes that leaves share, and a lock that is waited for at once.
BOUNDS = [("mapping/ordered_index.h", r"kLeafCapacity = \d+;", "kLeafCapacity = 8;"),
          ("mapping/ordered_index.h", r"kStripes = \d+;", "kStripes = 2;"),
          ("base/versioned_lock.h", r"kSpins = \d+;", "kSpins = 0;"),
          ("mapping/host_data_to_target_map.cpp", r"kBatch = \d+;", "kBatch = 1;"),
          ("mapping/ordered_index.cpp", r"make_unique<Directory>\(16\)", "make_unique<Directory>(4)"),
          ("mapping/recent_mappings.h", r"kBits = \d+;", "kBits = 1;"),
          ("mapping/recent_mappings.h", r"kMostBits = \d+;", "kMostBits = 1;"),
          ("mapping/dormant_mappings.h", r"kBits = \d+;", "kBits = 0;"),
          ("base/pointer_table.h", r"PointerTable\(\) \{ grow\(16\); \}", "PointerTable() { grow(4); }"),
          ("mapping/written_pointers.h", r"kSlots = \d+;", "kSlots = 1;"),
          ("mapping/mapping.h", r"static_assert\(sizeof\(Mapping\) == 64[^;]*;", "")]

SERVER = "gpu/service_server.cpp"
SERVICE = "gpu/service_mailbox.cpp"
DEVICE = "host_services.cpp"
# Replacements for words that the two sides of the mailbox share, and for threads.
MAILBOX = [("gpu/service_server.h", r"std::condition_variable", "checked::bell"),
           (SERVER, r"std::this_thread::yield\(\)", "checked::wait_a_little()"),
           (SERVER, r"std::this_thread::sleep_for\(([^;]*)\);", r"(void)(\1);\n  checked::wait_a_little();"),
           (SERVER, r"pthread_join\([^;]*\)", "checked::join_thread()"),
           (SERVER, r"pthread_setname_np\([^;]*\);", ""),
           (SERVICE, r"(std::memcpy\(&packet, &port.packet, sizeof\(packet\)\);)",
            r"\1\n  packet.argument = checked::words().load(&port.packet.argument, std::memory_order_relaxed);"),
           (SERVICE, r"port\.packet\.result = ([^;]*);",
            r"checked::words().store(&port.packet.result, \1, std::memory_order_relaxed);"),
           (DEVICE, r"(?s)#if __has_builtin\(__scoped_atomic_load_n\).*?#endif\n", """
INLINE uint32_t load_of_host(uint32_t *word) {
  return static_cast<uint32_t>(checked::words().load(word, std::memory_order_relaxed));
}
INLINE void store_for_host(uint32_t *word, uint32_t value) {
  checked::words().store(word, value, std::memory_order_relaxed);
}
"""),
           (DEVICE, r"packet\(\)\.argument = argument;",
            "checked::words().store(&packet().argument, argument, std::memory_order_relaxed);"),
           (DEVICE, r"return packet\(\)\.result;", "return checked::words().load(&packet().result, std::memory_order_relaxed);"),
           (DEVICE, r"(?s)\[\[noreturn\]\] static void end_program.*?\n\}\n", ""),
           (DEVICE, r"(?s)// The user's names\..*?(?=/// include/omptarget/host_call\.h)", "")]

MAP = "mapping/host_data_to_target_map.cpp"
MAP_HEADER = "mapping/host_data_to_target_map.h"
REFERENCES = "mapping/mapping_references.cpp"
SMALL = "mapping/small_mappings.cpp"
INDEX = "mapping/ordered_index.cpp"
LOCK = "base/versioned_lock.h"
TABLE = "base/pointer_table.h"
WRITTEN = "mapping/written_pointers.h"
# name: (file, what is there, what is planted)
PLANTS = {
    # The sequence-counted index.
    "index_read_relaxed": (INDEX, "return cell.load(std::memory_order_acquire);", "return cell.load(std::memory_order_relaxed);"),
    "index_write_relaxed": (INDEX, "cell.store(value, std::memory_order_release);", "cell.store(value, std::memory_order_relaxed);"),
    "index_writer_not_announced": (LOCK, "word_.fetch_add(1, std::memory_order_acq_rel);", "word_.fetch_sub(1, std::memory_order_acq_rel);"),
    "index_end_unchecked": ("mapping/ordered_index.h", "return noted.stripe->lock.is_still(noted.version);", "return (void)noted, true;"),
    "index_directory_unchecked": (INDEX, "    if (!directory_lock_.is_still(version)) [[unlikely]]\n      continue;\n    return look_into_leaf", "    return look_into_leaf"),
    "index_beside_unnoted": (INDEX, "result.other = note(previous);", "(void)note(previous);"),
    "index_beside_unlocked": (INDEX, "    result.other = note(next);", "    (void)note(next);"),
    "index_change_of_gap_unseen": ("mapping/ordered_index.h", "return is_same || look_again(key, around);", "return (void)is_same, true;"),
    "index_held_leaf_unchecked": (INDEX, "if (directory_lock_.is_still(version)) [[likely]]\n      return index;", "return index;"),
    "index_leaf_emptied": (INDEX, "if (leaf_->count.load(std::memory_order_relaxed) != 1 || index_.leaf_count() == 1) [[likely]]", ""),
    # Its locks.
    "lock_shared": (LOCK, "else if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_relaxed))\n          [[likely]]\n        return word;",
                    "else {\n        word_.store(word + 1, std::memory_order_release);\n        return word;\n      }"),
    "lock_relaxed": (LOCK, "word_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_relaxed)",
                     "word_.compare_exchange_weak(word, word + 1, std::memory_order_relaxed, std::memory_order_relaxed)"),
    "lock_untold": (LOCK, "word_.fetch_add(1, std::memory_order_acq_rel);\n    notify_waiters(word_);", "word_.fetch_add(1, std::memory_order_acq_rel);"),
    "lock_untold_unchanged": (LOCK, "word_.fetch_sub(1, std::memory_order_acq_rel);\n    notify_waiters(word_);", "word_.fetch_sub(1, std::memory_order_acq_rel);"),
    "lock_version_while_held": (LOCK, "while (is_held(word)) [[unlikely]]\n      word = wait(word);", ""),
    "lock_version_relaxed": (LOCK, "uint32_t word = word_.load(std::memory_order_acquire);", "uint32_t word = word_.load(std::memory_order_relaxed);"),
    # The state word.
    "state_retain_any_generation": (REFERENCES, r"""    if (MappingState::generation(word) != ref.generation)
      return {};
    if (MappingState::count(word) >=""", "    if (MappingState::count(word) >="),
    "state_release_any_generation": (REFERENCES, r"""    if (MappingState::generation(word) != ref.generation)
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite""", "    const uint32_t count = MappingState::count(word);\n    if (count == MappingState::kInfinite"),
    "state_removed_though_revived": (MAP, "} while (\n        !mapping.state_.compare_exchange_weak(word, MappingState::removed(word), std::memory_order_acq_rel, kAcquire));",
                                     "} while (false);\n    mapping.state_.store(MappingState::removed(word), kRelease);"),
    "state_same_generation_again": ("mapping/mapping.h", "(generation(word) | 1u) + 1)", "generation(word) & ~1u)"),
    "state_storage_relaxed": (MAP, "mapping.state_.fetch_or(MappingState::kStorage, std::memory_order_acq_rel);",
                              "mapping.state_.fetch_or(MappingState::kStorage, kRelaxed);"),
    "state_wait_relaxed": (MAP, "const uint64_t word = state_.load(kAcquire);\n    if (MappingState::generation(word) != generation)\n      return false;",
                           "const uint64_t word = state_.load(kRelaxed);\n    if (MappingState::generation(word) != generation)\n      return false;"),
    "state_storage_untold": (MAP, "mapping.state_.fetch_or(MappingState::kStorage, std::memory_order_acq_rel);\n  notify_waiters(mapping.state_);",
                             "mapping.state_.fetch_or(MappingState::kStorage, std::memory_order_acq_rel);"),
    "state_borrowers_forgotten": (MAP, "  if (MappingState::borrowers(word) != 0)\n    return true; // the last of them recycles it\n", ""),
    "state_freed_twice": (REFERENCES, "MappingState::is_removed(word) && MappingState::borrowers(word) == 1", "MappingState::borrowers(word) == 1"),
    "state_removed_before_ready": (MAP, "kWhoUsesIt | MappingState::kReady, MappingState::kReady, mutex", "kWhoUsesIt, 0, mutex"),
    "state_guess_unchecked": (MAP_HEADER, " && mapping->generation() == ref.generation) [[likely]]", ")"),
    "state_last_released": (MAP_HEADER, "if (count == 1 && !(word & MappingState::kHeld))\n      return false;", ""),
    "state_released_of_another": (MAP_HEADER, """    if (MappingState::generation(word) != ref.generation)
      return true; // removed since it was found: there is no reference to take away
""", ""),
    "state_early_release_of_many": (REFERENCES, "count != 1 || (word & MappingState::kHeld)", "word & MappingState::kHeld"),
    "state_early_release_of_another": (REFERENCES, """    if (MappingState::generation(word) != ref.generation)
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count != 1""", "    const uint32_t count = MappingState::count(word);\n    if (count != 1"),
    # Scenarios of three threads.
    "state_pins_not_counted": (REFERENCES, "    return false;\n  ++extras_of(*ref.mapping).pins;", "    return false;\n  extras_of(*ref.mapping).pins = 1;"),
    "state_freed_by_the_first_borrower": (REFERENCES, "MappingState::is_removed(word) && MappingState::borrowers(word) == 1", "MappingState::is_removed(word)"),
    # Small mappings, which fall asleep.
    "state_nobody_removes": (REFERENCES, "removed = remove_if_unused(ref); // the constructs", "// the constructs"),
    "state_removed_while_copied": (MAP, "MappingState::kHeld | MappingState::kTurn | MappingState::kPinned;", "MappingState::kHeld | MappingState::kPinned;"),
    "state_removed_while_pinned": (MAP, "MappingState::kHeld | MappingState::kTurn | MappingState::kPinned;", "MappingState::kHeld | MappingState::kTurn;"),
    "state_turn_taken_twice": (REFERENCES, "    if (takes_turn && (word & MappingState::kTurn))\n      return {true, false, count, false, true};\n    if (takes_turn)\n", "    if (takes_turn)\n"),
    "state_turn_end_untold": (REFERENCES, "  notify_waiters(state);\n  return removed;", "  return removed;"),
    "state_extras_of_a_free_one": ("mapping/attached_pointers.cpp", "    const OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(mapping.begin())); // nobody removes it now\n", ""),
    "state_asleep_though_used": (SMALL, "MappingState::use(word) == state_of_end &&\n         MappingState::borrowers(word) == 0",
                                 "MappingState::borrowers(word) == 0"),
    "state_asleep_though_borrowed": (SMALL, " &&\n         MappingState::borrowers(word) == 0", ""),
    "state_revived_whatever_it_is": (SMALL, "if (!mapping->state_.compare_exchange_strong(word, live, kAcqRel, kAcquire))\n    return {};",
                                     "mapping->state_.store(live, kAcqRel == kAcquire ? kAcquire : std::memory_order_release);"),
    "state_asleep_in_no_place": (SMALL, "mapping.state_.fetch_or(0, kAcqRel)", "mapping.state_.load(kAcquire)"),
    "state_asleep_out_of_place": (SMALL, "!is_asleep || dormant_.holds(begin, &mapping)", "true"),
    "state_gap_unchecked": ("mapping/ordered_index.h", "return is_same || look_again(key, around);", "return (void)is_same, true;"),
    "state_leaving_of_used": (SMALL, " || use != kReadyAndLast)\n      return false;", ")\n      return false;"),
    # The table of pointers.
    "table_key_unchecked": (TABLE, "return slot.key.load(std::memory_order_relaxed) == key ? value : nullptr;", "return value;"),
    "table_value_relaxed": (TABLE, "T *const value = slot.value.load(std::memory_order_acquire);",
                            "T *const value = slot.value.load(std::memory_order_relaxed);"),
    "table_grown_relaxed": (TABLE, "current_.store(all_.back().get(), std::memory_order_release);",
                            "current_.store(all_.back().get(), std::memory_order_relaxed);"),
    "table_current_relaxed": (TABLE, "const Slots &slots = *current_.load(std::memory_order_acquire);",
                              "const Slots &slots = *current_.load(std::memory_order_relaxed);"),
    # The mailbox of host services.
    "mailbox_asked_relaxed": (SERVICE, "std::atomic_ref(port.asked).load(std::memory_order_acquire)",
                              "std::atomic_ref(port.asked).load(std::memory_order_relaxed)"),
    "mailbox_answered_relaxed": (SERVICE, "store(asked, std::memory_order_release)", "store(asked, std::memory_order_relaxed)"),
    "mailbox_packet_unfenced": (DEVICE, "    target::fence_system();\n    store_for_host", "    store_for_host"),
    "mailbox_answer_unfenced": (DEVICE, "      target::pause();\n    target::fence_system();\n    used_ = 0;",
                                "      target::pause();\n    used_ = 0;"),
    "mailbox_port_of_two": ("locks.h", "const bool got = atomics::exchange(word, 1u) == 0;",
                            "const bool got = atomics::exchange(word, 1u) <= 1;"),
    "mailbox_end_untold": (SERVER, "  }\n  wakes_.notify_all();\n  if (ended)", "  }\n  if (ended)"),
    # Attached pointers that are written.
    "written_value_relaxed": (WRITTEN, "slot.host_value.load(std::memory_order_acquire)",
                              "slot.host_value.load(std::memory_order_relaxed)"),
    "written_end_relaxed": (WRITTEN, "slot.version.store(version + 2, std::memory_order_release);",
                            "slot.version.store(version + 2, std::memory_order_relaxed);"),
    "written_writer_not_announced": (WRITTEN, "slot.version.store(version + 1, std::memory_order_relaxed);", ""),
    "written_end_unchecked": (WRITTEN, " && slot.version.load(std::memory_order_relaxed) == version;", ";"),
    "written_any_generation": (WRITTEN, "slot.generation.load(std::memory_order_acquire) == mapping.generation &&", ""),
}


def main():
    root, output = sys.argv[1:3]
    plant = sys.argv[3] if len(sys.argv) > 3 else None
    texts = {}
    for folder, names in (("src", FILES), ("plugins", PLUGIN_FILES), ("device-rtl/gpu", DEVICE_FILES)):
        for name in names:
            with open(os.path.join(root, folder, name)) as file:
                texts[name] = file.read()
    # Plants are of the sources as they are. All of them must match, also where only some are built.
    for other, (name, there, planted) in PLANTS.items():
        if texts[name].count(there) != 1:
            sys.exit("%s: the plant %s does not match once: choose another place that is as wrong" % (name, other))
    if plant:
        name, there, planted = PLANTS[plant]
        texts[name] = texts[name].replace(there, planted)
    for name, pattern, replacement in BOUNDS + MAILBOX:
        texts[name], count = re.subn(pattern, replacement, texts[name])
        if count != 1:
            sys.exit("%s: %r matches %d times, not once" % (name, pattern, count))
    texts["base/versioned_lock.h"] = (texts["base/versioned_lock.h"].replace("wait_while_equal(", "wait_while_locked(")
                                      .replace("notify_waiters(", "notify_unlocked("))
    for name, text in texts.items():
        text = re.sub(r"std::(atomic_ref|atomic|mutex|condition_variable)\b", r"checked::\1", text)
        header = "checked.h" if name in FILES else "words.h"
        text = text.replace("#pragma once\n", '#pragma once\n#include "%s"\n' % header, 1)
        path = os.path.join(output, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


if sys.argv[1:] == ["--plants"]:
    print(";".join("%s %s" % (name, plant[0]) for name, plant in PLANTS.items()), end="")
else:
    main()
