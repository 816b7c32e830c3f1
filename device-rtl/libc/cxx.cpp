// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the headers of libstdc++ call of its compiled part: trees, lists, hashes, sizes of hash tables, and memory at
// multiples of more than malloc's. Layouts and names are libstdc++'s.

#include "libc.h"

extern "C" void free(void *memory);

/// A function or variable by the name that compilers give it.
#define LIBC_NAMED(name) __asm__(name)

namespace omptarget::device_rtl::libc {

/// A node of a red-black tree. The header's parent is the root; its left and right are the first and the last node.
struct TreeNode {
  enum Color : int32_t { kRed, kBlack } color;
  TreeNode *parent, *left, *right;
};

INLINE bool is_black(const TreeNode *node) { return !node || node->color == TreeNode::kBlack; }
/// Returns the pointer to a node, in its parent or as the root.
INLINE TreeNode *&place_of(TreeNode *node, TreeNode *&root) {
  return node == root ? root : node == node->parent->left ? node->parent->left : node->parent->right;
}
INLINE TreeNode *&child(TreeNode *node, bool is_left) { return is_left ? node->left : node->right; }

/// Turns a node down to a side; its child of the other side comes into its place.
static void rotate(TreeNode *node, TreeNode *&root, bool to_left) {
  TreeNode *const up = child(node, !to_left);
  TreeNode *const between = child(up, to_left);
  child(node, !to_left) = between;
  if (between)
    between->parent = node;
  place_of(node, root) = up;
  up->parent = node->parent;
  child(up, to_left) = node;
  node->parent = up;
}

/// Makes a tree right again whose new node is red, as its parent may be.
static void repair_inserted(TreeNode *node, TreeNode *&root) {
  while (node != root && node->parent->color == TreeNode::kRed) {
    TreeNode *const grand = node->parent->parent;
    const bool is_left = node->parent == grand->left;
    TreeNode *const uncle = child(grand, !is_left);
    grand->color = TreeNode::kRed;
    if (!is_black(uncle)) {
      node->parent->color = uncle->color = TreeNode::kBlack;
      node = grand;
      continue;
    }
    if (node == child(node->parent, !is_left)) {
      node = node->parent;
      rotate(node, root, is_left);
    }
    node->parent->color = TreeNode::kBlack;
    rotate(grand, root, !is_left);
  }
  root->color = TreeNode::kBlack;
}

/// Makes a tree right again where one black node is missing above `node`, which may be null, below `parent`.
static void repair_erased(TreeNode *node, TreeNode *parent, TreeNode *&root) {
  while (node != root && is_black(node)) {
    const bool is_left = node == parent->left;
    TreeNode *sibling = child(parent, !is_left);
    if (!is_black(sibling)) {
      sibling->color = TreeNode::kBlack;
      parent->color = TreeNode::kRed;
      rotate(parent, root, is_left);
      sibling = child(parent, !is_left);
    }
    if (is_black(sibling->left) && is_black(sibling->right)) {
      sibling->color = TreeNode::kRed;
      node = parent;
      parent = parent->parent;
      continue;
    }
    if (is_black(child(sibling, !is_left))) {
      child(sibling, is_left)->color = TreeNode::kBlack;
      sibling->color = TreeNode::kRed;
      rotate(sibling, root, !is_left);
      sibling = child(parent, !is_left);
    }
    sibling->color = parent->color;
    parent->color = child(sibling, !is_left)->color = TreeNode::kBlack;
    rotate(parent, root, is_left);
    break;
  }
  if (node)
    node->color = TreeNode::kBlack;
}

INLINE TreeNode *outermost(TreeNode *node, bool is_left) {
  while (child(node, is_left))
    node = child(node, is_left);
  return node;
}

/// Returns the neighbour in order, to a side. The one before the header is the last node.
static TreeNode *neighbour(TreeNode *node, bool is_left) {
  if (is_left && node->color == TreeNode::kRed && node->parent && node->parent->parent == node)
    return node->right;
  if (child(node, is_left))
    return outermost(child(node, is_left), !is_left);
  TreeNode *parent = node->parent;
  while (node == child(parent, is_left)) {
    node = parent;
    parent = parent->parent;
  }
  // The root's parent is the header, whose own side may lead back to the root.
  return child(node, is_left) != parent ? parent : node;
}

/// Puts one node where another is.
static void replace(TreeNode *node, TreeNode *by, TreeNode *&root) {
  place_of(node, root) = by;
  by->parent = node->parent;
  by->left = node->left;
  by->right = node->right;
  if (by->left)
    by->left->parent = by;
  if (by->right)
    by->right->parent = by;
}

static TreeNode *erase(TreeNode *node, TreeNode &header) {
  TreeNode *&root = header.parent;
  if (node == header.left)
    header.left = node->right ? outermost(node->right, true) : node->parent;
  if (node == header.right)
    header.right = node->left ? outermost(node->left, false) : node->parent;
  TreeNode *const leaves = node->left && node->right ? outermost(node->right, true) : node;
  TreeNode *const rest = leaves->left ? leaves->left : leaves->right;
  TreeNode *parent = leaves->parent;
  const TreeNode::Color lost = leaves->color;
  place_of(leaves, root) = rest;
  if (rest)
    rest->parent = parent;
  if (leaves != node) {
    leaves->color = node->color;
    replace(node, leaves, root);
    parent = parent == node ? leaves : parent;
  }
  if (lost == TreeNode::kBlack && root)
    repair_erased(rest, parent, root);
  return node;
}

struct ListNode {
  ListNode *next, *previous;
};

/// A hash table's policy.
struct RehashPolicy {
  float most_load;
  mutable uint64_t next_resize;
};
struct Rehash {
  bool is_needed;
  uint64_t buckets;
};

INLINE bool is_prime(uint64_t number) {
  if (number < 4)
    return number >= 2;
  if (number % 2 == 0)
    return false;
  for (uint64_t factor = 3; factor <= number / factor; factor += 2)
    if (number % factor == 0)
      return false;
  return true;
}
static uint64_t next_buckets(const RehashPolicy *policy, uint64_t least) {
  uint64_t buckets = least == 0 ? 1 : least;
  while (buckets > 1 && !is_prime(buckets))
    ++buckets;
  policy->next_resize = static_cast<uint64_t>(static_cast<double>(buckets) * static_cast<double>(policy->most_load));
  return buckets;
}

INLINE uint64_t mix(uint64_t value) { return value ^ value >> 47; }
/// Returns up to eight bytes as an integer.
INLINE uint64_t load_bytes(const uint8_t *from, uint64_t count) {
  uint64_t value = 0;
  for (uint64_t i = 0; i < count; ++i)
    value |= uint64_t{from[i]} << 8 * i;
  return value;
}

/// The address that malloc returned lies before the block.
static void *allocate_for_new(uint64_t size, uint64_t alignment) {
  alignment = gpu::larger(alignment, uint64_t{16});
  if (size > ~uint64_t{0} - 2 * alignment)
    return nullptr;
  auto *const memory = static_cast<char *>(malloc(size + 2 * alignment));
  if (!memory)
    return nullptr;
  auto **const block = reinterpret_cast<void **>(gpu::round_up(reinterpret_cast<uint64_t>(memory) + 8, alignment));
  block[-1] = memory;
  return block;
}
INLINE void free_from_new(void *block) {
  if (block)
    free(static_cast<void **>(block)[-1]);
}

} // namespace omptarget::device_rtl::libc

