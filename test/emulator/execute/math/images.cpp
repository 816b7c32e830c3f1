// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See images.h.

#include "images.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace emulator::executor::math {

namespace {

// Empty after a failure.
std::string compile(const std::string &clang, const std::string &options) {
  static int count = 0;
  const std::string name = testing::TempDir() + "/executor-math-" + std::to_string(++count);
  const std::string command = clang + " -O1 -Wall " + options + " -o " + name;
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << command;
    return {};
  }
  std::stringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

class PtxImage final : public Image {
public:
  explicit PtxImage(std::unique_ptr<ptx::Module> module) : module_(std::move(module)) {
    memory_.module = module_.get();
  }

  std::string run(const std::string &kernel, void *data, size_t size, uint32_t threads) override {
    const ptx::Function *function = module_->find_function(kernel);
    if (!function)
      return "there is no " + kernel;
    memory_.set(data, size);
    ptx::Dispatch dispatch;
    dispatch.blocks = {1, 1, 1};
    dispatch.threads = {threads, 1, 1};
    dispatch.stack_limit = 4096;
    dispatch.arguments.resize(sizeof(data));
    std::memcpy(dispatch.arguments.data(), &data, sizeof(data));
    const auto report = ptx::launch(*module_, *function, memory_, memory_, dispatch, Schedule());
    return report ? report->fault.text + " at " + module_->describe(report->code_address) : "";
  }

private:
  std::unique_ptr<ptx::Module> module_;
  DataMemory memory_;
};

class AmdImage final : public Image, private amdgpu::CodeSpace {
public:
  explicit AmdImage(std::unique_ptr<amdgpu::CodeObject> object) : object_(std::move(object)) {
    memory_.object = object_.get();
  }

  std::string run(const std::string &kernel, void *data, size_t size, uint32_t threads) override {
    const amdgpu::KernelDescriptor *descriptor = object_->find_descriptor(kernel);
    if (!descriptor)
      return "there is no " + kernel;
    memory_.set(data, size);
    amdgpu::Dispatch dispatch;
    dispatch.grid = dispatch.threads = {threads, 1, 1};
    dispatch.private_size = descriptor->private_size;
    dispatch.arguments = reinterpret_cast<uint64_t>(&memory_.pointer);
    dispatch.kernel = kernel;
    const auto report = amdgpu::launch(*object_, *this, memory_, dispatch, Schedule());
    return report ? report->fault.text + " at " + object_->describe(report->code_address) : "";
  }

private:
  const amdgpu::Instruction *at(uint64_t address, std::string &reason) override { return object_->at(address, reason); }

  std::unique_ptr<amdgpu::CodeObject> object_;
  DataMemory memory_;
};

} // namespace

void DataMemory::set(void *data, size_t size) {
  pointer = data;
  size_ = size;
  ++generation_;
}

std::optional<MemoryRange> DataMemory::find(uint64_t address) {
  const auto holds = [&](const void *bytes, size_t size) {
    const uint64_t begin = reinterpret_cast<uint64_t>(bytes);
    return address >= begin && address < begin + size ? std::optional(MemoryRange{begin, begin + size, true})
                                                      : std::nullopt;
  };
  if (const auto data = holds(pointer, size_))
    return data;
  if (const auto argument = holds(&pointer, sizeof(pointer)))
    return argument;
  return module ? module->find_memory(address) : object ? object->find(address) : std::nullopt;
}

std::string compile_to_ptx(const std::string &clang, const std::string &options) {
  return compile(clang, "--target=nvptx64-nvidia-cuda -march=sm_80 -nocudalib -Wno-unknown-cuda-version -S " + options);
}

std::unique_ptr<Image> make_ptx_image(const std::string &options, const std::string &library) {
  const std::string text =
      compile_to_ptx(CLANG, "-Xclang -mlink-builtin-bitcode -Xclang " + library + " " + options + " " KERNELS);
  std::string error;
  auto module = text.empty() ? nullptr : ptx::Module::load(text, error);
  if (!module)
    return ADD_FAILURE() << error, nullptr;
  return std::make_unique<PtxImage>(std::move(module));
}

std::unique_ptr<Image> make_amd_image(const std::string &options, const std::string &processor) {
  const bool is_gfx9 = processor == "gfx90a";
  std::string libraries;
  for (const std::string name : {"ocml", is_gfx9 ? "oclc_isa_version_90a" : "oclc_isa_version_1036",
                                 is_gfx9 ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off", "oclc_daz_opt_off",
                                 "oclc_finite_only_off", "oclc_unsafe_math_off", "oclc_correctly_rounded_sqrt_on"})
    libraries += "-Xclang -mlink-builtin-bitcode -Xclang " ROCM_LIBRARIES "/" + name + ".bc ";
  const std::string bytes = compile(CLANG, "--target=amdgcn-amd-amdhsa -mcpu=" + processor + " -nogpulib " + libraries +
                                               options + " " KERNELS);
  const auto found = amdgpu::find_processor(processor);
  std::string error;
  auto object = bytes.empty() || !found ? nullptr : amdgpu::CodeObject::load(bytes, *found, error);
  if (!object)
    return ADD_FAILURE() << error, nullptr;
  return std::make_unique<AmdImage>(std::move(object));
}

} // namespace emulator::executor::math
