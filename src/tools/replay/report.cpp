// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/replay/report.h"

#include <algorithm>
#include <cinttypes>
#include <vector>

#include "base/text_output.h"

namespace omptarget::replay {

namespace {

std::string numbers(const uint32_t (&counts)[3]) {
  std::string text = counts[0] == 0 ? "default" : std::to_string(counts[0]);
  for (size_t i = 1; i < 3; ++i)
    if (counts[i] > 1)
      text += format(" x %u", counts[i]);
  return text;
}

/// "a at f.c:3:7" of ";a;f.c;3;7;;"; other names as they are.
std::string variable_place(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 1; !text.empty() && text[0] == ';' && begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts.size() < 4 ? text : parts[0] + " at " + parts[1] + ":" + parts[2] + ":" + parts[3];
}

std::string describe(const record::Argument &argument) {
  const std::string name = argument.name.empty() ? "" : " " + variable_place(argument.name);
  switch (argument.kind) {
  case record::ArgumentKind::kValue: return format("value 0x%" PRIx64 "%s", argument.value, name.c_str());
  case record::ArgumentKind::kFunction:
    return format("function 0x%" PRIx64 " of the host%s", argument.value, name.c_str());
  case record::ArgumentKind::kPointer: break;
  }
  return format("pointer to block %u, offset %" PRId64 "%s", argument.block, argument.offset, name.c_str());
}

uint64_t changed_bytes(const record::Block &block) {
  uint64_t count = 0;
  for (const record::Change &change : block.changes)
    count += change.bytes.size();
  return count;
}

} // namespace

std::string name_of(const record::Recording &recording, size_t i) {
  const record::Block &block = recording.blocks[i];
  const std::string name = variable_place(block.name);
  return format("block %zu%s%s (%s, %" PRIu64 " bytes)", i, name.empty() ? "" : ", ", name.c_str(),
                kind_name(block.kind), block.size);
}

std::string describe(const record::Recording &recording, const Difference &difference) {
  return format("%s: %" PRIu64 " bytes differ, the first at offset %" PRIu64 ": recorded %s, now %s",
                name_of(recording, difference.block).c_str(), difference.count, difference.first,
                difference.recorded.c_str(), difference.found.c_str());
}

std::string describe(const record::Recording &recording) {
  std::string text = "kernel: " + printable_name(recording.kernel()->name) + "\n";
  for (const record::Fact &fact : recording.facts)
    text += printable_name(fact.name) + ": " + printable_name(fact.value) + "\n";
  const record::Launch &launch = recording.launch;
  text += format("teams: %s\nthreads: %s\ntrip count: %" PRIu64 "\ndynamic shared memory: %u bytes\n"
                 "argument block: version %u\nimage: %zu bytes\nentries: %zu\n",
                 numbers(launch.teams).c_str(), numbers(launch.threads).c_str(), launch.trip_count, launch.group_memory,
                 launch.block_version, recording.image.size(), recording.entries.size());
  for (size_t i = 0; i < recording.arguments.size(); ++i)
    text += format("argument %zu: %s\n", i, printable_name(describe(recording.arguments[i])).c_str());
  for (size_t i = 0; i < recording.blocks.size(); ++i)
    text += format("%s at 0x%" PRIx64 ", %" PRIu64 " bytes changed\n", printable_name(name_of(recording, i)).c_str(),
                   recording.blocks[i].device, changed_bytes(recording.blocks[i]));
  text += format("pointers in blocks: %zu\nwords that look like pointers: %" PRIu64 "\nresults: %s\n",
                 recording.pointers.size(), recording.unknown_pointers,
                 recording.has_result ? "yes" : "no, the launch has not ended");
  return text;
}

} // namespace omptarget::replay
