// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables, by LLVM.

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include "code_object.h"

namespace sim::executor::amdgpu {

std::string find_source_line(const std::string &elf, uint64_t address) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(elf, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return {};
  }
  const auto context = llvm::DWARFContext::create(**object);
  const llvm::DILineInfo line = context->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::BaseNameOnly, llvm::DILineInfoSpecifier::FunctionNameKind::None});
  if (line.Line == 0)
    return {};
  return line.FileName + ":" + std::to_string(line.Line);
}

} // namespace sim::executor::amdgpu
