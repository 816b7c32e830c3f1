// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, barriers, messages, traps, the end, clocks, and loads of scalars.

#include <atomic>
#include <chrono>

#include "operations.h"

namespace emulator::executor::amdgpu {

namespace {

void nothing(AmdWave &, const Instruction &) {}

void jump_by(AmdWave &wave, const Operand &words) {
  wave.next_pc += static_cast<uint64_t>(int64_t{static_cast<int16_t>(words.bits)} * 4);
}
void branch(AmdWave &wave, const Instruction &i) { jump_by(wave, i.operands[0]); }
template <bool (*Holds)(const AmdWave &)> void branch_if(AmdWave &wave, const Instruction &i) {
  if (Holds(wave))
    jump_by(wave, i.operands[0]);
}
bool scc_is_set(const AmdWave &wave) { return wave.scc; }
bool scc_is_clear(const AmdWave &wave) { return !wave.scc; }
bool vcc_is_zero(const AmdWave &wave) { return (wave.mask(kVcc) & wave.lane_mask()) == 0; }
bool vcc_is_not_zero(const AmdWave &wave) { return !vcc_is_zero(wave); }
bool exec_is_zero(const AmdWave &wave) { return wave.exec() == 0; }
bool exec_is_not_zero(const AmdWave &wave) { return wave.exec() != 0; }

void get_pc(AmdWave &wave, const Instruction &i) { wave.write_scalar64(i.operands[0], wave.next_pc); }
void set_pc(AmdWave &wave, const Instruction &i) { wave.next_pc = wave.scalar_source64(i.operands[0]); }
void swap_pc(AmdWave &wave, const Instruction &i) {
  const uint64_t target = wave.scalar_source64(i.operands[1]);
  wave.write_scalar64(i.operands[0], wave.next_pc);
  wave.next_pc = target;
}
void call(AmdWave &wave, const Instruction &i) {
  wave.write_scalar64(i.operands[0], wave.next_pc);
  jump_by(wave, i.operands[1]);
}

void end(AmdWave &wave, const Instruction &) { wave.state = WaveState::kEnded; }

void barrier(AmdWave &wave, const Instruction &) {
  ++wave.barriers;
  wave.state = WaveState::kAtBarrier;
}

// ---- Memory order: LLVM's AMDGPUUsage, "Memory Model". Stores are done when they were waited for.
bool has_word(const Instruction &i, std::string_view word) { return i.text.find(word) != std::string::npos; }

void order_host() { std::atomic_thread_fence(std::memory_order_seq_cst); } // its threads run other blocks
template <void (WeakMemory::*F)(WaveView &)> void ordered(AmdWave &wave, const Instruction &) {
  order_host();
  wave.order_accesses(true);
  if (WeakMemory *weak = wave.context().weak)
    (weak->*F)(wave.view);
}
void wait(AmdWave &wave, const Instruction &i) { // the counter has stores, too, on gfx9 only
  order_host();
  if (!wave.context().weak || !wave.is_gfx9() || !has_word(i, "vmcnt(0)"))
    return;
  wave.context().weak->release(wave.view, wave.view.writes_back ? Scope::kSystem : Scope::kDevice);
  wave.view.writes_back = false;
}
void wait_for_stores(AmdWave &wave, const Instruction &i) { // nothing is between the second cache and the host
  order_host();
  if (wave.context().weak && has_word(i, "0x0"))
    wave.context().weak->release(wave.view, Scope::kSystem);
}
void write_back(AmdWave &wave, const Instruction &i) {
  wave.view.writes_back |= !wave.context().processor.is_gfx940() || has_word(i, "sc0");
}
void invalidate(AmdWave &wave, const Instruction &i) {
  order_host();
  wave.order_accesses(true);
  if (wave.context().weak && (!wave.context().processor.is_gfx940() || has_word(i, "sc1")))
    wave.context().weak->acquire(wave.view, Scope::kDevice);
}

void trap(AmdWave &wave, const Instruction &i) {
  const uint64_t active = wave.exec();
  wave.fail(FaultKind::kProgram, "trap " + std::to_string(i.operands[0].bits) + ": the program ends the kernel",
            active ? __builtin_ctzll(active) : -1);
}

void send_message(AmdWave &wave, const Instruction &i) {
  if (i.operands[0].text != "sendmsg(MSG_DEALLOC_VGPRS)")
    wave.unsupported("a message that the executor does not know");
}

uint64_t nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}
void read_clock(AmdWave &wave, const Instruction &i) { wave.write_scalar64(i.operands[0], nanoseconds()); }

void ask_by_message(AmdWave &wave, const Instruction &i) {
  const std::string &message = i.operands[1].text;
  if (message == "sendmsg(MSG_RTN_GET_REALTIME)")
    wave.write_scalar64(i.operands[0], nanoseconds());
  else if (message == "sendmsg(MSG_RTN_GET_DOORBELL)") // before a trap
    wave.write_scalar(i.operands[0], 0);
  else
    wave.unsupported("a message that the executor does not know");
}

// The only hardware registers read are clocks. Modes of floats that are not the default ones are refused.
void get_hardware_register(AmdWave &wave, const Instruction &i) {
  if (!i.operands[1].text.starts_with("hwreg(HW_REG_SHADER_CYCLES"))
    return wave.unsupported("a hardware register that the executor does not have");
  wave.write_scalar(i.operands[0], static_cast<uint32_t>(nanoseconds() & 0xFFFFF));
}
void set_hardware_register(AmdWave &wave, const Instruction &i) {
  const Operand &value = i.operands[1];
  const bool is_default = value.kind == OperandKind::kInteger && i.operands[0].text == "hwreg(HW_REG_MODE, 4, 2)" &&
                          (value.bits & 3) == 3; // denormals are kept
  if (!is_default)
    wave.unsupported("a hardware register that the executor does not have");
}

// Which registers M0 chooses: gpr_idx(SRC0,DST).
void set_index_mode(AmdWave &wave, const Operand &names) {
  static constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  wave.index_mode = 0;
  for (unsigned n = 0; n < 4; ++n)
    if (names.text.find(kNames[n]) != std::string::npos)
      wave.index_mode = static_cast<uint8_t>(wave.index_mode | 1u << n);
}
void set_index(AmdWave &wave, const Instruction &i) {
  wave.set_scalar(kM0, (wave.scalar(kM0) & ~0xFFu) | (wave.scalar_source(i.operands[0]) & 0xFF));
}
void begin_indexing(AmdWave &wave, const Instruction &i) {
  set_index(wave, i);
  set_index_mode(wave, i.operands[1]);
}
void change_indexing(AmdWave &wave, const Instruction &i) { set_index_mode(wave, i.operands[0]); }
void end_indexing(AmdWave &wave, const Instruction &) { wave.index_mode = 0; }

// A scalar load: registers from memory, which the wave as a whole may read.
void load(AmdWave &wave, const Instruction &i) {
  const Operand &result = i.operands[0], &base = i.operands[1], &offset = i.operands[2];
  if (result.kind != OperandKind::kScalar || base.registers != 2)
    return wave.unsupported("the operands of a scalar load");
  uint64_t address = wave.scalar_source64(base) + static_cast<uint64_t>(int64_t{i.offset});
  if (offset.kind == OperandKind::kScalar)
    address += wave.scalar(offset.index);
  else if (offset.kind == OperandKind::kInteger)
    address += static_cast<uint64_t>(offset.bits);
  address &= ~uint64_t{3};
  const uint32_t size = result.registers * 4u;
  const uint8_t *bytes = wave.global_memory(address, size, Access::kFixedRead, -1);
  for (unsigned n = 0; bytes && n < result.registers; ++n)
    wave.set_scalar(result.index + n, load_value<uint32_t>(bytes + size_t{n} * 4));
}

const Operation kOperations[] = {
    {"s_nop s_waitcnt_depctr s_waitcnt_vmcnt s_waitcnt_expcnt s_waitcnt_lgkmcnt s_delay_alu s_clause s_sethalt s_setprio "
     "s_set_inst_prefetch_distance s_inst_prefetch s_icache_inv s_dcache_wb s_gl1_inv s_wakeup s_sleep buffer_invl2 "
     "s_ttracedata",
     nothing},
    {"s_waitcnt", wait},
    {"s_waitcnt_vscnt", wait_for_stores},
    {"buffer_wbl2", write_back},
    {"buffer_wbinvl1 buffer_wbinvl1_vol buffer_inv", invalidate},
    {"buffer_gl0_inv", ordered<&WeakMemory::empty_inner_cache>},
    {"buffer_gl1_inv", ordered<&WeakMemory::empty_outer_cache>},
    {"s_dcache_inv", ordered<&WeakMemory::empty_scalar_cache>},
    {"s_branch", branch},
    {"s_cbranch_scc0", branch_if<scc_is_clear>},
    {"s_cbranch_scc1", branch_if<scc_is_set>},
    {"s_cbranch_vccz", branch_if<vcc_is_zero>},
    {"s_cbranch_vccnz", branch_if<vcc_is_not_zero>},
    {"s_cbranch_execz", branch_if<exec_is_zero>},
    {"s_cbranch_execnz", branch_if<exec_is_not_zero>},
    {"s_getpc_b64", get_pc},
    {"s_setpc_b64", set_pc},
    {"s_swappc_b64", swap_pc},
    {"s_call_b64", call},
    {"s_endpgm", end},
    {"s_barrier", barrier},
    {"s_trap", trap},
    {"s_sendmsg", send_message},
    {"s_sendmsg_rtn_b32 s_sendmsg_rtn_b64", ask_by_message},
    {"s_set_gpr_idx_on", begin_indexing},
    {"s_set_gpr_idx_idx", set_index},
    {"s_set_gpr_idx_mode", change_indexing},
    {"s_set_gpr_idx_off", end_indexing},
    {"s_memtime s_memrealtime", read_clock},
    {"s_getreg_b32", get_hardware_register},
    {"s_setreg_imm32_b32", set_hardware_register},
    {"s_load_dword s_load_dwordx2 s_load_dwordx4 s_load_dwordx8 s_load_dwordx16 s_load_b32 s_load_b64 s_load_b128 "
     "s_load_b256 s_load_b512",
     load},
};

} // namespace

std::span<const Operation> control_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
