// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/variable_name.h"

#include <cstdlib>
#include <utility>

#include "base/format.h"
#include "generations/names.h"

namespace omptarget {

VariableName parse_variable_name(const char *text) {
  VariableName result;
  if (!text)
    return result;
  std::string_view rest = text;
  if (rest.empty() || rest.front() != ';') {
    result.name = rest; // a global's, as its entry has it
    return result;
  }
  std::string_view fields[4];
  rest.remove_prefix(1);
  for (std::string_view &field : fields) {
    const size_t end = rest.find(';');
    field = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  if (is_file_first(fields[0], fields[1]))
    std::swap(fields[0], fields[1]);
  result.name = fields[0];
  result.file = fields[1];
  result.line = std::atoi(std::string(fields[2]).c_str());
  result.column = std::atoi(std::string(fields[3]).c_str());
  return result;
}

std::string variable_text(const MapItem &item) {
  return variable_text(item.name, item.has(map_type::kNonContiguous) ? -1 : item.size);
}

std::string place_text(const VariableName &variable) {
  return variable.line == 0 ? std::string()
                            : format(" at %.*s:%d:%d", static_cast<int>(variable.file.size()), variable.file.data(),
                                     variable.line, variable.column);
}

std::string variable_place(const char *text_of_name) {
  const VariableName variable = parse_variable_name(text_of_name);
  return variable.name.empty() ? "unknown" : std::string(variable.name) + place_text(variable);
}

std::string variable_text(const char *text_of_name, int64_t size) {
  const VariableName variable = parse_variable_name(text_of_name);
  if (variable.name.empty())
    return {};
  std::string text = format("in the mapping of %.*s", static_cast<int>(variable.name.size()), variable.name.data());
  if (size >= 0)
    text += format(" (%llu bytes)", static_cast<unsigned long long>(size));
  return text + place_text(variable);
}

} // namespace omptarget
