// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/launch_notes.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "base/version.h"
#include "jit/key_maker.h"

namespace omptarget::jit {

namespace {

constexpr int64_t kMostVariants = 16;
constexpr std::string_view kFirstLine = "launches 1\n";
constexpr std::chrono::seconds kMostSecondsForLock{2};
constexpr int kMostTries = 16;
/// Most bytes of cases that omptarget-jit gets as its arguments; what is behind them has no variants.
constexpr size_t kMostText = size_t{64} * 1024;

using CasesByKernel = std::map<std::string, std::vector<LaunchCase>>;

CasesByKernel by_kernel(const std::vector<LaunchCase> &cases, size_t most) {
  CasesByKernel kernels;
  for (const LaunchCase &one : cases)
    add_case(kernels[one.kernel], one, most);
  return kernels;
}

std::vector<LaunchCase> all_of(const CasesByKernel &kernels) {
  std::vector<LaunchCase> all;
  for (const auto &[kernel, cases] : kernels)
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

} // namespace

bool add_case(std::vector<LaunchCase> &cases, LaunchCase launch, size_t most) {
  if (std::find(cases.begin(), cases.end(), launch) != cases.end())
    return false;
  if (cases.size() < most) {
    cases.push_back(std::move(launch));
    return true;
  }
  const LaunchCase before = cases.back();
  cases.back().reduce_to_common(launch);
  return cases.back() != before;
}

std::string text_of(const std::vector<LaunchCase> &cases) {
  std::string text(kFirstLine);
  for (const LaunchCase &one : cases)
    text += text_of(one) + "\n";
  return text;
}

std::vector<LaunchCase> cases_of(std::string_view text) {
  std::vector<LaunchCase> cases;
  if (!text.starts_with(kFirstLine))
    return cases;
  text.remove_prefix(kFirstLine.size());
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::optional<LaunchCase> one = case_of(text.substr(0, end));
    if (end == std::string_view::npos || !one)
      return {};
    cases.push_back(*std::move(one));
    text.remove_prefix(end + 1);
  }
  return cases;
}

bool KernelNotes::add(const LaunchCase &launch) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  for (int i = 0; i < kMostTries && !lock; ++i) {
    std::this_thread::yield();
    (void)lock.try_lock();
  }
  if (lock)
    add_case(cases_, launch, most_);
  return lock.owns_lock();
}

std::vector<LaunchCase> KernelNotes::cases() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? cases_ : std::vector<LaunchCase>();
}

std::unique_ptr<LaunchNotes> LaunchNotes::read(const ImageCopy &image, const std::string &device_arch) {
  const int64_t most = setting_in(SettingId::kJitVariants, 0, kMostVariants);
  if (most == 0)
    return nullptr;
  const Cache cache;
  if (!cache.is_open()) {
    OMPTARGET_TRACE(Topic::kImage, "no variants of kernels: there is no folder for notes of launches");
    return nullptr;
  }
  KeyMaker maker;
  maker.add(version_text());
  maker.add(kFirstLine);
  maker.add(device_arch);
  maker.add(image.bytes());
  std::unique_ptr<LaunchNotes> notes(new LaunchNotes(maker.key(), static_cast<size_t>(most)));
  if (const std::optional<std::string> text = cache.find(notes->key_))
    notes->earlier_ = cases_of(*text);
  OMPTARGET_TRACE(Topic::kImage, "notes of earlier launches have %zu cases: %s", notes->earlier_.size(),
                  name_of(notes->key_).c_str());
  return notes;
}

std::vector<LaunchCase> LaunchNotes::cases() const {
  std::vector<LaunchCase> cases = all_of(by_kernel(earlier_, most_));
  std::erase_if(cases, [](const LaunchCase &one) { return one.is_any(); });
  std::sort(cases.begin(), cases.end());
  cases.erase(std::unique(cases.begin(), cases.end()), cases.end());
  size_t count = 0;
  for (size_t size = 0; count < cases.size(); ++count)
    if ((size += text_of(cases[count]).size() + 1) > kMostText)
      break;
  cases.resize(count);
  return cases;
}

KernelNotes &LaunchNotes::of_kernel(const std::string &name) {
  std::unique_ptr<KernelNotes> &notes = kernels_[name];
  if (!notes)
    notes = std::make_unique<KernelNotes>(most_);
  return *notes;
}

void LaunchNotes::keep() {
  CasesByKernel own;
  for (const auto &[name, notes] : kernels_)
    if (std::vector<LaunchCase> cases = notes->cases(); !cases.empty())
      own[name] = std::move(cases);
  if (own.empty())
    return;
  const Cache cache;
  const Cache::Lock lock(cache, key_, std::chrono::steady_clock::now() + kMostSecondsForLock);
  const std::optional<std::string> text = cache.find(key_);
  CasesByKernel kernels = by_kernel(text ? cases_of(*text) : earlier_, most_);
  bool has_changed = !text;
  for (const auto &[name, cases] : own)
    for (LaunchCase one : cases) {
      one.kernel = name;
      has_changed |= add_case(kernels[name], std::move(one), most_);
    }
  if (!has_changed)
    return;
  cache.keep(key_, text_of(all_of(kernels)));
  OMPTARGET_TRACE(Topic::kImage, "the notes of launches have changed: %s", name_of(key_).c_str());
}

} // namespace omptarget::jit
