// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/page_access.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace omptarget {
namespace {

/// Three pages of the system, of which one cannot be written.
class Pages {
public:
  explicit Pages(size_t read_only) : size_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))) {
    void *const memory = ::mmap(nullptr, 3 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin_ = static_cast<std::byte *>(memory);
    EXPECT_EQ(::mprotect(page(read_only), size_, PROT_READ), 0);
    writable_pages.forget_all();
  }
  ~Pages() { ::munmap(begin_, 3 * size_); }
  std::byte *page(size_t i) const { return begin_ + i * size_; }
  size_t size() const { return size_; }

private:
  size_t size_;
  std::byte *begin_;
};

TEST(PageAccess, data_are_writable_if_their_first_and_last_page_are) {
  const Pages pages(1);
  EXPECT_TRUE(is_writable(pages.page(0), pages.size()));
  EXPECT_FALSE(is_writable(pages.page(0) + 8, pages.size()));
  EXPECT_FALSE(is_writable(pages.page(1) + 8, pages.size()));
  EXPECT_TRUE(is_writable(pages.page(2), pages.size()));
}

TEST(PageAccess, a_few_bytes_are_looked_at_without_their_neighbours) {
  const Pages pages(1);
  for (const size_t size : {1, 2, 3, 4, 5})
    for (const size_t offset : {0, 1, 2, 3}) {
      writable_pages.forget_all();
      std::byte *const data = pages.page(0) + 64 + offset;
      data[0] = std::byte{7};
      EXPECT_TRUE(is_writable(data, size));
      EXPECT_EQ(data[0], std::byte{7});
      EXPECT_FALSE(is_writable(pages.page(1) + 64 + offset, size));
      EXPECT_FALSE(is_writable(pages.page(1) - 1, size + 1));
    }
}

TEST(PageAccess, a_page_is_asked_for_once) {
  const Pages pages(1);
  EXPECT_TRUE(is_writable(pages.page(0), 8));
  EXPECT_EQ(::mprotect(pages.page(0), pages.size(), PROT_READ), 0);
  EXPECT_TRUE(is_writable(pages.page(0), 8));
  writable_pages.forget_all();
  EXPECT_FALSE(is_writable(pages.page(0), 8));
}

TEST(PageAccess, data_are_readable_if_their_first_and_last_page_are) {
  const Pages pages(1);
  EXPECT_EQ(::mprotect(pages.page(2), pages.size(), PROT_NONE), 0);
  readable_pages.forget_all();
  EXPECT_TRUE(is_readable(pages.page(0), 2 * pages.size()));
  EXPECT_FALSE(is_readable(pages.page(1), pages.size() + 1));
  EXPECT_FALSE(is_readable(pages.page(2) + 5, 1));
  EXPECT_FALSE(is_readable(reinterpret_cast<const void *>(8), 4));
  EXPECT_FALSE(is_writable(reinterpret_cast<const void *>(8), 4));
}

} // namespace
} // namespace omptarget
