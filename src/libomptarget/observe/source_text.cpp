// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/source_text.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/format.h"
#include "generations/names.h"
#include "observe/demangle.h"
#include "omptarget/types.h"

namespace omptarget::observe {

namespace {

constexpr int kFields = 4;

/// LLVM 19 names files without their folders.
std::string_view without_folders(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Cuts ";a;b;c;d;" into its fields; false if there are fewer.
bool cut(std::string_view text, std::string_view (&fields)[kFields]) {
  if (!text.starts_with(';'))
    return false;
  text.remove_prefix(1);
  for (std::string_view &field : fields) {
    const size_t end = text.find(';');
    if (end == std::string_view::npos)
      return false;
    field = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  return true;
}

/// flang's name for any file in the text of a construct.
constexpr std::string_view kNoFile = "FIRModule";

/// Returns the name of a Fortran procedure as the source has it: "_QMmeshPsolve" is "solve", "_QQmain" is "main". flang
/// writes names of the source in lower case.
std::string_view procedure_name(std::string_view symbol) {
  const size_t last = symbol.find_last_of("PQF");
  return symbol.starts_with("_Q") ? symbol.substr(last + 1) : symbol;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

} // namespace

std::string SourcePlace::to_string() const {
  if (file.empty())
    return format("line %d of %.*s", line, static_cast<int>(function.size()), function.data());
  return format("%.*s:%d:%d", static_cast<int>(file.size()), file.data(), line, column);
}

SourcePlace construct_place(const char *psource) {
  std::string_view fields[kFields];
  if (!psource || !cut(psource, fields) || number(fields[2]) == 0)
    return {};
  if (fields[0] == kNoFile)
    return {"", procedure_name(fields[1]), number(fields[2]), number(fields[3])};
  return {without_folders(fields[0]), fields[1], number(fields[2]), number(fields[3])};
}

SourcePlace construct_place(const ident_t *location) {
  return construct_place(location ? location->psource : static_cast<const char *>(nullptr));
}

VariableName variable_name(const char *text) {
  if (!text || !*text)
    return {};
  std::string_view fields[kFields];
  if (!cut(text, fields))
    return {text, {}};
  if (is_file_first(fields[0], fields[1]))
    std::swap(fields[0], fields[1]);
  return {fields[0], {without_folders(fields[1]), "unknown", number(fields[2]), number(fields[3])}};
}

std::string readable_name(const char *name) {
  std::string text(variable_name(name).name);
  const std::optional<KernelSource> source = source_of_kernel(text);
  if (!source)
    return text;
  return readable_symbol(std::string(source->function)) + ", line " + std::string(source->line).append(source->rest);
}

} // namespace omptarget::observe
