# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py ROOT OUTPUT: copies the project's lock-free sources for the checker: std's atomics, mutexes and condition
variables become the checker's, and bounds become small. Every replacement must match."""

import os
import re
import sys

BASE_FILES = ["base/pointer_table.h", "base/versioned_lock.h"]
LIBRARY_FILES = ["mapping/attached_pointers.cpp", "mapping/attached_pointers.h", "mapping/dormant_mappings.h",
                 "mapping/host_data_to_target_map.cpp", "mapping/host_data_to_target_map.h", "mapping/invariants.cpp",
                 "mapping/large_frees.h", "mapping/mapping.cpp", "mapping/mapping.h", "mapping/mapping_store.cpp",
                 "mapping/mapping_store.h", "mapping/name_pages.h", "mapping/ordered_index.cpp",
                 "mapping/ordered_index.h", "mapping/rare_uses.cpp", "mapping/rare_uses.h",
                 "mapping/recent_mappings.h", "mapping/small_mappings.cpp", "mapping/written_pointers.h"]
# Both sides of the mailbox: of the plugins, and of the device RTL, which is compiled with device/atomics.h and
# device/services.h.
PLUGIN_FILES = ["gpu/service_mailbox.cpp", "gpu/service_mailbox.h", "gpu/service_server.cpp", "gpu/service_server.h"]
DEVICE_FILES = ["arguments.h", "host_services.cpp", "locks.h"]

# Small bounds: leaves that split within few steps, stripes that leaves share, and a lock that is waited for at once.
BOUNDS = [("mapping/ordered_index.h", r"kLeafCapacity = \d+;", "kLeafCapacity = 8;"),
          ("mapping/ordered_index.h", r"kStripes = \d+;", "kStripes = 2;"),
          ("base/versioned_lock.h", r"kSpins = \d+;", "kSpins = 0;"),
          ("mapping/mapping_store.h", r"kBatch = \d+;", "kBatch = 1;"),
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
           (DEVICE, r"return packet\(\)\.result;",
            "return checked::words().load(&packet().result, std::memory_order_relaxed);"),
           (DEVICE, r"(?s)\[\[noreturn\]\] static void end_program.*?\n\}\n", ""),
           (DEVICE, r"(?s)// The user's names\..*?(?=/// include/omptarget/host_call\.h)", "")]


def main():
    root, output = sys.argv[1:]
    texts = {}
    for folder, names in (("src", BASE_FILES), ("src/libomptarget", LIBRARY_FILES), ("plugins", PLUGIN_FILES),
                          ("device-rtl/gpu", DEVICE_FILES)):
        for name in names:
            with open(os.path.join(root, folder, name)) as file:
                texts[name] = file.read()
    for name, pattern, replacement in BOUNDS + MAILBOX:
        texts[name], count = re.subn(pattern, replacement, texts[name])
        if count != 1:
            sys.exit("%s: %r matches %d times, not once" % (name, pattern, count))
    texts["base/versioned_lock.h"] = (texts["base/versioned_lock.h"].replace("wait_while_equal(", "wait_while_locked(")
                                      .replace("notify_waiters(", "notify_unlocked("))
    for name, text in texts.items():
        text = re.sub(r"std::(atomic_ref|atomic|mutex|condition_variable)\b", r"checked::\1", text)
        header = "checked.h" if name in BASE_FILES + LIBRARY_FILES else "words.h"
        text = text.replace("#pragma once\n", '#pragma once\n#include "%s"\n' % header, 1)
        path = os.path.join(output, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


main()
