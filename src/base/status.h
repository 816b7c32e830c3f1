// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Success or failure as a value. A failure carries what failed and, added on the way up, during what it failed. Only
// the boundary (abi/) prints it; nobody else may drop one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"

namespace omptarget {

/// One line of a failure. kMessage explains the cause ("message: ..."), kError names what could not be done ("error:
/// ...").
struct FailureLine {
  enum class Kind { kMessage, kError };
  Kind kind;
  std::string text;
};

/// A failure, innermost line first. Plain data; not shared between threads.
struct Failure {
  std::vector<FailureLine> lines;
  int code = 1;      ///< the number in "fatal error N:"
  std::string fatal; ///< replaces the text of the fatal line, if not empty
  std::string about; ///< which variable it is about; printed after the lines, if not empty
};

/// Success, or a Failure. One pointer; null is success.
class [[nodiscard]] Status {
public:
  Status() = default;

  static Status ok() { return {}; }
  static Status error(std::string text) { return make(FailureLine::Kind::kError, std::move(text)); }
  static Status message(std::string text) { return make(FailureLine::Kind::kMessage, std::move(text)); }
  /// A failure whose fatal line is this text with this code.
  static Status fatal(int code, std::string text) {
    Status status;
    status.failure_ = std::make_unique<Failure>();
    status.failure_->code = code;
    status.failure_->fatal = std::move(text);
    return status;
  }

  bool is_ok() const { return failure_ == nullptr; }
  explicit operator bool() const { return is_ok(); }

  /// Adds during what it failed. No effect on success.
  Status &&during(std::string text) && {
    if (failure_)
      failure_->lines.push_back({FailureLine::Kind::kError, std::move(text)});
    return std::move(*this);
  }

  /// Tells which variable it is about. No effect on success.
  Status &&about(std::string text) && {
    if (failure_)
      failure_->about = std::move(text);
    return std::move(*this);
  }

  /// Adds a message that explains the cause. No effect on success.
  Status &&explained(std::string text) && {
    if (failure_)
      failure_->lines.push_back({FailureLine::Kind::kMessage, std::move(text)});
    return std::move(*this);
  }

  /// The first failure of several steps, of which each is carried out whatever became of those before.
  void keep_first(Status later) {
    if (!failure_)
      failure_ = std::move(later.failure_);
  }

  /// Only for failures.
  const Failure &failure() const { return *failure_; }
  /// All lines in one, for traces.
  std::string to_string() const;
  /// For failures that were dealt with in another way.
  void consume() { failure_.reset(); }

private:
  static Status make(FailureLine::Kind kind, std::string text) {
    Status status;
    status.failure_ = std::make_unique<Failure>();
    status.failure_->lines.push_back({kind, std::move(text)});
    return status;
  }
  std::unique_ptr<Failure> failure_;
};

/// A value, or a Failure.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}           // NOLINT(google-explicit-constructor)
  Result(Status failure) : status_(std::move(failure)) {} // NOLINT(google-explicit-constructor)

  bool is_ok() const { return value_.has_value(); } // also after take_status()
  explicit operator bool() const { return is_ok(); }
  // Only for successes; NOLINTBEGIN(bugprone-unchecked-optional-access)
  T &value() { return *value_; }
  const T &value() const { return *value_; }
  T &operator*() { return *value_; }
  T *operator->() { return &*value_; } // NOLINTEND(bugprone-unchecked-optional-access)
  Status take_status() { return std::move(status_); }
  const Status &status() const { return status_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace omptarget

#define OMPTARGET_CONCAT_2(a, b) a##b
#define OMPTARGET_CONCAT(a, b) OMPTARGET_CONCAT_2(a, b)

/// Returns from the function if the expression failed.
#define OMPTARGET_TRY(expression)                                                                                      \
  do {                                                                                                                 \
    if (::omptarget::Status try_status = (expression); !try_status.is_ok()) [[unlikely]]                               \
      return try_status;                                                                                               \
  } while (false)

/// As OMPTARGET_TRY, adding during what it failed (printf arguments).
#define OMPTARGET_TRY_DURING(expression, ...)                                                                          \
  do {                                                                                                                 \
    if (::omptarget::Status try_status = (expression); !try_status.is_ok()) [[unlikely]]                               \
      return std::move(try_status).during(::omptarget::format(__VA_ARGS__));                                           \
  } while (false)

/// Assigns the value of a Result or returns its failure: OMPTARGET_TRY_ASSIGN(auto x, f()).
#define OMPTARGET_TRY_ASSIGN(target, expression)                                                                       \
  auto OMPTARGET_CONCAT(try_result_, __LINE__) = (expression);                                                         \
  if (!OMPTARGET_CONCAT(try_result_, __LINE__).is_ok()) [[unlikely]]                                                   \
    return OMPTARGET_CONCAT(try_result_, __LINE__).take_status();                                                      \
  target = std::move(*OMPTARGET_CONCAT(try_result_, __LINE__))
