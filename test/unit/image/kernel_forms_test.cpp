// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/machine.h"
#include "image/kernel_forms.h"

#include "../plugin/section_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace omptarget {

void PrintTo(ParameterForm form, std::ostream *out) {
  constexpr const char *kNames[] = {"plain", "leading", "trailing", "cells", "refused"};
  *out << kNames[static_cast<size_t>(form)];
}

namespace {

using testing::HasSubstr;
constexpr auto kVersion2 = BlockForm::kVersion2;
constexpr auto kVersion3 = BlockForm::kVersion3;
constexpr auto kVersion5 = BlockForm::kVersion5;
constexpr auto kPlain = ParameterForm::kPlain;
constexpr auto kLeading = ParameterForm::kLeading;
constexpr auto kTrailing = ParameterForm::kTrailing;
constexpr auto kCells = ParameterForm::kCells;
constexpr auto kRefused = ParameterForm::kRefused;

constexpr uint16_t kGpu = EM_CUDA;

std::string signature(unsigned version) {
  return "Debian clang version " + std::to_string(version) + ".1.8 (1)" + '\0';
}

ImageSigns signs_in(SectionFile &file, Wrapping wrapping = Wrapping::kRaw, uint16_t machine = kMachine.elf_machine) {
  const std::string bytes = file.bytes(machine);
  return read_signs(std::as_bytes(std::span(bytes)), wrapping);
}

/// The facts of an image that clang of these versions made, for a CPU.
ImageSigns cpu_image(std::initializer_list<unsigned> signers, Wrapping wrapping, const std::string &library = "") {
  SectionFile file;
  std::string comment = std::string("GCC: (Debian 12.2.0-14) 12.2.0") + '\0';
  for (const unsigned version : signers)
    comment += signature(version);
  comment += std::string("Linker: Debian LLD 19.1.7") + '\0';
  file.add(".comment", SHT_PROGBITS, comment);
  file.add_needed({"libomp.so.5", "libomptarget.so" + library, "libc.so.6"});
  return signs_in(file, wrapping);
}

ImageSigns gpu_image(const std::vector<SectionFile::Symbol> &symbols, Wrapping wrapping = Wrapping::kRaw) {
  SectionFile file;
  file.add_sized_symbols(symbols);
  return signs_in(file, wrapping, kGpu);
}

ParameterForm form(const ImageSigns &signs, BlockForm block) {
  const ParameterForm found = parameter_forms(signs, "k")[static_cast<size_t>(block)];
  EXPECT_EQ(found == kRefused, !explain_refusal(signs, "k", block).empty());
  return found;
}

std::string reason(const ImageSigns &signs, BlockForm block) { return explain_refusal(signs, "k", block); }

TEST(KernelForms, every_compiler_of_the_table_is_known_by_its_own_image) {
  for (const Generation &generation : kGenerations) {
    const ImageSigns cpu = cpu_image({generation.version}, generation.wrapping, std::string(generation.library));
    const ImageSigns gpu =
        gpu_image({generation.environment == 0 ? SectionFile::Symbol{"k_exec_mode", 1}
                                               : SectionFile::Symbol{"k_kernel_environment", generation.environment}},
                  generation.wrapping);
    for (size_t i = 0; i < kBlockForms; ++i) {
      const auto block = static_cast<BlockForm>(i);
      if (block_version(block) != generation.block) {
        EXPECT_EQ(form(cpu, block), kRefused) << generation.version << " with a block of " << block_version(block);
        continue;
      }
      EXPECT_EQ(form(cpu, block), generation.cpu_parameter) << generation.version;
      EXPECT_EQ(form(gpu, block), generation.parameter) << generation.version;
    }
  }
}

TEST(KernelForms, version_2_follows_who_signed_and_not_who_linked) {
  // Objects of clang 16 in a program that clang 19 links: their image is in no container and needs 19's library.
  EXPECT_EQ(form(cpu_image({16, 19}, Wrapping::kRaw, ".19.1"), kVersion2), kPlain);
  EXPECT_EQ(form(cpu_image({16, 19}, Wrapping::kRaw, ".19.1"), kVersion3), kLeading);
  EXPECT_EQ(form(cpu_image({18, 23}, Wrapping::kRaw, ".23.1"), kVersion2), kLeading);
  EXPECT_EQ(form(cpu_image({18, 23}, Wrapping::kRaw, ".23.1"), kVersion5), kCells);
  EXPECT_EQ(form(cpu_image({16}, Wrapping::kContainer, ""), kVersion2), kPlain); // linked against omptarget
}

TEST(KernelForms, objects_of_18_linked_with_those_of_16_cannot_be_told_apart) {
  const ImageSigns mixed = cpu_image({16, 18}, Wrapping::kRaw, ".18.1");
  EXPECT_EQ(form(mixed, kVersion2), kRefused);
  EXPECT_THAT(reason(mixed, kVersion2),
              HasSubstr("a block of version 2 can be of clang 16, 18, which differ in whether kernels have an implicit "
                        "parameter, and nothing tells which it is"));
  EXPECT_THAT(reason(mixed, kVersion2), HasSubstr("do not link objects of clang 18 with objects of clang 16 or 17"));
  EXPECT_EQ(form(cpu_image({16, 17}, Wrapping::kContainer, ".17"), kVersion2), kPlain);
}

TEST(KernelForms, version_2_of_unsigned_images_follows_container_and_library) {
  EXPECT_EQ(form(cpu_image({}, Wrapping::kContainer, ".16"), kVersion2), kPlain);
  EXPECT_EQ(form(cpu_image({}, Wrapping::kContainer, ".17"), kVersion2), kPlain);
  EXPECT_EQ(form(cpu_image({}, Wrapping::kContainer), kVersion2), kPlain);
  EXPECT_EQ(form(cpu_image({}, Wrapping::kRaw, ".18.1"), kVersion2), kLeading);
  EXPECT_THAT(reason(cpu_image({}, Wrapping::kRaw), kVersion2), HasSubstr("keep the section .comment of device code"));
  EXPECT_THAT(reason(cpu_image({}, Wrapping::kRaw, ".19.1"), kVersion2), HasSubstr("can be of clang 16, 17, 18"));
}

TEST(KernelForms, signs_that_contradict_one_another_are_refused) {
  EXPECT_EQ(reason(cpu_image({}, Wrapping::kContainer, ".18.1"), kVersion2),
            "the launch is one of clang 16, 17, but the image needs the libomptarget of clang 18");
  EXPECT_EQ(reason(cpu_image({}, Wrapping::kRaw, ".16"), kVersion2),
            "the launch is one of clang 16, but its module holds the image without a container, as clang 18 leaves it");
  EXPECT_EQ(reason(cpu_image({18}, Wrapping::kContainer, ".18.1"), kVersion2),
            "the launch is one of clang 18, but its module holds the image in a container, as clang 15 to 17 leave it");
  EXPECT_EQ(reason(cpu_image({18}, Wrapping::kRaw, ".16"), kVersion2),
            "the launch is one of clang 18, but the image needs the libomptarget of clang 16");
  EXPECT_EQ(reason(cpu_image({22}, Wrapping::kRaw, ".22.1"), kVersion5),
            "the launch is one of clang 23, but the image is signed by clang 22");
  EXPECT_EQ(reason(cpu_image({23}, Wrapping::kRaw, ".23.1"), kVersion3),
            "the launch is one of clang 19, 20, 21, 22, but the image is signed by clang 23");
}

TEST(KernelForms, others_signatures_decide_nothing) {
  for (const char *other : {"AMD clang version 17.0.0 (roc-6.0.0)", "Cray clang version 18.0.1",
                            "Intel(R) oneAPI DPC++/C++ Compiler 2025.0.4", "clang version 24.1.0"}) {
    const Signatures found = read_signatures(signature(16) + other + '\0');
    EXPECT_TRUE(found.has_other) << other;
    SectionFile file;
    file.add(".comment", SHT_PROGBITS, std::string(other) + '\0');
    const ImageSigns signs = signs_in(file);
    EXPECT_EQ(form(signs, kVersion3), kLeading) << other;
    EXPECT_EQ(form(signs, kVersion5), kCells) << other;
    EXPECT_EQ(form(signs, kVersion2), kRefused) << other;
  }
  const Signatures ours = read_signatures(std::string("GCC: (Debian 12.2.0) 12.2.0") + '\0' + "clang version 23.1.4" +
                                          '\0' + "flang version 23.1.4");
  EXPECT_EQ(ours.compilers, uint64_t{1} << 23);
  EXPECT_FALSE(ours.has_other);
}

TEST(KernelForms, what_lies_beside_a_kernel_tells_for_gpus) {
  EXPECT_EQ(form(gpu_image({{"k_exec_mode", 1}}), kVersion2), kPlain);
  EXPECT_EQ(form(gpu_image({{"k_kernel_environment", 48}}), kVersion2), kLeading);
  EXPECT_EQ(form(gpu_image({{"k_kernel_environment", 48}, {"k_exec_mode", 1}}), kVersion3), kLeading);
  EXPECT_EQ(form(gpu_image({{"k_kernel_environment", 40}}), kVersion5), kTrailing);
  // Kernels of ompx_bare have nothing beside them: others of the image tell, or the block alone.
  EXPECT_EQ(form(gpu_image({{"other_kernel_environment", 48}}), kVersion2), kLeading);
  EXPECT_EQ(form(gpu_image({{"other_exec_mode", 1}}), kVersion2), kPlain);
  EXPECT_EQ(form(gpu_image({}), kVersion3), kLeading);
  EXPECT_EQ(form(gpu_image({}), kVersion5), kTrailing);
}

TEST(KernelForms, an_environment_of_another_size_is_refused_by_its_size) {
  EXPECT_EQ(reason(gpu_image({{"k_kernel_environment", 48}}), kVersion5),
            "the launch is one of clang 23, but k_kernel_environment has 48 bytes");
  EXPECT_EQ(reason(gpu_image({{"k_kernel_environment", 40}}), kVersion3),
            "the launch is one of clang 19, 20, 21, 22, but k_kernel_environment has 40 bytes");
  for (const BlockForm block : {kVersion2, kVersion3, kVersion5})
    EXPECT_EQ(reason(gpu_image({{"k_kernel_environment", 56}}), block),
              "k_kernel_environment has 56 bytes, as of no compiler that this library knows (clang 14 to 23); a newer "
              "omptarget is needed");
  EXPECT_EQ(
      reason(gpu_image({{"k_exec_mode", 1}}), kVersion3),
      "the launch is one of clang 19, 20, 21, 22, but the kernel has k_exec_mode alone, as kernels of clang 14 to 17");
}

TEST(KernelForms, flang_makes_kernels_for_cpus_as_for_gpus) {
  SectionFile file;
  file.add_sized_symbols({{"k_kernel_environment", 40}, {"k_exec_mode", 1}});
  EXPECT_EQ(form(signs_in(file), kVersion5), kTrailing);
  SectionFile older;
  older.add_sized_symbols({{"k_kernel_environment", 48}, {"k_exec_mode", 1}});
  EXPECT_EQ(form(signs_in(older), kVersion3), kLeading);
}

TEST(KernelForms, names_in_assembly_and_bitcode_count_by_their_ends) {
  const std::string ptx = ".version 8.0\n.target sm_80\n.global .align 8 .b8 k_kernel_environment[40];\n";
  const ImageSigns signs = read_signs(std::as_bytes(std::span(ptx)), Wrapping::kRaw);
  EXPECT_EQ(form(signs, kVersion5), kTrailing);
  EXPECT_EQ(form(signs, kVersion2), kLeading);
  const std::string bitcode = "BC\xC0\xDE....someother_exec_modek_exec_mode";
  EXPECT_EQ(form(read_signs(std::as_bytes(std::span(bitcode)), Wrapping::kContainer), kVersion2), kPlain);
}

TEST(ImageSigns, damaged_bytes_say_nothing_or_less) {
  SectionFile file;
  file.add(".comment", SHT_PROGBITS, signature(16));
  file.add_sized_symbols({{"k_kernel_environment", 48}});
  file.add_needed({"libomptarget.so.16"});
  std::string bytes = file.bytes();
  const ImageSigns whole = read_signs(std::as_bytes(std::span(bytes)), Wrapping::kRaw);
  EXPECT_EQ(whole.compilers, uint64_t{1} << 16);
  EXPECT_EQ(whole.library, 16u);
  EXPECT_EQ(whole.mark_of("k").environment_size, 48u);
  for (size_t size = 0; size < bytes.size(); ++size)
    (void)read_signs(std::as_bytes(std::span(bytes).first(size)), Wrapping::kRaw);
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      (void)parameter_forms(read_signs(std::as_bytes(std::span(damaged)), Wrapping::kRaw), "k");
    }
}

} // namespace
} // namespace omptarget
