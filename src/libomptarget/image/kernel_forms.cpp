// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/kernel_forms.h"

#include "base/format.h"

namespace omptarget {

namespace {

constexpr uint64_t bit(unsigned version) { return uint64_t{1} << version; }

std::string list_of(uint64_t versions) {
  std::string text;
  for (const Generation &generation : kGenerations)
    if (versions & bit(generation.version))
      text += format("%s%u", text.empty() ? "" : ", ", generation.version);
  return text;
}

/// The compilers that emit such blocks.
uint64_t emitters(uint32_t block) {
  uint64_t versions = 0;
  for (const Generation &generation : kGenerations)
    versions |= generation.block == block ? bit(generation.version) : 0;
  return versions;
}

/// A decision on one kernel and one form of block, and its reason.
class Decision {
public:
  enum class Want { kForm, kReason };

  Decision(const ImageSigns &signs, const std::string &kernel, const KernelMark &mark, BlockForm block, Want want)
      : signs_(signs), kernel_(kernel), mark_(mark), block_(block_version(block)), explains_(want == Want::kReason),
        candidates_(emitters(block_)) {
    narrow();
    if (!is_refused())
      decide();
  }

  ParameterForm form() const { return form_; }
  const std::string &reason() const { return reason_; }

private:
  bool is_refused() const { return form_ == ParameterForm::kRefused; }

  /// Texts are functions that make them: they are needed after a refusal only.
  template <typename Text> void refuse(const Text &text) {
    if (explains_ && !is_refused())
      reason_ = text();
    form_ = ParameterForm::kRefused;
  }

  /// Leaves of the candidates those that the sign allows.
  template <typename Text> void keep(uint64_t versions, const Text &sign) {
    if ((candidates_ & versions) == 0)
      return refuse([&] {
        return format("the launch is one of clang %s, but %s", list_of(candidates_).c_str(), sign().c_str());
      });
    candidates_ &= versions;
    if (explains_)
      said_ += (said_.empty() ? "" : "; ") + sign();
  }

  template <typename Predicate> static uint64_t where(Predicate predicate) {
    uint64_t versions = 0;
    for (const Generation &generation : kGenerations)
      versions |= predicate(generation) ? bit(generation.version) : 0;
    return versions;
  }

  bool is_signed() const { return signs_.compilers != 0 && !signs_.has_other_compiler; }

  void narrow() {
    if (is_signed())
      keep(signs_.compilers, [&] { return "the image is signed by clang " + list_of(signs_.compilers); });
    if (mark_.has_environment)
      narrow_by_environment();
    else if (mark_.has_mode && !signs_.is_for_cpu)
      keep(where([](const Generation &generation) { return generation.environment == 0; }),
           [&] { return "the kernel has " + kernel_ + "_exec_mode alone, as kernels of clang 14 to 17"; });
    narrow_by_wrapping();
  }

  void narrow_by_environment() {
    const uint64_t size = mark_.environment_size;
    const auto text = [&] {
      return size == 0 ? "the kernel has " + kernel_ + "_kernel_environment"
                       : format("%s_kernel_environment has %llu bytes", kernel_.c_str(),
                                static_cast<unsigned long long>(size));
    };
    if (size != 0 && !is_known_environment(size))
      return refuse([&] {
        return text() +
               format(", as of no compiler that this library knows (clang %u to %u); a newer omptarget is needed",
                      kOldestClang, kNewestClang);
      });
    keep(where([&](const Generation &generation) {
           return size == 0 ? generation.environment != 0 : generation.environment == size;
         }),
         text);
  }

  /// Objects are linked by their own compiler or a newer one: a container, which clang 15 to 17 make, and the name of a
  /// library bound the compiler from above. Only blocks that compilers on both sides emit depend on the latter.
  void narrow_by_wrapping() {
    if (signs_.wrapping == Wrapping::kContainer)
      keep(where([](const Generation &generation) { return generation.version < kFirstWithEnvironment; }),
           [] { return std::string("its module holds the image in a container, as clang 15 to 17 leave it"); });
    if (block_ == kAmbiguousBlock && signs_.library != 0)
      keep(where([&](const Generation &generation) { return generation.version <= signs_.library; }),
           [&] { return needs_library(); });
  }

  std::string needs_library() const { return format("the image needs the libomptarget of clang %u", signs_.library); }

  ParameterForm form_of(const Generation &generation) const {
    // flang's kernels for CPUs are made as those for GPUs, and have an environment, too.
    return signs_.is_for_cpu && !mark_.has_environment ? generation.cpu_parameter : generation.parameter;
  }

  void decide() {
    if (block_ == kAmbiguousBlock && !is_signed() && !mark_.has_mode && !mark_.has_environment)
      narrow_unsigned();
    bool is_first = true;
    for (const Generation &generation : kGenerations) {
      if (is_refused() || (candidates_ & bit(generation.version)) == 0)
        continue;
      const ParameterForm form = form_of(generation);
      if (!is_first && form != form_)
        return refuse([&] { return cannot_tell(); });
      form_ = form;
      is_first = false;
    }
  }

  /// Tells clang 18 from 16 and 17 if the image is not signed and nothing lies beside the kernel.
  void narrow_unsigned() {
    const uint64_t raw = where([](const Generation &generation) { return generation.wrapping == Wrapping::kRaw; });
    if (const KernelMark any = signs_.any_mark(); any.has_environment && !signs_.is_for_cpu)
      keep(raw, [] { return std::string("other kernels of the image have environments, as of clang 18"); });
    else if (any.has_mode && !signs_.is_for_cpu)
      keep(~raw, [] { return std::string("other kernels of the image have execution modes, as of clang 16 and 17"); });
    if (signs_.wrapping == Wrapping::kContainer && signs_.library != 0)
      keep(~raw & bit(signs_.library), [&] { return needs_library(); });
    else if (signs_.wrapping == Wrapping::kRaw && signs_.library != 0 && signs_.library <= kFirstWithEnvironment)
      keep(raw, [] { return std::string("its module holds the image without a container, as clang 18 leaves it"); });
  }

  std::string cannot_tell() const {
    return format(
        "a block of version %u can be of clang %s, which differ in whether kernels have an implicit parameter, "
        "and nothing tells which it is%s%s: keep the section .comment of device code (no -fno-ident, no "
        "stripped image), and do not link objects of clang 18 with objects of clang 16 or 17",
        block_, list_of(candidates_).c_str(), said_.empty() ? "" : " although ", said_.c_str());
  }

  static constexpr uint32_t kAmbiguousBlock = 2;

  const ImageSigns &signs_;
  const std::string &kernel_;
  const KernelMark mark_;
  const uint32_t block_;
  const bool explains_;
  uint64_t candidates_;
  ParameterForm form_ = ParameterForm::kPlain;
  std::string said_;
  std::string reason_;
};

} // namespace

uint32_t block_version(BlockForm form) {
  constexpr uint32_t kVersions[kBlockForms] = {0, 1, 2, 3, 5};
  return kVersions[static_cast<size_t>(form)];
}

ParameterForms parameter_forms(const ImageSigns &signs, const std::string &kernel) {
  ParameterForms forms;
  const KernelMark mark = signs.mark_of(kernel);
  for (size_t i = 0; i < kBlockForms; ++i)
    forms[i] = Decision(signs, kernel, mark, static_cast<BlockForm>(i), Decision::Want::kForm).form();
  return forms;
}

std::string explain_refusal(const ImageSigns &signs, const std::string &kernel, BlockForm block) {
  return Decision(signs, kernel, signs.mark_of(kernel), block, Decision::Want::kReason).reason();
}

} // namespace omptarget
