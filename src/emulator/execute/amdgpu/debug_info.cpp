// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See debug_info.h. It uses LLVM.

#include "debug_info.h"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDie.h>
#include <llvm/DebugInfo/DWARF/DWARFExpression.h>
#include <llvm/Object/ObjectFile.h>

namespace emulator::executor::amdgpu {

namespace {

using llvm::dwarf::Attribute;

// Constants, and registers of 32 bits alone or as pieces.
bool read_expression(const llvm::DWARFLocationExpression &location, SourceVariable &variable) {
  const llvm::DataExtractor data(llvm::toStringRef(location.Expr), true, 8);
  const llvm::DWARFExpression expression(data, 8);
  for (const auto &operation : expression) {
    const uint8_t code = operation.getCode();
    if (operation.isError())
      return false;
    if (code == llvm::dwarf::DW_OP_regx)
      variable.registers.push_back(static_cast<uint32_t>(operation.getRawOperand(0)));
    else if (code >= llvm::dwarf::DW_OP_reg0 && code <= llvm::dwarf::DW_OP_reg31)
      variable.registers.push_back(code - llvm::dwarf::DW_OP_reg0);
    else if (code == llvm::dwarf::DW_OP_consts || code == llvm::dwarf::DW_OP_constu)
      variable.constant = operation.getRawOperand(0);
    else if (code >= llvm::dwarf::DW_OP_lit0 && code <= llvm::dwarf::DW_OP_lit31)
      variable.constant = code - llvm::dwarf::DW_OP_lit0;
    else if (code == llvm::dwarf::DW_OP_piece && operation.getRawOperand(0) == 4 && !variable.constant)
      continue;
    else if (code != llvm::dwarf::DW_OP_stack_value || !variable.constant)
      return false;
  }
  return variable.constant.has_value() != !variable.registers.empty();
}

void read_type(llvm::DWARFDie die, SourceVariable &variable) {
  llvm::DWARFDie type = die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
  if (!type)
    if (const auto origin = die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_abstract_origin))
      type = origin.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
  for (int i = 0; i < 8 && type; ++i) { // behind const, typedef and the like
    const auto size = llvm::dwarf::toUnsigned(type.find(llvm::dwarf::DW_AT_byte_size));
    if (type.getTag() == llvm::dwarf::DW_TAG_pointer_type || type.getTag() == llvm::dwarf::DW_TAG_reference_type)
      variable.bytes = 8;
    if (size)
      variable.bytes = static_cast<unsigned>(*size);
    variable.is_float = llvm::dwarf::toUnsigned(type.find(llvm::dwarf::DW_AT_encoding), 0) == llvm::dwarf::DW_ATE_float;
    if (variable.bytes != 0)
      return;
    type = type.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
  }
}

void add_variable(llvm::DWARFDie die, uint64_t address, std::vector<SourceVariable> &variables) {
  SourceVariable variable;
  const char *name = die.getShortName();
  if (!name || name[0] == '.' || name[0] == '_') // the compiler's own
    return;
  variable.name = name;
  read_type(die, variable);
  if (variable.bytes == 0 || variable.bytes > 8)
    return;
  if (const auto constant = llvm::dwarf::toSigned(die.find(llvm::dwarf::DW_AT_const_value))) {
    variable.constant = static_cast<uint64_t>(*constant);
    variables.push_back(std::move(variable));
    return;
  }
  auto locations = die.getLocations(llvm::dwarf::DW_AT_location);
  if (!locations) {
    llvm::consumeError(locations.takeError());
    return;
  }
  for (const auto &one : *locations) {
    if (one.Range && (address < one.Range->LowPC || address >= one.Range->HighPC))
      continue;
    if (read_expression(one, variable) && (variable.constant || variable.registers.size() == (variable.bytes + 3) / 4))
      variables.push_back(std::move(variable));
    return;
  }
}

} // namespace

struct DebugInfo::Parts {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
};

DebugInfo::DebugInfo() : parts_(std::make_unique<Parts>()) {}
DebugInfo::~DebugInfo() = default;

std::unique_ptr<DebugInfo> DebugInfo::read(const std::string &elf) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(elf, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  std::unique_ptr<DebugInfo> result(new DebugInfo);
  result->parts_->object = std::move(*object);
  result->parts_->context = llvm::DWARFContext::create(*result->parts_->object);
  return result;
}

const SourceLine &DebugInfo::line_at(uint64_t address) {
  const auto [found, is_new] = known_.try_emplace(address);
  if (!is_new)
    return found->second;
  const llvm::DILineInfo line = parts_->context->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, llvm::DILineInfoSpecifier::FunctionNameKind::None});
  if (line.Line != 0)
    found->second = {line.FileName, line.Line};
  return found->second;
}

// From the innermost block outwards.
std::vector<SourceVariable> DebugInfo::variables_at(uint64_t address) {
  std::vector<SourceVariable> variables;
  const auto dies = parts_->context->getDIEsForAddress(address);
  std::vector<llvm::DWARFDie> scopes;
  for (llvm::DWARFDie die = dies.BlockDIE ? dies.BlockDIE : dies.FunctionDIE; die; die = die.getParent()) {
    scopes.push_back(die);
    if (die == dies.FunctionDIE)
      break;
  }
  // Blocks do not tell of inlined functions.
  for (size_t i = 0; i < scopes.size() && scopes.size() < 256; ++i)
    for (llvm::DWARFDie child : scopes[i].children()) {
      const auto tag = child.getTag();
      if (tag == llvm::dwarf::DW_TAG_variable || tag == llvm::dwarf::DW_TAG_formal_parameter)
        add_variable(child, address, variables);
      else if ((tag == llvm::dwarf::DW_TAG_inlined_subroutine || tag == llvm::dwarf::DW_TAG_lexical_block) &&
               child.addressRangeContainsAddress(address) &&
               std::find(scopes.begin(), scopes.end(), child) == scopes.end())
        scopes.push_back(child);
    }
  return variables;
}

} // namespace emulator::executor::amdgpu
