// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See translate.h.

#include <cstddef>

#include "translator.h"

#include <llvm/IR/Module.h>

namespace emulator::executor::ptx {

Translator::Translator(const Function &function, const Liveness &liveness, bool is_full,
                       llvm::function_ref<bool(uint32_t)> is_wanted, uint32_t &accesses, llvm::Module &module)
    : AccessBuilder(kLanes, module,
                    {llvm::PointerType::getUnqual(module.getContext()),
                     llvm::PointerType::getUnqual(module.getContext()), llvm::Type::getInt32Ty(module.getContext())}),
      function_(function), liveness_(liveness), is_full_(is_full), is_wanted_(is_wanted), accesses_(accesses) {
  registers_ = llvm_function_->getArg(1);
  mask_bits_ = is_full ? b_.getInt32(kAllLanes) : static_cast<Value *>(llvm_function_->getArg(2));
  mask_ = lanes_of(mask_bits_);
  addresses_ = b_.CreateAlloca(row_type());
  values_ = b_.CreateAlloca(llvm::ArrayType::get(row_type(), 4));
}

Translation Translator::run(uint32_t first) {
  block_at(first);
  while (!work_.empty()) {
    const uint32_t place = work_.back();
    work_.pop_back();
    translate_block(place);
  }
  llvm::BasicBlock *const unknown = new_block("unknown");
  b_.SetInsertPoint(entry_);
  llvm::SwitchInst *const entries =
      b_.CreateSwitch(field(offsetof(CompiledState, place), b_.getInt32Ty()), unknown, blocks_.size());
  for (const auto &[place, block] : blocks_)
    entries->addCase(b_.getInt32(place), block);
  b_.SetInsertPoint(unknown);
  b_.CreateUnreachable();
  return std::move(result_);
}

bool Translator::translate_instruction(const Instruction &instruction, uint32_t place) {
  Opcode opcode(instruction.opcode);
  using Translate = bool (Translator::*)(Opcode &, const Instruction &);
  static const auto &known = *new const std::map<std::string_view, Translate>{
      {"add", &Translator::sum},
      {"sub", &Translator::sum},
      {"mul", &Translator::product},
      {"mad", &Translator::product},
      {"fma", &Translator::product},
      {"div", &Translator::quotient},
      {"rem", &Translator::quotient},
      {"and", &Translator::logic},
      {"or", &Translator::logic},
      {"xor", &Translator::logic},
      {"not", &Translator::logic},
      {"neg", &Translator::one_of_sign},
      {"abs", &Translator::one_of_sign},
      {"min", &Translator::extreme},
      {"max", &Translator::extreme},
      {"shl", &Translator::shift},
      {"shr", &Translator::shift},
      {"popc", &Translator::count_bits},
      {"clz", &Translator::count_bits},
      {"brev", &Translator::count_bits},
      {"bfind", &Translator::count_bits},
      {"bfe", &Translator::extract},
      {"bfi", &Translator::insert},
      {"prmt", &Translator::permute},
      {"lop3", &Translator::logic_of_three},
      {"shf", &Translator::funnel},
      {"setp", &Translator::compare},
      {"set", &Translator::compare},
      {"selp", &Translator::select},
      {"mov", &Translator::move},
      {"cvt", &Translator::convert},
      {"cvta", &Translator::convert_address},
      {"isspacep", &Translator::is_in_space},
      {"rcp", &Translator::root},
      {"sqrt", &Translator::root},
      {"rsqrt", &Translator::root},
      {"copysign", &Translator::copy_sign},
      {"testp", &Translator::test_property},
      {"shfl", &Translator::shuffle},
      {"fence", &Translator::fence},
      {"membar", &Translator::fence},
      {"nanosleep", &Translator::do_nothing},
  };
  if (opcode.name() == "ld" || opcode.name() == "st")
    return access(instruction, place, opcode.name() == "ld");
  const auto found = known.find(opcode.name());
  return found != known.end() && (this->*found->second)(opcode, instruction) && opcode.rest().empty();
}

Translation translate(const Function &function, const Liveness &liveness, uint32_t place, bool is_full,
                      llvm::function_ref<bool(uint32_t)> is_wanted, uint32_t &accesses, llvm::Module &module) {
  return Translator(function, liveness, is_full, is_wanted, accesses, module).run(place);
}

} // namespace emulator::executor::ptx