namespace std {
[[noreturn]] __attribute__((visibility("hidden"), weak)) void __throw_bad_alloc();
} // namespace std

using namespace omptarget::device_rtl::libc;

LIBC TreeNode *tree_next(TreeNode *node) LIBC_NAMED("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
LIBC TreeNode *tree_next(TreeNode *node) { return neighbour(node, false); }
LIBC const TreeNode *tree_next_constant(const TreeNode *node)
    LIBC_NAMED("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
LIBC const TreeNode *tree_next_constant(const TreeNode *node) { return neighbour(const_cast<TreeNode *>(node), false); }
LIBC TreeNode *tree_previous(TreeNode *node) LIBC_NAMED("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
LIBC TreeNode *tree_previous(TreeNode *node) { return neighbour(node, true); }
LIBC const TreeNode *tree_previous_constant(const TreeNode *node)
    LIBC_NAMED("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");
LIBC const TreeNode *tree_previous_constant(const TreeNode *node) {
  return neighbour(const_cast<TreeNode *>(node), true);
}
LIBC TreeNode *tree_erase(TreeNode *node, TreeNode &header)
    LIBC_NAMED("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
LIBC TreeNode *tree_erase(TreeNode *node, TreeNode &header) { return erase(node, header); }
LIBC void tree_insert(bool is_left, TreeNode *node, TreeNode *parent, TreeNode &header)
    LIBC_NAMED("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
LIBC void tree_insert(bool is_left, TreeNode *node, TreeNode *parent, TreeNode &header) {
  *node = {TreeNode::kRed, parent, nullptr, nullptr};
  if (parent == &header) { // the first node
    header.parent = header.left = header.right = node;
  } else {
    child(parent, is_left) = node;
    if (parent == child(&header, is_left))
      child(&header, is_left) = node;
  }
  repair_inserted(node, header.parent);
}

LIBC void list_hook(ListNode *node, ListNode *before) LIBC_NAMED("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
LIBC void list_hook(ListNode *node, ListNode *before) {
  *node = {before, before->previous};
  before->previous->next = node;
  before->previous = node;
}
LIBC void list_unhook(ListNode *node) LIBC_NAMED("_ZNSt8__detail15_List_node_base9_M_unhookEv");
LIBC void list_unhook(ListNode *node) {
  node->previous->next = node->next;
  node->next->previous = node->previous;
}
LIBC void list_transfer(ListNode *before, ListNode *first, ListNode *end)
    LIBC_NAMED("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
LIBC void list_transfer(ListNode *before, ListNode *first, ListNode *end) {
  if (before == end || first == end)
    return;
  ListNode *const last = end->previous;
  first->previous->next = end;
  end->previous = first->previous;
  before->previous->next = first;
  first->previous = before->previous;
  last->next = before;
  before->previous = last;
}
LIBC void list_reverse(ListNode *node) LIBC_NAMED("_ZNSt8__detail15_List_node_base10_M_reverseEv");
LIBC void list_reverse(ListNode *node) {
  ListNode *at = node;
  do {
    ListNode *const next = at->next;
    *at = {at->previous, next};
    at = next;
  } while (at != node);
}

LIBC uint64_t hash_next_buckets(const RehashPolicy *policy, uint64_t least)
    LIBC_NAMED("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
LIBC uint64_t hash_next_buckets(const RehashPolicy *policy, uint64_t least) { return next_buckets(policy, least); }
LIBC Rehash hash_need_rehash(const RehashPolicy *policy, uint64_t buckets, uint64_t elements, uint64_t more)
    LIBC_NAMED("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
LIBC Rehash hash_need_rehash(const RehashPolicy *policy, uint64_t buckets, uint64_t elements, uint64_t more) {
  if (elements + more <= policy->next_resize)
    return {false, 0};
  const uint64_t wanted = gpu::larger(elements + more, policy->next_resize != 0 ? uint64_t{0} : uint64_t{11});
  const auto least = static_cast<uint64_t>(static_cast<double>(wanted) / static_cast<double>(policy->most_load));
  if (least >= buckets)
    return {true, next_buckets(policy, gpu::larger(least + 1, 2 * buckets))};
  policy->next_resize = static_cast<uint64_t>(static_cast<double>(buckets) * static_cast<double>(policy->most_load));
  return {false, 0};
}
LIBC uint64_t hash_bytes(const void *data, uint64_t size, uint64_t seed) LIBC_NAMED("_ZSt11_Hash_bytesPKvmm");
LIBC uint64_t hash_bytes(const void *data, uint64_t size, uint64_t seed) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto *const bytes = static_cast<const uint8_t *>(data);
  uint64_t hash = seed ^ size * kFactor, done = 0;
  for (; done + 8 <= size; done += 8)
    hash = (hash ^ mix(load_bytes(bytes + done, 8) * kFactor) * kFactor) * kFactor;
  if (done < size)
    hash = (hash ^ load_bytes(bytes + done, size - done)) * kFactor;
  return mix(mix(hash) * kFactor);
}

/// Which headers of shared_ptr ask: a program of several threads.
LIBC char __libc_single_threaded = 0;

LIBC void *new_at(uint64_t size, uint64_t alignment) LIBC_NAMED("_ZnwmSt11align_val_t");
LIBC void *new_at(uint64_t size, uint64_t alignment) {
  void *const block = allocate_for_new(size, alignment);
  if (!block)
    std::__throw_bad_alloc();
  return block;
}
LIBC void *new_array_at(uint64_t size, uint64_t alignment) LIBC_NAMED("_ZnamSt11align_val_t");
LIBC void *new_array_at(uint64_t size, uint64_t alignment) { return new_at(size, alignment); }
LIBC void *new_or_null_at(uint64_t size, uint64_t alignment, const void *)
    LIBC_NAMED("_ZnwmSt11align_val_tRKSt9nothrow_t");
LIBC void *new_or_null_at(uint64_t size, uint64_t alignment, const void *) { return allocate_for_new(size, alignment); }
LIBC void delete_at(void *block, uint64_t) LIBC_NAMED("_ZdlPvSt11align_val_t");
LIBC void delete_at(void *block, uint64_t) { free_from_new(block); }
LIBC void delete_size_at(void *block, uint64_t, uint64_t) LIBC_NAMED("_ZdlPvmSt11align_val_t");
LIBC void delete_size_at(void *block, uint64_t, uint64_t) { free_from_new(block); }
LIBC void delete_array_at(void *block, uint64_t) LIBC_NAMED("_ZdaPvSt11align_val_t");
LIBC void delete_array_at(void *block, uint64_t) { free_from_new(block); }
LIBC void delete_array_size_at(void *block, uint64_t, uint64_t) LIBC_NAMED("_ZdaPvmSt11align_val_t");
LIBC void delete_array_size_at(void *block, uint64_t, uint64_t) { free_from_new(block); }
