// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/demangle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <llvm/Demangle/ItaniumDemangle.h>
#include <memory>
#include <type_traits>
#include <vector>

namespace omptarget::observe {

namespace {

using namespace llvm::itanium_demangle;

constexpr size_t kMostCharacters = 8192; ///< of a mangled name
constexpr uint32_t kMostSteps = 1 << 16; ///< of the parser
constexpr uint32_t kMostNested = 256;    ///< types in types, arguments in arguments
constexpr uint64_t kMostOutput = 1 << 14;
constexpr uint32_t kMostDepth = 1024; ///< of what is printed

/// Makes the parser's nodes, which refer to one another, and knows for each how much and how deep its printing will be,
/// since a node that many refer to is printed for each of them.
class MeasuringNodes {
public:
  void reset() { blocks_.clear(); }

  template <typename T, typename... Args>
  Node *makeNode(Args &&...args) { // NOLINT(readability-identifier-naming): the parser's name
    // Its meaning is not known yet when it is made. Kernels have no such names.
    if constexpr (std::is_same_v<T, ForwardTemplateReference>)
      is_measured_ = false;
    Extent extent{1, 0};
    (add(extent, args), ...);
    // Prints its child for each element of a pack.
    if constexpr (std::is_same_v<T, ParameterPackExpansion> || std::is_same_v<T, FoldExpr> ||
                  std::is_same_v<T, SizeofParamPackExpr>)
      extent.output = std::min(extent.output * std::max<uint64_t>(longest_array_, 1), kTooMuch);
    ++extent.depth;
    void *const memory = allocate(sizeof(Extent) + sizeof(T));
    new (memory) Extent(extent);
    return new (static_cast<char *>(memory) + sizeof(Extent)) T(std::forward<Args>(args)...);
  }

  void *allocateNodeArray(size_t count) { // NOLINT(readability-identifier-naming): the parser's name
    longest_array_ = std::max<uint64_t>(longest_array_, count);
    return allocate(count * sizeof(Node *));
  }

  bool may_print(const Node *node) const {
    const Extent &extent = extent_of(node);
    return is_measured_ && extent.output <= kMostOutput && extent.depth <= kMostDepth;
  }

private:
  static constexpr uint64_t kTooMuch = uint64_t{1} << 32;

  struct alignas(std::max_align_t) Extent {
    uint64_t output; ///< nodes and characters of names that are printed
    uint32_t depth;
  };

  static const Extent &extent_of(const Node *node) {
    return *reinterpret_cast<const Extent *>(reinterpret_cast<const char *>(node) - sizeof(Extent));
  }

  template <typename Arg> static void add(Extent &extent, const Arg &arg) {
    if constexpr (std::is_convertible_v<const Arg &, const Node *>)
      add_node(extent, arg);
    else if constexpr (std::is_same_v<Arg, NodeArray>)
      for (const Node *node : arg)
        add_node(extent, node);
    else if constexpr (std::is_convertible_v<const Arg &, const char *>)
      extent.output = std::min<uint64_t>(extent.output + std::string_view(arg).size(), kTooMuch);
    else if constexpr (requires { arg.begin() + arg.size(); })
      extent.output = std::min<uint64_t>(extent.output + arg.size(), kTooMuch);
  }
  static void add_node(Extent &extent, const Node *node) {
    if (!node)
      return;
    const Extent &child = extent_of(node);
    extent.output = std::min(extent.output + child.output, kTooMuch);
    extent.depth = std::max(extent.depth, child.depth);
  }

  void *allocate(size_t bytes) {
    blocks_.push_back(std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1));
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<std::max_align_t[]>> blocks_;
  uint64_t longest_array_ = 0;
  bool is_measured_ = true;
};

/// LLVM's parser, whose recursions all pass through here.
class BoundedParser : public AbstractManglingParser<BoundedParser, MeasuringNodes> {
  using Base = AbstractManglingParser<BoundedParser, MeasuringNodes>;

public:
  using Base::Base;

  Node *parseType() {
    return bounded([&] { return Base::parseType(); });
  }
  Node *parseExpr() {
    return bounded([&] { return Base::parseExpr(); });
  }
  Node *parseTemplateArg() {
    return bounded([&] { return Base::parseTemplateArg(); });
  }
  // Releases of LLVM differ in the parameters of these.
  template <typename... Args> Node *parseTemplateParamDecl(Args... args) {
    return bounded([&] { return Base::parseTemplateParamDecl(args...); });
  }
  template <typename... Args> Node *parseName(Args... args) {
    return bounded([&] { return Base::parseName(args...); });
  }
  template <typename... Args> Node *parseEncoding(Args... args) {
    return bounded([&] { return Base::parseEncoding(args...); });
  }

private:
  template <typename Parse> Node *bounded(Parse parse) {
    if (nested_ == kMostNested || ++steps_ > kMostSteps)
      return nullptr;
    ++nested_;
    Node *const node = parse();
    --nested_;
    return node;
  }

