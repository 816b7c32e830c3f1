// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernels of PTX whose stack has no known size, by the calls in the text: those that come to a call by a
// pointer, to a function that comes to itself, or to memory of the stack whose size is known when it runs.

#include "cuda/stack_needs.h"

#include <cctype>
#include <vector>

namespace omptarget::cuda {

namespace {

/// Words and single characters, without comments and texts.
class Words {
public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    size_t size = 0;
    while (size < rest_.size() && is_of_word(rest_[size]))
      ++size;
    return take(size != 0 ? size : rest_.empty() ? 0 : 1);
  }

private:
  static bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '%';
  }
  std::string_view take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  void skip_past(std::string_view end) {
    const size_t found = rest_.find(end);
    rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + end.size());
  }
  void skip() {
    while (!rest_.empty())
      if (std::isspace(static_cast<unsigned char>(rest_.front()))) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        skip_past("\n");
      } else if (rest_.starts_with("/*")) {
        skip_past("*/");
      } else if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        skip_past("\"");
      } else {
        return;
      }
  }

  std::string_view rest_;
};

struct Function {
  bool is_kernel = false;
  bool is_of_unknown_size = false;
  std::vector<std::string_view> calls;
  enum class State { kNew, kOpen, kDone } state = State::kNew;
};

class Functions {
public:
  explicit Functions(std::string_view text) : words_(text) {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next())
      if (word == ".entry" || word == ".func")
        read_function(word == ".entry");
      else if (word == ".alias")
        read_alias();
  }

  const std::unordered_map<std::string_view, Function> &all() const { return functions_; }

  /// Returns whether it, or what it calls, has a stack of no known size. Each function is looked at once.
  bool has_unknown_size(std::string_view name) {
    struct Step {
      Function *function;
      size_t next_call;
    };
    std::vector<Step> steps;
    if (Function *const first = begin(name))
      steps.push_back({first, 0});
    while (!steps.empty()) {
      auto &[function, at] = steps.back();
      if (at < function->calls.size()) {
        const auto called = functions_.find(function->calls[at++]);
        if (called == functions_.end())
          continue;
        if (called->second.state == Function::State::kOpen)
          function->is_of_unknown_size = true;
        else if (Function *const next = begin(called->first))
          steps.push_back({next, 0});
        else
          function->is_of_unknown_size |= called->second.is_of_unknown_size;
        continue;
      }
      Function &done = *function;
      done.state = Function::State::kDone;
      steps.pop_back();
      if (!steps.empty())
        steps.back().function->is_of_unknown_size |= done.is_of_unknown_size;
    }
    const auto found = functions_.find(name);
    return found != functions_.end() && found->second.is_of_unknown_size;
  }

private:
  Function *begin(std::string_view name) {
    const auto found = functions_.find(name);
    if (found == functions_.end() || found->second.state != Function::State::kNew)
      return nullptr;
    found->second.state = Function::State::kOpen;
    return &found->second;
  }

  // Behind .entry or .func: [(results)] name [(parameters)] directives, and a body or a semicolon.
  void read_function(bool is_kernel) {
    std::string_view word = words_.next();
    if (word == "(")
      word = skip_list();
    Function &function = functions_[word];
    function.is_kernel = is_kernel;
    for (word = words_.next(); !word.empty() && word != ";"; word = words_.next())
      if (word == "{") {
        read_body(function);
        return;
      }
  }

  // Behind .alias: name, function.
  void read_alias() {
    Function &alias = functions_[words_.next()];
    if (words_.next() == ",")
      alias.calls.push_back(words_.next());
  }

  void read_body(Function &function) {
    size_t depth = 1;
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      if (word == "{")
        ++depth;
      else if (word == "}" && --depth == 0)
        return;
      else if (word == "call" || word.starts_with("call."))
        read_call(function);
      else if (word.starts_with("alloca."))
        function.is_of_unknown_size = true;
    }
  }

  // Behind call: [(results),] name or register.
  void read_call(Function &function) {
    std::string_view word = words_.next();
    if (word == "(") {
      word = skip_list();
      if (word == ",")
        word = words_.next();
    }
    if (word.starts_with("%"))
      function.is_of_unknown_size = true;
    else
      function.calls.push_back(word);
  }

  // To the word behind the parenthesis that closes.
  std::string_view skip_list() {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next())
      if (word == ")")
        return words_.next();
    return {};
  }

  Words words_;
  std::unordered_map<std::string_view, Function> functions_;
};

} // namespace

StackNeeds StackNeeds::of_ptx(std::string_view text) {
  StackNeeds needs;
  Functions functions(text);
  for (const auto &[name, function] : functions.all())
    if (function.is_kernel && functions.has_unknown_size(name))
      needs.needs_.emplace(name, kLeastUnknownStack);
  return needs;
}

} // namespace omptarget::cuda