  uint32_t nested_ = 0;
  uint32_t steps_ = 0;
};

struct FreeDeleter {
  void operator()(char *text) const { std::free(text); }
};

/// "heat::step" for flang's _QMheatPstep; empty for what is of another form. A capital letter tells what each part is:
/// module, submodule, function that contains the next, procedure. Parts have no capitals.
std::string readable_fortran(std::string_view name) {
  constexpr std::string_view kKinds = "MSFP";
  if (name == "_QQmain")
    return "main program";
  if (!name.starts_with("_Q"))
    return {};
  name.remove_prefix(2);
  std::string text;
  while (!name.empty()) {
    const bool is_kind = kKinds.find(name[0]) != std::string_view::npos;
    const size_t end = std::min(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", 1), name.size());
    if (!is_kind || end == 1)
      return {};
    text.append(text.empty() ? "" : "::").append(name.substr(1, end - 1));
    name.remove_prefix(end);
  }
  return text;
}

} // namespace

std::string readable_symbol(std::string_view name) {
  if (std::string fortran = readable_fortran(name); !fortran.empty())
    return fortran;
  if (name.size() > kMostCharacters || !name.starts_with("_Z"))
    return std::string(name);
  BoundedParser parser(name.data(), name.data() + name.size());
  const Node *const root = parser.parse();
  if (!root || !parser.ASTAllocator.may_print(root))
    return std::string(name);
  OutputBuffer output;
  root->print(output);
  const std::unique_ptr<char, FreeDeleter> text(output.getBuffer());
  return {output.getBuffer(), output.getCurrentPosition()};
}

namespace {

/// Copies what of a readable name is outside of brackets.
class BracketCutter {
public:
  BracketCutter(std::string_view text, bool with_template_arguments) : text_(text), keeps_(with_template_arguments) {}

  std::string cut() {
    while (at_ < text_.size())
      if (!open_.empty() || !take_word())
        take_character();
    return kept_;
  }

private:
  bool take(std::string_view word, std::string_view as) {
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    kept_ += as;
    return true;
  }
  /// Words with brackets that belong to a name.
  bool take_word() {
    if (take("(anonymous namespace)", "(anonymous)"))
      return true;
    if (!take("operator", "operator"))
      return false;
    for (const char *const word : {"()", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "<", ">"})
      if (take(word, word))
        break;
    return true;
  }
  void take_character() {
    const char byte = text_[at_];
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    ++at_;
    if (byte == '(' || byte == '{' || byte == '[' || (byte == '<' && before != ' ')) { // "a < b" is no bracket
      open_ += byte;
      keep(byte);
      return;
    }
    keep(byte);
    if (byte == '>' && before != '-' && open_.ends_with('<')) {
      open_.pop_back();
    } else if (byte == ')' || byte == '}' || byte == ']') {
      while (open_.ends_with('<'))
        open_.pop_back();
      if (!open_.empty())
        open_.pop_back();
    }
  }
  void keep(char byte) {
    if (open_.empty() || (keeps_ && open_[0] == '<'))
      kept_ += byte;
  }

  const std::string_view text_;
  const bool keeps_;
  size_t at_ = 0;
  std::string open_; ///< the brackets around this place
  std::string kept_;
};

/// Where the name begins behind a return type: after the last space that is in no brackets and in no operator.
size_t begin_of_name(std::string_view text) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("operator"))
      break;
    const char before = i == 0 ? ' ' : text[i - 1];
    depth += text[i] == '<' && before != ' ' ? 1 : text[i] == '>' && before != '-' && depth != 0 ? -1 : 0;
    if (depth == 0 && text[i] == ' ')
      begin = i + 1;
  }
  return begin;
}

} // namespace

std::string short_symbol(std::string_view readable, bool with_template_arguments) {
  std::string text = BracketCutter(readable, with_template_arguments).cut();
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string_view end : {" const", " volatile", " &&", " &", " "})
      if (text.ends_with(end)) {
        text.resize(text.size() - end.size());
        is_shorter = true;
      }
  }
  text.erase(0, begin_of_name(text));
  return readable.find('(') == std::string_view::npos || text.empty() ? std::string(readable) : text;
}

} // namespace omptarget::observe
